import Foundation
import PatchbayTestSupport
import Testing

@Suite(
  "In tmux, a terminal of others' making", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/tmux")),
  .bounded)
struct TmuxTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ environment: [String: String?] = [:]) throws -> PtySession {
    return try PtySession(
      TmuxCommand.words([BuiltProduct.path("terminal-fixture")], in: folder),
      environment: PtySession.environment(environment.merging(["SHELL": "/bin/sh"]) { $1 }), columns: 70, rows: 20)
  }

  @Test("text stands in line, random frames arrive, keys and mouse work, and the end is clean")
  func session() async throws {
    let dump = folder.file("frame")
    let session = try start(["FIXTURE_DUMP": dump])
    let screen = try await session.waitFor { $0.contains("last row") && $0.contains("ready") }
    #expect(Array(screen.lines[1...3]) == ["│日本語のテスト│end", "│ascii  14 cells│end", "│か\u{3099}e\u{301}👨👍⚠x│end"])
    for frame in 1...40 {
      try session.send("r")
      try await session.waitFor("frame \(frame) as drawn") { screen in
        let expected = try? String(contentsOfFile: dump, encoding: .utf8).components(separatedBy: "\n")
        return screen.lines[0] == "frame \(frame)" && expected?.starts(with: screen.lines.prefix(19)) == true
      }
    }
    try session.send("s")
    try await session.waitFor(text: "fixture 70×19")
    session.type("\u{1B}")
    try await session.waitFor { $0.lines[4] == "key esc" }
    try session.send("ctrl-left")
    try await session.waitFor { $0.lines[4] == "key ctrl-left" }
    session.resize(columns: 61, rows: 15)
    try await session.waitFor { $0.contains("fixture 61×14") && $0.lines[13].hasSuffix("last row") }
    try session.send("q")
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.isPutBack)
  }
}
