import Foundation

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

  /// Replaces the file in one step: readers see the old or the new text, never a part. A link stays a link, a byte order
  /// mark stays one, the mode stays as it was; a new file is readable by its owner only.
  static func replace(_ path: String, with text: String) throws(FilesError) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var facts = stat()
    let mode = stat(target, &facts) == 0 ? facts.st_mode & 0o7777 : 0o600
    let temporary = "\(target).\(UInt32.random(in: 0 ... .max)).new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FilesError(path: path, "cannot be written: \(reason(errno))") }
    var failure: Int32 = 0
    let keepsMark = beginsWithMark(target) && !text.utf8.starts(with: mark)
    var rest = ((keepsMark ? mark : []) + Array(text.utf8))[...]
    while !rest.isEmpty, failure == 0 {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
    }
    if failure == 0, fchmod(file, mode) != 0 || fsync(file) != 0 { failure = errno }
    close(file)
    if failure == 0, rename(temporary, target) != 0 { failure = errno }
    guard failure == 0 else {
      unlink(temporary)
      throw FilesError(path: path, "cannot be written: \(reason(failure))")
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

  static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
