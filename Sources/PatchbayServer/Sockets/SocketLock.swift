import Foundation

/// The lock beside a socket that says which console owns it. The kernel drops it when the console dies, however it
/// dies, so a socket file without a locked neighbour is stale.
final class SocketLock: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Takes the lock of that socket, or says who cannot.
  init(socket: String) throws(ServerError) {
    path = socket + ".lock"
    descriptor = try Self.take(path, socket: socket)
  }

  private static func take(_ path: String, socket: String) throws(ServerError) -> Int32 {
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
    let folder = (socket as NSString).deletingLastPathComponent
    let shown = folder.isEmpty ? "." : folder
    return switch number {
    case EACCES, EPERM, EROFS: .folderNotWritable(path: socket, folder: shown)
    case ENOENT, ENOTDIR: .noFolder(path: socket, folder: shown)
    default: .socket(path: socket, action: "locked", reason: systemReason(number))
    }
  }

  /// Removes the file first, so that nobody can lock it between the two.
  func release() {
    unlink(path)
    close(descriptor)
  }
}

/// Which file a path or a descriptor stands for.
struct FileIdentity: Hashable {
  private var device: UInt64
  private var inode: UInt64

  init?(descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  init?(path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  private init(_ facts: stat) {
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    inode = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}
