extension VTScreen {
  mutating func perform(_ action: VTParser.Action) {
    switch action {
    case .print(let scalar): print(scalar)
    case .control(let byte): control(byte)
    case .escape(let intermediates, let final): escape(intermediates, final)
    case .csi(let csi): perform(csi)
    case .osc(let text): osc(text)
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
