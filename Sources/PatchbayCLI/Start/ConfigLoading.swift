import Foundation
import PatchbayFiles
import PatchbayLaunch
import PatchbayWire

/// The person's `config.yaml`.
enum ConfigLoading {
  /// The config, or an empty one where there is no file.
  ///
  /// - Throws: all mistakes with their places.
  static func load(folders: PrivateFolders) throws -> ConfigFile {
    let path = folders.config + "/config.yaml"
    guard FileManager.default.fileExists(atPath: path) else { return ConfigFile() }
    return try ConfigFile.read(path)
  }
}
