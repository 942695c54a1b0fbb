import Foundation
import PatchbaySystem

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
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    guard !UnixAddress.isListening(path) else { throw .otherConsole(path: path) }
    unlink(path)
  }

  private static func reason(_ number: Int32, path: String) -> ServerError {
    let folder = Path.folder(of: path)
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

/// The lock beside a socket that says which console owns it. The kernel drops it when the console dies, however it
/// dies, so a socket file without a locked neighbour is stale.
final class SocketLock: Sendable {
  private let path: String
  private let lock: HeldLock

  /// Takes the lock of that socket, or says who cannot.
  init(socket: String) throws(ServerError) {
    path = socket + ".lock"
    lock = HeldLock(try Self.acquire(path, socket: socket))
  }

  private static func acquire(_ path: String, socket: String) throws(ServerError) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw reason(errno, socket: socket) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        close(descriptor)
        throw number == EWOULDBLOCK ? .otherConsole(path: socket) : reason(number, socket: socket)
      }
      // The owner before us may have removed the file between our open and our lock: then this is nobody's lock.
      if let mine = FileIdentity(descriptor: descriptor), mine == FileIdentity(path: path) { return descriptor }
      close(descriptor)
    }
  }

  private static func reason(_ number: Int32, socket: String) -> ServerError {
    let folder = Path.folder(of: socket)
    return switch number {
    case EACCES, EPERM, EROFS: .folderNotWritable(path: socket, folder: folder)
    case ENOENT, ENOTDIR: .noFolder(path: socket, folder: folder)
    default: .socket(path: socket, action: "locked", reason: systemReason(number))
    }
  }

  /// Removes the file first, so that nobody can lock it between the two.
  func release() {
    unlink(path)
    lock.release()
  }
}
