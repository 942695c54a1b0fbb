import Foundation

/// The history's file before SQLite gets it: folder, mode, and the claim to be its only writer.
///
/// The claim lies on `PATH.lock` and ends with the process, however it ends.
struct HistoryFile: Sendable {
  private let lock: Int32

  /// Makes folder and file where they are missing, mode 0700 and 0600, and claims it.
  init(claiming path: String) throws(HistoryError) {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw HistoryError(.cannotOpen, path: path, detail: "the folder cannot be made")
      }
    }
    lock = try Self.claim(path)
    do {
      try Self.make(path)
    } catch {
      close(lock)
      throw error
    }
  }

  func release() { close(lock) }

  private static func claim(_ path: String) throws(HistoryError) -> Int32 {
    let file = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = read(file, &bytes, bytes.count)
      close(file)
      let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      throw HistoryError(.inUse(pid: Int32(text.prefix { $0.isNumber })), path: path)
    }
    let text = "\(getpid())\n"
    if ftruncate(file, 0) == 0 { _ = text.withCString { write(file, $0, strlen($0)) } }
    return file
  }

  private static func make(_ path: String) throws(HistoryError) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw HistoryError(.cannotOpen, path: path, detail: "it is no file")
    }
    if facts.st_mode & 0o077 != 0 { _ = fchmod(file, 0o600) }
  }

  private static func failure(_ path: String) -> HistoryError {
    let code = errno
    let detail = String(cString: strerror(code))
    switch code {
    case EACCES, EPERM, EROFS: return HistoryError(.readOnly, path: path, detail: detail)
    case ENOSPC, EDQUOT: return HistoryError(.full, path: path, detail: detail)
    default: return HistoryError(.cannotOpen, path: path, detail: detail)
    }
  }
}
