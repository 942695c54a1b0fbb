import Foundation

/// A text that an editor works on, in a private temporary file.
struct EditorFile {
  let path: String

  init(_ text: String, fileExtension: String) throws {
    path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString.prefix(8)).\(fileExtension)"
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else { throw CLIError("\(path) cannot be written: look whether the disk is full.") }
  }

  /// `$VISUAL`, else `$EDITOR`, else `vi`, as the shell reads it, on a file.
  static func command(_ path: String) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
    // The words that make a shell necessary: quotes, escapes, variables.
    guard named.contains(where: { "\"'\\$`~".contains($0) }) else {
      return named.split(separator: " ").map(String.init) + [path]
    }
    return ["/bin/sh", "-c", "exec \(named) \"$1\"", "patchbay", path]
  }

  func read() throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CLIError("The editor took \(path) away: nothing was changed.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
