import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 with a thread for each connection, for tests to talk to.
///
/// It answers with ``LoopbackRoutes`` unless told otherwise, and keeps a log of everything that it was asked.
public final class LoopbackServer: Sendable {
  public typealias Handler = @Sendable (ServerAnswer) -> Void

  public let port: Int
  private let listener: ServerSocket
  private let state = Mutex(State())

  private struct State {
    var requests: [ReceivedRequest] = []
    var open: [Int: ServerSocket] = [:]
    var connections = 0
    var stopped = false
  }

  public init(handler: Handler? = nil) throws {
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
      listener.closeDescriptor()
    }
  }

  /// The URL of a path (and query) on this server.
  public func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)")!
  }

  /// The body that `/bytes?n=COUNT` sends.
  public static func bytes(_ count: Int) -> [UInt8] { LoopbackRoutes.bytes(count) }

  /// Everything asked so far, in the order in which it was read.
  public var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  /// How many connections were made so far.
  public var connections: Int { state.withLock { $0.connections } }

  /// Ends the listener and every connection.
  public func stop() {
    let sockets = state.withLock { state -> [ServerSocket] in
      state.stopped = true
      return Array(state.open.values)
    }
    listener.shutDown()
    for socket in sockets { socket.shutDown() }
  }

  private func admit(_ peer: ServerSocket) -> Int? {
    let number = state.withLock { state -> Int? in
      guard !state.stopped else { return nil }
      state.connections += 1
      state.open[state.connections] = peer
      return state.connections
    }
    if number == nil { peer.closeDescriptor() }
    return number
  }

  private func serve(_ peer: ServerSocket, _ number: Int, _ answer: Handler) {
    var reader = RequestReader(socket: peer, connection: number)
    while let request = reader.next() {
      state.withLock { $0.requests.append(request) }
      answer(ServerAnswer(socket: peer, request: request))
    }
    state.withLock { $0.open[number] = nil }
    peer.closeDescriptor()
  }
}

/// Why the server did not start.
public enum LoopbackServerError: Error, CustomStringConvertible {
  case cannotListen(Int32)

  public var description: String {
    switch self {
    case .cannotListen(let code):
      "The test server cannot listen on 127.0.0.1 (errno \(code)); free a port and run the test again."
    }
  }
}
