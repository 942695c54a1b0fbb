import PatchbayGrid

/// What a program printed, without the escape sequences in it (ECMA-48 §5.4) and fit to be shown.
enum ANSIText {
  static func plain(_ line: String) -> String {
    let text = line.last == "\r" ? String(line.dropLast()) : line
    guard text.utf8.contains(0x1B) || text.utf8.contains(0x0D) || text.utf8.contains(0x08) else {
      return SafeText.lines(text)
    }
    var kept = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "\u{1B}": skipSequence(&scalars)
      case "\u{9B}": skipParameters(&scalars)
      case "\r": kept = String.UnicodeScalarView()
      case "\u{08}": _ = kept.popLast()
      default: kept.append(scalar)
      }
    }
    return SafeText.lines(String(kept))
  }

  private static func skipSequence(_ scalars: inout String.UnicodeScalarView.Iterator) {
    guard let kind = scalars.next() else { return }
    switch kind {
    case "[": skipParameters(&scalars)
    case "]", "P", "X", "^", "_": skipString(&scalars)
    case "\u{20}"..."\u{2F}": _ = scalars.next()
    default: break
    }
  }

  private static func skipParameters(_ scalars: inout String.UnicodeScalarView.Iterator) {
    while let scalar = scalars.next() {
      if ("\u{40}"..."\u{7E}").contains(scalar) { return }
    }
  }

  /// Up to BEL or ESC backslash.
  private static func skipString(_ scalars: inout String.UnicodeScalarView.Iterator) {
    while let scalar = scalars.next() {
      if scalar == "\u{07}" || scalar == "\u{9C}" { return }
      if scalar == "\u{1B}" {
        _ = scalars.next()
        return
      }
    }
  }
}
