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
