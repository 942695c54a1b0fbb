import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking TCP socket on loopback: just enough to speak HTTP/1.1 to a program under test.
///
/// Each value belongs to the one thread that serves its connection.
struct ServerSocket: Sendable {
  let descriptor: Int32

  #if os(Linux)
    private static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif

  /// Listens on a port of 127.0.0.1 that the system chooses.
  static func listening() -> (socket: ServerSocket, port: Int)? {
    let descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { return nil }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 1024) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else {
      close(descriptor)
      return nil
    }
    return (ServerSocket(descriptor: descriptor), Int(UInt16(bigEndian: address.sin_port)))
  }

  func accepted() -> ServerSocket? {
    while true {
      let peer = accept(descriptor, nil, nil)
      if peer >= 0 {
        var yes: Int32 = 1
        setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return ServerSocket(descriptor: peer)
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// Bytes that have arrived; empty at the end of the stream or on an error.
  func read(atMost count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let got = recv(descriptor, &buffer, count, 0)
      if got < 0, errno == EINTR { continue }
      return got > 0 ? Array(buffer[..<got]) : []
    }
  }

  /// Sends all bytes; false once the peer has gone.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      var sent = 0
      while sent < raw.count {
        let count = send(descriptor, raw.baseAddress! + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Ends both directions, which wakes a thread that is reading or accepting.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  func closeDescriptor() {
    close(descriptor)
  }
}
