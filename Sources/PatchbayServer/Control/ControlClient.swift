import Foundation
import NIOCore
import NIOPosix
import PatchbayStubs
import Synchronization

/// A controller's side of the control socket: what `patchbay stubs`, `hold`, `log` and `history` use.
package final class ControlClient: Sendable {
  private struct State {
    var nextID = 1
    var replies: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
    var logs: [Int: LogBuffer] = [:]
    var channel: (any Channel)?
    var isClosed = false
  }

  private let path: String
  private let name: String
  private let state = Mutex(State())

  private init(path: String, name: String) {
    self.path = path
    self.name = name
  }

  deinit { state.withLock { $0.channel }?.close(promise: nil) }

  /// Connects to the console of that harness socket (or control socket).
  /// - Parameters:
  ///   - name: Who this is, for the person at the console.
  ///   - user: Who the console must be; nil is anybody.
  ///   - patience: for how long it may say nothing at all: the system takes connections also for one that is suspended.
  package static func connect(
    socket: String, as name: String, user: uid_t? = geteuid(), patience: Duration = .seconds(5)
  ) async throws -> ControlClient {
    let path = controlPath(socket)
    try UnixAddress.check(path)
    let client = ControlClient(path: path, name: name)
    do {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { [weak client] channel in
          channel.eventLoop.makeCompletedFuture {
            let reader = LineReader({ client?.received($0) }, closed: { client?.lost() })
            try channel.pipeline.syncOperations.addHandler(reader)
          }
        }
        .connect(unixDomainSocketPath: path).get()
      client.state.withLock { $0.channel = channel }
    } catch {
      throw ServerError.noControl(path: path)
    }
    guard try await client.isPeer(user) else {
      await client.close()
      throw ServerError.otherUser(path: path)
    }
    let silence = Task { [weak client] in
      try await Task.sleep(for: patience)
      client?.end(ServerError.noAnswer(path: path))
    }
    defer { silence.cancel() }
    do {
      try await withTaskCancellationHandler {
        // Numbered apart: whoever asks gets answers from 1 on.
        _ = try await client.request("status", [], id: 0)
      } onCancel: { [weak client] in
        client?.end(CancellationError())
      }
      // That it does not know what it is asked is an answer, too.
    } catch ServerError.refused {
    } catch {
      await client.close()
      throw Task.isCancelled ? CancellationError() : error
    }
    return client
  }

  private static func controlPath(_ socket: String) -> String {
    socket.hasSuffix(".control") ? socket : ServerConfiguration.controlSocket(beside: socket)
  }

  /// Sends a command and returns the answer's members. Throws `ServerError.refused` with the console's sentence.
  package func request(_ command: String, _ members: [JSONValue.Member] = []) async throws -> ControlReply {
    try await request(command, members, id: nil)
  }

  private func request(_ command: String, _ members: [JSONValue.Member], id: Int?) async throws -> ControlReply {
    try await withCheckedThrowingContinuation { reply in
      send(command, members, id: id) { state, id in
        state.replies[id] = reply
      } lost: {
        reply.resume(throwing: $0)
      }
    }
    .reply
  }

  /// Follows the exchanges that end and pass the filter, from now on. Ends with an error when the console goes.
  /// While it is not read, other answers on this connection wait too.
  package func follow(filter: String = "") async throws -> ControlLog {
    let log = LogBuffer()
    _ = try await withCheckedThrowingContinuation { reply in
      send("log", [.init("filter", .string(filter))]) { state, id in
        state.replies[id] = reply
        state.logs[id] = log
      } lost: {
        reply.resume(throwing: $0)
      }
    }
    .reply
    return ControlLog(buffer: log, client: self)
  }

  private func isPeer(_ user: uid_t?) async throws -> Bool {
    guard let user, let channel = state.withLock({ $0.channel }) else { return true }
    return try await channel.eventLoop.submit { PeerCheck.user(of: channel) == user }.get()
  }

  package func close() async { try? await state.withLock { $0.channel }?.close().get() }

  private func send(
    _ command: String, _ members: [JSONValue.Member], id given: Int? = nil, register: (inout State, Int) -> Void,
    lost: (any Error) -> Void
  ) {
    let (id, channel): (Int, (any Channel)?) = state.withLock { state in
      guard !state.isClosed else { return (0, nil) }
      let id = given ?? state.nextID
      if given == nil { state.nextID += 1 }
      register(&state, id)
      return (id, state.channel)
    }
    guard let channel else { return lost(ServerError.controlLost(path: path)) }
    let head: [JSONValue.Member] = [
      .init("id", JSONValue(id)), .init("do", .string(command)), .init("by", .string(name)),
    ]
    let line = JSONValue.object(head + members).compact + "\n"
    channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
  }

  private func received(_ line: [UInt8]) {
    guard let value = try? JSONValue(parsing: Data(line)) else { return }
    guard let id = value["id"]?.integer else {
      if let sentence = value["error"]?.text { end(ServerError.refused(sentence)) }
      return
    }
    if let exchange = value["exchange"], value["ok"] == nil {
      push(.exchange(exchange), to: id)
    } else if let shed = value["shed"]?.integer, value["ok"] == nil {
      push(.shed(shed), to: id)
    } else {
      state.withLock { $0.replies.removeValue(forKey: id) }?.resume(returning: value)
    }
  }

  private func push(_ line: ControlLog.Line, to id: Int) {
    let (log, channel) = state.withLock { ($0.logs[id], $0.channel) }
    log?.push(line, channel: channel)
  }

  private func lost() { end(ServerError.controlLost(path: path)) }

  private func end(_ error: any Error) {
    let (replies, logs) = state.withLock { state in
      state.isClosed = true
      defer {
        state.replies = [:]
        state.logs = [:]
      }
      return (Array(state.replies.values), Array(state.logs.values))
    }
    for reply in replies { reply.resume(throwing: error) }
    for log in logs { log.fail(error) }
  }
}

/// What a console answered.
package struct ControlReply: Hashable, Sendable {
  /// The whole answer, an object.
  package var members: JSONValue

  package subscript(_ name: String) -> JSONValue? { members[name] }

  /// The revision of the stubs that a change has.
  package var revision: Int? { members["revision"]?.integer }

  /// The processes that have not put a change in force within 2 s, as "name pid"; empty is good.
  package var laggards: [String] {
    guard case .array(let names)? = members["laggards"] else { return [] }
    return names.compactMap(\.text)
  }
}

extension JSONValue {
  /// The answer, where it is a good one.
  fileprivate var reply: ControlReply {
    get throws {
      if self["ok"] != .bool(true) { throw ServerError.refused(self["error"]?.text ?? "The console refused that.") }
      return ControlReply(members: self)
    }
  }
}
