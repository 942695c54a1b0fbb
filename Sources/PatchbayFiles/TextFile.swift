import Foundation
import PatchbaySystem

/// Reads and replaces whole text files.
enum TextFile {
  /// Larger files are refused: nobody writes them by hand.
  static let limit = 16 << 20

  /// The bytes of a file, of a pipe or of standard input (`-`); the error is a sentence without the path.
  static func bytes(_ path: String, limit: Int = limit) throws(FilesError) -> Data {
    do {
      return Data(try InputFile.bytes(path, limit: limit))
    } catch {
      throw FilesError(path: path, error.reason)
    }
  }

  /// The file as text, its line ends kept.
  static func text(_ path: String) throws(FilesError) -> String {
    let data = try bytes(path)
    guard let text = String(data: data, encoding: .utf8) else {
      throw FilesError(path: path, "is not UTF-8 text; save it as UTF-8")
    }
    return text
  }

  /// Replaces the file in one step, so that it survives a crash of the machine; a byte order mark stays one.
  static func replace(_ path: String, with text: String) throws(FilesError) {
    let keepsMark = beginsWithMark(path) && !text.utf8.starts(with: mark)
    do {
      try OutputFile.write((keepsMark ? mark : []) + Array(text.utf8), to: path, durable: true)
    } catch {
      throw FilesError(path: path, "cannot be written: \(error.reason)")
    }
  }

  /// U+FEFF as UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func beginsWithMark(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: mark.count)
    return read(file, &bytes, bytes.count) == bytes.count && bytes == mark
  }

  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
