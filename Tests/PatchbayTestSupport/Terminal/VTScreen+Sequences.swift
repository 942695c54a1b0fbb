import CLaunch

extension VTScreen {
  mutating func perform(_ action: VTParser.Action) {
    switch action {
    case .print(let scalar): print(scalar)
    case .control(let byte): control(byte)
    case .escape(let intermediates, let final): escape(intermediates, final)
    case .csi(let csi): perform(csi)
    case .osc(let text): osc(text)
    case .command(let text): commands.append(text)
    }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bells += 1
    case 0x08:
      cursorColumn = max(0, cursorColumn - 1)
      wrapsNext = false
    case 0x09: moveTo(column: min(columns - 1, (cursorColumn / 8 + 1) * 8), row: cursorRow)
    case 0x0A, 0x0B, 0x0C: lineFeed()
    case 0x0D: moveTo(column: 0, row: cursorRow)
    case 0x0E: shiftedOut = true
    case 0x0F: shiftedOut = false
    case 0x00: break
    default: unknown.append("control \(byte)")
    }
  }

  private mutating func escape(_ intermediates: [UInt8], _ final: UInt8) {
    switch (intermediates.first, final) {
    case (0x28, _): lineDrawing[0] = final == 0x30
    case (0x29, _): lineDrawing[1] = final == 0x30
    case (nil, 0x37): saved = currentCursor
    case (nil, 0x38): restore(saved)
    case (nil, 0x44): lineFeed()
    case (nil, 0x45):
      moveTo(column: 0, row: cursorRow)
      lineFeed()
    case (nil, 0x4D): reverseLineFeed()
    case (nil, 0x3D): modes.applicationKeypad = true
    case (nil, 0x3E): modes.applicationKeypad = false
    case (nil, 0x63): reset()
    case (nil, 0x5C), (nil, 0x48): break
    default: unknown.append("escape \(String(decoding: intermediates + [final], as: UTF8.self))")
    }
  }

  private mutating func osc(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
    switch parts.first {
    case "0", "2": title = parts.dropFirst().joined(separator: ";")
    case "52" where parts.count == 3: copied.append(String(parts[2]))
    default: unknown.append("osc \(text.prefix(40))")
    }
  }

  /// A full reset, or the soft one, which leaves the text.
  mutating func reset(soft: Bool = false) {
    let old = self
    if !soft {
      self = VTScreen(columns: columns, rows: rows)
      (title, copied, bells, unknown) = (old.title, old.copied, old.bells, old.unknown)
      return
    }
    style = VTStyle()
    (top, bottom) = (0, rows - 1)
    (modes.insert, modes.origin, modes.cursorVisible, modes.applicationCursor) = (false, false, true, false)
    (modes.autoWrap, modes.applicationKeypad) = (true, false)
    (lineDrawing, shiftedOut) = ([false, false], false)
  }

  var currentCursor: SavedCursor { SavedCursor(column: cursorColumn, row: cursorRow, style: style) }

  mutating func restore(_ cursor: SavedCursor) {
    style = cursor.style
    moveTo(column: cursor.column, row: cursor.row)
  }

  mutating func moveTo(column: Int, row: Int) {
    cursorColumn = min(max(0, column), columns - 1)
    cursorRow = min(max(0, row), rows - 1)
    wrapsNext = false
  }
}

extension VTScreen {
  mutating func perform(_ csi: VTParser.CSI) {
    if csi.marker == 0x3F, csi.final == 0x68 || csi.final == 0x6C {
      for parameter in csi.parameters { setPrivateMode(parameter[0], csi.final == 0x68) }
      return
    }
    if csi.intermediates == [0x21], csi.final == 0x70 { return reset(soft: true) }
    guard csi.marker == nil, csi.intermediates.isEmpty else { return note(csi) }
    let count = csi.number(0, or: 1)
    switch csi.final {
    case 0x40: insertCells(count)
    case 0x41: moveTo(column: cursorColumn, row: max(cursorRow >= top ? top : 0, cursorRow - count))
    case 0x42: moveTo(column: cursorColumn, row: min(cursorRow <= bottom ? bottom : rows - 1, cursorRow + count))
    case 0x43: moveTo(column: cursorColumn + count, row: cursorRow)
    case 0x44: moveTo(column: cursorColumn - count, row: cursorRow)
    case 0x45: moveTo(column: 0, row: cursorRow + count)
    case 0x46: moveTo(column: 0, row: cursorRow - count)
    case 0x47, 0x60: moveTo(column: count - 1, row: cursorRow)
    case 0x48, 0x66: moveTo(column: csi.number(1, or: 1) - 1, row: count - 1)
    case 0x49: moveTo(column: (cursorColumn / 8 + count) * 8, row: cursorRow)
    case 0x4A: eraseDisplay(csi.number(0, or: 0))
    case 0x4B: eraseLine(csi.number(0, or: 0))
    case 0x4C: insertLines(count)
    case 0x4D: deleteLines(count)
    case 0x50: deleteCells(count)
    case 0x53: scrollUp(from: top, count)
    case 0x54: scrollDown(from: top, count)
    case 0x58: erase(row: cursorRow, from: cursorColumn, to: cursorColumn + count)
    case 0x5A: moveTo(column: ((cursorColumn + 7) / 8 - count) * 8, row: cursorRow)
    case 0x62: for _ in 0..<count { lastScalar.map { print($0) } }
    case 0x64: moveTo(column: cursorColumn, row: count - 1)
    case 0x67, 0x6E, 0x63, 0x74: break
    case 0x68: if csi.number(0, or: 0) == 4 { modes.insert = true }
    case 0x6C: if csi.number(0, or: 0) == 4 { modes.insert = false }
    case 0x6D: style.apply(csi.parameters)
    case 0x72: setScrollRegion(csi)
    case 0x73: saved = currentCursor
    case 0x75: restore(saved)
    default: note(csi)
    }
  }

  private mutating func setScrollRegion(_ csi: VTParser.CSI) {
    let first = csi.number(0, or: 1) - 1
    let last = min(csi.number(1, or: rows), rows) - 1
    guard first < last else { return }
    (top, bottom) = (first, last)
    moveTo(column: 0, row: 0)
  }

  private mutating func setPrivateMode(_ mode: Int, _ isOn: Bool) {
    switch mode {
    case 1: modes.applicationCursor = isOn
    case 6: modes.origin = isOn
    case 7: modes.autoWrap = isOn
    case 25: modes.cursorVisible = isOn
    case 9, 1000, 1002, 1003, 1005, 1006, 1015:
      if isOn { modes.mouse.insert(mode) } else { modes.mouse.remove(mode) }
    case 1004: modes.focusReports = isOn
    case 2004: modes.bracketedPaste = isOn
    case 47, 1047, 1049: setAlternateScreen(isOn)
    case 3, 4, 12, 1034, 2026: break
    default: unknown.append("mode \(mode)")
    }
  }

  private mutating func setAlternateScreen(_ isOn: Bool) {
    guard isOn != modes.alternateScreen else { return }
    modes.alternateScreen = isOn
    if isOn {
      mainCells = cells
      mainCursor = currentCursor
      cells = Self.blank(columns, rows)
    } else {
      cells = mainCells ?? Self.blank(columns, rows)
      mainCells = nil
      restore(mainCursor)
    }
  }

  private mutating func note(_ csi: VTParser.CSI) {
    // Cursor shapes, key encodings and the xterm title stack leave no trace on the screen.
    if csi.marker == 0x3E || csi.intermediates == [0x20] || csi.final == 0x63 { return }
    let marker = csi.marker.map { String(Unicode.Scalar($0)) } ?? ""
    unknown.append("csi \(marker)\(csi.parameters)\(Character(Unicode.Scalar(csi.final)))")
  }
}

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
    if kind == 2 { (erasures, erasedCells) = (erasures + 1, cells) }
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
