import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// A server on a socket of its own, with what it told.
final class TestConsole: Sendable {
  let folder: TemporaryFolder
  let server: ConsoleServer
  let log = EventLog()

  init(
    folder: TemporaryFolder? = nil, user: uid_t = geteuid(), delegate: (any ControlDelegate)? = nil,
    masking: (@Sendable (Exchange) -> Exchange)? = nil, bodies: StubBodies = StubBodies(),
    adjust: (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    let socket = self.folder.file("s.sock")
    var configuration = ServerConfiguration(
      socket: socket, controlSocket: ServerConfiguration.controlSocket(beside: socket))
    adjust(&configuration)
    server = ConsoleServer(
      configuration: configuration, delegate: delegate, masking: masking, user: user, bodies: bodies)
    server.events.subscribe { [log] events in events.forEach(log.received) }
  }

  var socket: String { server.configuration.socket }
  var control: String { server.configuration.controlSocket ?? "" }

  /// Who is linked under that name.
  func link(_ name: String) -> LinkInfo? { server.links.first { $0.process.name == name } }

  /// Starts, runs the test, and stops whatever happened.
  @discardableResult
  static func run<Result>(_ test: (TestConsole) async throws -> Result) async throws -> Result {
    try await TestConsole().run(test)
  }

  /// Starts, runs the test, and stops whatever happened.
  @discardableResult
  func run<Result>(_ test: (TestConsole) async throws -> Result) async throws -> Result {
    try await server.start()
    do {
      let result = try await test(self)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// Waits until that holds; a generous limit turns a hang into a failure.
func eventually(
  _ what: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
  let clock = ContinuousClock()
  let end = clock.now + Patience.usual
  while !condition() {
    guard clock.now < end else {
      Issue.record(what ?? "what was waited for did not happen", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Waits until there are so many. As long as more come it is not in vain, however slowly.
func eventually(
  _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ counted: () -> Int
) async throws {
  var last = counted()
  while last < count {
    try await eventually("more than \(last) of \(count)", sourceLocation: sourceLocation) { counted() > last }
    last = counted()
  }
  #expect(last == count, sourceLocation: sourceLocation)
}

extension ExchangeUpdate {
  /// A request that was answered at once.
  static func whole(_ key: UInt64, url: String = "http://x.test/", body: String = "ok") -> ExchangeUpdate {
    ExchangeUpdate(
      key: key, start: .request(url), answer: Answer(by: .stub, stub: "s"),
      head: Head(at: 5, status: 200, headers: [HeaderField("Content-Type", "text/plain")]), data: Data(body.utf8),
      end: End(at: 9, outcome: .responded, bytesReceived: Int64(body.utf8.count), hasBody: true))
  }

  static func begin(_ key: UInt64, url: String = "http://x.test/") -> ExchangeUpdate {
    ExchangeUpdate(key: key, start: .request(url))
  }

  static func end(_ key: UInt64, outcome: Exchange.Outcome = .responded) -> ExchangeUpdate {
    ExchangeUpdate(key: key, end: End(at: 10, outcome: outcome))
  }
}

extension ExchangeUpdate.Start {
  static func request(_ url: String, replay: UInt64? = nil) -> Self {
    Self(
      at: Timestamp(microseconds: 1_000_000), request: RecordedRequest(method: "GET", url: url), task: .data,
      revision: 1, replay: replay)
  }
}
