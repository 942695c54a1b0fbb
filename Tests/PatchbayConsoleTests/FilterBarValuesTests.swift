import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The bar of the filter as a value: what it forgets, and how what it offers fits its row.
@Suite(.bounded) struct FilterBarValuesTests {
  private func two(_ key: FilterKey) -> [String] { key == .host ? ["a.example", "b.example"] : [] }

  private func nothing(_ key: FilterKey) -> [String] { [] }

  /// What is said below the bar in a row of that width.
  private func help(
    _ bar: FilterBar, width: Int, status: [PageLine.Piece] = [], values: (FilterKey) -> [String]
  ) -> String {
    var grid = Grid(Size(width: width, height: 1))
    let isDrawn = bar.drawHelp(
      on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), .builtIn, status: { _ in status }, values: values)
    #expect(isDrawn == !grid.text.isEmpty)
    return grid.text
  }

  @Test func aBarThatIsOpenedAgainBeginsAnew() {
    var bar = FilterBar()
    bar.open()
    _ = bar.insert("host:")
    _ = bar.handle(.tab, values: two)
    #expect(bar.editor.text == "host:a.example")
    _ = bar.handle(.enter, values: two)
    bar.open()
    _ = bar.handle(.tab, values: two)
    #expect(bar.editor.text == "host:a.example", "what Tab went through was of the text of before")
    var other = FilterBar("is:bad")
    other.open()
    _ = other.insert(" nope:1")
    #expect(other.handle(.enter, values: two) == .nothing && other.isOpen)
    #expect(other.handle(.escape, values: two) == .nothing && !other.isOpen)
    other.open()
    #expect(other.handle(.enter, values: two) == .nothing && !other.isOpen, "so was the fault")
  }

  @Test func oneThatWasUsedBeforeEndsWhatTabGoesThrough() {
    var bar = FilterBar()
    bar.set("is:bad", isRemembered: true)
    bar.set("")
    bar.open()
    _ = bar.insert("host:")
    _ = bar.handle(.tab, values: two)
    #expect(bar.handle(.up, values: two) == .changed && bar.editor.text == "is:bad")
    _ = bar.handle(.tab, values: two)
    #expect(bar.editor.text == "is:bad")
  }

  /// From the eighth on the first ones make room.
  @Test func whatTabIsAtIsSeenWithSixBeforeIt() {
    func hosts(_ key: FilterKey) -> [String] { key == .host ? (1...12).map { "h\($0).example" } : [] }
    var bar = FilterBar()
    bar.open()
    _ = bar.insert("host:")
    for step in 1...12 {
      _ = bar.handle(.tab, values: hosts)
      #expect(bar.editor.text == "host:h\(step).example")
      #expect(help(bar, width: 200, values: hosts).hasPrefix("   h\(max(1, step - 6)).example "), "\(step)")
    }
  }

  @Test func whatDoesNotFitTheRowEndsWithAnEllipsis() {
    let names = ["aa", "bbbb", "c"]
    func hosts(_ key: FilterKey) -> [String] { key == .host ? names : [] }
    var bar = FilterBar()
    bar.open()
    _ = bar.insert("host:")
    _ = bar.handle(.tab, values: hosts)
    let ends = [2, 6, 12, 15]
    for width in 4...30 {
      // The slow way: all of them, else the most that leave a cell for the ellipsis.
      let count = ends[3] < width ? 3 : (0...2).last { ends[$0] + 1 < width } ?? 0
      let parts = names.prefix(count).map { " \($0) " }.joined()
      let text = "  " + (count == 3 ? String(parts.dropLast()) : parts + "…")
      #expect(help(bar, width: width, values: hosts) == text, "\(width)")
    }
  }

  /// Right of its column where it fits there; else left of it, or in its place.
  @Test(arguments: [(83, 124, true), (83, 123, false), (37, 78, true), (37, 77, false)])
  func aFaultStandsAtTheSideWhereItIsRead(_ column: Int, _ width: Int, _ isRight: Bool) {
    var bar = FilterBar()
    bar.open()
    _ = bar.insert(String(repeating: "a", count: column - 4) + " nope:1")
    let row = help(bar, width: width, values: nothing)
    let start = String(repeating: " ", count: column) + "^ unknown key \"nope\"; did you mean"
    #expect(row.hasPrefix(start) == isRight, "\(row)")
    #expect(row.contains("unknown key \"nope\"; did you mean"))
  }

  /// However long the text is, and whatever of it is in sight.
  @Test func aFaultAtTheLeftOfItsColumnEndsRightBeforeTheCaret() {
    var bar = FilterBar()
    bar.open()
    _ = bar.insert(String(repeating: "a", count: 60) + " nope:1")
    let message = "unknown key \"nope\"; did you mean note?"
    #expect(
      help(bar, width: 90, values: nothing) == String(repeating: " ", count: 64 - 1 - message.count) + message + " ^")
    // 30 columns are left for the text, so that 39 have gone: left of the caret the message has no room.
    let status = [PageLine.Piece(String(repeating: "s", count: 15), .dim)]
    #expect(help(bar, width: 50, status: status, values: nothing) == message)
    let wide = [PageLine.Piece(String(repeating: "s", count: 25), .dim)]
    #expect(help(bar, width: 90, status: wide, values: nothing).hasSuffix("\(message) ^"))
  }
}
