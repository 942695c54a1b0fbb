import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay open: its options", .crowd, .bounded)
struct OpenScreenTests {
  private let desk: Desk
  private let file: String

  init() throws {
    desk = try Desk()
    let entries = ["one", "two"].map { name in
      """
      {"startedDateTime":"2026-01-01T10:00:00.000Z","time":1,"request":{"method":"GET",\
      "url":"http://a.example/\(name)","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"x"}}}
      """
    }
    file = try desk.folder.write("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}", to: "in.har")
  }

  @Test("it begins with the filter that was given, and exports leave secrets in where that was asked for")
  func filterAndSecrets() async throws {
    let kinds: [([String], String)] = [([], "secrets are masked"), (["--with-secrets"], "with secrets")]
    for (options, note) in kinds {
      let console = try PtySession(
        [BuiltProduct.path("patchbay"), "open", file, "--filter", "path:/two"] + options,
        environment: desk.environment(), columns: 100, rows: 30, folder: desk.work)
      try await console.waitFor(row: "path:/two", "1 of 2")
      try console.send("X")
      try await console.waitFor(text: note)
    }
  }

  @Test("a theme that there is not is told, and there is no screen")
  func noTheme() async throws {
    let console = try desk.console("open", file, "--theme", "nosuch", columns: 120)
    #expect(try await console.waitForExit() == .exited(1))
    #expect(console.screen.text.contains("There is no theme nosuch"), "\(console.screen.text)")
  }
}
