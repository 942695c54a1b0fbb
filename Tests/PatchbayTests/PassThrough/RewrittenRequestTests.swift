import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests that a rule changes before they go out.
@Suite(.bounded) struct RewrittenRequestTests {
  private let server: LoopbackServer
  /// Nobody is there.
  private let asked = URL(string: "http://asked.invalid:81/echo?page=2")!

  init() throws { server = try LoopbackServer() }

  private var base: String { "http://127.0.0.1:\(server.port)" }

  private func text(_ answer: (Data, URLResponse)) -> String { String(decoding: answer.0, as: UTF8.self) }

  @Test func whatIsSentIsToldBesideWhatWasAsked() async throws {
    enum Tag {}
    let changes = PassChanges(
      to: base,
      request: RequestChanges(
        method: "PUT", query: [.init("page", nil), .init("debug", ["1"])], headers: [.init("X-New", ["1"])],
        body: .json(["a": 1])))
    let hook = HookFixture<Tag>(.pass(changes))
    let answer = try await hook.session().data(from: asked)
    let lines = text(answer)
    #expect(lines.hasPrefix("PUT /echo?debug=1\n"))
    #expect(lines.contains("x-new: 1\n") && lines.contains("content-type: application/json\n"))
    #expect(lines.contains("host: 127.0.0.1:\(server.port)\n"))
    #expect(lines.contains("body 7 \(FNVHash(Data(#"{"a":1}"#.utf8)))"))
    #expect(answer.1.url?.absoluteString == "\(base)/echo?debug=1")
    let told = try await hook.sink.ended()[0]
    #expect(told.start?.request.url == asked.absoluteString && told.start?.request.method == "GET")
    #expect(told.start?.request.headers.first(named: "Host") == nil, "what never went out has no Host")
    let sent = try #require(told.sent)
    #expect(sent.method == "PUT" && sent.url == "\(base)/echo?debug=1" && sent.body == Data(#"{"a":1}"#.utf8))
    #expect(sent.headers.first(named: "Host") == "127.0.0.1:\(server.port)")
    #expect(told.answer?.by == .network && told.answer?.stub == "stub" && told.end?.bytesSent == 7)
  }

  @Test func whereNothingChangesTheRequestGoesItsOwnWay() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(request: RequestChanges(method: "GET", headers: [.init("X", nil)]))))
    _ = try await hook.session().data(from: server.url("/echo"))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent == nil && told.start?.request.headers.first(named: "Host") != nil)
  }

  @Test func theTaskSaysWhatWasAskedAndWhatWasSent() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base + "/echo")))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: asked)
    task.resume()
    _ = try await delegate.completed()
    #expect(task.originalRequest?.url == asked)
    #expect(task.currentRequest?.url?.absoluteString == "\(base)/echo/echo?page=2")
    #expect(task.response?.url == task.currentRequest?.url)
  }

  private static func body(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 % 26 + 97) }) }

  enum Upload: CaseIterable { case request, data, file, stream, delegate }

  private func send<Tag>(
    _ kind: Upload, _ body: Data, _ hook: HookFixture<Tag>, to url: URL? = nil
  ) async throws -> String {
    var request = URLRequest(url: url ?? asked)
    request.httpMethod = "POST"
    switch kind {
    case .request:
      request.httpBody = body
      return text(try await hook.session().data(for: request))
    case .data: return text(try await hook.session().upload(for: request, from: body))
    case .file:
      let folder = try TemporaryFolder()
      let file = URL(fileURLWithPath: folder.file("body"))
      try body.write(to: file)
      return text(try await hook.session().upload(for: request, fromFile: file))
    case .stream:
      request.httpBodyStream = InputStream(data: body)
      return text(try await hook.session().data(for: request))
    case .delegate:
      let delegate = StreamingDelegate()
      hook.session(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
      let callbacks = try await delegate.recorder.completed()
      return callbacks.map { if case .data(let text) = $0 { text } else { "" } }.joined()
    }
  }

  @Test(arguments: Upload.allCases) func aBodyThatIsNotTouchedArrivesWhole(_ kind: Upload) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base)))
    let body = kind == .delegate ? Data("streamed".utf8) : Self.body(200_000)
    #expect(try await send(kind, body, hook).contains("body \(body.count) \(FNVHash(body))"))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.body == body && told.end?.bytesSent == Int64(body.count))
    #expect((told.answer?.edited ?? told.start?.request)?.body == body)
  }

  @Test(arguments: Upload.allCases) func aBodyIsPatchedWhereverItComesFrom(_ kind: Upload) async throws {
    enum Tag {}
    let rule = RequestChanges(replace: [.init(find: "streamed", with: "changed"), .init(find: "xyz", with: "")])
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base, request: rule)))
    let body = kind == .delegate ? Data("streamed".utf8) : Self.body(200_000)
    let expected = Data(
      String(decoding: body, as: UTF8.self).replacingOccurrences(of: "streamed", with: "changed")
        .replacingOccurrences(of: "xyz", with: "").utf8)
    #expect(try await send(kind, body, hook).contains("body \(expected.count) \(FNVHash(expected))"))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.body == expected)
    #expect((told.answer?.edited ?? told.start?.request)?.body == body)
    #expect(told.end?.bytesSent == Int64(expected.count))
  }

  /// All of it arrives, what was read of a stream to see how long it is included: sent elsewhere, and on its own way.
  @Test(arguments: Upload.allCases, [true, false])
  func aBodyThatIsTooLargeToPatchArrivesWhole(_ kind: Upload, elsewhere: Bool) async throws {
    enum Tag {}
    let rule = PassChanges(
      to: elsewhere ? base : nil, request: RequestChanges(mergePatch: ["a": 1], replace: [.init(find: "s", with: "t")]))
    let hook = HookFixture<Tag>([Stub(name: "stub", then: .pass(rule))], largestPatched: 6)
    let body = kind == .delegate ? Data("streamed".utf8) : Self.body(200_000)
    let url = elsewhere ? asked : server.url("/echo")
    #expect(try await send(kind, body, hook, to: url).contains("body \(body.count) \(FNVHash(body))"))
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.bytesSent == Int64(body.count))
    #expect((told.answer?.edited ?? told.start?.request)?.body == body)
    #expect(hook.sink.notices.count == 1, "\(hook.sink.notices)")
  }

  @Test(arguments: Upload.allCases) func aWholeOtherBodyTakesItsPlace(_ kind: Upload) async throws {
    enum Tag {}
    let rule = RequestChanges(headers: [.init("Content-Type", ["text/plain"])], body: .text("mine"))
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base, request: rule)))
    let lines = try await send(kind, Data("streamed".utf8), hook)
    #expect(lines.contains("body 4 \(FNVHash(Data("mine".utf8)))") && lines.contains("content-length: 4\n"))
    #expect(lines.contains("content-type: text/plain\n"))
  }

  @Test func fieldsOfTheSessionCanBeTakenAway() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(request: RequestChanges(headers: [.init("X-Session", nil)]))))
    let session = hook.session { $0.httpAdditionalHeaders = ["X-Session": "1", "X-Other": "2"] }
    let lines = text(try await session.data(from: server.url("/echo")))
    #expect(!lines.contains("x-session") && lines.contains("x-other: 2\n"))
    #expect(try await hook.sink.ended()[0].start?.request.headers.first(named: "X-Session") == "1")
  }

  @Test func cookiesAreThoseOfTheURLThatIsAsked() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base)))
    let session = hook.session()
    let storage = try #require(session.configuration.httpCookieStorage)
    func set(_ name: String, _ host: String) throws {
      let properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "1", .path: "/", .domain: host]
      storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }
    try set("staging", "127.0.0.1")
    try set("production", "asked.invalid")
    let lines = text(try await session.data(from: asked))
    #expect(lines.contains("cookie: staging=1\n"))
    var request = URLRequest(url: asked)
    request.setValue("own=1", forHTTPHeaderField: "Cookie")
    let own = text(try await session.data(for: request))
    let field = own.split(separator: "\n").first { $0.hasPrefix("cookie:") }
    #expect(field == "cookie: staging=1", "as Foundation has it where the storage has some")
    var set = URLComponents(url: asked, resolvingAgainstBaseURL: false)!
    set.path = "/cookie/set"
    set.query = "fresh=1"
    _ = try await session.data(from: set.url!)
    #expect(storage.cookies?.contains { $0.name == "fresh" && $0.domain == "127.0.0.1" } == true)
  }

  @Test func aCookieOfTheRuleIsTheOnlyOne() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .pass(PassChanges(to: base, request: RequestChanges(headers: [.init("Cookie", nil)]))))
    var request = URLRequest(url: asked)
    request.setValue("own=1", forHTTPHeaderField: "Cookie")
    let lines = text(try await hook.session().data(for: request))
    #expect(!lines.contains("cookie:"))
  }

  @Test func redirectsAreFollowedFromWhereItWasSent() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([
      Stub(
        name: "stub", when: RequestPattern(host: .glob("asked.invalid")),
        then: .pass(PassChanges(to: base, request: RequestChanges(headers: [.init("X-New", ["1"])]))))
    ])
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: URL(string: "http://asked.invalid/redirect/302?to=/echo")!).resume()
    let callbacks = try await delegate.completed()
    #expect(callbacks.contains(.redirect(302, "/echo")) && callbacks.contains(.response(200)))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.url == "\(base)/redirect/302?to=/echo")
    #expect(told.hops.map(\.url) == ["\(base)/redirect/302?to=/echo"])
    #expect(server.requests.map(\.target) == ["/redirect/302?to=/echo", "/echo"])
  }

  @Test func aRuleForEverythingIsAppliedToEachHopOnce() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base + "/")))
    let lines = text(try await hook.session().data(from: URL(string: "http://asked.invalid/chain/3")!))
    #expect(lines == "end of the chain")
    #expect(server.requests.map(\.target) == ["/chain/3", "/chain/2", "/chain/1", "/chain/0"])
    #expect(try await hook.sink.ended()[0].sent?.url == "\(base)/chain/3")
  }

  @Test func aChallengeIsAnsweredAndTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .pass(PassChanges(to: base, request: RequestChanges(headers: [.init("X-New", ["1"])]))))
    let delegate = StreamingDelegate()
    hook.session(delegate: delegate).dataTask(with: URL(string: "http://asked.invalid/basic")!).resume()
    let callbacks = try await delegate.recorder.completed()
    #expect(callbacks.contains(.data("welcome")))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.headers.first(named: "Authorization")?.hasPrefix("Basic ") == true)
    #expect(told.sent?.url == "\(base)/basic")
    #expect(told.start?.request.headers.first(named: "Authorization") == nil)
  }

  @Test func aDownloadIsWritten() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base)))
    let (file, _) = try await hook.session().download(from: URL(string: "http://asked.invalid/bytes?n=100000")!)
    #expect(try Data(contentsOf: file).count == 100_000)
    try? FileManager.default.removeItem(at: file)
  }

  @Test func togetherWithAPatchedAnswerADelayAndAHold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([
      Stub(name: "hold", then: .hold(.request)),
      Stub(
        name: "rule",
        then: .pass(
          PassChanges(
            to: base, request: RequestChanges(headers: [.init("X-New", ["1"])]), delay: .fixed(.milliseconds(30)),
            status: 299, replace: [.init(find: "x-new", with: "x-seen")]))),
    ])
    let url = asked
    let task = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.isHolding }
    let edited = RecordedRequest(
      method: "POST", url: "http://asked.invalid/echo?edited", headers: [HeaderField("X-Edited", "1")],
      body: Data("typed".utf8))
    let began = ContinuousClock.now
    try await hook.sink.decide(.continue(request: edited, response: nil))
    let answer = try await task.value
    #expect(ContinuousClock.now - began >= .milliseconds(30))
    #expect((answer.1 as? HTTPURLResponse)?.statusCode == 299)
    #expect(text(answer).hasPrefix("POST /echo?edited\n") && text(answer).contains("x-seen: 1\n"))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.url == "\(base)/echo?edited" && told.sent?.headers.first(named: "X-Edited") == "1")
    #expect(told.sent?.headers.first(named: "X-New") == "1" && told.answer?.stub == "rule")
  }

  @Test func whereItIsToGoIsNoURLItFails() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: "http://{{request.header.X-To}}/")))
    await #expect(throws: URLError.self) { try await hook.session().data(from: asked) }
    #expect(server.requests.isEmpty)
    #expect(try await hook.sink.ended()[0].end?.error?.message?.contains("`to` must be a URL") == true)
  }

  @Test func suspendedAndCancelledOnesEnd() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .pass(PassChanges(to: base, request: RequestChanges(mergePatch: ["a": 1]))))
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: folder.file("body"))
    try Data("{}".utf8).write(to: file)
    var request = URLRequest(url: asked)
    request.httpMethod = "POST"
    let first = session.uploadTask(with: request, fromFile: file)
    first.resume()
    first.suspend()
    first.resume()
    let second = session.uploadTask(with: request, fromFile: file)
    second.resume()
    second.cancel()
    let callbacks = try await delegate.completed(2)
    #expect(callbacks.contains(.complete(nil)) && callbacks.contains(.complete(-999)))
  }

  /// Foundation stops what is suspended in a step of its own a moment later, and ends the process where it runs again or
  /// was cancelled by then. (It does so too where a request that has just ended is resumed: none ends meanwhile.)
  @Test(arguments: [
    PassChanges(), PassChanges(request: RequestChanges(headers: [.init("X-New", ["1"])])),
    PassChanges(headers: [.init("X-New", ["1"])], mergePatch: ["a": 1]),
  ])
  func whatIsSuspendedMayGoOnOrBeCancelledAtAnyMoment(_ changes: PassChanges) async throws {
    enum Tag {}
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { answer in
      gate.wait()
      gate.signal()
      answer.send(text: "{}")
    }
    let hook = HookFixture<Tag>(.pass(changes))
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    var random = SeededGenerator(7)
    for round in 0..<60 {
      let task = session.dataTask(with: server.url("/"))
      task.resume()
      for _ in 0..<8 {
        usleep(UInt32.random(in: 0...400, using: &random))
        task.suspend()
        usleep(UInt32.random(in: 0...200, using: &random))
        if round % 5 == 0 { task.cancel() }
        task.resume()
      }
    }
    gate.signal()
    let callbacks = try await delegate.completed(60)
    #expect(callbacks.count { $0 == .complete(nil) } == 48 && callbacks.count { $0 == .complete(-999) } == 12)
  }

  /// Foundation itself gives the connection up.
  @Test func whatIsSuspendedHearsNoMoreOfItsAnswer() async throws {
    enum Tag {}
    let (wanted, ended) = (DispatchSemaphore(value: 0), SeenLock(false))
    let sent = SeenLock(0)
    let server = try LoopbackServer { answer in
      guard answer.request.path == "/pieces" else { return answer.send(text: "quick") }
      answer.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
      repeat {
        wanted.wait()
        guard !ended.withLock({ $0 }), answer.chunk([0x61]) else { break }
        sent.withLock { $0 += 1 }
      } while true
      ended.withLock { $0 = true }
    }
    defer {
      ended.withLock { $0 = true }
      wanted.signal()
    }
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url("/pieces"))
    var heard: Int { delegate.callbacks.count { if case .data = $0 { true } else { false } } }
    /// What others ask meanwhile is answered, so that there was time to hear it.
    func send() async throws {
      let before = sent.withLock { $0 }
      wanted.signal()
      try await until { sent.withLock { $0 } > before || ended.withLock { $0 } }
      for _ in 0..<3 { _ = try await hook.session().data(from: server.url("/quick")) }
    }
    task.resume()
    try await send()
    try await until { delegate.callbacks.contains(.data("a")) }
    task.suspend()
    // It takes a moment, in which a piece or two may come.
    var isStill = false
    for _ in 0..<20 where !isStill {
      let before = heard
      try await send()
      isStill = heard == before
    }
    #expect(isStill, "\(heard)")
    task.cancel()
    #expect(try await delegate.completed().last == .complete(-999))
  }

  /// The body has eight bytes.
  @Test(arguments: Upload.allCases, [8, 7]) func aBodyIsPatchedUpToTheLimit(_ kind: Upload, _ limit: Int) async throws {
    enum Tag {}
    let rule = PassChanges(to: base, request: RequestChanges(replace: [.init(find: "streamed", with: "changed")]))
    let hook = HookFixture<Tag>([Stub(name: "stub", then: .pass(rule))], largestPatched: limit)
    let expected = Data((limit == 8 ? "changed" : "streamed").utf8)
    let lines = try await send(kind, Data("streamed".utf8), hook)
    #expect(lines.contains("body \(expected.count) \(FNVHash(expected))"))
    #expect(hook.sink.notices.count == (limit == 8 ? 0 : 1), "\(hook.sink.notices)")
  }

  @Test func whatIsNotPatchedIsSaid() async throws {
    enum Tag {}
    let rule = PassChanges(to: base, request: RequestChanges(mergePatch: ["a": 1]))
    let hook = HookFixture<Tag>([Stub(name: "stub", then: .pass(rule))], largestPatched: 1 << 20)
    _ = try await send(.request, Data(count: (1 << 20) + 1), hook)
    _ = try await send(.data, Data("no JSON".utf8), hook)
    let asked = "POST http://asked.invalid:81/echo?page=2"
    #expect(
      hook.sink.notices == [
        "\(asked): A body of more than 1 MiB is not patched, so it went out as it is.",
        "\(asked): The request's body is not JSON: `mergePatch` did not change it.",
      ])
  }

  /// The loading system refuses to send one.
  @Test(arguments: [Upload.request, .stream]) func aRequestThatBecomesAGetLosesItsBody(_ kind: Upload) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(to: base, request: RequestChanges(method: "GET"))))
    let lines = try await send(kind, Data("streamed".utf8), hook)
    #expect(lines.hasPrefix("GET /echo?page=2\n") && lines.contains("body 0 "))
    let sent = try await hook.sink.ended()[0].sent
    #expect(sent?.method == "GET" && sent?.body == nil)
  }
}
