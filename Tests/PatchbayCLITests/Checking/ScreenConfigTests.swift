import Foundation
import PatchbayTestSupport
import Testing

@Suite("The config file of a console on screen", .crowd, .bounded)
struct ScreenConfigTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
    try FileManager.default.createDirectory(
      atPath: desk.folder.file("config/patchbay"), withIntermediateDirectories: true)
  }

  private func console(_ config: String) throws -> PtySession {
    _ = try desk.folder.write(config, to: "config/patchbay/config.yaml")
    return try desk.console("listen", "--history", ":memory:", columns: 120)
  }

  @Test("it starts although keys, theme, columns or filter are wrong, and says where")
  func starts() async throws {
    let console = try console("keys:\n  nosuch: q\n  help: ctrl-k\ntheme: nope\n")
    try await console.waitFor("the sentence with its place") {
      $0.contains("config.yaml:2:3: there is no command nosuch")
        && $0.contains("And 1 more: patchbay doctor lists them.")
    }
    try console.send("ctrl-k")
    try await console.waitFor("the key that is right") { $0.contains("find a key, a word") }
    try console.send("esc")
    try await console.waitFor("the list again") { !$0.contains("find a key, a word") }
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(0))
  }

  @Test("a theme of several mistakes is told in one sentence, whoever chose it")
  func theme() async throws {
    let themes = desk.folder.file("config/patchbay/themes")
    try FileManager.default.createDirectory(atPath: themes, withIntermediateDirectories: true)
    _ = try desk.folder.write("name: mine\nnosuch: 1\nnorthis: 2\n", to: "config/patchbay/themes/mine.yaml")
    _ = try desk.folder.write("theme: mine\n", to: "config/patchbay/config.yaml")
    let told = try await desk.run("doctor").output.split(separator: "\n").filter { $0.contains("mine.yaml") }
    #expect(told.count == 1 && told[0].contains("more: patchbay themes check lists them"), "\(told)")

    try FileManager.default.createDirectory(
      atPath: desk.folder.file("state/patchbay"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    _ = try desk.folder.write("{\"theme\":\"mine\"}", to: "state/patchbay/view.json")
    let console = try console("mouse: true\n")
    try await console.waitFor("the sentence") { $0.text.contains("themes check lists them") }
  }

  @Test("its filter is the one to begin with")
  func filter() async throws {
    let console = try console("filter: status:5xx\n")
    try await console.waitFor("the filter") { $0.contains("/ status:5xx") }
  }

  @Test("what concerns traffic and its record is not guessed", arguments: ["redact: maybe", "redcat: true"])
  func refuses(line: String) async throws {
    let console = try console("mouse: 7\n\(line)\n")
    #expect(try await console.waitForExit() == .exited(1))
    #expect(console.screen.text.filter { $0 != "\n" }.contains("config.yaml:2:"))
  }
}
