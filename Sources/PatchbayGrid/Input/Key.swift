/// A key of the keyboard with its modifiers.
///
/// It has a name (`ctrl-r`, `space`, `J`, `alt-x`, `f1`, `shift-tab`, `pgdn`), for bindings are data in a file:
/// `Key(parsing:)` reads it and `description` writes it.
package struct Key: Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// What the key typed; capitals are characters of their own, without `.shift`.
    case character(Character)
    case enter, escape, tab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F35.
    case function(Int)
  }

  package var code: Code
  package var modifiers: KeyModifiers

  package init(_ code: Code, _ modifiers: KeyModifiers = []) {
    self.code = code
    self.modifiers = modifiers
    normalize()
  }

  package init(_ character: Character, _ modifiers: KeyModifiers = []) {
    self.init(.character(character), modifiers)
  }

  package static let enter = Key(.enter)
  package static let escape = Key(.escape)
  package static let tab = Key(.tab)
  package static let backspace = Key(.backspace)
  package static let space = Key(" ")
  package static let up = Key(.up)
  package static let down = Key(.down)
  package static let left = Key(.left)
  package static let right = Key(.right)
  package static func control(_ character: Character) -> Key { Key(character, .control) }
  package static func alt(_ character: Character) -> Key { Key(character, .alt) }

  /// The text that the key types in a field: nil for keys with ctrl, alt or super, and for keys without a character.
  package var typed: Character? {
    guard case .character(let character) = code, modifiers.isDisjoint(with: [.control, .alt, .super]) else {
      return nil
    }
    return character
  }

  /// Terminals cannot tell ctrl-R from ctrl-r; shift with a letter is its capital.
  private mutating func normalize() {
    guard case .character(let character) = code else { return }
    if modifiers.contains(.shift), !modifiers.contains(.control), character.isCased {
      let upper = character.uppercased()
      if upper.count == 1, let capital = upper.first {
        code = .character(capital)
        modifiers.remove(.shift)
      }
    } else if modifiers.contains(.control), character.isASCII {
      code = .character(Character(character.lowercased()))
    }
  }
}

/// Keys held down with another.
package struct KeyModifiers: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let shift = KeyModifiers(rawValue: 1)
  package static let alt = KeyModifiers(rawValue: 2)
  package static let control = KeyModifiers(rawValue: 4)
  package static let `super` = KeyModifiers(rawValue: 8)

  /// From the parameter that xterm and kitty send: one plus the bits.
  init(parameter: Int) {
    let bits = max(0, parameter - 1)
    self.init(rawValue: UInt8(bits & 15))
    if bits & 32 != 0 { insert(.alt) }
  }
}

extension Key: CustomStringConvertible {
  /// A key by its name: modifiers (`ctrl-`, `alt-`, `shift-`, `super-`) in any order, then a character or a name.
  package init?(parsing name: some StringProtocol) {
    var rest = Substring(name)
    var modifiers: KeyModifiers = []
    while let dash = rest.dropFirst().firstIndex(of: "-") {
      guard let modifier = Key.modifierNames[rest[..<dash].lowercased()] else { break }
      guard !modifiers.contains(modifier) else { return nil }
      modifiers.insert(modifier)
      rest = rest[rest.index(after: dash)...]
    }
    if rest.count == 1, let character = rest.first, character != " ", !Key.isControl(character) {
      self.init(character, modifiers)
    } else if let code = Key.codes[rest.lowercased()] {
      self.init(code, modifiers)
    } else if let number = Key.functionNumber(rest) {
      self.init(.function(number), modifiers)
    } else {
      return nil
    }
  }

  /// The key's name; `Key(parsing:)` makes the same key of it.
  package var description: String {
    var name = ""
    if modifiers.contains(.control) { name += "ctrl-" }
    if modifiers.contains(.alt) { name += "alt-" }
    if modifiers.contains(.shift) { name += "shift-" }
    if modifiers.contains(.super) { name += "super-" }
    switch code {
    case .character(" "): return name + "space"
    case .character(let character): return name + String(character)
    case .function(let number): return name + "f\(number)"
    default: return name + (Key.names[code] ?? "")
    }
  }

  private static let modifierNames: [String: KeyModifiers] = [
    "ctrl": .control, "control": .control, "c": .control, "alt": .alt, "meta": .alt, "option": .alt,
    "shift": .shift, "super": .super, "cmd": .super,
  ]

  private static let names: [Code: String] = [
    .enter: "enter", .escape: "esc", .tab: "tab", .backspace: "backspace", .delete: "del", .insert: "ins",
    .up: "up", .down: "down", .left: "left", .right: "right", .home: "home", .end: "end", .pageUp: "pgup",
    .pageDown: "pgdn",
  ]

  private static let codes: [String: Code] = {
    var codes: [String: Code] = [
      "space": .character(" "), "return": .enter, "escape": .escape, "delete": .delete, "insert": .insert,
      "pageup": .pageUp, "pagedown": .pageDown, "page-up": .pageUp, "page-down": .pageDown,
    ]
    for (code, name) in names { codes[name] = code }
    return codes
  }()

  private static func functionNumber(_ name: Substring) -> Int? {
    let digits = name.dropFirst()
    guard name.first == "f" || name.first == "F", digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(digits).flatMap { (1...35).contains($0) ? $0 : nil }
  }

  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { ScalarClass($0.value) == .control }
  }
}
