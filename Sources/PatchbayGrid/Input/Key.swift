/// A key of the keyboard with its modifiers.
///
/// It has a name (`ctrl-r`, `space`, `J`, `alt-x`, `f1`, `shift-tab`, `pgdn`), for bindings are data in a file:
/// `Key(parsing:)` reads it and `description` writes it.
public struct Key: Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// What the key typed; capitals are characters of their own, without `.shift`.
    case character(Character)
    case enter, escape, tab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F35.
    case function(Int)
  }

  public var code: Code
  public var modifiers: KeyModifiers

  public init(_ code: Code, _ modifiers: KeyModifiers = []) {
    self.code = code
    self.modifiers = modifiers
    normalize()
  }

  public init(_ character: Character, _ modifiers: KeyModifiers = []) {
    self.init(.character(character), modifiers)
  }

  public static let enter = Key(.enter)
  public static let escape = Key(.escape)
  public static let tab = Key(.tab)
  public static let backspace = Key(.backspace)
  public static let space = Key(" ")
  public static let up = Key(.up)
  public static let down = Key(.down)
  public static let left = Key(.left)
  public static let right = Key(.right)
  public static func control(_ character: Character) -> Key { Key(character, .control) }
  public static func alt(_ character: Character) -> Key { Key(character, .alt) }

  /// The text that the key types in a field: nil for keys with ctrl, alt or super, and for keys without a character.
  public var typed: Character? {
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
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let alt = KeyModifiers(rawValue: 2)
  public static let control = KeyModifiers(rawValue: 4)
  public static let `super` = KeyModifiers(rawValue: 8)

  /// From the parameter that xterm and kitty send: one plus the bits.
  init(parameter: Int) {
    let bits = max(0, parameter - 1)
    self.init(rawValue: UInt8(bits & 15))
    if bits & 32 != 0 { insert(.alt) }
  }
}

extension Key: CustomStringConvertible {
  /// A key by its name: modifiers (`ctrl-`, `alt-`, `shift-`, `super-`) in any order, then a character or a name.
  public init?(parsing name: some StringProtocol) {
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
  public var description: String {
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
