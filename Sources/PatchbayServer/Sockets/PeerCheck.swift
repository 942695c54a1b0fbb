import Foundation
import NIOCore
import NIOPosix

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

  /// How many bytes wait to be read.
  static func unread(of channel: any Channel) -> Int {
    let count = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      descriptor in
      var count: Int32 = 0
      return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
    return count ?? 0
  }
}
