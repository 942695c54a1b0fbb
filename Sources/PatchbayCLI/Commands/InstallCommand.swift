import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay install [--prefix DIR]`
struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Copy the program, the hook, themes, man pages and the shells' completions to a prefix.",
    discussion: """
      Each file that is put in place is printed; `patchbay uninstall` takes them away again. An earlier copy is replaced, \
      also while it runs.
      """)

  @OptionGroup var target: PrefixOption

  func run() throws {
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    var items = Installer.program(executable: executable, libraries: try HookLibraries.find())
    let catalog = ThemeCatalog(folders: PrivateFolders())
    for name in catalog.names {
      guard let file = catalog.shippedFile(name) else { continue }
      items.append(Installer.Item(copying: file, to: "share/patchbay/themes/\(name).yaml"))
    }
    items += Self.completions
    items += try ManPages.all().map { Installer.Item(text: $0.text, to: "share/man/man1/\($0.file)") }
    for path in try Installer(prefix: target.path).install(items) { print(SafeText.line(path)) }
    let search = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    if !search.contains(target.path + "/bin") { StandardError.say("put \(target.path)/bin into PATH to find it.") }
  }

  private static var completions: [Installer.Item] {
    [
      Installer.Item(
        text: CompletionScript.text(for: .bash), to: "share/bash-completion/completions/patchbay"),
      Installer.Item(text: CompletionScript.text(for: .zsh), to: "share/zsh/site-functions/_patchbay"),
      Installer.Item(
        text: CompletionScript.text(for: .fish), to: "share/fish/vendor_completions.d/patchbay.fish"),
    ]
  }
}

/// `patchbay uninstall [--prefix DIR]`
struct UninstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall", abstract: "Remove what `install` put under a prefix.",
    discussion: """
      Each file that goes is printed. Your config, your own themes and the history stay: they are in \
      ~/.config/patchbay and ~/.local/state/patchbay.
      """)

  @OptionGroup var target: PrefixOption

  func run() throws {
    let removed = try Installer(prefix: target.path).uninstall()
    for path in removed { print(SafeText.line(path)) }
    if removed.isEmpty {
      throw RuntimeError("\(target.path) has nothing that `patchbay install` put there: name its folder by --prefix.")
    }
  }
}

/// Where Patchbay is copied to.
struct PrefixOption: ParsableArguments {
  @Option(help: ArgumentHelp("The folder that bin, lib and share lie in.", valueName: "dir"), completion: .directory)
  var prefix = "~/.local"

  func validate() throws {
    if prefix.isEmpty { throw ValidationError("--prefix is empty: name a folder, such as /usr/local.") }
  }

  var path: String { URL(fileURLWithPath: AbsolutePath.of(prefix)).standardized.path }
}
