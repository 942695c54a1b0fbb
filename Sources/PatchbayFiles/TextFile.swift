import Foundation
import PatchbaySystem

/// Reads and replaces whole text files.
enum TextFile {
  /// Larger files are refused: nobody writes them by hand.
  static let limit = 16 << 20

  /// The file's bytes; the error is a sentence without the path.
  static func bytes(_ path: String, limit: Int = limit) throws(FilesError) -> Data {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      throw FilesError(path: path, "cannot be read: \(reason(errno))")
    }
    guard facts.st_mode & S_IFMT != S_IFDIR else {
      throw FilesError(path: path, "is a folder; name a file")
    }
    guard facts.st_size <= off_t(limit) else {
      throw FilesError(path: path, "is larger than \(limit >> 20) MiB, so it is not read")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FilesError(path: path, "cannot be read: \(reason(errno))") }
    defer { close(file) }
    // What a pipe or a device holds is known at its end only.
    var data = Data()
    var piece = [UInt8](repeating: 0, count: min(max(Int(facts.st_size) + 1, 1 << 16), 1 << 20))
    while true {
      let count = read(file, &piece, piece.count)
      if count == 0 { return data }
      if count > 0 { data += piece[..<count] } else if errno != EINTR { break }
      guard data.count <= limit else {
        throw FilesError(path: path, "is larger than \(limit >> 20) MiB, so it is not read")
      }
    }
    throw FilesError(path: path, "cannot be read: \(reason(errno))")
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
