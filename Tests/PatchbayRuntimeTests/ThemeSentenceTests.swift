import PatchbayFiles
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("What is said of a theme that is saved with mistakes", .bounded) struct ThemeSentenceTests {
  private func mistake(_ message: String) -> FileMistake { FileMistake(path: "mine.yaml", message: message) }

  @Test("one mistake is said as it is") func one() {
    #expect(ThemeCatalog.sentence(about: FilesError([mistake("no `bg`")])) == "mine.yaml: no `bg`")
  }

  @Test("of several the first, in one line, and how many more") func several() {
    let text = ThemeCatalog.sentence(about: FilesError([mistake("no `bg`"), mistake("no `fg`"), mistake("x")]))
    #expect(text == "mine.yaml: no `bg` (2 more: patchbay themes check lists them)")
  }
}
