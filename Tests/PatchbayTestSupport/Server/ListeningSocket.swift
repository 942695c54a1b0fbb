import Foundation
import Testing

#if os(Linux)
  private let socketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#else
  private let socketType = SOCK_STREAM
#endif

/// Somebody who listens on a Unix socket and says nothing, until the descriptor that is returned is closed.
///
/// - Parameter backlog: How many may wait to be accepted.
public func listeningSocket(_ path: String, backlog: Int32 = 4) throws -> Int32 {
  let descriptor = socket(AF_UNIX, socketType, 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(result == 0 && listen(descriptor, backlog) == 0)
  return descriptor
}
