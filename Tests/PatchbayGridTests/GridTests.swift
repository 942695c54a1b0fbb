import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("The grid", .bounded)
struct GridTests {
  @Test("text is put on cells and cut with an ellipsis on a character boundary")
  func put() {
    var grid = Grid(width: 10, height: 9)
    #expect(grid.put("hello", at: Point(x: 1, y: 0)) == 5)
    #expect(grid.put("hello world", at: Point(x: 1, y: 1)) == 9)
    #expect(grid.put("日本語テスト", at: Point(x: 0, y: 2)) == 10)
    #expect(grid.put("日本語テスト", at: Point(x: 1, y: 3)) == 9)
    #expect(grid.put("日本語テスト", at: Point(x: 0, y: 4), maxWidth: 4) == 4)
    #expect(grid.put("日本語", at: Point(x: 0, y: 5), maxWidth: 5, overflow: .clip) == 4)
    #expect(grid.put("0123456789", at: Point(x: 0, y: 6)) == 10)
    #expect(grid.put("right", at: Point(x: 2, y: 7), alignedRightIn: 8) == 5)
    #expect(grid.put("日", at: Point(x: 9, y: 8)) == 1)
    #expect(
      grid.lines == [
        " hello", " hello wo…", "日本語テ…", " 日本語テ…", "日…", "日本", "0123456789", "     right", "         …",
      ])
  }

  @Test("plain text is drawn as any other: clipped at both sides, mending wide characters")
  func plain() {
    var grid = Grid(width: 8, height: 4)
    for row in 0..<4 { grid.put("日本語字", at: Point(x: 0, y: row)) }
    grid.put("abcdefgh", at: Point(x: -3, y: 0), maxWidth: 6)
    grid.put("abcdefgh", at: Point(x: 1, y: 1), maxWidth: 4)
    grid.put("abcdefgh", at: Point(x: 3, y: 2), maxWidth: 2, overflow: .clip)
    grid.within(Rect(x: 1, y: 3, width: 4, height: 1)) { $0.put("abcdefgh", at: Point(x: -2, y: 0)) }
    #expect(grid.lines == ["de… 語字", " abc… 字", "日 ab 字", " cde… 字"])
  }

  @Test("an ellipsis takes the place of a wide character with a space after it")
  func ellipsisOverWide() {
    var grid = Grid(width: 4, height: 1)
    grid.fill(style: .plain, with: "x")
    grid.put("日本語", at: .zero)
    #expect(grid.text(row: 0, columns: 0..<4) == "日… ")
    #expect(grid[Point(x: 1, y: 0)]?.isContinuation == true)
  }

  @Test("nothing is drawn outside, and negative places clip at the left")
  func outside() {
    var grid = Grid(width: 6, height: 2)
    grid.put("abcdef", at: Point(x: -2, y: 0))
    grid.put("日本語", at: Point(x: -1, y: 1))
    grid.put("never", at: Point(x: 0, y: 2))
    grid.put("never", at: Point(x: 0, y: -1))
    grid.put("never", at: Point(x: 6, y: 0))
    grid.put("never", at: Point(x: 0, y: 0), maxWidth: -1)
    grid.fill(Rect(x: -5, y: -5, width: 3, height: 100), style: .plain, with: "#")
    #expect(grid.lines == ["cdef", " 本語"])
    var empty = Grid(width: 0, height: 0)
    empty.put("x", at: .zero)
    empty.box(empty.bounds)
    #expect(empty.lines.isEmpty && empty.text.isEmpty)
  }

  @Test("overwriting half of a wide character makes the other half a space")
  func overwriting() {
    var grid = Grid(width: 8, height: 3)
    for row in 0..<3 { grid.put("日本語字", at: Point(x: 0, y: row)) }
    grid.put("x", at: Point(x: 1, y: 0))
    grid.put("x", at: Point(x: 2, y: 1))
    grid.fill(Rect(x: 3, y: 2, width: 2, height: 1), style: .plain, with: ".")
    #expect(grid.lines == [" x本語字", "日x 語字", "日 .. 字"])
    grid.put("\u{200B}", at: Point(x: 1, y: 1))
    #expect(grid.lines[1] == "日x 語字")
  }

  @Test("what is written out of sight changes nothing")
  func outOfSight() {
    for text in ["é", "日", "日é", "ab"] {
      var grid = Grid(width: 9, height: 1)
      grid.put("x日本語字", at: .zero)
      let before = grid
      for clip in 0..<9 {
        // The area goes on beyond what is seen of it.
        grid.within(Rect(x: clip, y: 0, width: 1, height: 1)) { grid in
          grid.put(text, at: Point(x: -textWidth(text), y: 0), maxWidth: 6)
          grid.put(text, at: Point(x: 1, y: 0), maxWidth: 6)
        }
        grid.within(Rect(x: 0, y: 0, width: clip, height: 1)) { outer in
          outer.within(Rect(x: clip, y: 0, width: 6, height: 1)) { $0.put(text, at: .zero) }
        }
        #expect(grid == before, "\(text) at \(clip)")
      }
    }
  }

  /// One row as a list of columns, in which nothing is clever: a wide character is two of them.
  private struct SlowRow {
    enum Column: Equatable {
      case narrow(Character)
      case wide(Character)
      case second
    }

    var columns: [Column]

    mutating func put(_ text: String, at start: Int, limit: Int, ellipsis: Bool, clip: Range<Int>) -> Int {
      guard limit > 0, !text.isEmpty else { return 0 }
      var seen: [Column] = []
      for character in text {
        seen += textWidth(String(character)) == 2 ? [.wide(character), .second] : [.narrow(character)]
      }
      if seen.count > limit {
        seen = Array(seen.prefix(ellipsis ? limit - 1 : limit))
        if case .wide? = seen.last { seen.removeLast() }
        if ellipsis {
          seen.append(.narrow("…"))
          while seen.count < limit { seen.append(.narrow(" ")) }
        }
      }
      for (offset, column) in seen.enumerated() where clip.contains(start + offset) {
        var column = column
        // A wide character that the edge of what is seen cuts is a space there.
        if column == .second, !clip.contains(start + offset - 1) { column = .narrow(" ") }
        if case .wide = column, !clip.contains(start + offset + 1) { column = .narrow(" ") }
        columns[start + offset] = column
      }
      // Halves whose other half is not there become spaces.
      for place in columns.indices {
        if case .wide = columns[place], place + 1 == columns.count || columns[place + 1] != .second {
          columns[place] = .narrow(" ")
        }
      }
      for place in columns.indices where columns[place] == .second {
        if place > 0, case .wide = columns[place - 1] { continue }
        columns[place] = .narrow(" ")
      }
      return seen.count
    }

    var text: String {
      var text = ""
      for column in columns {
        switch column {
        case .narrow(let character), .wide(let character): text.append(character)
        case .second: break
        }
      }
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  @Test("text is drawn as a list of columns would have it", arguments: 1...12 as ClosedRange<UInt64>)
  func agreesWithTheSlowRow(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var grid = Grid(width: 12, height: 1)
    var row = SlowRow(columns: [SlowRow.Column](repeating: .narrow(" "), count: 12))
    for step in 0..<400 {
      let letters: [Character] = step % 3 == 0 ? ["a", "b"] : ["a", "日", "é", "語", "-"]
      let text = String(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
      let (x, width) = (Int.random(in: 0...11, using: &random), Int.random(in: 1...12, using: &random))
      let start = Int.random(in: -6...8, using: &random)
      let limit = Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : nil
      let ellipsis = Bool.random(using: &random)
      let area = Rect(x: x, y: 0, width: min(width, 12 - x), height: 1)
      var taken = 0
      grid.within(area) {
        taken = $0.put(text, at: Point(x: start, y: 0), maxWidth: limit, overflow: ellipsis ? .ellipsis : .clip)
      }
      let room = max(0, min(limit ?? .max, area.width - start))
      let expected = row.put(
        text, at: area.x + start, limit: room, ellipsis: ellipsis, clip: area.x..<area.x + area.width)
      #expect(grid.lines[0] == row.text && taken == expected, "step \(step): “\(text)” at \(start) in \(area)")
    }
  }

  @Test("at most four combining marks stay on a cell, and a lone one gets a circle")
  func marks() {
    var grid = Grid(width: 8, height: 1)
    grid.put("e" + String(repeating: "\u{301}", count: 9) + "x\u{323}", at: .zero)
    #expect(grid.text == "e" + String(repeating: "\u{301}", count: 4) + "x\u{323}")
    grid.put("\u{301}", at: .zero)
    #expect(grid.text == "◌\u{301}x\u{323}")
  }

  @Test("controls are drawn as pictures, hidden scalars not at all, unknown ones as U+FFFD")
  func hostile() {
    var grid = Grid(width: 30, height: 1)
    grid.put("\u{1B}[2J\u{7F}\u{9B}\u{202E}a\u{200B}\u{E0001}\u{378}👨‍👩‍👧👍🏽", at: .zero)
    #expect(grid.text == "␛[2J␡\u{FFFD}a\u{FFFD}👨👍")
  }

  @Test("an area clips, moves the origin, and nests")
  func area() {
    var grid = Grid(width: 12, height: 5)
    grid.fill(style: .plain, with: ".")
    grid.within(Rect(x: 2, y: 1, width: 6, height: 3)) { area in
      #expect(area.bounds == Rect(x: 0, y: 0, width: 6, height: 3))
      area.put("longer than it", at: .zero)
      area.put("below", at: Point(x: 0, y: 3))
      area.within(Rect(x: 4, y: 1, width: 10, height: 10)) { inner in
        inner.put("日本語", at: Point(x: 1, y: 0))
        inner.fill(Rect(x: 0, y: 1, width: 9, height: 9), style: .plain, with: "#")
        inner.setCursor(Point(x: 1, y: 1))
      }
    }
    #expect(grid.lines == ["............", "..longe…....", "....... ....", "......##....", "............"])
    #expect(grid.cursor == Point(x: 7, y: 3))
    grid.within(Rect(x: 0, y: 0, width: 2, height: 2)) { $0.setCursor(Point(x: 5, y: 0)) }
    #expect(grid.cursor == nil)
  }

  @Test("boxes, rules and titles")
  func lines() {
    var grid = Grid(width: 12, height: 4)
    let inside = grid.box(grid.bounds, title: "日本語タイトル")
    grid.within(inside) { $0.put("inside", at: .zero) }
    #expect(grid.lines == ["╭─ 日本… ──╮", "│inside    │", "│          │", "╰──────────╯"])
    #expect(inside == Rect(x: 1, y: 1, width: 10, height: 2))
    grid.verticalRule(at: Point(x: 8, y: 1), height: 2)
    grid.rule(at: Point(x: 1, y: 2), width: 7, line: "━")
    #expect(grid.lines[1...2] == ["│inside │  │", "│━━━━━━━│  │"])
    grid.box(Rect(x: 0, y: 0, width: 1, height: 1))
  }

  @Test("restyling keeps the text; styles survive the cell")
  func styles() {
    var grid = Grid(width: 6, height: 1)
    let style = Style(foreground: .rgb(0x123456, fallback: 3), background: .palette(200)).bold.italic
    grid.put("日a", at: .zero, style: style)
    #expect(grid[.zero]?.style == style)
    #expect(grid[.zero]?.style.foreground.fallback == 3)
    grid.restyle(Rect(x: 0, y: 0, width: 2, height: 1)) { $0.background(.ansi(1)).underline }
    #expect(grid[Point(x: 1, y: 0)]?.style == style.background(.ansi(1)).underline)
    #expect(grid[Point(x: 2, y: 0)]?.style == style)
    #expect(grid.text == "日a")
    #expect(MemoryLayout<Cell>.size == 16)
  }

  @Test("spans follow one another and end with one ellipsis")
  func spans() {
    var grid = Grid(width: 6, height: 4)
    let bold = Style().bold
    #expect(grid.put(spans: [Span("ab", bold), Span("cd")], at: .zero) == 4)
    grid.put(spans: [Span("abc", bold), Span("defgh")], at: Point(x: 0, y: 1))
    grid.put(spans: [Span("abcdef", bold), Span("g")], at: Point(x: 0, y: 2))
    grid.put(spans: [Span("abcdef", bold), Span("")], at: Point(x: 0, y: 3))
    #expect(grid.lines == ["abcd", "abcde…", "abcde…", "abcdef"])
    #expect(grid[Point(x: 1, y: 0)]?.style == bold && grid[Point(x: 2, y: 0)]?.style == .plain)
  }

  @Test("rectangles are cut without losing or doubling a cell")
  func splits() {
    let rect = Rect(x: 2, y: 3, width: 10, height: 4)
    #expect(rect.splitTop(1) == (Rect(x: 2, y: 3, width: 10, height: 1), Rect(x: 2, y: 4, width: 10, height: 3)))
    #expect(rect.splitBottom(1) == (Rect(x: 2, y: 3, width: 10, height: 3), Rect(x: 2, y: 6, width: 10, height: 1)))
    #expect(rect.splitLeft(4) == (Rect(x: 2, y: 3, width: 4, height: 4), Rect(x: 6, y: 3, width: 6, height: 4)))
    #expect(rect.splitLeft(99).rest.isEmpty && rect.splitTop(-1).top.isEmpty)
    #expect(rect.inset(horizontal: 6).width == 0)
    #expect(rect.centered(width: 4, height: 2) == Rect(x: 5, y: 4, width: 4, height: 2))
  }
}
