import Foundation
import PatchbayFiles
import PatchbayLaunch
import PatchbayWire

/// The person's `config.yaml`.
package enum ConfigLoading {
  /// The config, or an empty one where there is no file.
  ///
  /// - Throws: all mistakes with their places.
  package static func load(folders: PrivateFolders) throws -> ConfigFile {
    let path = folders.config + "/config.yaml"
    guard FileManager.default.fileExists(atPath: path) else { return ConfigFile() }
    return try ConfigFile.read(path)
  }

  /// The file that a command reads or fills: the one that was named, else the one that consoles write.
  package static func history(_ named: String?) throws -> String {
    if let named { return AbsolutePath.of(named) }
    let folders = PrivateFolders()
    return try history(of: try load(folders: folders), folders: folders)
  }

  /// The file that consoles write.
  package static func history(of config: ConfigFile, folders: PrivateFolders) throws -> String {
    guard let path = config.history.path, path != ":memory:" else { return try folders.history() }
    return AbsolutePath.of(path)
  }
}
