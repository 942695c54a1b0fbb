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
    commandName: "check", abstract: "Say all mistakes in theme files, and roles that are hard to read.")

  @Argument(help: "Theme files.", completion: .file()) var files: [String]

  func run() throws {
    var hasMistakes = false
    for file in files {
      let path = AbsolutePath.of(file)
      do {
        let theme = try ThemeFile.read(path, roles: ThemeRole.allCases.map(\.name))
        let weak = Self.weakContrasts(of: theme, in: file)
        for mistake in weak { StandardError.write("\(mistake)\n") }
        if !weak.isEmpty { hasMistakes = true }
        let verdict = weak.isEmpty ? "no mistakes" : "hard to read in places"
        print("\(file): \(theme.name), \(theme.roles.count) roles, \(verdict).")
      } catch {
        StandardError.write("\(error)\n")
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
    for role in ThemeRole.allCases {
      let style = theme[role]
      let label = role.name + String(repeating: " ", count: max(1, 16 - role.name.count))
      let sample = " あア亜 The quick brown fox 0123 "
      print(
        TerminalWidth.output == nil ? label + style.readable : label + ANSIStyle.sequence(style) + sample + "\u{1B}[0m")
    }
  }
}
