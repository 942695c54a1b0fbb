import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire
import Synchronization

/// What controllers need of the rest of the console. Errors that it throws reach them as their description.
package protocol ControlDelegate: Sendable {
  /// Which exchanges that filter lets through.
  func exchangePredicate(_ filter: String) throws -> @Sendable (Exchange) -> Bool
  /// The exchange as one JSON object, without line breaks.
  func exchangeJSON(_ exchange: Exchange) -> String
  /// Recorded exchanges that pass the filter, as JSON objects; the newest ones where there are more than the limit.
  func history(filter: String, limit: Int?) async throws -> [String]
  /// The file in which exchanges are recorded; nil where they are kept in memory.
  var historyFile: String? { get }
  /// Lets go of a program that was attached to: its hook does not come again. The pid under which it is linked; nil if
  /// it was not attached to.
  func letGo(of process: Int32) -> Int32?
}

extension ControlDelegate {
  package func letGo(of process: Int32) -> Int32? { nil }
}

/// What one controller has going on: its requests, answered in their order, and its logs.
final class ControlSession: Sendable {
  /// Tells the handler that a line of that many bytes is done.
  struct Answered: Sendable {
    let bytes: Int
  }

  private let server: ConsoleServer
  private let channel: any Channel
  private let lines: AsyncStream<[UInt8]>.Continuation
  private let logs = Mutex<[EventBroadcaster.Subscription]>([])
  private let backlog = Mutex(Backlog())

  /// What was written and has not gone out; and the lines of each log that were shed since it became too much.
  private struct Backlog {
    var bytes = 0
    var shed: [JSONValue: Int] = [:]
  }

  init(server: ConsoleServer, channel: any Channel) {
    self.server = server
    self.channel = channel
    let (stream, lines) = AsyncStream<[UInt8]>.makeStream()
    self.lines = lines
    Task { [self] in
      for await line in stream {
        await answer(line)
        channel.pipeline.fireUserInboundEventTriggered(Answered(bytes: line.count))
      }
    }
  }

  func submit(_ line: [UInt8]) { lines.yield(line) }

  /// The connection has ended.
  func close() {
    lines.finish()
    for log in logs.withLock({ $0 }) { server.events.cancel(log) }
  }

  /// Says why, then closes.
  func end(because sentence: String) {
    write(.members(["id": .null, "ok": false, "error": .string(sentence)]))
    channel.flush()
    let channel = channel
    channel.eventLoop.execute { channel.close(promise: nil) }
    close()
  }

  private func answer(_ line: [UInt8]) async {
    var id = JSONValue.null
    do {
      let request = try ControlRequest(line: line)
      id = request.id
      let commands = ControlCommands(server: server) { [self] in try follow($0) }
      let result = try await commands.perform(request)
      guard case .object(let members) = result else { return }
      write(.object([.init("id", id), .init("ok", true)] + members))
    } catch {
      write(.members(["id": id, "ok": false, "error": .string("\(error)")]))
    }
  }

  private func write(_ value: JSONValue) { send(Array(value.compact.utf8) + [0x0A]) }

  private func send(_ bytes: [UInt8]) {
    backlog.withLock { $0.bytes += bytes.count }
    let count = bytes.count
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [weak self] _ in self?.sent(count) }
  }

  /// There is room again: says how many lines did not fit.
  private func sent(_ count: Int) {
    let limit = server.configuration.limits.controlBacklog
    let shed = backlog.withLock { backlog -> [JSONValue: Int] in
      backlog.bytes -= count
      guard backlog.bytes <= limit / 2 else { return [:] }
      defer { backlog.shed = [:] }
      return backlog.shed
    }
    for (id, lines) in shed { write(.members(["id": id, "shed": JSONValue(lines)])) }
  }

  /// Follows the exchanges that end, until the controller goes. What its socket has not taken is the log's mailbox: it is
  /// bounded, and what does not fit is left out and counted.
  private func follow(_ request: ControlRequest) throws -> JSONValue {
    guard let delegate = server.delegate else { throw ControlCommands.noDelegate(request) }
    let fits = try delegate.exchangePredicate(try request.optionalText("filter") ?? "")
    let id = request.id
    let log = server.events.subscribe { [weak self] events in
      for case .exchanges(let exchanges) in events {
        for exchange in exchanges where exchange.phase == .ended && fits(exchange) {
          guard let self else { return }
          guard mayWrite(id) else { continue }
          send(Array("{\"id\":\(id.compact),\"exchange\":\(delegate.exchangeJSON(exchange))}\n".utf8))
        }
      }
    }
    logs.withLock { $0.append(log) }
    if !channel.isActive { close() }
    return .members(["following": true])
  }

  private func mayWrite(_ id: JSONValue) -> Bool {
    let limit = server.configuration.limits.controlBacklog
    return backlog.withLock { backlog in
      if backlog.shed[id] == nil, backlog.bytes < limit { return true }
      backlog.shed[id, default: 0] += 1
      return false
    }
  }
}
