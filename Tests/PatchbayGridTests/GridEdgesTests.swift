import PatchbayTestSupport
import Testing

@testable import PatchbayGrid

/// What is drawn and read at the edges: of the grid, of an area, of a wide character.
@Suite(.bounded) struct GridEdgesTests {
  @Test func whatIsReadOutsideIsNothing() {
    var grid = Grid(width: 4, height: 2)
    grid.put("ab日", at: .zero)
    grid.put("x ", at: Point(x: 1, y: 1))
    #expect((-1...2).map { grid.text(row: $0) } == ["", "ab日", " x", ""])
    #expect(
      [0..<4, 0..<3, 3..<4, 1..<9, -3..<1, 4..<9, 2..<2].map { grid.text(row: 0, columns: $0) } == [
        "ab日", "ab日", "", "b日", "a", "", "",
      ])
    let outside = [Point(x: -1, y: 0), Point(x: 4, y: 0), Point(x: 0, y: -1), Point(x: 0, y: 2)]
    #expect(outside.allSatisfy { grid[$0] == nil } && grid[Point(x: 3, y: 1)] != nil)
    grid.within(Rect(x: 2, y: 0, width: 1, height: 1)) { area in
      // Beyond the area, but in the grid.
      #expect(area[Point(x: -2, y: 0)]?.scalar == "a" && area[Point(x: 1, y: 1)]?.scalar == " ")
      #expect(area[.zero]?.scalar == "日" && area[Point(x: 2, y: 0)] == nil)
    }
  }

  @Test func anAreaIsLeftAgainWhateverHappensInIt() {
    var grid = Grid(width: 6, height: 3)
    let drawn = grid.within(Rect(x: 1, y: 1, width: 9, height: 1)) { area -> Int in
      #expect(area.bounds == Rect(x: 0, y: 0, width: 9, height: 1) && area.width == 9 && area.height == 1)
      #expect(area.size == Size(width: 6, height: 3))
      return area.put("abcdefghij", at: .zero)
    }
    #expect(drawn == 9 && grid.bounds == Rect(x: 0, y: 0, width: 6, height: 3))
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try grid.within(Rect(x: 2, y: 2, width: 1, height: 1)) { _ -> Void in throw Stop() }
    }
    grid.put("xy", at: Point(x: 4, y: 2))
    #expect(grid.lines == ["", " abcde", "    xy"])
    // An area that lies outside shows nothing, wherever in it is drawn.
    grid.within(Rect(x: -3, y: 0, width: 3, height: 9)) { area in
      area.put("never", at: .zero)
      area.fill(style: .plain, with: "#")
      area.setCursor(.zero)
    }
    #expect(grid.lines == ["", " abcde", "    xy"] && grid.cursor == nil)
  }

  @Test func theCursorAndThePictureGoAgain() throws {
    var grid = Grid(width: 4, height: 2)
    for (point, expected) in [
      (Point(x: 3, y: 1), Point(x: 3, y: 1)), (Point(x: 4, y: 1), nil), (Point(x: 0, y: 2), nil),
      (Point(x: -1, y: 0), nil), (.zero, .zero), (nil, nil),
    ] as [(Point?, Point?)] {
      grid.setCursor(point)
      #expect(grid.cursor == expected)
    }
    let picture = try #require(Picture(.jpeg, [1, 2], size: Size(width: 3, height: 4)))
    #expect(picture.format == .jpeg && picture.bytes == [1, 2] && picture.size == Size(width: 3, height: 4))
    grid.setPicture(picture, in: Rect(x: 1, y: 0, width: 9, height: 9))
    #expect(grid.picture == PlacedPicture(picture, in: Rect(x: 1, y: 0, width: 3, height: 2)))
    grid.removePicture()
    #expect(grid.picture == nil)
  }

  @Test func aRowEndsWithTheLastMarkInIt() {
    var grid = Grid(width: 6, height: 1)
    grid.put("a \u{301}", at: .zero)
    #expect(grid.text(row: 0) == "a \u{301}" && grid.text == "a \u{301}")
  }

  /// Who draws one thing after another need not ask whether the row is in sight.
  @Test(arguments: [-1, 2]) func textOutOfSightTakesItsColumns(_ row: Int) {
    var grid = Grid(width: 8, height: 2)
    let place = Point(x: 1, y: row)
    #expect(grid.put("ab", at: place) == 2 && grid.put("日本", at: place) == 4 && grid.put("", at: place) == 0)
    #expect(grid.put("abcdef", at: place, maxWidth: 4) == 4 && grid.put("abcdefghi", at: place) == 7)
    #expect(grid.put(spans: [Span("ab"), Span("日")], at: place) == 4)
    #expect(grid.lines == ["", ""])
  }

  @Test func whereThereAreNoColumnsNothingChanges() {
    #expect(GridDiff.runs(from: nil, to: Grid(width: 0, height: 3)) == [])
    #expect(GridDiff.runs(from: Grid(width: 1, height: 3), to: Grid(width: 0, height: 3)) == [])
  }

  @Test func textAtTheRightEndsBeforeAColumn() {
    func put(_ text: String, _ x: Int, _ width: Int) -> (String, Int) {
      var grid = Grid(width: 8, height: 1)
      grid.fill(style: .plain, with: ".")
      let taken = grid.put(text, at: Point(x: x, y: 0), alignedRightIn: width)
      return (grid.text, taken)
    }
    #expect(put("ab", 1, 5) == ("....ab..", 2) && put("abcde", 1, 5) == (".abcde..", 5))
    #expect(put("abcdef", 1, 5) == (".abcd…..", 5) && put("日本", 1, 5) == ("..日本..", 4))
    #expect(
      put("ab", 1, 0) == ("........", 0) && put("ab", 1, -3) == ("........", 0) && put("", 1, 5) == ("........", 0))
    #expect(put("abc", 6, 4) == (".......…", 1))
  }

  @Test func spansHaveTheirRoom() {
    func put(_ texts: [String], _ x: Int, _ width: Int?) -> (String, Int) {
      var grid = Grid(width: 8, height: 1)
      grid.fill(style: .plain, with: ".")
      let taken = grid.put(spans: texts.map { Span($0) }, at: Point(x: x, y: 0), maxWidth: width)
      return (grid.text, taken)
    }
    #expect(put([], 0, nil) == ("........", 0) && put(["", "ab", ""], 0, nil) == ("ab......", 2))
    #expect(
      put(["ab", "cd"], 0, 4) == ("abcd....", 4)
        && put(["ab", "cd"], 0, 3) == ("ab….....", 3))
    #expect(put(["ab", "cd"], 0, 2) == ("a…......", 2) && put(["ab", "", ""], 0, 2) == ("ab......", 2))
    #expect(put(["ab", "cd"], 0, 0) == ("........", 0) && put(["ab", "cd"], 0, -1) == ("........", 0))
    #expect(put(["ab", "cd"], 5, nil) == (".....ab…", 3) && put(["ab"], 9, nil) == ("........", 0))
    #expect(put(["日", "本", "語"], 0, 5) == ("日本…...", 5) && put(["日本", "語"], 0, 4) == ("日… ....", 4))
    #expect(put(["ab", "cd"], -1, 4) == ("bcd.....", 4))
  }

  @Test func onlyWhatIsNarrowFills() {
    for (scalar, shown) in [("x", "xxx"), ("日", ""), ("\u{301}", ""), ("\u{7}", ""), ("é", "ééé"), ("\u{200B}", "")]
      as [(Unicode.Scalar, String)]
    {
      var grid = Grid(width: 3, height: 1)
      grid.fill(style: .plain, with: scalar)
      #expect(grid.text == shown)
    }
  }

  @Test func boxesOfEverySize() {
    func box(_ width: Int, _ height: Int, _ title: String = "") -> ([String], Rect) {
      var grid = Grid(width: 9, height: 4)
      let inside = grid.box(Rect(x: 1, y: 1, width: width, height: height), title: title)
      return (grid.lines, inside)
    }
    #expect(box(0, 0) == (["", "", "", ""], Rect(x: 1, y: 1, width: 0, height: 0)))
    #expect(box(1, 3) == (["", "", "", ""], Rect(x: 2, y: 2, width: 0, height: 1)))
    #expect(box(3, 1) == (["", "", "", ""], Rect(x: 2, y: 2, width: 1, height: 0)))
    #expect(box(2, 2) == (["", " ╭╮", " ╰╯", ""], Rect(x: 2, y: 2, width: 0, height: 0)))
    #expect(box(3, 3) == (["", " ╭─╮", " │ │", " ╰─╯"], Rect(x: 2, y: 2, width: 1, height: 1)))
    #expect(box(5, 2, "a").0 == ["", " ╭───╮", " ╰───╯", ""])
    #expect(box(6, 2, "a").0 == ["", " ╭────╮", " ╰────╯", ""])
    #expect(box(7, 2, "a").0 == ["", " ╭─ a ─╮", " ╰─────╯", ""])
    #expect(box(7, 2, "ab").0 == ["", " ╭─ … ─╮", " ╰─────╯", ""])
    var grid = Grid(width: 9, height: 2)
    grid.box(grid.bounds, style: Style.plain.dim, title: "a", titleStyle: Style.plain.bold)
    #expect(grid[.zero]?.style == Style.plain.dim && grid[Point(x: 3, y: 0)]?.style == Style.plain.bold)
    grid.box(grid.bounds, style: Style.plain.dim, title: "a")
    #expect(grid[Point(x: 3, y: 0)]?.style == Style.plain.dim)
  }

  @Test func aRunIsCutWithoutHalves() {
    var grid = Grid(width: 8, height: 2)
    grid.put("a日e\u{301}本b", at: Point(x: 0, y: 1))
    func text(_ columns: Range<Int>, _ width: Int) -> String {
      grid.runCells(GridDiff.Run(row: 1, columns: columns), width: width).map { cell, marks in
        String(String.UnicodeScalarView([cell.scalar] + marks))
      }.joined()
    }
    #expect(
      (0...9).map { text(0..<8, $0) } == [
        "", "a", "a", "a日", "a日e\u{301}", "a日e\u{301}", "a日e\u{301}本", "a日e\u{301}本b", "a日e\u{301}本b ", "a日e\u{301}本b ",
      ])
    #expect(
      text(1..<4, 8) == "日e\u{301}" && text(1..<3, 2) == "" && text(3..<4, 8) == "e\u{301}" && text(4..<4, 8) == "")
  }

  @Test func changesThatLieNearAreOneRun() {
    func runs(_ old: String, _ new: String) -> [Range<Int>] {
      var (before, after) = (Grid(width: 12, height: 1), Grid(width: 12, height: 1))
      before.put(old, at: .zero)
      after.put(new, at: .zero)
      return GridDiff.runs(from: before, to: after).map(\.columns)
    }
    #expect(runs("a--b", "x--y") == [0..<4] && runs("a---b", "x---y") == [0..<5])
    #expect(runs("a----b", "x----y") == [0..<1, 5..<6] && runs("-----------a", "-----------b") == [11..<12])
    #expect(runs("日日日", "日x 日") == [2..<4] && runs("a日", "日a") == [0..<3])
  }

  // MARK: Values

  @Test func sizesAndRectangles() {
    #expect(Size(width: -1, height: 2) == Size(width: 0, height: 2) && Size(width: 1, height: -2).height == 0)
    #expect(
      Size(width: 0, height: 1).isEmpty && Size(width: 1, height: 0).isEmpty && !Size(width: 1, height: 1).isEmpty)
    #expect(Size.zero == Size(width: 0, height: 0) && Rect.zero == Rect(.zero) && Point.zero == Point(x: 0, y: 0))
    let rect = Rect(x: 2, y: 3, width: 4, height: 5)
    #expect([rect.x, rect.y, rect.width, rect.height, rect.maxX, rect.maxY] == [2, 3, 4, 5, 6, 8])
    #expect(rect.moved() == rect && rect.moved(x: 1) == Rect(x: 3, y: 3, width: 4, height: 5))
    #expect(Point(x: 1, y: 2).moved() == Point(x: 1, y: 2) && Point(x: 1, y: 2).moved(y: -3) == Point(x: 1, y: -1))
    #expect(rect.inset() == rect)
    #expect(rect.intersection(Rect(x: 6, y: 3, width: 4, height: 5)).isEmpty)
    #expect(rect.intersection(Rect(x: 0, y: 0, width: 3, height: 4)) == Rect(x: 2, y: 3, width: 1, height: 1))
  }

  @Test func stylesAreMadeOfEachOther() {
    let plain = Style.plain
    #expect(plain.foreground == .default && plain.background == .default && plain.attributes == [])
    for (style, attribute, bit) in [
      (plain.bold, TextAttributes.bold, 1), (plain.dim, .dim, 2), (plain.italic, .italic, 4),
      (plain.underline, .underline, 8), (plain.reverse, .reverse, 16),
    ] {
      #expect(style == Style(attributes: attribute) && attribute.rawValue == bit)
    }
    let red = plain.bold.foreground(.ansi(1))
    #expect(red == Style(foreground: .ansi(1), attributes: .bold))
    #expect(
      red.background(.ansi(2)).dim == Style(foreground: .ansi(1), background: .ansi(2), attributes: [.bold, .dim]))
    #expect(red.adding([]) == red && Span("a").style == plain && Span("a", red).style == red)
    #expect(Color.ansi(17) == .palette(1) && Color.rgb(0xFF_123456).rgbValue == 0x123456)
    for number in 0...15 as ClosedRange<UInt8> { #expect(Color.rgb(1, 2, 3, fallback: number).fallback == number) }
    #expect(Color.rgb(0, fallback: 16).fallback == 0 && Color.rgb(0).fallback == nil && Color.ansi(3).fallback == nil)
    #expect(ColorDepth.allCases == [.none, .ansi8, .ansi16, .palette256, .trueColor])
    #expect(zip(ColorDepth.allCases, ColorDepth.allCases.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
    #expect(ColorDepth.allCases.map(\.rawValue) == [0, 8, 16, 256, 1 << 24])
  }

  @Test func picturesHaveTheirLargestSize() throws {
    for (width, height, fits) in [
      (10_000, 4_000, true), (4_000, 10_000, true), (10_000, 4_001, false), (8_000, 5_000, true), (8_000, 5_001, false),
      (10_001, 1, false), (1, 10_001, false), (1, 1, true), (0, 1, false),
    ] {
      #expect((Picture(.png, [1], size: Size(width: width, height: height)) != nil) == fits, "\(width) \(height)")
    }
    #expect(Picture.byteLimit == 4_194_304)
    let picture = try #require(Picture(.png, [1], size: Size(width: 10, height: 10)))
    // A terminal that does not tell the size of its cells.
    #expect(picture.fitted(in: Size(width: 20, height: 5), cell: .zero) == Size(width: 5, height: 5))
    #expect(picture.fitted(in: .zero, cell: Size(width: 8, height: 16)) == .zero)
  }
}
