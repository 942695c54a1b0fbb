import PatchbayStubs

/// A theme as its file has it: colours by name, then a look for each role. Which roles there are is the caller's to say.
package struct ThemeFile: Hashable, Sendable {
  package var name: String
  /// The looks of the roles, by the roles' names.
  package var roles: [String: Look]
  /// Where each role stands in the file.
  package var positions: [String: SourcePosition]

  /// How text of a role is set; what is nil is left to the role that it builds on.
  package struct Look: Hashable, Sendable {
    package var foreground: Color?
    package var background: Color?
    package var attributes: Set<Attribute> = []
  }

  package enum Attribute: String, Hashable, Sendable, CaseIterable {
    case bold
    case dim
    case italic
    case underline
    case reverse
  }

  package enum Color: Hashable, Sendable {
    /// What the terminal uses when no colour is asked for.
    case terminal
    /// One of the terminal's palette of 256; 0 to 15 are the ANSI colours.
    case palette(UInt8)
    /// 24 bit, with the one of the palette of 256 that stands for it there (nil: the nearest), and the ANSI colour
    /// (0 to 15) where there are few colours.
    case rgb(red: UInt8, green: UInt8, blue: UInt8, palette: UInt8?, ansi: UInt8?)
  }

  /// The ANSI colours by their names, black first.
  package static let ansiNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "brightBlack", "brightRed", "brightGreen",
    "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
  ]

  /// Reads a theme; the error has all its mistakes.
  ///
  /// - Parameter roles: the roles that there are; another one is a mistake.
  package static func read(_ path: String, roles: [String]) throws(FilesError) -> ThemeFile {
    try parse(try TextFile.text(path), path: path, roles: roles)
  }

  package static func parse(_ text: String, path: String, roles: [String]) throws(FilesError) -> ThemeFile {
    let node: DocumentNode
    do throws(StubError) { node = try YAMLReader.document(text) } catch { throw FilesError(path: path, [error]) }
    var reader = ThemeReader(roles: roles)
    let theme = reader.theme(node)
    let mistakes = reader.schema.mistakes
    guard mistakes.isEmpty else {
      throw FilesError(path: path, mistakes.sorted { ($0.position ?? .start) < ($1.position ?? .start) })
    }
    return theme
  }
}

/// Reads the nodes of a theme file.
private struct ThemeReader {
  let schema = SchemaReader()
  let roles: [String]
  private var colors: [String: ThemeFile.Color] = [:]

  init(roles: [String]) { self.roles = roles }

  mutating func theme(_ node: DocumentNode) -> ThemeFile {
    var theme = ThemeFile(name: "", roles: [:], positions: [:])
    guard let map = schema.map(node, "a theme", ["name", "colors", "roles"]) else { return theme }
    theme.name = map["name"].flatMap { schema.text($0, "`name`") } ?? ""
    if map["name"] == nil { schema.mistake("a theme needs a `name`", node) }
    for entry in map["colors"].map({ entries($0, "`colors`") }) ?? [] {
      if let color = color(entry.value, "the colour `\(entry.key)`", names: false) { colors[entry.key] = color }
    }
    for entry in map["roles"].map({ entries($0, "`roles`") }) ?? [] {
      guard roles.contains(entry.key) else {
        let hint = NearestName.hint(for: entry.key, among: roles)
        schema.mistake("there is no role `\(entry.key)`\(hint)", at: entry.keyPosition)
        continue
      }
      theme.roles[entry.key] = look(entry.value, entry.key)
      theme.positions[entry.key] = entry.keyPosition
    }
    if map["roles"] == nil { schema.mistake("a theme needs `roles`", node) }
    return theme
  }

  private func entries(_ node: DocumentNode, _ what: String) -> [DocumentNode.Entry] {
    if case .map(let entries) = node.value { return entries }
    if !node.isNull { schema.mistake("\(what) must be a map, not \(node.summary)", node) }
    return []
  }

  /// `{ fg: …, bg: …, bold: true }`, or a foreground alone.
  private func look(_ node: DocumentNode, _ role: String) -> ThemeFile.Look? {
    guard case .map = node.value else {
      return color(node, "the role `\(role)`", names: true).map { ThemeFile.Look(foreground: $0) }
    }
    let attributes = ThemeFile.Attribute.allCases
    guard let map = schema.map(node, "the role `\(role)`", ["fg", "bg", "ansi"] + attributes.map(\.rawValue)) else {
      return nil
    }
    var look = ThemeFile.Look()
    look.foreground = map["fg"].flatMap { color($0, "`fg`", names: true) }
    look.background = map["bg"].flatMap { color($0, "`bg`", names: true) }
    if let value = map["ansi"], let ansi = ansi(value) { look.foreground = look.foreground?.with(ansi: ansi) }
    for attribute in attributes {
      if let value = map[attribute.rawValue], schema.bool(value, "`\(attribute.rawValue)`") == true {
        look.attributes.insert(attribute)
      }
    }
    return look
  }

  /// - Parameter names: whether the names of `colors` may stand here.
  private func color(_ node: DocumentNode, _ what: String, names: Bool) -> ThemeFile.Color? {
    if case .map = node.value {
      guard let map = schema.map(node, what, ["rgb", "palette", "ansi"]) else { return nil }
      guard let value = map["rgb"] else {
        schema.mistake("\(what) must have an `rgb`", node)
        return nil
      }
      var color = color(value, what, names: false)
      if let value = map["palette"], let number = palette(value) { color = color?.with(palette: number) }
      if let value = map["ansi"], let number = ansi(value) { color = color?.with(ansi: number) }
      return color
    }
    guard let text = schema.text(node, what) else { return nil }
    if names, let color = colors[text] { return color }
    if text == "default" { return .terminal }
    if text.hasPrefix("#") {
      if let color = Self.hex(text.dropFirst()) { return color }
      schema.mistake("`\(text)` is no colour; write six hexadecimal digits, such as \"#61afef\"", node)
      return nil
    }
    if let index = ThemeFile.ansiNames.firstIndex(of: text) { return .palette(UInt8(index)) }
    if let number = UInt8(text) { return .palette(number) }
    let known = (names ? Array(colors.keys) : []) + ThemeFile.ansiNames + ["default"]
    let quotes = text.isEmpty ? "" : "; a colour such as \"#61afef\" needs its quotes"
    let hint = NearestName.hint(for: text, among: known, otherwise: quotes)
    schema.mistake("\(what) names a colour that is not there, `\(text)`\(hint)", node)
    return nil
  }

  /// The number or the name of an ANSI colour.
  private func ansi(_ node: DocumentNode) -> UInt8? {
    let text = schema.text(node, "`ansi`") ?? ""
    if let index = ThemeFile.ansiNames.firstIndex(of: text) { return UInt8(index) }
    if let number = UInt8(text), number < 16 { return number }
    let names = ThemeFile.ansiNames
    schema.mistake("`ansi` must be 0 to 15 or a name such as red\(NearestName.hint(for: text, among: names))", node)
    return nil
  }

  /// One of the 256 that look alike everywhere; the first 16 are the user's own.
  private func palette(_ node: DocumentNode) -> UInt8? {
    if let number = UInt8(schema.text(node, "`palette`") ?? ""), number >= 16 { return number }
    schema.mistake("`palette` must be 16 to 255: one of the terminal's 256 colours", node)
    return nil
  }

  private static func hex(_ digits: Substring) -> ThemeFile.Color? {
    var text = String(digits)
    if text.count == 3 { text = text.map { "\($0)\($0)" }.joined() }
    guard text.utf8.count == 6, let value = UInt32(text, radix: 16), !text.hasPrefix("+"), !text.hasPrefix("-") else {
      return nil
    }
    return .rgb(
      red: UInt8(value >> 16 & 255), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255), palette: nil,
      ansi: nil)
  }
}

extension ThemeFile.Color {
  /// This colour, and the one of the 16 ANSI colours that stands for it on terminals without more.
  func with(ansi: UInt8) -> ThemeFile.Color {
    guard case .rgb(let red, let green, let blue, let palette, _) = self else { return self }
    return .rgb(red: red, green: green, blue: blue, palette: palette, ansi: ansi)
  }

  /// This colour, and the one of the 256 that stands for it on terminals without more.
  func with(palette: UInt8) -> ThemeFile.Color {
    guard case .rgb(let red, let green, let blue, _, let ansi) = self else { return self }
    return .rgb(red: red, green: green, blue: blue, palette: palette, ansi: ansi)
  }
}
