import CLaunch

extension VTScreen {
  mutating func print(_ scalar: Unicode.Scalar) {
    var scalar = scalar
    if lineDrawing[shiftedOut ? 1 : 0], let line = Self.lineDrawingSet[scalar] { scalar = line }
    let width = Int(patchbay_scalar_width(scalar.value))
    if width == 0 { return addMark(scalar) }
    lastScalar = scalar
    let cellWidth = max(1, width)
    if wrapsNext || cursorColumn + cellWidth > columns, modes.autoWrap {
      moveTo(column: 0, row: cursorRow)
      lineFeed()
    }
    guard cursorColumn + cellWidth <= columns else { return }
    if modes.insert { insertCells(cellWidth) }
    breakWide(row: cursorRow, column: cursorColumn)
    breakWide(row: cursorRow, column: cursorColumn + cellWidth)
    cells[cursorRow][cursorColumn] = VTCell(text: String(Character(scalar)), style: style)
    if cellWidth == 2 { cells[cursorRow][cursorColumn + 1] = VTCell(text: "", style: style) }
    if cursorColumn + cellWidth == columns {
      cursorColumn = columns - 1
      wrapsNext = modes.autoWrap
    } else {
      cursorColumn += cellWidth
    }
  }

  mutating func lineFeed() {
    wrapsNext = false
    if cursorRow == bottom { scrollUp(from: top, 1) } else if cursorRow < rows - 1 { cursorRow += 1 }
  }

  mutating func reverseLineFeed() {
    wrapsNext = false
    if cursorRow == top { scrollDown(from: top, 1) } else if cursorRow > 0 { cursorRow -= 1 }
  }

  mutating func scrollUp(from first: Int, _ count: Int) {
    for _ in 0..<min(count, bottom - first + 1) {
      cells.remove(at: first)
      cells.insert(blankRow, at: bottom)
    }
  }

  mutating func scrollDown(from first: Int, _ count: Int) {
    for _ in 0..<min(count, bottom - first + 1) {
      cells.remove(at: bottom)
      cells.insert(blankRow, at: first)
    }
  }

  mutating func insertLines(_ count: Int) {
    guard (top...bottom).contains(cursorRow) else { return }
    scrollDown(from: cursorRow, count)
  }

  mutating func deleteLines(_ count: Int) {
    guard (top...bottom).contains(cursorRow) else { return }
    scrollUp(from: cursorRow, count)
  }

  mutating func insertCells(_ count: Int) {
    breakWide(row: cursorRow, column: cursorColumn)
    for _ in 0..<min(count, columns - cursorColumn) {
      cells[cursorRow].insert(blankCell, at: cursorColumn)
      cells[cursorRow].removeLast()
    }
    mendRight(row: cursorRow)
  }

  mutating func deleteCells(_ count: Int) {
    breakWide(row: cursorRow, column: cursorColumn)
    let count = min(count, columns - cursorColumn)
    breakWide(row: cursorRow, column: cursorColumn + count)
    cells[cursorRow].removeSubrange(cursorColumn..<(cursorColumn + count))
    cells[cursorRow].append(contentsOf: Array(repeating: blankCell, count: count))
  }

  mutating func erase(row: Int, from: Int, to: Int) {
    let range = max(0, from)..<min(columns, max(from, to))
    guard !range.isEmpty else { return }
    breakWide(row: row, column: range.lowerBound)
    breakWide(row: row, column: range.upperBound)
    for column in range { cells[row][column] = blankCell }
    wrapsNext = false
  }

  mutating func eraseLine(_ kind: Int) {
    erase(row: cursorRow, from: kind == 0 ? cursorColumn : 0, to: kind == 1 ? cursorColumn + 1 : columns)
  }

  mutating func eraseDisplay(_ kind: Int) {
    if kind < 2 { eraseLine(kind) }
    let rows = kind == 0 ? (cursorRow + 1)..<self.rows : kind == 1 ? 0..<cursorRow : 0..<self.rows
    if kind < 3 { for row in rows { erase(row: row, from: 0, to: columns) } }
  }

  /// A wide character across the left edge of `column` becomes two spaces, for a half of it is about to go.
  private mutating func breakWide(row: Int, column: Int) {
    guard column > 0, column < columns, cells[row][column].text.isEmpty else { return }
    cells[row][column - 1].text = " "
    cells[row][column].text = " "
  }

  private mutating func mendRight(row: Int) {
    let last = cells[row][columns - 1].text
    if last.unicodeScalars.first.map({ patchbay_scalar_width($0.value) == 2 }) == true {
      cells[row][columns - 1].text = " "
    }
  }

  private mutating func addMark(_ scalar: Unicode.Scalar) {
    var column = wrapsNext ? cursorColumn : cursorColumn - 1
    if column > 0, cells[cursorRow][column].text.isEmpty { column -= 1 }
    guard column >= 0 else { return }
    cells[cursorRow][column].text.unicodeScalars.append(scalar)
  }

  /// Erasing paints the background (the terminals that we claim to be do).
  private var blankCell: VTCell {
    var blank = VTStyle()
    blank.background = style.background
    return VTCell(style: blank)
  }

  private var blankRow: [VTCell] { Array(repeating: blankCell, count: columns) }

  private static let lineDrawingSet: [Unicode.Scalar: Unicode.Scalar] = [
    "j": "┘", "k": "┐", "l": "┌", "m": "└", "n": "┼", "q": "─", "t": "├", "u": "┤", "v": "┴", "w": "┬", "x": "│",
    "a": "▒", "f": "°", "g": "±", "`": "◆", "~": "·", "y": "≤", "z": "≥", "0": "█",
  ]
}
