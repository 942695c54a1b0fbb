import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is told of a request is what the server got, and of an answer what the program got.
@Suite(.bounded) struct SentFactsTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  /// The server's own words: a line for each header field but the user agent, with the name in lower case.
  private func echoed(_ data: Data) -> [String] {
    String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().dropLast().map(String.init)
  }

  private func told(_ request: RecordedRequest?) -> [String] {
    (request?.headers ?? []).map { "\($0.name.lowercased()): \($0.value)" }
      .filter { !$0.hasPrefix("user-agent:") }.sorted()
  }

  @Test(.serialized, arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"], [nil, "a=1"])
  func headersAreThoseThatWereSent(method: String, text: String?) async throws {
    enum Tag {}
    guard method != "GET" || text == nil else { return }
    let hook = HookFixture<Tag>()
    let session = hook.session { $0.httpAdditionalHeaders = ["X-Session": "s", "Accept": "a/b"] }
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = method
    request.httpBody = text.map { Data($0.utf8) }
    request.setValue("r", forHTTPHeaderField: "X-Request")
    let (data, _) = try await session.data(for: request)
    let start = try #require(try await hook.sink.ended()[0].start)
    #expect(told(start.request) == echoed(data))
    let agent = start.request.headers.first(named: "User-Agent") ?? ""
    #expect(agent.hasPrefix(ProcessInfo.processInfo.processName) && agent.contains("curl/"))
  }

  @Test func anUploadsHeadersAreThoseThatWereSent() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let (data, _) = try await hook.session().upload(for: request, from: Data("body".utf8))
    #expect(told(try await hook.sink.ended()[0].start?.request) == echoed(data))
  }

  /// Told when it is held, as the program made it; and in the end as it went out.
  @Test(.serialized, arguments: ["GET", "POST", "PUT", "upload", "HEAD"])
  func aHeldRequestThatGoesOnIsToldAsItWasSent(_ kind: String) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([Stub(name: "hold", then: .hold(.request))])
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = kind == "upload" ? "POST" : kind
    request.setValue("r", forHTTPHeaderField: "X-Request")
    if ["POST", "PUT"].contains(kind) { request.httpBody = Data("a=1".utf8) }
    let session = hook.session()
    let sent = request
    let task = Task {
      kind == "upload"
        ? try await session.upload(for: sent, from: Data("body".utf8)).0 : try await session.data(for: sent).0
    }
    try await until { hook.sink.isHolding }
    #expect(told(hook.sink.exchanges[0].start?.request) == ["x-request: r"])
    try await hook.sink.decide(.continue(request: nil, response: nil))
    let data = try await task.value
    let exchange = try await hook.sink.ended()[0]
    let edited = try #require(exchange.answer?.edited)
    if kind == "HEAD" {
      #expect(told(edited).contains("host: 127.0.0.1:\(server.port)") && told(edited).contains("x-request: r"))
    } else {
      #expect(told(edited) == echoed(data))
    }
    let body = kind == "upload" ? "body" : request.httpBody.map { String(decoding: $0, as: UTF8.self) }
    #expect(edited.body == body.map { Data($0.utf8) } && !edited.truncated && edited.method == sent.httpMethod)
    #expect(exchange.sent == nil, "nobody changed it")
    #expect(exchange.answer?.by == .network && exchange.answer?.stub == nil)
  }

  /// What is held and does not go out stays as the program made it.
  @Test(.serialized, arguments: [Verdict.Decision.respond(CannedResponse()), .drop, .fail(Fault(.named("timedOut")))])
  func aHeldRequestThatIsNotSentHasOnlyWhatTheProgramSaid(_ decision: Verdict.Decision) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([Stub(name: "hold", then: .hold(.request))])
    let url = server.url("/echo")
    let task = Task { _ = try? await hook.session().data(from: url) }
    try await hook.sink.decide(decision)
    await task.value
    let exchange = try await hook.sink.ended()[0]
    #expect(exchange.answer?.edited == nil && exchange.sent == nil && told(exchange.start?.request) == [])
  }

  /// The one that was held was answered by a stub, and what goes out is where that leads.
  @Test func aHeldRequestThatAStubRedirectsWasNotSent() async throws {
    enum Tag {}
    let away = Stub(
      name: "away", when: RequestPattern(url: .glob("*/held")),
      then: .respond(
        CannedResponse(status: 302, headers: [HeaderField("Location", server.url("/echo").absoluteString)])))
    let hold = Stub(name: "hold", when: RequestPattern(url: .glob("*/held")), then: .hold(.request))
    let hook = HookFixture<Tag>([hold, away])
    let url = server.url("/held")
    let task = Task { try await hook.session().data(from: url).0 }
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect(String(decoding: try await task.value, as: UTF8.self).hasPrefix("GET /echo"))
    let exchange = try await hook.sink.ended()[0]
    #expect(exchange.hops.map(\.status) == [302])
    #expect(exchange.answer?.edited == nil && told(exchange.start?.request) == [])
  }

  @Test func aStubbedRequestHasOnlyWhatTheProgramSaid() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: 200)))
    var request = URLRequest(url: server.url("/echo"))
    request.setValue("r", forHTTPHeaderField: "X-Request")
    _ = try await hook.session().data(for: request)
    #expect(told(try await hook.sink.ended()[0].start?.request) == ["x-request: r"])
  }

  @Test(.serialized, arguments: [true, false])
  func anAnswerWithACredentialIsTheOneThatIsTold(byDelegate: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = StreamingDelegate()
    let session = hook.session(delegate: delegate)
    if byDelegate {
      session.dataTask(with: server.url("/basic")).resume()
      _ = try await delegate.recorder.completed()
    } else {
      let (data, response) = try await session.data(from: server.url("/basic"))
      #expect((response as? HTTPURLResponse)?.statusCode == 200 && data == Data("welcome".utf8))
    }
    let told = try await hook.sink.ended()
    #expect(told.count == 1 && told[0].end?.outcome == .responded)
    #expect(told[0].head?.status == 200)
    #expect(told[0].end?.bytesReceived == 7)
    let sent = server.requests.last?.header("Authorization")
    #expect(sent != nil)
    #expect(told[0].answer?.edited?.headers.first(named: "Authorization") == sent)
  }

  /// On a busy machine the framework lets go of the object that was asked only after all of the next answer has come.
  @Test(arguments: [["secret"], ["wrong", "secret"]])
  func theAnswerIsToldHoweverLateTheOneThatAskedIsLetGoOf(passwords: [String]) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let kept = Mutex<[URLProtocol?]>([])
    let delegate = StreamingDelegate(passwords: passwords) { task in
      kept.withLock { $0.append(TaskInternals.loading(of: task)) }
    }
    hook.session(delegate: delegate).dataTask(with: server.url("/basic")).resume()
    let callbacks = try await delegate.recorder.completed()
    #expect(callbacks.contains(.response(200)) && callbacks.contains(.data("welcome")))
    #expect(kept.withLock { $0.count } == passwords.count)
    kept.withLock { $0.removeAll() }
    let told = try await hook.sink.ended()
    #expect(told.count == 1 && told[0].end?.outcome == .responded)
    #expect(told[0].head?.status == 200)
    #expect(told[0].end?.bytesReceived == 7)
    let sent = server.requests.last?.header("Authorization")
    #expect(sent != nil)
    #expect(told[0].answer?.edited?.headers.first(named: "Authorization") == sent)
  }

  @Test(.serialized, arguments: [false, true])
  func aStreamOfTheDelegatesIsTold(requestHasOneToo: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = StreamingDelegate()
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    if requestHasOneToo { request.httpBodyStream = InputStream(data: Data("not sent".utf8)) }
    hook.session(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
    _ = try await delegate.recorder.completed()
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesSent == 8)
    #expect(told[0].answer?.edited?.body == Data("streamed".utf8))
    let sent = server.requests.last.map { $0.headers.map { "\($0.name.lowercased()): \($0.value)" } } ?? []
    #expect(self.told(told[0].answer?.edited) == sent.filter { !$0.hasPrefix("user-agent:") }.sorted())
  }

  @Test func anInterimHeadIsNotTheAnswers() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/odd/early")).resume()
    #expect(try await delegate.completed() == [.response(103), .response(200), .data("early"), .complete(nil)])
    #expect(try await hook.sink.ended()[0].head?.status == 200)
  }

  @Test func whatAStubSendsElsewhereTheNetworkAnswers() async throws {
    enum Tag {}
    let stub = Stub(
      name: "away", when: RequestPattern(path: .glob("/start")),
      then: .respond(CannedResponse(status: 302, headers: [HeaderField("Location", "/json")])))
    let hook = HookFixture<Tag>([stub])
    _ = try await hook.session().data(from: server.url("/start"))
    let told = try await hook.sink.ended()
    #expect(told[0].answer?.by == .network && told[0].answer?.stub == nil)
    #expect(told[0].hops.map(\.status) == [302])
  }
}
