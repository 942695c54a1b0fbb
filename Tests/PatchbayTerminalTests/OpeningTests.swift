import Foundation
import PatchbayTestSupport
import Testing

@Suite("Opening a terminal", .bounded)
struct OpeningTests {
  private func error(_ environment: [String: String?] = [:], redirect: [Int32: String] = [:]) async throws -> String {
    let folder = try TemporaryFolder()
    let session = try FixtureSession.start(
      environment, redirect: redirect.merging([2: folder.file("error")]) { first, _ in first })
    #expect(try await session.waitForExit() == .exited(2))
    #expect(session.output.isEmpty)
    return try String(contentsOfFile: folder.file("error"), encoding: .utf8)
  }

  @Test("a dumb, an unknown and no type are refused with a sentence, and nothing is sent")
  func types() async throws {
    let dumb = try await error(["TERM": "dumb"])
    #expect(dumb.contains("‘dumb’ (TERM) cannot show a screen") && dumb.contains("--headless"))
    let unknown = try await error(["TERM": "no-such-terminal"])
    #expect(unknown.contains("‘no-such-terminal’ (TERM) is not in the terminfo") && unknown.contains("--headless"))
    #expect(try await error(["TERM": nil]).contains("TERM is not set"))
  }

  @Test(
    "a young terminal that the database lacks is used as what it understands",
    arguments: ["xterm-ghostty-of-tomorrow", "foot-of-tomorrow", "wezterm-of-tomorrow", "tmux-of-tomorrow"])
  func standIn(type: String) async throws {
    let session = try await FixtureSession.started(["TERM": type])
    try session.send("q")
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.isPutBack)
  }

  @Test("without a terminal on standard output the way out is named")
  func noTerminal() async throws {
    let text = try await error(redirect: [1: "/dev/null"])
    #expect(text.contains("Standard output is not a terminal") && text.contains("--headless"))
  }

  @Test("it is opened once at a time")
  func twice() async throws {
    let session = try await FixtureSession.started()
    try session.send("2")
    try await session.waitFor(text: "The terminal is open already")
    try session.send("k")
    try await session.waitFor(text: "key k")
  }

  @Test("with standard input from elsewhere the keys come from /dev/tty")
  func pipedInput() async throws {
    let session = try await FixtureSession.started(redirect: [0: "/dev/null"])
    try session.send("k")
    try await session.waitFor(text: "key k")
    try session.send("q")
    #expect(try await session.waitForExit() == .exited(0))
  }
}
