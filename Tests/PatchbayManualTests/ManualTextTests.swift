import Foundation
import PatchbayManual
import PatchbayTestSupport
import Testing

@Suite("Pages as text", .bounded)
struct ManualTextTests {
  private func plain(_ markdown: String, width: Int = 40) -> [String] {
    ManualText(width: width, isStyled: false).lines(markdown)
  }

  @Test("marks, comments and pictures go; code stays as it is")
  func blocks() {
    let page = """
      # A page

      ![picture](a.svg)
      Some **stress** and `code` in a paragraph that
      goes on, with a [link](Stubs.md).

      <!-- generated: x -->
      - one
        more of one
      - two

      ```yaml
      a:   1 | **2**

      ```
      """
    #expect(
      plain(page) == [
        "A PAGE", "", "Some stress and code in a paragraph that", "goes on, with a link.", "", "- one more of one",
        "- two",
        "", "    a:   1 | **2**", "",
      ])
  }

  @Test("a table fits the width, its cells wrapped; \\| is a bar")
  func tables() {
    let table = """
      | Key | Meaning |
      |---|---|
      | `a` | what a does when it is alone \\| or not |
      | `long-name` | short |
      """
    #expect(
      plain(table, width: 30) == [
        "Key        Meaning", "a          what a does when it", "           is alone | or not", "long-name  short",
      ])
  }

  @Test("styles never change what is read, at any width", arguments: Manual.pages.map(\.topic), [20, 60, 100])
  func styles(_ topic: String, _ width: Int) throws {
    let page = try #require(Manual.page(topic))
    let styled = ManualText(width: width, isStyled: true).lines(page.markdown)
    let bare = styled.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
    #expect(bare == plain(page.markdown, width: width))
    #expect(styled.allSatisfy { !$0.contains("\u{1B}") || $0.hasSuffix("\u{1B}[0m") || $0.contains("\u{1B}[0m") })
    #expect(!bare.joined().contains("**") && !bare.contains { $0.hasPrefix("```") })
  }

  @Test("topics have names of their own, and a page with a title")
  func topics() {
    let names = Manual.pages.flatMap { [$0.topic] + $0.otherNames }
    #expect(Set(names).count == names.count)
    for page in Manual.pages {
      #expect(page.markdown.hasPrefix("# "), "\(page.topic)")
      #expect(Manual.page(page.topic.uppercased())?.topic == page.topic)
    }
    #expect(Manual.page("nothing") == nil)
  }

  @Test("each topic prints the file of its name, and the titles stand in their order")
  func files() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/PatchbayManual/PatchbayManual.docc")
    for page in Manual.pages {
      let file = try String(contentsOf: folder.appendingPathComponent(page.file + ".md"), encoding: .utf8)
      #expect(page.markdown == file, "\(page.topic)")
      for name in page.otherNames { #expect(Manual.page(name)?.topic == page.topic) }
    }
    let topics =
      "start ways screen keys jobs stubs templates faults filter history jsonl scripts tests config themes secrets limits inside moving"
    #expect(Manual.pages.map(\.topic).joined(separator: " ") == topics)
  }
}
