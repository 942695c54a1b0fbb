import Foundation
import NIOCore
import NIOPosix

/// Unix socket addresses for the system's calls.
enum UnixAddress {
  /// How many bytes a path may have: 107 on Linux, 103 on Darwin; one more is for the closing zero.
  static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Refuses a path that the system would cut.
  static func check(_ path: String) throws(ServerError) {
    let count = path.utf8.count
    guard count <= pathLimit else { throw .pathTooLong(path: path, bytes: count, limit: pathLimit) }
    guard count > 0, !path.utf8.contains(0) else {
      throw .socket(path: path, action: "made", reason: "it is no file name")
    }
  }

  /// Calls with the address of that path, which must have passed `check`.
  static func with<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path.utf8.prefix(pathLimit))
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  /// A new stream socket that children do not inherit; negative on error.
  static func makeSocket() -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
      if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      return descriptor
    #else
      return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #endif
  }

  /// Whether something accepts connections there.
  static func isListening(_ path: String) -> Bool {
    let descriptor = makeSocket()
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // A full queue would make a blocking connect wait; it too says that somebody listens.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let result = with(path) { connect(descriptor, $0, $1) }
    return result == 0 || errno == EAGAIN || errno == EINPROGRESS
  }
}

/// Whether a connection comes from the user that we are.
enum PeerCheck {
  /// The user at the other end; nil where the system does not say.
  static func user(of channel: any Channel) -> uid_t? {
    try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
      user(of: descriptor)
    } ?? nil
  }

  static func user(of descriptor: Int32) -> uid_t? {
    #if canImport(Darwin)
      var user = uid_t()
      var group = gid_t()
      return getpeereid(descriptor, &user, &group) == 0 ? user : nil
    #else
      var credentials = Credentials()
      var size = socklen_t(MemoryLayout<Credentials>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
      return credentials.user
    #endif
  }

  #if !canImport(Darwin)
    /// `struct ucred` (unix(7)), which Glibc hides without `_GNU_SOURCE`.
    private struct Credentials {
      var process = pid_t()
      var user = uid_t()
      var group = gid_t()
    }
  #endif

  /// How many bytes wait to be read, and whether the other end has closed.
  static func backlog(of channel: any Channel) -> (unread: Int, hasEnded: Bool) {
    let found = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      descriptor in
      var count: Int32 = 0
      var state = pollfd(fd: descriptor, events: closed, revents: 0)
      let hasEnded = poll(&state, 1, 0) == 1 && state.revents & (closed | Int16(POLLHUP)) != 0
      return (ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0, hasEnded)
    }
    return found ?? (0, false)
  }

  #if canImport(Darwin)
    private static let closed = Int16(POLLHUP)
  #else
    /// POLLRDHUP (poll(2)), which Glibc hides without `_GNU_SOURCE`.
    private static let closed: Int16 = 0x2000
  #endif
}

/// The system's words for an error number.
func systemReason(_ number: Int32) -> String { String(cString: strerror(number)) }
