import Foundation

/// A blocking socket of a test's server. It is closed when nobody has it any more, and not before: the number that one
/// thread has closed is another file's at once, which another thread would then read, write or shut down.
package final class ServerSocket: Sendable {
  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

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
    return (ServerSocket(descriptor), Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Who has connected; nil once it is shut down.
  package func accepted() -> ServerSocket? {
    while true {
      let peer = accept(descriptor, nil, nil)
      if peer >= 0 {
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return ServerSocket(peer)
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// Bytes that have arrived; empty at the end of the stream or on an error.
  package func read(atMost count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let got = recv(descriptor, &buffer, count, 0)
      if got < 0, errno == EINTR { continue }
      return got > 0 ? Array(buffer[..<got]) : []
    }
  }

  /// Sends all bytes; false once the peer has gone.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
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
  package func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Reads HTTP/1.1 requests from a connection, bodies of either framing included (RFC 9112 §6, §7).
struct RequestReader {
  let socket: ServerSocket
  let connection: Int
  private var buffer: [UInt8] = []
  private var start = 0

  init(socket: ServerSocket, connection: Int) {
    self.socket = socket
    self.connection = connection
  }

  /// The next request with its body read to the end, or nil when the peer has gone or talks nonsense.
  mutating func next() -> ReceivedRequest? {
    guard let first = line(), !first.isEmpty else { return nil }
    let parts = first.split(separator: " ")
    guard parts.count == 3 else { return nil }
    var request = ReceivedRequest(
      method: String(parts[0]), target: String(parts[1]), headers: [], connection: connection)
    while let header = line(), !header.isEmpty {
      guard let colon = header.firstIndex(of: ":") else { return nil }
      let value = header[header.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      request.headers.append((String(header[..<colon]), value))
    }
    if request.header("Expect")?.lowercased() == "100-continue" {
      socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
      return chunkedBody(into: request)
    }
    let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
    return take(length, into: &request) ? request : nil
  }

  private mutating func chunkedBody(into start: ReceivedRequest) -> ReceivedRequest? {
    var request = start
    while let size = line().flatMap({ Int($0.prefix { $0 != ";" }, radix: 16) }) {
      guard take(size, into: &request), let end = line(), end.isEmpty else { return nil }
      if size == 0 { return request }
    }
    return nil
  }

  private mutating func take(_ count: Int, into request: inout ReceivedRequest) -> Bool {
    var left = count
    while left > 0 {
      guard start < buffer.count || fill() else { return false }
      let piece = buffer[start..<min(buffer.count, start + left)]
      start += piece.count
      left -= piece.count
      request.bodyLength += piece.count
      request.bodyHash.update(piece)
      request.bodyStart += piece.prefix(max(0, 65_536 - request.bodyStart.count))
    }
    return true
  }

  private mutating func line() -> String? {
    var bytes: [UInt8] = []
    while true {
      guard start < buffer.count || fill() else { return nil }
      let byte = buffer[start]
      start += 1
      if byte == UInt8(ascii: "\n") {
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
  }

  private mutating func fill() -> Bool {
    buffer = socket.read(atMost: 65_536)
    start = 0
    return !buffer.isEmpty
  }
}
