import PatchbayConsole
import PatchbayFiles
import PatchbayGrid

extension Theme {
  /// The theme of a file whose roles have been checked.
  package init(_ file: ThemeFile) {
    var looks: [ThemeRole: Look] = [:]
    for (name, look) in file.roles {
      guard let role = ThemeRole(name: name) else { continue }
      looks[role] = Look(
        foreground: look.foreground.map(Color.init), background: look.background.map(Color.init),
        attributes: TextAttributes(look.attributes))
    }
    self.init(name: file.name, looks: looks)
  }
}

extension Color {
  fileprivate init(_ color: ThemeFile.Color) {
    switch color {
    case .terminal: self = .default
    case .palette(let number): self = number < 16 ? .ansi(number) : .palette(number)
    case .rgb(let red, let green, let blue, let ansi):
      self = .rgb(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), fallback: ansi)
    }
  }
}

extension TextAttributes {
  fileprivate init(_ attributes: Set<ThemeFile.Attribute>) {
    self = []
    for attribute in attributes {
      switch attribute {
      case .bold: insert(.bold)
      case .dim: insert(.dim)
      case .italic: insert(.italic)
      case .underline: insert(.underline)
      case .reverse: insert(.reverse)
      }
    }
  }
}
