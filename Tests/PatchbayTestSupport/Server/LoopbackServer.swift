import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 with a thread for each connection, for tests to talk to.
///
/// It answers with ``LoopbackRoutes`` unless told otherwise, and keeps a log of everything that it was asked.
package final class LoopbackServer: Sendable {
  package typealias Handler = @Sendable (ServerAnswer) -> Void

  package let port: Int
  private let listener: ServerSocket
  private let state = Mutex(State())

  private struct State {
    var requests: [ReceivedRequest] = []
    var open: [Int: ServerSocket] = [:]
    var connections = 0
    var stopped = false
  }

  package init(handler: Handler? = nil) throws {
    ProxySettings.forget()
    guard let (listener, port) = ServerSocket.listening() else {
      throw LoopbackServerError.cannotListen(errno)
    }
    self.listener = listener
    self.port = port
    let routes = LoopbackRoutes()
    let answer = handler ?? { routes.answer($0) }
    Thread.detachNewThread { [self] in
      while let peer = listener.accepted() {
        guard let number = admit(peer) else { break }
        Thread.detachNewThread { [self] in serve(peer, number, answer) }
      }
    }
  }

  /// The URL of a path (and query) on this server.
  package func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)")!
  }

  /// The body that `/bytes?n=COUNT` sends.
  package static func bytes(_ count: Int) -> [UInt8] { LoopbackRoutes.bytes(count) }

  /// Everything asked so far, in the order in which it was read.
  package var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  /// How many connections were made so far.
  package var connections: Int { state.withLock { $0.connections } }

  /// Ends the listener and every connection.
  package func stop() {
    let sockets = state.withLock { state -> [ServerSocket] in
      state.stopped = true
      return Array(state.open.values)
    }
    listener.shutDown()
    for socket in sockets { socket.shutDown() }
  }

  private func admit(_ peer: ServerSocket) -> Int? {
    state.withLock { state in
      guard !state.stopped else { return nil }
      state.connections += 1
      state.open[state.connections] = peer
      return state.connections
    }
  }

  private func serve(_ peer: ServerSocket, _ number: Int, _ answer: Handler) {
    var reader = RequestReader(socket: peer, connection: number)
    while let request = reader.next() {
      state.withLock { $0.requests.append(request) }
      answer(ServerAnswer(socket: peer, request: request))
    }
    state.withLock { $0.open[number] = nil }
  }
}

/// Why the server did not start.
package enum LoopbackServerError: Error, CustomStringConvertible {
  case cannotListen(Int32)

  package var description: String {
    switch self {
    case .cannotListen(let code):
      "The test server cannot listen on 127.0.0.1 (errno \(code)); free a port and run the test again."
    }
  }
}

/// Writes the answer to one request, in whichever way a test needs: whole, in pieces, cut short, or not at all.
package struct ServerAnswer: Sendable {
  let socket: ServerSocket
  package let request: ReceivedRequest

  /// A complete answer with a `Content-Length`; `HEAD`, 204 and 304 go out without the body (RFC 9110 §6.4.1).
  package func send(
    _ status: Int = 200, _ headers: [(String, String)] = [("Content-Type", "text/plain")], body: [UInt8] = []
  ) {
    let bodiless = status == 204 || status == 304
    head(status, bodiless ? headers : headers + [("Content-Length", "\(body.count)")])
    if !bodiless, request.method != "HEAD" { raw(body) }
  }

  package func send(_ status: Int = 200, text: String) {
    send(status, body: Array(text.utf8))
  }

  /// Only status line and headers.
  package func head(_ status: Int, _ headers: [(String, String)]) {
    let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
    raw(Array("HTTP/1.1 \(status) Status\r\n\(lines)\r\n".utf8))
  }

  /// One piece of a chunked body; an empty one ends it (RFC 9112 §7.1).
  @discardableResult
  package func chunk(_ bytes: [UInt8]) -> Bool {
    raw(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  /// Bytes as they are; false once the peer has gone.
  @discardableResult
  package func raw(_ bytes: [UInt8]) -> Bool {
    socket.write(bytes)
  }

  /// Closes the connection without another byte.
  package func drop() {
    socket.shutDown()
  }

  /// Keeps the connection open and silent until the client closes it or the server stops.
  package func waitForClient() {
    while !socket.read(atMost: 4_096).isEmpty {}
  }
}

/// One request as the loopback server read it off the wire.
package struct ReceivedRequest: Sendable {
  package var method: String
  /// Path and query, as sent.
  package var target: String
  /// Names and values in the order in which they came.
  package var headers: [(name: String, value: String)]
  /// The decoded body's first 64 KiB; ``bodyLength`` and ``bodyHash`` cover all of it.
  package var bodyStart: [UInt8] = []
  package var bodyLength = 0
  package var bodyHash = FNVHash()
  /// Counts the server's connections from 1, so that reuse of a connection can be seen.
  package var connection: Int

  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The query's items, percent-decoded; a later one wins.
  package var query: [String: String] {
    guard let items = URLComponents(string: target)?.queryItems else { return [:] }
    return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
  }

  /// The first value of a header, its name compared without regard to case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// The 64-bit FNV-1a hash: lets two processes compare bodies without a library.
package struct FNVHash: Sendable, Equatable, CustomStringConvertible {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package init(_ bytes: some Sequence<UInt8>) { update(bytes) }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    var hash = value
    // Of one piece: a build for debugging takes thirty times as long for the elements of just any sequence.
    Array(bytes).withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
        index += 1
      }
    }
    value = hash
  }

  package var description: String { String(value, radix: 16) }
}

/// What the machine's environment says of proxies, which are not for loopback.
package enum ProxySettings {
  /// Takes `http_proxy` and the like out of this process's environment, and so out of that of what it starts.
  package static func forget() { forgotten }

  private static let forgotten: Void = {
    for name in ProcessInfo.processInfo.environment.keys where name.lowercased().hasSuffix("_proxy") { unsetenv(name) }
  }()
}
