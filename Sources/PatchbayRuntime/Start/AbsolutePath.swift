import Foundation

/// Paths as a person types them.
package enum AbsolutePath {
  /// With `~` and the working directory put in.
  package static func of(_ path: String) -> String {
    let expanded = NSString(string: path).expandingTildeInPath
    guard !expanded.hasPrefix("/") else { return expanded }
    return FileManager.default.currentDirectoryPath + "/" + expanded
  }
}
