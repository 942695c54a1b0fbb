import ArgumentParser
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay themes …`
struct ThemesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "themes", abstract: "List, check and show themes.",
    subcommands: [ThemesListCommand.self, ThemesCheckCommand.self, ThemesShowCommand.self])
}

/// `patchbay themes list`
struct ThemesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "The themes and where they lie.")

  func run() throws {
    let catalog = ThemeCatalog(folders: PrivateFolders())
    var table = TextTable(heads: ["name", "from"])
    for name in catalog.names { table.rows.append([name, catalog.file(name) ?? "built in"]) }
    table.print()
  }
}

/// `patchbay themes check FILE`
struct ThemesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Report mistakes in theme files, and roles that are hard to read.")

  @Argument(help: "Theme files; - is standard input.", completion: .file()) var files: [String]

  func run() throws {
    var hasMistakes = false
    for file in files {
      let path = file == "-" ? file : AbsolutePath.of(file)
      do {
        let theme = try ThemeFile.read(path, roles: ThemeRole.allCases.map(\.name))
        let weak = Self.weakContrasts(of: theme, in: file)
        for mistake in weak { StandardError.tell("\(mistake)") }
        if !weak.isEmpty { hasMistakes = true }
        let verdict = weak.isEmpty ? "no mistakes" : "hard to read in places"
        print(SafeText.line("\(file): \(theme.name), \(theme.roles.count) roles, \(verdict)."))
      } catch {
        StandardError.tell("\(error)")
        hasMistakes = true
      }
    }
    if hasMistakes { throw ExitCode.failure }
  }

  /// The roles that are hard to read, where they stand in the file; a role that it leaves out takes another's look.
  private static func weakContrasts(of file: ThemeFile, in path: String) -> [FileMistake] {
    let found = Theme(file).weakContrasts.compactMap { weak in
      (file.positions[weak.role.name] ?? file.positions[weak.on.name]).map { ($0, weak) }
    }
    return found.sorted { $0.0 < $1.0 }
      .map { FileMistake(path: path, position: $0.0, message: $0.1.description) }
  }
}

/// `patchbay themes show NAME`
struct ThemesShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print each role of a theme in its own look.")

  @Argument(help: "The theme's name, or a file.", completion: .themes) var name: String

  func run() throws {
    let theme = try ThemeCatalog(folders: PrivateFolders()).load(name)
    let isTerminal = TerminalWidth.output != nil
    for role in ThemeRole.allCases { print(Self.line(role.name, theme[role], isTerminal: isTerminal)) }
  }

  static func line(_ role: String, _ style: Style, isTerminal: Bool) -> String {
    let label = role + String(repeating: " ", count: max(1, 16 - role.count))
    let sample = " あア亜 The quick brown fox 0123 "
    return label + (isTerminal ? ANSIStyle.sequence(style) + sample + "\u{1B}[0m" : style.readable)
  }
}

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

extension Style {
  /// As a theme file has it: `{ fg: "#d9e0de", bg: default, bold: true }`.
  var readable: String {
    let attributes: [(TextAttributes, ThemeFile.Attribute)] = [
      (.bold, .bold), (.dim, .dim), (.italic, .italic), (.underline, .underline), (.reverse, .reverse),
    ]
    let members =
      ["fg: \(foreground.readable)", "bg: \(background.readable)"]
      + attributes.filter { self.attributes.contains($0.0) }.map { "\($0.1.rawValue): true" }
    return "{ \(members.joined(separator: ", ")) }"
  }
}

extension Color {
  fileprivate var readable: String {
    switch kind {
    case .terminalDefault: return "default"
    case .palette(let number):
      return ThemeFile.ansiNames.indices.contains(Int(number)) ? ThemeFile.ansiNames[Int(number)] : "\(number)"
    case .rgb(let red, let green, let blue):
      let digits = [red, green, blue].map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
      }
      return "\"#\(digits.joined())\""
    }
  }
}
