import PatchbayGrid

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
    while let number = rest.popFirst() { take(number, &rest) }
  }

  private mutating func take(_ number: Int, _ rest: inout ArraySlice<Int>) {
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
