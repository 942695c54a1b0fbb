import PatchbayGrid

/// A style as the escape sequence that turns it on (ECMA-48 SGR), for what is printed without a screen.
enum ANSIStyle {
  static func sequence(_ style: Style) -> String {
    var codes = [String]()
    let attributes: [(TextAttributes, String)] = [
      (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
    ]
    for (attribute, code) in attributes where style.attributes.contains(attribute) { codes.append(code) }
    codes += color(style.foreground, base: 38) + color(style.background, base: 48)
    return "\u{1B}[0\(codes.map { ";" + $0 }.joined())m"
  }

  private static func color(_ color: Color, base: Int) -> [String] {
    switch color.kind {
    case .terminalDefault: []
    case .palette(let number): ["\(base)", "5", "\(number)"]
    case .rgb(let red, let green, let blue): ["\(base)", "2", "\(red)", "\(green)", "\(blue)"]
    }
  }
}
