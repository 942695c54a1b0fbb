import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay install [--prefix DIR]`
struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Copy the program, the hook, the themes and the shells' completions to a prefix.",
    discussion: """
      Each file that is put in place is printed; deleting these takes Patchbay away again. An earlier copy is replaced, \
      also while it runs.
      """)

  @Option(help: ArgumentHelp("Where to.", valueName: "dir"), completion: .directory) var prefix = "~/.local"

  func validate() throws {
    if prefix.isEmpty { throw ValidationError("--prefix is empty: name a folder, such as /usr/local.") }
  }

  func run() throws {
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    var items = Installer.program(executable: executable, libraries: try HookLibraries.find())
    let catalog = ThemeCatalog(folders: PrivateFolders())
    for name in catalog.names {
      guard let file = catalog.shippedFile(name) else { continue }
      items.append(Installer.Item(copying: file, to: "share/patchbay/themes/\(name).yaml"))
    }
    items += Self.completions
    let target = URL(fileURLWithPath: AbsolutePath.of(prefix)).standardized.path
    for path in try Installer(prefix: target).install(items) { print(SafeText.line(path)) }
    let search = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    if !search.contains(target + "/bin") { StandardError.say("put \(target)/bin into PATH to find it.") }
  }

  private static var completions: [Installer.Item] {
    [
      Installer.Item(
        text: PatchbayCommand.completionScript(for: .bash), to: "share/bash-completion/completions/patchbay"),
      Installer.Item(text: PatchbayCommand.completionScript(for: .zsh), to: "share/zsh/site-functions/_patchbay"),
      Installer.Item(
        text: PatchbayCommand.completionScript(for: .fish), to: "share/fish/vendor_completions.d/patchbay.fish"),
    ]
  }
}
