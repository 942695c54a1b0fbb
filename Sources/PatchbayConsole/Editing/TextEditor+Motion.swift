import PatchbayGrid

extension TextEditor {
  enum Motion: Sendable {
    case left, right, up, down, wordLeft, wordRight, lineStart, lineEnd, textStart, textEnd
    case page(Int)
  }

  mutating func move(_ motion: Motion, selecting: Bool = false) {
    if selecting {
      anchor = anchor ?? cursor
    } else if let selection, case .left = motion {
      return move(to: selection.lowerBound)
    } else if let selection, case .right = motion {
      return move(to: selection.upperBound)
    } else {
      anchor = nil
    }
    sealUndo()
    isFull = false
    var aimed: Int?
    switch motion {
    case .left: cursor = place(before: cursor)
    case .right: cursor = place(after: cursor)
    case .wordLeft: cursor = wordStart(before: cursor)
    case .wordRight: cursor = wordEnd(after: cursor)
    case .lineStart: cursor.offset = homeOffset
    case .lineEnd: cursor.offset = lines.size(of: cursor.line)
    case .textStart: cursor = .start
    case .textEnd: cursor = end
    case .up: aimed = moveLines(-1)
    case .down: aimed = moveLines(1)
    case .page(let rows): aimed = moveLines(rows)
    }
    aim = aimed
  }

  /// Puts the cursor at a place and drops the selection.
  mutating func move(to place: Place) {
    let line = max(0, min(place.line, lines.count - 1))
    let text = lines[line]
    cursor = Place(line: line, offset: text.offset(of: text.index(atUTF8: place.offset)))
    anchor = nil
    aim = nil
  }

  mutating func select(_ range: Range<Place>) {
    move(to: range.upperBound)
    anchor = range.lowerBound
  }

  /// The column on screen at which the cursor stands in its line.
  var column: Int { column(of: cursor) }

  func column(of place: Place) -> Int {
    let line = lines[place.line]
    return textWidth(line[..<line.index(atUTF8: place.offset)])
  }

  /// Behind so many bytes of a line, columns are bytes: to count them takes longer than a key may.
  static let longLine = 16_384

  /// The place nearest to a column of a line.
  func place(line: Int, column: Int) -> Place {
    let line = max(0, min(line, lines.count - 1))
    let text = lines[line]
    guard column <= TextEditor.longLine else { return Place(line: line, offset: text.border(from: column)) }
    var index = text.startIndex
    var width = 0
    while index < text.endIndex {
      let next = text.index(after: index)
      let step = textWidth(text[index..<next])
      if width + step > column { break }
      width += step
      index = next
    }
    return Place(line: line, offset: text.offset(of: index))
  }

  func place(before place: Place) -> Place {
    if place.offset == 0 {
      return place.line == 0 ? place : Place(line: place.line - 1, offset: lines.size(of: place.line - 1))
    }
    let text = lines[place.line]
    return Place(line: place.line, offset: text.offset(of: text.index(before: text.index(atUTF8: place.offset))))
  }

  func place(after place: Place) -> Place {
    let text = lines[place.line]
    if place.offset >= text.utf8.count {
      return place.line + 1 < lines.count ? Place(line: place.line + 1, offset: 0) : place
    }
    return Place(line: place.line, offset: text.offset(of: text.index(after: text.index(atUTF8: place.offset))))
  }

  /// Selects the word in which the cursor is; nothing between words.
  mutating func selectWord() {
    let text = lines[cursor.line]
    var (start, end) = (text.index(atUTF8: cursor.offset), text.index(atUTF8: cursor.offset))
    while start > text.startIndex, TextEditor.isWord(text[text.index(before: start)]) {
      start = text.index(before: start)
    }
    while end < text.endIndex, TextEditor.isWord(text[end]) { end = text.index(after: end) }
    guard start < end else { return }
    select(
      Place(line: cursor.line, offset: text.offset(of: start))..<Place(line: cursor.line, offset: text.offset(of: end)))
  }

  func wordStart(before place: Place) -> Place {
    guard place.offset > 0 else { return self.place(before: place) }
    let text = lines[place.line]
    var index = text.index(atUTF8: place.offset)
    while index > text.startIndex, !TextEditor.isWord(text[text.index(before: index)]) {
      index = text.index(before: index)
    }
    while index > text.startIndex, TextEditor.isWord(text[text.index(before: index)]) {
      index = text.index(before: index)
    }
    return Place(line: place.line, offset: text.offset(of: index))
  }

  func wordEnd(after place: Place) -> Place {
    let text = lines[place.line]
    guard place.offset < text.utf8.count else { return self.place(after: place) }
    var index = text.index(atUTF8: place.offset)
    while index < text.endIndex, !TextEditor.isWord(text[index]) { index = text.index(after: index) }
    while index < text.endIndex, TextEditor.isWord(text[index]) { index = text.index(after: index) }
    return Place(line: place.line, offset: text.offset(of: index))
  }

  private mutating func moveLines(_ step: Int) -> Int {
    let wanted = aim ?? (cursor.offset > TextEditor.longLine ? cursor.offset : column)
    let line = cursor.line + step
    cursor = line < 0 ? .start : line >= lines.count ? end : place(line: line, column: wanted)
    return wanted
  }

  /// The first letter of the line, or its very start when the cursor is there.
  private var homeOffset: Int {
    let indent = lines[cursor.line].prefix { $0 == " " }.utf8.count
    return cursor.offset == indent ? 0 : indent
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}

extension TextEditor {
  /// Does what the key means in any text field. Returns false for keys that mean nothing here.
  mutating func handle(_ key: Key, pageHeight: Int = 10) -> Bool {
    let selecting = key.modifiers.contains(.shift)
    let byWord = !key.modifiers.isDisjoint(with: [.control, .alt])
    switch key.code {
    case .left: move(byWord ? .wordLeft : .left, selecting: selecting)
    case .right: move(byWord ? .wordRight : .right, selecting: selecting)
    case .up where !isSingleLine: move(.up, selecting: selecting)
    case .down where !isSingleLine: move(.down, selecting: selecting)
    case .home: move(byWord ? .textStart : .lineStart, selecting: selecting)
    case .end: move(byWord ? .textEnd : .lineEnd, selecting: selecting)
    case .pageUp where !isSingleLine: move(.page(-pageHeight), selecting: selecting)
    case .pageDown where !isSingleLine: move(.page(pageHeight), selecting: selecting)
    case .backspace: byWord ? deleteWordBackward() : deleteBackward()
    case .delete: deleteForward()
    case .enter where !isSingleLine: insertLine()
    case .character: return handleCharacter(key)
    default: return false
    }
    return true
  }

  private mutating func handleCharacter(_ key: Key) -> Bool {
    if let typed = key.typed {
      insert(String(typed))
      return true
    }
    switch key {
    case .control("w"): deleteWordBackward()
    case .control("u"): deleteToLineStart()
    case .control("k"): deleteToLineEnd()
    case .control("a"): isSingleLine ? move(.lineStart) : selectAll()
    case .control("e"): move(.lineEnd)
    case .control("z"): undo()
    case .control("y"): redo()
    case .control("x"): cut()
    case .control("c"): copy()
    case .control("v"): paste()
    case .alt("b"): move(.wordLeft)
    case .alt("f"): move(.wordRight)
    default: return false
    }
    return true
  }
}
