import Foundation

/// Writes the answer to one request, in whichever way a test needs: whole, in pieces, cut short, or not at all.
public struct ServerAnswer: Sendable {
  let socket: ServerSocket
  public let request: ReceivedRequest

  /// A complete answer with a `Content-Length`; `HEAD`, 204 and 304 go out without the body (RFC 9110 §6.4.1).
  public func send(
    _ status: Int = 200, _ headers: [(String, String)] = [("Content-Type", "text/plain")], body: [UInt8] = []
  ) {
    let bodiless = status == 204 || status == 304
    head(status, bodiless ? headers : headers + [("Content-Length", "\(body.count)")])
    if !bodiless, request.method != "HEAD" { raw(body) }
  }

  public func send(_ status: Int = 200, text: String) {
    send(status, body: Array(text.utf8))
  }

  /// Only status line and headers.
  public func head(_ status: Int, _ headers: [(String, String)]) {
    let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
    raw(Array("HTTP/1.1 \(status) Status\r\n\(lines)\r\n".utf8))
  }

  /// One piece of a chunked body; an empty one ends it (RFC 9112 §7.1).
  @discardableResult
  public func chunk(_ bytes: [UInt8]) -> Bool {
    raw(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  /// Bytes as they are; false once the peer has gone.
  @discardableResult
  public func raw(_ bytes: [UInt8]) -> Bool {
    socket.write(bytes)
  }

  /// Closes the connection without another byte.
  public func drop() {
    socket.shutDown()
  }

  /// Keeps the connection open and silent until the client closes it or the server stops.
  public func waitForClient() {
    while !socket.read(atMost: 4_096).isEmpty {}
  }
}
