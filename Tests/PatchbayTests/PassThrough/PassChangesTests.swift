import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network's answer, changed on its way.
@Suite(.bounded) struct PassChangesTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  @Test func statusHeadersAndBodyAreChanged() async throws {
    enum Tag {}
    let changes = PassChanges(
      status: 206, headers: [.init("X-New", ["1"]), .init("Content-Type", nil)],
      mergePatch: ["name": "Ann", "ids": nil], replace: [.init(find: "Ann", with: "Bob")])
    let hook = HookFixture<Tag>(.pass(changes))
    let (data, response) = try await hook.session().data(from: server.url("/json"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 206)
    #expect(http.value(forHTTPHeaderField: "X-New") == "1")
    #expect(http.value(forHTTPHeaderField: "Content-Type") == nil)
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"Bob"}"#)
    #expect(http.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
    let told = try await hook.sink.ended()
    #expect(told[0].answer?.by == .network)
    #expect(told[0].answer?.stub == "stub")
    #expect(told[0].data == data)
  }

  @Test func aBodyThatIsNoJSONStaysAndIsSaid() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(mergePatch: ["a": 1])))
    let (data, _) = try await hook.session().data(from: server.url("/bytes?n=10"))
    #expect(data.count == 10)
    #expect(hook.sink.notices.count == 1)
  }

  @Test func aDelayOnlyDelays() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(delay: .fixed(.milliseconds(60)))))
    let began = ContinuousClock.now
    let (data, _) = try await hook.session().data(from: server.url("/gzip"))
    #expect(ContinuousClock.now - began >= .milliseconds(60))
    #expect(data.count == 660)
  }

  @Test func aPaceSlowsADelegatesPieces() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(pace: .dribble(pieces: 2, over: .milliseconds(40)))))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/status/200")).resume()
    #expect(
      try await delegate.completed() == [.response(200), .data("statu"), .data("s 200"), .complete(nil)])
  }

  @Test func uploadsArriveWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(status: 299)))
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    let (data, response) = try await hook.session().upload(for: request, from: body)
    #expect((response as? HTTPURLResponse)?.statusCode == 299)
    #expect(String(decoding: data, as: UTF8.self).contains("body 100000 \(FNVHash(body))"))
  }

  @Test func aStreamOfTheDelegatesArrivesWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(status: 299)))
    let delegate = StreamingDelegate()
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    hook.session(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
    let callbacks = try await delegate.recorder.completed()
    #expect(callbacks.contains(.response(299)))
    #expect(callbacks.contains { if case .data(let text) = $0 { text.contains("body 8 ") } else { false } })
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesSent == 8 && told[0].answer?.edited?.body == Data("streamed".utf8))
  }

  @Test func aStreamOfTheRequestIsTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(status: 299)))
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
    let (data, _) = try await hook.session().data(for: request)
    #expect(String(decoding: data, as: UTF8.self).contains("body 8 "))
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesSent == 8 && told[0].answer?.edited?.body == Data("streamed".utf8))
  }

  @Test func anAnswerAfterAChallengeIsNotMixedWithIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let (data, _) = try await hook.session(delegate: StreamingDelegate()).data(from: server.url("/basic"))
    #expect(data == Data("welcome".utf8))
    #expect(try await hook.sink.ended()[0].data == data)
  }

  @Test func anErrorOfTheNetworkStaysOne() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(status: 299)))
    let error = await #expect(throws: URLError.self) {
      try await hook.session().data(from: server.url("/garbage"))
    }
    #expect(error?.code == .unsupportedURL, "not the hook's own .badServerResponse")
  }

  @Test(arguments: ["/odd/noplace", "/odd/badplace", "/status/300"])
  func aRedirectThatLeadsNowhereIsTheAnswer(_ path: String) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let (_, response) = try await hook.session().data(from: server.url(path))
    let http = try #require(response as? HTTPURLResponse)
    #expect((300..<400).contains(http.statusCode) && http.value(forHTTPHeaderField: "X-New") == "1")
  }

  @Test func aRedirectThatTheDelegateRefusesIsTheAnswer() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let delegate = CallbackRecorder { _ in nil }
    hook.session(delegate: delegate).dataTask(with: server.url("/chain/2")).resume()
    let callbacks = try await delegate.completed()
    #expect(callbacks.contains(.redirect(302, "/chain/1")) && callbacks.contains(.response(302)))
    #expect(callbacks.last == .complete(nil))
  }

  /// A change of the head alone holds no piece back.
  @Test func piecesComeAsTheyAreSent() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url("/slow?n=2&ms=3000"))
    task.resume()
    try await until { delegate.callbacks.count >= 2 }
    #expect(delegate.callbacks == [.response(200), .data("slow 0;")])
    #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-New") == "1")
    task.cancel()
    #expect(try await delegate.completed().last == .complete(URLError.cancelled.rawValue))
  }

  @Test(arguments: [PassChanges(status: 299), PassChanges(status: 299, replace: [.init(find: "only", with: "just")])])
  func aBodyThatBreaksOffIsHandedOnAsFarAsItCame(_ changes: PassChanges) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(changes))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/cut")).resume()
    let text = changes.needsWholeBody ? "just this" : "only this"
    #expect(try await delegate.completed() == [.response(299), .data(text), .complete(URLError.unknown.rawValue)])
  }

  /// A download's body that has to be whole before it is changed is kept back, and what came of it is told at the end.
  @Test func aDownloadThatBreaksOffTellsHowMuchCame() async throws {
    enum Tag {}
    let changes = PassChanges(replace: [.init(find: "only", with: "just")])
    for (path, written) in [("/cut", [CallbackRecorder.Callback.written(9, of: 100)]), ("/drop", [])] {
      let hook = HookFixture<Tag>(.pass(changes))
      let delegate = CallbackRecorder()
      hook.session(delegate: delegate).downloadTask(with: server.url(path)).resume()
      let callbacks = try await delegate.completed()
      #expect(Array(callbacks.dropLast()) == written, "\(path)")
      #expect(callbacks.last != .complete(nil))
    }
  }

  /// What Foundation has decoded is not decoded again, and its fields stay as they came.
  @Test func anEncodedAnswerStaysAsFoundationHasIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(replace: [.init(find: "nowhere", with: "else")])))
    let (data, response) = try await hook.session().data(from: server.url("/gzip"))
    #expect(data.count == 660)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
  }

  @Test func redirectsForEverEndThoughEachIsChanged() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let error = await #expect(throws: URLError.self) { try await hook.session().data(from: server.url("/loop")) }
    #expect(error?.code == .httpTooManyRedirects)
    #expect(try await hook.sink.ended()[0].hops.count == 21)
  }

  @Test func nothingIsLeftOfATaskThatWasRedirected() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let left = Left()
    do {
      let session = hook.session()
      let task = session.dataTask(with: server.url("/chain/2"))
      left.task = task
      task.resume()
      _ = try await hook.sink.ended()
      session.finishTasksAndInvalidate()
    }
    try await until { left.task == nil }
  }
}

/// A task that is to be gone.
private final class Left: @unchecked Sendable {  // Set before anybody else has it.
  weak var task: URLSessionTask?
}
