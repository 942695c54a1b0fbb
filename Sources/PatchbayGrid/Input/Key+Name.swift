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
