import PatchbayTestSupport
import Testing

@Suite("patchbay themes show", .crowd, .bounded) final class ThemesShowTests: DeskSuite {
  @Test("writes each role into a file or a pipe as a theme file has it")
  func piped() async throws {
    let show = try await desk.run("themes", "show", "dark")
    #expect(show.exitStatus == 0 && show.lines.count > 20)
    let theme =
      "name: again\nroles:\n"
      + show.lines.map { line in
        let halves = line.split(separator: " ", maxSplits: 1)
        return "  \(halves[0]): \(halves[1])\n"
      }.joined()
    let again = try desk.folder.write(theme, to: "again.yaml")
    let check = try await desk.run("themes", "check", again)
    #expect(check.output == "\(again): again, \(show.lines.count) roles, no mistakes.\n", "\(check.said)")
    #expect(try await desk.run("themes", "show", again).output == show.output)
  }
}
