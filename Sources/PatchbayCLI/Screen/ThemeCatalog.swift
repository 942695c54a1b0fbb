import PatchbayConsole
import PatchbayLaunch

/// The themes that can be chosen: the built-in one and the files in the folders of themes.
final class ThemeCatalog: Sendable {
  init(folders: PrivateFolders) {}
  var names: [String] { [Theme.builtIn.name] }
  func theme(_ name: String) -> Theme? { name == Theme.builtIn.name ? .builtIn : nil }
  func load(_ name: String) throws -> Theme { theme(name) ?? .builtIn }
  func watch(_ changed: @escaping @Sendable (Theme) -> Void) {}
}
