import Foundation

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
