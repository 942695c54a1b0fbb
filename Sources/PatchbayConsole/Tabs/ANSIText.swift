import PatchbayGrid

/// What a program printed, without the escape sequences in it (ECMA-48 §5.4) and fit to be shown; its colours and
/// attributes (§8.3.117) are kept beside it.
struct ANSIText {
  /// A stretch of the text that looks alike.
  struct Run: Equatable {
    /// In bytes of UTF-8.
    var range: Range<Int>
    var look: ANSILook
  }

  private(set) var text = ""
  /// Those that do not look as usual, in order.
  private(set) var runs: [Run] = []

  static func plain(_ line: String) -> String { ANSIText(line).text }

  init(_ line: String) {
    let line = line.last == "\r" ? String(line.dropLast()) : line
    guard line.utf8.contains(where: { $0 == 0x1B || $0 == 0x0D || $0 == 0x08 || $0 == 0xC2 }) else {
      text = SafeText.lines(line)
      return
    }
    var kept: [(scalar: Unicode.Scalar, look: ANSILook)] = []
    var look = ANSILook()
    var scalars = line.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "\u{1B}": Self.skipSequence(&scalars, &look)
      case "\u{9B}": Self.skipParameters(&scalars, &look)
      case "\r": kept = []
      case "\u{08}": _ = kept.popLast()
      default: kept.append((scalar, look))
      }
    }
    var rest = kept[...]
    while let first = rest.first {
      let stretch = rest.prefix { $0.look == first.look }
      append(stretch.map(\.scalar), first.look)
      rest = rest[stretch.endIndex...]
    }
  }

  private mutating func append(_ scalars: [Unicode.Scalar], _ look: ANSILook) {
    let start = text.utf8.count
    text += SafeText.lines(String(String.UnicodeScalarView(scalars)))
    if look != ANSILook() { runs.append(Run(range: start..<text.utf8.count, look: look)) }
  }

  private static func skipSequence(_ scalars: inout String.UnicodeScalarView.Iterator, _ look: inout ANSILook) {
    guard let kind = scalars.next() else { return }
    switch kind {
    case "[": skipParameters(&scalars, &look)
    case "]", "P", "X", "^", "_": skipString(&scalars)
    case "\u{20}"..."\u{2F}": _ = scalars.next()
    default: break
    }
  }

  /// Only `m`, which sets the look, has an effect.
  private static func skipParameters(_ scalars: inout String.UnicodeScalarView.Iterator, _ look: inout ANSILook) {
    var parameters = String.UnicodeScalarView()
    while let scalar = scalars.next() {
      guard ("\u{40}"..."\u{7E}").contains(scalar) else {
        parameters.append(scalar)
        continue
      }
      if scalar == "m" { look.apply(String(parameters)) }
      return
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

/// How a program wants its text to look: SGR of ECMA-48 §8.3.117, and the 256 and 24-bit colours of ITU T.416.
/// Blinking and hidden text is shown as any other.
struct ANSILook: Hashable, Sendable {
  var foreground: Color?
  var background: Color?
  var attributes: TextAttributes = []

  /// Takes the parameters of one sequence, such as `1;31`.
  mutating func apply(_ parameters: String) {
    let numbers = parameters.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == ":" }
      .map { $0.isEmpty ? 0 : Int($0) ?? -1 }
    var rest = numbers[...]
    while let number = rest.popFirst() { apply(number, &rest) }
  }

  private mutating func apply(_ number: Int, _ rest: inout ArraySlice<Int>) {
    switch number {
    case 0: self = ANSILook()
    case 1: attributes.insert(.bold)
    case 2: attributes.insert(.dim)
    case 3: attributes.insert(.italic)
    case 4: attributes.insert(.underline)
    case 7: attributes.insert(.reverse)
    case 22: attributes.subtract([.bold, .dim])
    case 23: attributes.remove(.italic)
    case 24: attributes.remove(.underline)
    case 27: attributes.remove(.reverse)
    case 30...37: foreground = .ansi(UInt8(number - 30))
    case 90...97: foreground = .ansi(UInt8(number - 82))
    case 40...47: background = .ansi(UInt8(number - 40))
    case 100...107: background = .ansi(UInt8(number - 92))
    case 39: foreground = nil
    case 49: background = nil
    case 38: foreground = Self.color(&rest) ?? foreground
    case 48: background = Self.color(&rest) ?? background
    default: break
    }
  }

  /// `5;N` or `2;R;G;B`.
  private static func color(_ rest: inout ArraySlice<Int>) -> Color? {
    func channel(_ value: Int?) -> UInt8? { value.flatMap { UInt8(exactly: $0) } }
    switch rest.popFirst() {
    case 5: return channel(rest.popFirst()).map { Color.palette($0) }
    case 2:
      guard let red = channel(rest.popFirst()), let green = channel(rest.popFirst()),
        let blue = channel(rest.popFirst())
      else { return nil }
      return .rgb(red, green, blue)
    default: return nil
    }
  }

  /// On top of a style.
  func over(_ style: Style, depth: ColorDepth) -> Style {
    Style(
      foreground: foreground?.reduced(to: depth) ?? style.foreground,
      background: background?.reduced(to: depth) ?? style.background,
      attributes: style.attributes.union(attributes))
  }
}
