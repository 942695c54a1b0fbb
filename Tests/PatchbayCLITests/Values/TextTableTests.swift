import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// Rows in columns.
@Suite(.bounded) struct TextTableTests {
  private func table(_ last: String = "0123456789012345678901234567890", spare: [String] = ["a", "b"]) -> TextTable {
    TextTable(
      heads: ["id", "a", "b", "last"], rows: [["1", "aaaa", "日本", last], ["22", "", "b", "x\ty"]], spare: spare)
  }

  @Test func aPipeGetsTabsAndNoHeads() {
    #expect(
      table().lines(width: nil) == ["1\taaaa\t日本\t0123456789012345678901234567890", "22\t\tb\tx y"])
    #expect(TextTable(heads: ["a"]).lines(width: nil) == [])
  }

  @Test func aTerminalGetsColumnsUnderHeads() {
    #expect(
      table().lines(width: 80) == [
        "id  a     b     last", "1   aaaa  日本  0123456789012345678901234567890", "22        b     x y",
      ])
    #expect(TextTable(heads: ["a", "bb"]).lines(width: 80) == ["a  bb"])
  }

  /// The last column is to have 24 columns: 2 + 2, 4 + 2 and 4 + 2 before it.
  @Test(arguments: [(80, 3), (40, 3), (39, 2), (34, 2), (33, 1), (29, 1), (20, 1)])
  func columnsGoInTheirOrder(_ width: Int, _ before: Int) {
    let lines = table().lines(width: width)
    let heads = ["id  a     b     last", "id  b     last", "id  last"]
    #expect(lines[0] == heads[3 - before])
    #expect(lines[1].hasPrefix(before == 3 ? "1   aaaa  日本  0123" : before == 2 ? "1   日本  0123" : "1   0123"))
  }

  @Test func aShortLastColumnNeedsNoMoreThanItHas() {
    let short = table("0123456789", spare: ["b", "a"])
    #expect(short.lines(width: 26)[0] == "id  a     b     last")
    #expect(short.lines(width: 25)[0] == "id  a     last")
  }

  @Test func whatDoesNotFitIsCut() {
    #expect(table(spare: []).lines(width: 20)[1] == "1   aaaa  日本  012…")
    #expect(table().lines(width: 8)[1] == "1   012…")
  }
}
