import ArgumentParser
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayLaunch

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

  /// Roles that are no text, so that no contrast is asked of them.
  private static let noText: Set<String> = ["line", "popupLine", "spark", "barWait", "barBody", "barHeld"]

  func run() throws {
    var hasMistakes = false
    for file in files {
      let path = AbsolutePath.of(file)
      do {
        let theme = try ThemeFile.read(path, roles: ThemeRole.allCases.map(\.name))
        let warnings = theme.contrastWarnings(path: file, except: Self.noText)
        for warning in warnings { StandardError.say("warning: \(warning)") }
        print(
          "\(file): \(theme.name), \(theme.roles.count) roles, \(warnings.isEmpty ? "no mistakes" : "hard to read in places")."
        )
      } catch {
        StandardError.write("\(error)\n")
        hasMistakes = true
      }
    }
    if hasMistakes { throw ExitStatus.failed }
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
      print(TerminalWidth.output == nil ? label + "\(style)" : label + ANSIStyle.sequence(style) + sample + "\u{1B}[0m")
    }
  }
}
