import Foundation
import PatchbayTestSupport
import Testing

@Suite("A run in which nothing linked says why", .crowd, .bounded)
struct SilenceTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// Ends the input of the program that the run's script has started, once that has been looked at; the script ends with 3.
  private func endAfterLooks(_ run: ChildProcess) async throws -> pid_t {
    let program = try await eventually("the program", state: run.said) {
      Processes.children(of: run.pid).first.flatMap { Processes.children(of: $0).first }
    }
    // Longer than it takes to look.
    try await eventually("some looks") { Processes.age(program) > .milliseconds(700) }
    run.endInput()
    #expect(try await run.end() == 3)
    return program
  }

  @Test("env that takes the preload away")
  func cleared() async throws {
    let cleared = try await desk.run("run", "--headless", "--", "env", "-i", "/bin/echo", "hello")
    #expect(cleared.output == "hello\n" && cleared.exitStatus == 0)
    #expect(cleared.errors.contains("env takes LD_PRELOAD away"))
    #expect(cleared.errors.split(separator: "\n").count == 1)
  }

  @Test("a program that a script starts without the preload is named, on screen while it runs")
  func notPreloaded() async throws {
    let script = "unset LD_PRELOAD; '\(BuiltProduct.path("plain-harness"))' ask; exit 3"
    let run = try desk.start("run", "--headless", "--", "/bin/sh", "-c", script, input: .written)
    let program = try await endAfterLooks(run)
    #expect(
      run.errors.contains("plain-harness (\(program)) runs without the hook, because LD_PRELOAD did not reach it"))
    #expect(run.errors.split(separator: "\n").count == 1)

    let console = try desk.console("run", "--", "/bin/sh", "-c", script, columns: 200)
    try await console.waitFor("the notice") { $0.text.contains("runs without the hook") }
    try console.send("q", "y")
    try await console.waitForExit()
  }

  @Test(
    "a program that has given up root's rights is named", .enabled(if: geteuid() == 0, "only root can give them up"))
  func otherUser() async throws {
    let program = desk.folder.file("harness")
    try FileManager.default.copyItem(atPath: BuiltProduct.path("plain-harness"), toPath: program)
    chmod(program, 0o755)
    chmod(desk.folder.path, 0o755)
    let other = ["setpriv", "--reuid=65534", "--clear-groups", program, "ask"]
    // Where that user cannot read the Swift runtime, there is nothing to see.
    guard try await desk.start(["/usr/bin/env"] + other).end() == 0 else { return }
    let script = "setpriv --reuid=65534 --clear-groups '\(program)' ask; exit 3"
    let run = try desk.start("run", "--headless", "--", "/bin/sh", "-c", script, input: .written)
    let process = try await endAfterLooks(run)
    #expect(run.errors.contains("harness (\(process)) runs with the rights of another user (65534)"), "\(run.said)")
  }

  @Test("a program that clears its environment before its first session is hooked all the same")
  func clearedInside() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let run = try desk.start(
      "run", "--headless", "--", BuiltProduct.path("plain-harness"), "ask-without-environment", input: .written)
    run.send("GET http://127.0.0.1:\(server.port)/json")
    _ = try await run.waitFor(lines: 1)
    run.endInput()
    #expect(try await run.end() == 0)
    #expect(run.errors.contains("/json"), "\(run.said)")
  }

  @Test("a program with another user's or group's rights is told so once, and what to do", arguments: ["u", "g"])
  func privileged(whose: String) async throws {
    let program = try desk.folder.write("", to: "privileged")
    try FileManager.default.removeItem(atPath: program)
    try FileManager.default.copyItem(atPath: "/bin/echo", toPath: program)
    guard chown(program, whose == "u" ? 65_534 : getuid(), whose == "g" ? 65_534 : getgid()) == 0 else { return }
    chmod(program, whose == "u" ? 0o4755 : 0o2755)
    let run = try await desk.run("run", "--headless", "--", program, "hello")
    #expect(run.output == "hello\n" && run.exitStatus == 0)
    #expect(run.errors.contains("rights (set-\(whose)id)") && run.errors.contains("without that"), "\(run.said)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test("a command that cannot be started is told in one sentence, whatever else there is to say of it")
  func oneSentence() async throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh"))
    // Another processor's: e_machine, of which there is none with this number.
    bytes[18] = 0xF0
    bytes[19] = 0xF0
    let program = desk.folder.file("foreign")
    try bytes.write(to: URL(fileURLWithPath: program))
    chmod(program, 0o755)
    let run = try await desk.run("run", "--headless", "--", program)
    #expect(run.exitStatus == 126)
    #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains(program), "\(run.errors)")
  }

  @Test("a state folder that cannot be made is told, and the command runs")
  func noStateFolder() async throws {
    let run = try await desk.run(
      "run", "--headless", "--", "/bin/echo", "hello", environment: ["XDG_STATE_HOME": "/proc/nowhere"])
    #expect(run.output == "hello\n" && run.exitStatus == 0)
    #expect(run.errors.contains("/proc/nowhere") && run.errors.contains("kept in memory only"), "\(run.errors)")
    let history = try await desk.run("history", environment: ["XDG_STATE_HOME": "/proc/nowhere"])
    #expect(history.exitStatus == 1 && history.errors.contains("set XDG_STATE_HOME"))
  }

  @Test("a theme that is not there is told without a screen, too")
  func theme() async throws {
    let run = try await desk.run("run", "--headless", "--theme", "nope", "--", "/bin/echo", "hello")
    #expect(run.exitStatus == 1 && run.output.isEmpty)
    #expect(run.errors.contains("There is no theme nope") && run.errors.split(separator: "\n").count == 1)
  }

  @Test("a stub file that is given twice is told so")
  func stubsTwice() async throws {
    let stubs = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: a\n  then: { fail: timedOut }\n", to: "stubs.yaml")
    let run = try await desk.run("run", "--headless", "--stubs", stubs, "--stubs", stubs, "--", "/bin/echo")
    #expect(run.exitStatus == 1 && run.errors == "\(stubs): the file is given twice: name it once\n")
  }
}
