import Foundation
import PatchbayTestSupport
import Testing

@Suite("Programs in a pseudo terminal", .bounded)
struct PtySessionTests {
  @Test("the program has a controlling terminal of the given size, and is told of another")
  func size() async throws {
    let script =
      "trap 'stty size' WINCH; stty size </dev/tty; echo ready; while :; do read line && echo got $line; done"
    let session = try PtySession(["/bin/sh", "-c", script], columns: 70, rows: 20)
    try await session.waitFor { $0.lines.starts(with: ["20 70", "ready"]) }
    session.resize(columns: 50, rows: 10)
    try await session.waitFor(text: "10 50")
    session.type("日本\r")
    try await session.waitFor(text: "got 日本")
    try session.send("ctrl-c")
    #expect(try await session.waitForExit() == .signaled(SIGINT))
  }

  @Test("the exit status is known, and all that was written before it")
  func exit() async throws {
    let session = try PtySession(["/bin/sh", "-c", "seq 1 2000; exit 7"])
    #expect(try await session.waitForExit() == .exited(7))
    #expect(session.screen.contains("2000"))
  }

  @Test("a wait that is in vain says what was awaited and prints the screen")
  func timeout() async throws {
    let session = try PtySession(["/bin/sh", "-c", "echo here; read x"])
    try await session.waitFor(text: "here")
    do {
      try await session.waitFor(text: "there", timeout: .milliseconds(50))
      Issue.record("the wait ended")
    } catch let error as PtyError {
      #expect(error.description == "waited in vain for ‘there’; the screen:\nhere")
    }
  }

  @Test("a missing program is an error")
  func missing() {
    #expect(throws: PtyError.self) { try PtySession(["/nowhere/program"]) }
  }

  @Test("keys have the bytes that xterm sends")
  func keys() throws {
    #expect(try KeyBytes.encode("ctrl-r") == [0x12])
    #expect(try KeyBytes.encode("alt-x") == Array("\u{1B}x".utf8))
    #expect(try KeyBytes.encode("shift-tab") == Array("\u{1B}[Z".utf8))
    #expect(try KeyBytes.encode("ctrl-left") == Array("\u{1B}[1;5D".utf8))
    #expect(try KeyBytes.encode("up", applicationCursor: true) == Array("\u{1B}OA".utf8))
    #expect(try KeyBytes.encode("f5") == Array("\u{1B}[15~".utf8))
    #expect(throws: PtyError.self) { try KeyBytes.encode("nonsense") }
  }
}
