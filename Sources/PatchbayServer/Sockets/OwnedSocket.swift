import Foundation

/// A bound socket file of ours, mode 0600. The caller holds the lock of the console.
struct OwnedSocket: Sendable {
  let path: String
  /// Bound, not listening yet. Whoever listens on it closes it.
  let descriptor: Int32
  private let identity: FileIdentity?

  /// Binds, after taking a stale file away. What is not a socket, or is listened on, is left alone.
  init(path: String) throws(ServerError) {
    self.path = path
    try Self.clear(path)
    let descriptor = UnixAddress.makeSocket()
    guard descriptor >= 0 else { throw .socket(path: path, action: "made", reason: systemReason(errno)) }
    // On Linux the file takes its mode from the descriptor, so that there is no moment in which others may connect.
    _ = fchmod(descriptor, 0o600)
    let result = UnixAddress.with(path) { bind(descriptor, $0, $1) }
    guard result == 0 else {
      let number = errno
      close(descriptor)
      throw Self.reason(number, path: path)
    }
    chmod(path, 0o600)
    self.descriptor = descriptor
    identity = FileIdentity(path: path)
  }

  private static func clear(_ path: String) throws(ServerError) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    guard !UnixAddress.isListening(path) else { throw .otherConsole(path: path) }
    unlink(path)
  }

  private static func reason(_ number: Int32, path: String) -> ServerError {
    let folder = (path as NSString).deletingLastPathComponent
    return switch number {
    case EACCES, EPERM, EROFS: .folderNotWritable(path: path, folder: folder)
    case EADDRINUSE: .otherConsole(path: path)
    default: .socket(path: path, action: "made", reason: systemReason(number))
    }
  }

  /// Removes the file if it is still the one that we made.
  func unlinkIfOurs() {
    if let identity, identity == FileIdentity(path: path) { unlink(path) }
  }
}
