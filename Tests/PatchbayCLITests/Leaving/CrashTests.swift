import Foundation
import PatchbayTestSupport
import Testing

@Suite("A console that crashes", .crowd, .bounded)
final class CrashTests: DeskSuite {
  /// What writes a crash's backtrace has a minute for it, in a session of its own, and a build for debugging takes long.
  deinit {
    // All that this one has of our environment. Where the other end alone is killed it waits for ever; one that is just
    // being started was not there to be killed, or has no environment yet.
    let home = Data("HOME=\(desk.folder.path)".utf8)
    var quiet = 0
    for _ in 0..<100 where quiet < 3 {
      let running = Processes.all.filter { Processes.isRunning($0) && Processes.environment(of: $0).contains(home) }
      for process in running { kill(process, SIGKILL) }
      quiet = running.isEmpty ? quiet + 1 : 0
      usleep(20_000)
    }
  }

  /// A shell in the terminal that outlives the console and says how it ended.
  private func shell(_ command: String, backtrace: String?) throws -> PtySession {
    try PtySession(
      [
        "/bin/sh", "-c", "echo before; read go; \(BuiltProduct.path("patchbay")) \(command); echo status $?; read end",
      ],
      environment: desk.environment(["SWIFT_BACKTRACE": backtrace]), columns: 110, rows: 30, folder: desk.work)
  }

  private func console(in shell: PtySession) async throws -> pid_t {
    try await eventually("the console's process") { Processes.children(of: shell.process).first }
  }

  private func hold() throws -> String {
    try stubs("- name: look\n  when: { path: /json }\n  then: { hold: request }\n")
  }

  @Test(
    "lets held requests go and the shell come back at once, whatever the backtracer is set to", .alone,
    arguments: zip(
      [nil, "enable=yes,interactive=yes", "enable=yes,interactive=no", "enable=no", nil],
      [SIGSEGV, SIGILL, SIGABRT, SIGBUS, SIGFPE]))
  func isShort(backtrace: String?, number: Int32) async throws {
    let session = try shell("listen --stubs \(hold())", backtrace: backtrace)
    try await session.waitFor(text: "before")
    let flags = session.terminalFlags
    session.type("\r")
    try await session.waitFor(row: "0 linked")
    let asker = try desk.asker()
    asker.begin(server.url("/json"))
    try await session.waitFor(row: "/json", "held")
    let crash = ContinuousClock.now
    kill(try await console(in: session), number)
    #expect(try await asker.process.waitFor(lines: 1)[0].hasPrefix("200"))
    #expect(ContinuousClock.now - crash < .seconds(1) * Patience.factor)
    let screen = try await session.waitFor("the shell") { $0.lines.contains("status \(128 + number)") }
    #expect(ContinuousClock.now - crash < .seconds(2) * Patience.factor)
    #expect(screen.isPutBack && screen.contains("before"))
    let names = [SIGSEGV: "SIGSEGV", SIGILL: "SIGILL", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE"]
    #expect(screen.text.contains("patchbay: crashed (\(try #require(names[number]))), which is a mistake in patchbay"))
    #expect(session.terminalFlags == flags)
  }

  @Test("by a fault of its own leaves a backtrace in its log, and nothing on the screen of it")
  func backtrace() async throws {
    let session = try shell("listen --stubs \(hold())", backtrace: "enable=yes,interactive=yes,color=no")
    try await session.waitFor(text: "before")
    session.type("\r")
    try await session.waitFor(row: "0 linked")
    let asker = try desk.asker()
    // Part of SQLite's index is mapped from this file; behind its end there is nothing.
    #expect(truncate(desk.folder.file("state/patchbay/history.sqlite-shm"), 0) == 0)
    asker.begin(server.url("/text"))
    let screen = try await session.waitFor("the shell") { $0.lines.contains { $0.hasPrefix("status ") } }
    #expect(screen.lines.contains("status \(128 + SIGBUS)") && screen.isPutBack)
    let log = desk.folder.file("state/patchbay/patchbay.log")
    try await eventually("the backtrace") {
      (try? String(contentsOfFile: log, encoding: .utf8))?.contains("crashed:") == true
    }
    #expect(!screen.text.contains("Press space") && screen.text.contains("patchbay.log"))
  }

  @Test("without a screen is as short")
  func headless() async throws {
    let run = try await desk.listener("--stubs", hold())
    let asker = try desk.asker()
    asker.begin(server.url("/json"))
    while try await Records.parse(desk.run("hold", "list", "--json").output).isEmpty {}
    run.signal(SIGSEGV)
    #expect(try await asker.process.waitFor(lines: 1)[0].hasPrefix("200"))
    #expect(try await run.end() == 128 + SIGSEGV)
    let sentence =
      "patchbay: crashed (SIGSEGV), which is a mistake in patchbay: what was held goes on without it."
    #expect(run.errors.split(separator: "\n").contains { $0.hasPrefix(sentence) }, "\(run.errors)")
  }

  @Test("a command gets the backtracer's setting as it was", arguments: [nil, "enable=yes,interactive=no"])
  func environment(setting: String?) async throws {
    let run = try desk.start(
      "run", "--headless", "--", "/bin/sh", "-c", "echo ${SWIFT_BACKTRACE-unset}",
      environment: ["SWIFT_BACKTRACE": setting])
    #expect(try await run.end() == 0)
    #expect(run.lines == [setting ?? "unset"])
  }

  @Test("killed on its screen leaves the terminal as it was found", arguments: ["listen", "demo", "run -- sleep 30"])
  func killed(command: String) async throws {
    let session = try shell(command, backtrace: nil)
    try await session.waitFor(text: "before")
    let flags = session.terminalFlags
    session.type("\r")
    try await session.waitFor { $0.modes.alternateScreen && $0.modes.bracketedPaste }
    let process = try await console(in: session)
    let keeper = try await eventually("the keeper") {
      Processes.children(of: process).first { Processes.arguments(of: $0).contains("patchbay-screen-keeper") }
    }
    #expect(session.terminalFlags != flags)
    let commands = Processes.descendants(of: process).filter { Processes.arguments(of: $0).first == "sleep" }
    kill(process, SIGKILL)
    let screen = try await session.waitFor("the terminal put back") { $0.isPutBack && $0.text.contains("before") }
    #expect(screen.contains("before"))
    // Where the shell was quicker than the keeper it spoke on the other screen.
    try await eventually("the shell back") {
      String(decoding: session.output, as: UTF8.self).contains("status 137")
    }
    try await eventually("its settings") { session.terminalFlags == flags && !Processes.isRunning(keeper) }
    for command in commands { kill(command, SIGKILL) }
  }

  @Test("killed while it is suspended leaves the terminal to the shell")
  func killedAway() async throws {
    let session = try PtySession(
      ["/bin/bash", "--norc", "-i"], environment: desk.environment(["PS1": "$ "]), columns: 90, rows: 30,
      folder: desk.work)
    session.type("\(BuiltProduct.path("patchbay")) listen\r")
    try await session.waitFor(row: "0 linked")
    let process = try await console(in: session)
    _ = try await eventually("the keeper") { Processes.children(of: process).first }
    try session.send("ctrl-z")
    try await session.waitFor("the shell") { !$0.modes.alternateScreen && $0.text.contains("Stopped") }
    let written = session.output.count
    kill(process, SIGKILL)
    try await eventually("its end") { !Processes.isRunning(process) }
    session.type("echo still here\r")
    try await session.waitFor { $0.lines.contains("still here") }
    #expect(!String(decoding: session.output.dropFirst(written), as: UTF8.self).contains("\u{1B}[?1049l"))
  }
}
