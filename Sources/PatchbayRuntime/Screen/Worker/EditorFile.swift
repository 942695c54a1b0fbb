import Foundation

/// A text that an editor works on, in a private temporary file.
struct EditorFile {
  let path: String

  init(_ text: String, fileExtension: String) throws {
    path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString.prefix(8)).\(fileExtension)"
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else { throw RuntimeError("\(path) cannot be written: look whether the disk is full.") }
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

  /// What an end that is none of success means.
  ///
  /// - Parameter kept: where the text is that the editor wrote all the same.
  static func sentence(status: Int32, command: [String], keptIn kept: String?) -> String {
    if status == 126 || status == 127, kept == nil {
      let named = command.first == "/bin/sh" ? command[2].dropFirst(5).dropLast(5) : Substring(command[0])
      return "The editor \(named) cannot be started: set $VISUAL or $EDITOR to one that is there."
    }
    let how = status > 128 ? "was ended by signal \(status - 128)" : "ended with status \(status)"
    return "The editor \(how): nothing was changed here" + (kept.map { "; what it wrote is in \($0)." } ?? ".")
  }

  /// What the editor left: UTF-8, or UTF-16 with a byte order mark; the mark is no part of it.
  ///
  /// - Throws: a sentence. A file that is there and cannot be read as text stays there.
  func read() throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RuntimeError("The editor took \(path) away: nothing was changed.")
    }
    let text: String?
    if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
      text = String(data: data, encoding: .utf16)
    } else {
      text = String(validating: data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data, as: UTF8.self)
    }
    guard let text else { throw NotText(path: path) }
    return text
  }

  /// The editor wrote something that is no text.
  struct NotText: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "What the editor wrote is not UTF-8 text: nothing was changed here; it is in \(path)."
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
