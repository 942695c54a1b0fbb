import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is told of the network's answers that break off, or that the program does not wait for.
@Suite(.bounded) struct BrokenAnswerTests {
  @Test func theHeadOfAnAnswerThatBreaksOffBeforeItsBodyIsTold() async throws {
    enum Tag {}
    let server = try LoopbackServer { answer in
      answer.head(200, [("X-B", "2"), ("Content-Length", "100"), ("X-A", "1")])
      answer.drop()
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    _ = try? await hook.session().data(from: server.url("/"))
    let told = try await hook.sink.ended()[0]
    #expect(told.head?.status == 200 && told.head?.headers.map(\.name) == ["Content-Length", "X-A", "X-B"])
    #expect(told.end?.outcome == .failed && told.end?.bytesReceived == 0 && told.end?.hasBody == false)
    #expect(told.data.isEmpty && told.late == 0)
  }

  /// libcurl takes longer for each field the more there are.
  @Test func ofAHeadWithFieldsWithoutEndTheFirstThousandAreTold() async throws {
    enum Tag {}
    let server = try LoopbackServer { answer in
      answer.head(200, [("Content-Length", "100")] + (0..<1_100).map { ("X-\($0)", "\($0)") })
      answer.raw(Array("only this".utf8))
      answer.drop()
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    _ = try? await hook.session().data(from: server.url("/"))
    let told = try await hook.sink.ended()[0]
    #expect(told.head?.headers.count == 1_000 && told.head?.headers.contains { $0.name == "X-998" } == true)
    #expect(told.end?.outcome == .failed && told.end?.bytesReceived == 9)
  }

  @Test func theHeadOfARedirectThatBreaksOffIsNotTheAnswers() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    _ = try? await hook.session().data(from: server.url("/hostile/to-cut"))
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.outcome == .failed && told.head == nil && told.hops.isEmpty)
    #expect(server.requests.count == 1)
  }

  /// Head and half of a body, sent as one so that both have come where one has; then nothing.
  private static func half(_ status: Int) throws -> LoopbackServer {
    try LoopbackServer { answer in
      let head = "HTTP/1.1 \(status) Status\r\nLocation: /elsewhere\r\nContent-Length: 1000\r\n\r\n"
      answer.raw(Array((head + String(repeating: "x", count: 500)).utf8))
      answer.waitForClient()
    }
  }

  @Test(.serialized, arguments: [true, false])
  func whatCameOfABodyIsCountedWhereTheProgramCancels(isHeard: Bool) async throws {
    enum Heard {}
    enum Unheard {}
    let server = try Self.half(200)
    defer { server.stop() }
    func told<Tag>(_ hook: HookFixture<Tag>) async throws -> RecordingSink.Told {
      let task = hook.session().dataTask(with: server.url("/")) { _, _, _ in }
      task.resume()
      try await until { task.countOfBytesExpectedToReceive == 1_000 }
      task.cancel()
      return try await hook.sink.ended()[0]
    }
    let told =
      if isHeard {
        try await told(HookFixture<Heard>())
      } else {
        try await told(HookFixture<Unheard>(sink: RecordingSink(reads: false)))
      }
    #expect(told.head?.status == 200 && told.end?.outcome == .cancelled)
    #expect(told.end?.bytesReceived == 500 && told.end?.responseTruncated == true && told.data.isEmpty)
  }

  @Test func aRedirectThatTheProgramDoesNotWaitForIsNotTheAnswer() async throws {
    enum Tag {}
    let server = try Self.half(302)
    defer { server.stop() }
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    let task = hook.session().dataTask(with: server.url("/")) { _, _, _ in }
    task.resume()
    try await until { task.countOfBytesExpectedToReceive == 1_000 }
    task.cancel()
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.outcome == .cancelled && told.head == nil && told.hops.isEmpty)
  }

  /// Of a head that nobody listened for it is known how long its own transfer took, and not those before.
  @Test func aHeadComesAfterTheRedirectThatLedToIt() async throws {
    enum Tag {}
    let server = try LoopbackServer { answer in
      guard answer.request.path == "/first" else {
        answer.head(200, [("Content-Length", "1000")])
        return answer.waitForClient()
      }
      Thread.sleep(forTimeInterval: 0.1)
      answer.send(302, [("Location", "/second")])
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    let task = hook.session().dataTask(with: server.url("/first")) { _, _, _ in }
    task.resume()
    try await until { task.countOfBytesExpectedToReceive == 1_000 }
    #expect(hook.sink.exchanges.first?.head == nil)
    hook.sink.read()
    try await until { hook.sink.exchanges.first?.head != nil }
    task.cancel()
    let told = try await hook.sink.ended()[0]
    let (hop, head) = (try #require(told.hops.first?.at), try #require(told.head?.at))
    #expect(hop >= 90_000 && head >= hop)
  }

  /// A refused redirect is the answer, and its body comes as one.
  @Test func theBodyOfARedirectThatTheProgramRefusesIsTold() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder(redirect: { _ in nil })
    hook.session(delegate: delegate).dataTask(with: server.url("/redirect/302?to=/json")).resume()
    #expect(try await delegate.completed().contains(.data("go elsewhere")))
    let told = try await hook.sink.ended()[0]
    #expect(told.data == Data("go elsewhere".utf8) && told.end?.bytesReceived == 12 && told.head?.status == 302)
  }

  // MARK: What is left

  /// Knows whether the recorder of the last request is still there.
  private final class Watch: ExchangeSink {
    private struct Seen {
      weak var recorder: ExchangeRecorder?
      var hasBegun = false
      var hasEnded = false
    }

    private let seen = SeenLock(Seen())

    func report(_ report: consuming ExchangeReport) {
      let recorder = report.start?.recorder
      let isEnd = report.end != nil
      seen.withLock { seen in
        if let recorder {
          seen.recorder = recorder
          seen.hasBegun = true
        }
        if isEnd { seen.hasEnded = true }
      }
    }

    func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {}
    func unhold(_ key: UInt64) {}
    func notice(_ sentence: String) {}

    var hasBegun: Bool { seen.withLock { $0.hasBegun } }
    var isGone: Bool { seen.withLock { $0.hasEnded && $0.recorder == nil } }
  }

  /// Who hears of the pieces of a body is forgotten when it has ended, for a session that lives on.
  @Test(.serialized, arguments: [false, true]) func nobodyKeepsWhoListened(isCancelled: Bool) async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>()
    let watch = Watch()
    FixtureProtocol<Tag>.current.withLock { $0 = HookSnapshot(active: true, sink: watch) }
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    defer { session.invalidateAndCancel() }
    do {
      let task = session.dataTask(with: server.url(isCancelled ? "/hang" : "/json"))
      task.resume()
      try await until { server.requests.count == 1 }
      if isCancelled { task.cancel() }
    }
    _ = try await delegate.completed()
    try await until { watch.hasBegun && watch.isGone }
  }
}
