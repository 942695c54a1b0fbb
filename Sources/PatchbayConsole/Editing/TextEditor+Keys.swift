import PatchbayGrid

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
