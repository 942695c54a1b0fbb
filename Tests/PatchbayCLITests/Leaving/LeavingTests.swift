import Foundation
import PatchbayTestSupport
import Testing

@Suite("The terminal is left as it was found", .crowd, .bounded)
struct LeavingTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// A shell in the terminal that outlives the console and says how it ended.
  private func shell(_ command: String) throws -> PtySession {
    let patchbay = BuiltProduct.path("patchbay")
    return try PtySession(
      ["/bin/sh", "-c", "echo before; read go; \(patchbay) \(command); echo status $?; read end"],
      environment: desk.environment(["SWIFT_BACKTRACE": "enable=no"]), columns: 90, rows: 30, folder: desk.work)
  }

  private func started(_ console: PtySession) async throws -> [UInt32] {
    try await console.waitFor(text: "before")
    let flags = console.terminalFlags
    console.type("\r")
    try await console.waitFor(row: "network")
    #expect(console.screen.modes.alternateScreen && !console.screen.modes.cursorVisible)
    #expect(console.terminalFlags != flags)
    return flags
  }

  private func patchbay(in shell: PtySession) async throws -> pid_t {
    try await eventually("the console's process") { Processes.children(of: shell.process).first }
  }

  @Test("after q, ctrl-c twice, and the end of its time", arguments: ["q", "ctrl-c", "time"])
  func quit(how: String) async throws {
    let console = try shell(how == "time" ? "demo --for 3s" : "demo")
    let flags = try await started(console)
    switch how {
    case "q": try console.send("q")
    case "ctrl-c": try console.send("ctrl-c", "ctrl-c")
    default: break
    }
    try await console.waitFor("the shell") { $0.lines.contains("status 0") }
    #expect(console.screen.isPutBack)
    #expect(console.screen.contains("before"))
    #expect(console.terminalFlags == flags)
  }

  @Test("after a signal and after a crash", arguments: [SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGXCPU, SIGSEGV, SIGABRT])
  func signals(number: Int32) async throws {
    let console = try shell("demo")
    let flags = try await started(console)
    kill(try await patchbay(in: console), number)
    let screen = try await console.waitFor("the shell") { $0.lines.contains { $0.hasPrefix("status ") } }
    #expect(screen.isPutBack)
    #expect(screen.lines.contains("status \(128 + number)"))
    #expect(console.terminalFlags == flags)
  }

  @Test("hung up twice, as a terminal and its shell do, it still ends its command")
  func hungUpTwice() async throws {
    let console = try desk.console(
      "run", "--", "/bin/sh", "-c", "trap '' TERM; echo $$ > new; mv new started; while :; do sleep 0.05; done")
    let file = desk.work + "/started"
    let text = try await eventually("the command") { try? String(contentsOfFile: file, encoding: .utf8) }
    let command = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(command, SIGKILL) }
    try await console.waitFor("the screen") { $0.modes.alternateScreen }
    console.signal(SIGHUP)
    try await console.waitFor("the terminal put back") { !$0.modes.alternateScreen }
    console.signal(SIGHUP)
    console.signal(SIGTERM)
    #expect(try await console.waitForExit() == .exited(128 + SIGKILL))
    #expect(!Processes.isRunning(command))
  }

  @Test("after an error at the start, which is told on the normal screen")
  func errorAtStart() async throws {
    let stubs = try desk.folder.write("patchbay: 1\nstubs:\n- name: a\n  them: { fail: timedOut }\n", to: "bad.yaml")
    let console = try shell("listen --stubs \(stubs)")
    try await console.waitFor(text: "before")
    let flags = console.terminalFlags
    console.type("\r")
    let screen = try await console.waitFor("the shell") { $0.lines.contains { $0.hasPrefix("status ") } }
    #expect(screen.isPutBack)
    #expect(screen.lines.contains("status 1"))
    #expect(screen.text.contains("bad.yaml:4:3"))
    #expect(console.terminalFlags == flags)
    #expect(!String(decoding: console.output, as: UTF8.self).contains("\u{1B}[?1049h"), "the screen never opened")
  }

  @Test("suspended by ctrl-z, taken up again by fg")
  func suspend() async throws {
    let console = try PtySession(
      ["/bin/bash", "--norc", "-i"], environment: desk.environment(["PS1": "$ "]), columns: 90, rows: 30,
      folder: desk.work)
    console.type("\(BuiltProduct.path("patchbay")) demo\r")
    try await console.waitFor(row: "network")
    try console.send("ctrl-z")
    try await console.waitFor("the shell") { !$0.modes.alternateScreen && $0.text.contains("Stopped") }
    console.type("echo here; fg\r")
    try await console.waitFor("the console again") { $0.modes.alternateScreen && $0.has("1 Requests", "2 Stubs") }
    try console.send("q")
    try await console.waitFor("the shell") { screen in
      !screen.modes.alternateScreen && screen.modes.cursorVisible && screen.modes.mouse.isEmpty
        && screen.text.contains("here")
    }
  }
}
