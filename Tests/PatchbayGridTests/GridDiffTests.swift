import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("What changed between two grids", .bounded)
struct GridDiffTests {
  private func grid(_ lines: String...) -> Grid {
    var grid = Grid(width: 20, height: lines.count)
    for (row, line) in lines.enumerated() { grid.put(line, at: Point(x: 0, y: row)) }
    return grid
  }

  @Test("nothing, a character, and everything")
  func runs() {
    #expect(GridDiff.runs(from: grid("abc", "def"), to: grid("abc", "def")).isEmpty)
    #expect(GridDiff.runs(from: grid("abc", "def"), to: grid("abc", "dXf")) == [.init(row: 1, columns: 1..<2)])
    #expect(GridDiff.runs(from: nil, to: grid("a", "b")).map(\.columns) == [0..<20, 0..<20])
    #expect(GridDiff.runs(from: Grid(width: 3, height: 1), to: grid("a")).count == 1)
    #expect(GridDiff.runs(from: grid("aXcXe"), to: grid("aYcYe")) == [.init(row: 0, columns: 1..<4)])
    #expect(GridDiff.runs(from: grid("X-----X"), to: grid("Y-----Y")).count == 2)
  }

  @Test("each changed character is seen, whatever its colours")
  func colored() {
    for color in [Color.rgb(0xFF, 0xFF, 0xFF), .rgb(0, 0, 0), .palette(7), .palette(255), .default] {
      for (old, new) in [("2", "3"), ("a", "b"), ("本", "木"), ("a", "å")] {
        var before = grid("")
        var after = grid("")
        before.put(old, at: .zero, style: Style(foreground: color, background: color))
        after.put(new, at: .zero, style: Style(foreground: color, background: color))
        #expect(GridDiff.runs(from: before, to: after).count == 1, "\(old) to \(new) in \(color)")
      }
    }
  }

  @Test("runs never cut through a wide character, old or new")
  func wide() {
    #expect(GridDiff.runs(from: grid("日x"), to: grid("本x")) == [.init(row: 0, columns: 0..<2)])
    #expect(GridDiff.runs(from: grid("a日b"), to: grid("axyb")) == [.init(row: 0, columns: 1..<3)])
    #expect(GridDiff.runs(from: grid("日"), to: grid("x ")) == [.init(row: 0, columns: 0..<2)])
    var styled = grid("日本")
    styled.restyle(Rect(x: 1, y: 0, width: 1, height: 1)) { $0.bold }
    #expect(GridDiff.runs(from: grid("日本"), to: styled) == [.init(row: 0, columns: 0..<2)])
  }

  @Test("marks count by what they are, not by where they are kept")
  func marks() {
    var other = Grid(width: 20, height: 1)
    other.put("o\u{302}", at: .zero)
    other.put("e\u{301}", at: .zero)
    #expect(other == grid("e\u{301}"))
    #expect(grid("e\u{301}") != grid("e\u{300}") && grid("e\u{301}") != grid("e"))
    var withCursor = grid("e")
    withCursor.setCursor(.zero)
    #expect(withCursor != grid("e"))
  }

  @Test("the runs, copied over the old grid, make the new one")
  func property() {
    var random = SeededRandom(seed: 11)
    var old = Grid(width: 30, height: 6)
    for _ in 0..<400 {
      var new = old
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Point(x: Int.random(in: -3..<32, using: &random), y: Int.random(in: 0..<6, using: &random))
        let style = Bool.random(using: &random) ? Style.plain : Style().bold
        new.put(random.text(length: 12), at: place, style: style)
      }
      for row in 0..<6 {
        var column = 0
        while column < 30 {
          let width = new[Point(x: column, y: row)]?.width ?? 0
          #expect(width == 1 || width == 2 && new[Point(x: column + 1, y: row)]?.isContinuation == true)
          column += max(1, width)
        }
      }
      let runs = GridDiff.runs(from: old, to: new)
      var changed = old
      for run in runs {
        var column = run.columns.lowerBound
        for (cell, marks) in new.runCells(run, width: 30) {
          var text = String.UnicodeScalarView([cell.scalar])
          text.append(contentsOf: marks)
          changed.put(String(text), at: Point(x: column, y: run.row), style: cell.style)
          column += cell.width
        }
        #expect(column == run.columns.upperBound)
      }
      #expect(changed == new)
      old = new
    }
  }
}
