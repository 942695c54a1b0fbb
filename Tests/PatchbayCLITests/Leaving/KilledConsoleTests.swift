import Foundation
import PatchbayTestSupport
import Testing

@Suite("A console that is killed", .crowd, .bounded)
struct KilledConsoleTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// More than a terminal holds, so that it stops whoever writes it if nobody reads.
  private static let muchOutput = "head -c 500000 /dev/zero | tr '\\0' x"

  private struct Started {
    let console: PtySession
    let command, keeper: pid_t

    func end() {
      for process in [command] + Processes.descendants(of: keeper) + [keeper] { kill(process, SIGKILL) }
    }
  }

  /// - Parameter script: what the command does when it has said who it is.
  private func start(_ script: String) async throws -> Started {
    let console = try desk.console("run", "--", "/bin/sh", "-c", "echo $$ > new; mv new started; \(script)")
    try await eventually("the command") { desk.isThere("started") }
    // Before it is one by name it is a copy of the console, and hung up together with that.
    let keeper = try await eventually("the keeper") {
      Processes.children(of: console.process).first { Processes.arguments(of: $0).contains("patchbay-keeper") }
    }
    let text = try String(contentsOfFile: desk.work + "/started", encoding: .utf8)
    let command = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    return Started(console: console, command: command, keeper: keeper)
  }

  private func killConsole(of started: Started) async throws {
    kill(started.console.process, SIGKILL)
    #expect(try await started.console.waitForExit() == .signaled(SIGKILL))
    #expect(Processes.isRunning(started.command) && Processes.isRunning(started.keeper))
  }

  private func waitForEnd(of started: Started) async throws {
    try await eventually("the end of both") {
      !Processes.isRunning(started.command) && !Processes.isRunning(started.keeper)
    }
  }

  @Test("leaves its command alone, which writes on and ends by itself; nothing of ours stays")
  func goesOn() async throws {
    let started = try await start(
      "while ! test -e go; do sleep 0.05; done; \(Self.muchOutput); "
        + "test -t 1 && echo done > new && mv new done; while ! test -e end; do sleep 0.05; done")
    defer { started.end() }
    try await killConsole(of: started)
    try desk.touch("go")
    try await eventually("all of its output") { desk.isThere("done") }
    #expect(Processes.isRunning(started.command) && Processes.isRunning(started.keeper))
    try desk.touch("end")
    try await waitForEnd(of: started)
  }

  @Test("does not hang up a command that has nothing open of its terminal for a while")
  func opensAgain() async throws {
    let started = try await start(
      "exec 3>&- </dev/null >/dev/null 2>&1; : > closed; while ! test -e go; do sleep 0.05; done; "
        + "\(Self.muchOutput) > /dev/tty && echo done > new && mv new done")
    defer { started.end() }
    try await eventually("its terminal to be closed") { desk.isThere("closed") }
    try await killConsole(of: started)
    try desk.touch("go")
    try await eventually("all of its output") { desk.isThere("done") }
    try await waitForEnd(of: started)
  }

  @Test("what keeps the terminal ends with the console, and with the command, and has nothing else of ours")
  func keeperEnds() async throws {
    let started = try await start("read line")
    defer { started.end() }
    let console = started.console
    let folder = "/proc/\(started.keeper)/fd"
    func open() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
    }
    let expected = ["/dev/ptmx", "/dev/pts/ptmx", "/dev/null", "pipe:["]
    // While it begins it has the libraries open that it loads.
    try await eventually("nothing else to be open in it", state: "\((try? open()) ?? [])") {
      let files = try open()
      return !files.isEmpty && files.allSatisfy { file in expected.contains { file.hasPrefix($0) } }
    }
    try console.send("5", "i", "enter")
    try await console.waitFor("the command's end") { $0.text.contains("ended with status 0") }
    try await eventually("the keeper's end") { !Processes.isRunning(started.keeper) }
    try console.send("esc", "q")
    #expect(try await console.waitForExit() == .exited(0))
  }

  @Test("leaves a command without a screen alone, too")
  func headless() async throws {
    let run = try desk.start(
      "run", "--headless", "--", "/bin/sh", "-c",
      "echo $$; while ! test -e go; do sleep 0.05; done; echo on; echo done > new; mv new done")
    let command = try #require(pid_t(try await run.waitFor(lines: 1)[0]))
    defer { kill(command, SIGKILL) }
    run.signal(SIGKILL)
    #expect(try await run.end() == 128 + SIGKILL)
    #expect(Processes.isRunning(command))
    try desk.touch("go")
    try await eventually("its end") { desk.isThere("done") && !Processes.isRunning(command) }
    #expect(run.lines.last == "on")
  }
}

extension Desk {
  fileprivate func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: work + "/" + name) }

  fileprivate func touch(_ name: String) throws {
    try Data().write(to: URL(fileURLWithPath: work + "/" + name))
  }
}
