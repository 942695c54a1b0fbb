import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayLaunch
import Synchronization

/// The themes that can be chosen: those in the person's config folder, those that came with Patchbay, and the built-in
/// one, which is always there.
package final class ThemeCatalog: Sendable {
  /// Earlier ones win.
  let folders: [String]
  private let watcher = Mutex<FileWatcher?>(nil)

  package init(folders: PrivateFolders) {
    let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    var places = [
      folders.config + "/themes", binary.appendingPathComponent("../share/patchbay/themes").standardized.path,
    ]
    // From a checkout: .build/TRIPLE/CONFIGURATION/patchbay.
    places += (1...4).map { up in
      (0..<up).reduce(binary) { url, _ in url.deletingLastPathComponent() }.appendingPathComponent("Themes").path
    }
    self.folders = places
  }

  /// The names of all themes, without repeats.
  package var names: [String] {
    let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    let found = files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
    return Set(found + [Theme.builtIn.name]).sorted()
  }

  /// The file of a theme, by its name or a path.
  package func file(_ name: String) -> String? {
    if name.contains("/") || name.hasSuffix(".yaml") { return AbsolutePath.of(name) }
    return folders.map { "\($0)/\(name).yaml" }.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The file of a theme that came with Patchbay.
  package func shippedFile(_ name: String) -> String? {
    folders.dropFirst().map { "\($0)/\(name).yaml" }.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// - Throws: all mistakes of the file with their places, or a sentence when there is no such theme.
  package func load(_ name: String) throws -> Theme {
    guard let path = file(name) else {
      if name == Theme.builtIn.name { return .builtIn }
      throw RuntimeError("There is no theme \(name): choose one of \(names.joined(separator: ", ")).")
    }
    return Theme(try ThemeFile.read(path, roles: ThemeRole.allCases.map(\.name)))
  }

  /// One sentence about a theme that cannot be read: the first mistake of its file, and how many more there are.
  static func sentence(about error: any Error) -> String {
    guard let mistakes = (error as? FilesError)?.mistakes, let first = mistakes.first, mistakes.count > 1 else {
      return "\(error)"
    }
    return "\(first) (\(mistakes.count - 1) more: patchbay themes check lists them)"
  }

  /// Calls back with the theme whenever its file is saved without mistakes; replaces the one watched before.
  func watch(_ name: String, changed: @escaping @Sendable (Result<Theme, any Error>) -> Void) {
    let next = file(name).map { path in
      FileWatcher([path]) { [weak self] _ in
        guard let self else { return }
        changed(Result { try self.load(path) })
      }
    }
    watcher.withLock { $0 = next }
  }

  func stopWatching() { watcher.withLock { $0 = nil } }
}

extension Theme {
  /// The theme of a file whose roles have been checked.
  package init(_ file: ThemeFile) {
    var looks: [ThemeRole: Look] = [:]
    for (name, look) in file.roles {
      guard let role = ThemeRole(name: name) else { continue }
      looks[role] = Look(
        foreground: look.foreground.map(Color.init), background: look.background.map(Color.init),
        attributes: TextAttributes(look.attributes), foreground256: look.foreground?.palette,
        background256: look.background?.palette)
    }
    self.init(name: file.name, looks: looks)
  }
}

extension Color {
  fileprivate init(_ color: ThemeFile.Color) {
    switch color {
    case .terminal: self = .default
    case .palette(let number): self = number < 16 ? .ansi(number) : .palette(number)
    case .rgb(let red, let green, let blue, _, let ansi):
      self = .rgb(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), fallback: ansi)
    }
  }
}

extension ThemeFile.Color {
  /// The one of the 256 that it names for terminals without more.
  fileprivate var palette: UInt8? {
    guard case .rgb(_, _, _, let palette, _) = self else { return nil }
    return palette
  }
}

extension TextAttributes {
  fileprivate init(_ attributes: Set<ThemeFile.Attribute>) {
    self = []
    for attribute in attributes {
      switch attribute {
      case .bold: insert(.bold)
      case .dim: insert(.dim)
      case .italic: insert(.italic)
      case .underline: insert(.underline)
      case .reverse: insert(.reverse)
      }
    }
  }
}
