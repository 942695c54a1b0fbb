import PatchbayGrid

extension ConsoleState {
  mutating func handle(_ key: Key, in page: ComparePage) {
    var page = page
    let height = max(1, size.height - 3)
    switch key {
    case .escape, Key("q"), .control("c"): return closeTop()
    case .down, Key("j"): page.top += 1
    case .up, Key("k"): page.top -= 1
    case Key(.pageDown), .space: page.top += height
    case Key(.pageUp): page.top -= height
    case .right, Key("l"): page.left += 20
    case .left, Key("h"): page.left = max(0, page.left - 20)
    case Key("g"), Key(.home): page.top = 0
    case Key("G"), Key(.end): page.top = page.rows.count
    case Key("n"): page.top = page.next(from: page.top, step: 1) ?? page.top
    case Key("N"): page.top = page.next(from: page.top, step: -1) ?? page.top
    default: return
    }
    page.top = max(0, min(page.top, page.rows.count - 1))
    replaceTop(.compare(page))
  }

  func drawCompare(_ page: ComparePage, _ grid: inout Grid, _ area: Rect) {
    let parts = area.splitTop(1)
    grid.within(parts.top) { grid in
      let differing = page.rows.filter(\.differs).count
      let text = differing == 0 ? "They are the same." : "\(Wording.count(differing, "difference")), marked ≠"
      grid.put("Compare", at: Point(x: 1, y: 0), style: theme[.text].bold)
      grid.put(text, at: Point(x: 10, y: 0), style: theme[differing == 0 ? .good : .warning])
    }
    grid.within(parts.rest) { grid in
      let label = max(12, min(26, grid.width / 4))
      let side = (grid.width - label - 6) / 2
      for (y, row) in page.rows.dropFirst(page.top).prefix(grid.height).enumerated() {
        if row.isHeading {
          grid.rule(at: Point(x: 0, y: y), width: grid.width, style: theme[.line])
          grid.put(" \(row.label) ", at: Point(x: 1, y: y), style: theme[.key])
          continue
        }
        let style = theme[row.differs ? .text : .dim]
        if row.differs { grid.put("≠", at: Point(x: 0, y: y), style: theme[.warning]) }
        grid.put(shown(row.label), at: Point(x: 2, y: y), style: theme[row.differs ? .key : .dim], maxWidth: label)
        let (one, other) = (String(shown(row.left).dropFirst(page.left)), String(shown(row.right).dropFirst(page.left)))
        grid.put(one, at: Point(x: label + 3, y: y), style: style, maxWidth: side)
        grid.put("│", at: Point(x: label + 3 + side, y: y), style: theme[.line])
        grid.put(other, at: Point(x: label + 5 + side, y: y), style: style, maxWidth: side)
      }
      drawScrollbar(&grid, top: page.top, count: page.rows.count)
    }
  }
}
