import Foundation
import PatchbayTestSupport
import Testing

@Suite("A signal while the console starts is not lost", .crowd, .bounded)
struct EarlySignalTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// A shell that starts a console when it is told to, and says how it ended.
  private func shell() async throws -> (session: PtySession, flags: [UInt32]) {
    let patchbay = BuiltProduct.path("patchbay")
    let session = try PtySession(
      ["/bin/sh", "-c", "echo before; read go; \(patchbay) listen; echo status $?; read end"],
      environment: desk.environment(["SWIFT_BACKTRACE": "enable=no"]), columns: 90, rows: 30, folder: desk.work)
    try await session.waitFor(text: "before")
    let flags = session.terminalFlags
    session.type("\r")
    return (session, flags)
  }

  /// Once it is one: what the shell has made for it and has not replaced yet takes SIGINT for the shell's, which waits for
  /// the command's end then.
  private func console(of session: PtySession) async throws -> pid_t {
    try await eventually("the console's process") {
      Processes.children(of: session.process).first { Processes.arguments(of: $0).last == "listen" }
    }
  }

  private func expectEnd(_ session: PtySession, flags: [UInt32], status: [Int32]) async throws {
    let screen = try await session.waitFor("the shell") { $0.lines.contains { $0.hasPrefix("status ") } }
    #expect(screen.isPutBack)
    #expect(status.contains { screen.lines.contains("status \($0)") }, "\(screen.text)")
    #expect(session.terminalFlags == flags)
  }

  @Test("at the moment at which the screen opens", arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGINT])
  func screenOpens(number: Int32) async throws {
    let (session, flags) = try await shell()
    let process = try await console(of: session)
    let deadline = ContinuousClock.now + .seconds(20)
    while !session.output.contains(0x1B), ContinuousClock.now < deadline { await Task.yield() }
    kill(process, number)
    // Ctrl-C leaves where nothing is to be asked.
    try await expectEnd(session, flags: flags, status: number == SIGINT ? [0] : [128 + number])
  }

  @Test("at any moment before", arguments: [SIGTERM, SIGHUP, SIGINT])
  func anyMoment(number: Int32) async throws {
    for step in 0..<10 {
      let (session, flags) = try await shell()
      let process = try await console(of: session)
      try await Task.sleep(for: .milliseconds(step * 12) + .microseconds(Int.random(in: 0..<12_000)))
      kill(process, number)
      try await expectEnd(session, flags: flags, status: number == SIGINT ? [130, 0] : [128 + number])
    }
  }
}
