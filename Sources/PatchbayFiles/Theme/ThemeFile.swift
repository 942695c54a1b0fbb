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
    /// 24 bit, with the ANSI colour (0 to 15) that stands for it where there are few colours.
    case rgb(red: UInt8, green: UInt8, blue: UInt8, ansi: UInt8?)
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
