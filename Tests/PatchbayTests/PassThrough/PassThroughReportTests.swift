import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is told of requests that go to the network.
@Suite(.bounded) struct PassThroughReportTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  /// Who listens for redirects is forgotten with the request.
  @Test func nothingIsKeptOfThoseThatHaveEnded() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    // Kept, so that each has an address of its own.
    let tasks = (0..<100).map { _ in session.dataTask(with: server.url("/json")) }
    for task in tasks { task.resume() }
    _ = try await delegate.completed(tasks.count)
    try await until { DelegateOverride.listeners.withLock { $0.count } < tasks.count / 2 }
  }

  @Test func aHandlersExchangeIsWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let (data, _) = try await hook.session().data(from: server.url("/json"))
    let told = try await hook.sink.ended()
    #expect(told.count == 1)
    #expect(told[0].start?.request.method == "GET")
    #expect(told[0].start?.request.url == server.url("/json").absoluteString)
    #expect(told[0].head?.status == 200)
    #expect(told[0].head?.headers.first(named: "Content-Type") == "application/json; charset=utf-8")
    #expect(told[0].data == data)
    #expect(told[0].end?.bytesReceived == 31)
    #expect(told[0].end?.responseTruncated == false)
    #expect(told[0].answer == nil)
  }

  /// Such an answer needs no network, and was listed as the network's, for hosts that do not exist.
  @Test func anAnswerOutOfTheProgramsCacheIsToldAsSuch() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let session = hook.session {
      $0.urlCache = cache
      $0.requestCachePolicy = .returnCacheDataElseLoad
    }
    let url = try #require(URL(string: "http://nowhere.invalid/kept"))
    let head = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=600"]))
    cache.storeCachedResponse(CachedURLResponse(response: head, data: Data("kept".utf8)), for: URLRequest(url: url))
    let (data, _) = try await session.data(from: url)
    #expect(data == Data("kept".utf8))
    _ = try await session.data(from: server.url("/json"))
    let told = try await hook.sink.ended(2)
    #expect(told.map { $0.answer?.by } == [.cache, nil])
    #expect(told[0].head?.status == 200 && told[0].data == data)
  }

  /// A suite with a cache that is full already runs below `--unmatched fail` as it does without us; what is not to be used
  /// any more would be asked of the network.
  @Test(arguments: [("max-age=600", true), ("max-age=0", false), ("no-store", false), ("private", true)])
  func whatTheCacheKeepsNeedsNoNetworkAndIsNotMadeToFail(control: String, isGood: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(unmatched: .fail)
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let delegate = CallbackRecorder()
    let session = hook.session { $0.urlCache = cache }
    let telling = hook.session(delegate: delegate) { $0.urlCache = cache }
    let url = try #require(URL(string: "http://nowhere.invalid/kept"))
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": control]))
    let kept = CachedURLResponse(response: head, data: Data("kept".utf8))
    cache.storeCachedResponse(kept, for: URLRequest(url: url))
    let data = try? await session.data(from: url).0
    #expect(data == (isGood ? kept.data : nil))
    telling.dataTask(with: url).resume()
    let callbacks = try await delegate.completed()
    #expect(callbacks.contains(.data("kept")) == isGood)
    let told = try await hook.sink.ended(2)
    #expect(
      told.allSatisfy { $0.answer?.by == (isGood ? .cache : .console) && $0.head?.status == (isGood ? 200 : nil) })
    #expect(told.allSatisfy { $0.data == (isGood ? kept.data : Data()) && $0.late == 0 })
    // Nor is an answer to somebody with other rights.
    var asking = URLRequest(url: url)
    asking.setValue("Basic eA==", forHTTPHeaderField: "Authorization")
    #expect((try? await session.data(for: asking)) == nil)
  }

  /// By the built-in class, by one of our own transfers, and of a stub.
  @Test(arguments: [nil, "patched", "stub"])
  func aRedirectThatTheProgramLeadsElsewhereIsToldAsSuch(_ by: String?) async throws {
    enum Tag {}
    let start = server.url("/redirect/302?to=/gone")
    let place = server.url("/json").absoluteString
    var stubs: [Stub] = []
    if by == "patched" { stubs = [Stub(name: "p", then: .pass(PassChanges(headers: [.init("X-P", ["1"])])))] }
    if by == "stub" {
      let answer = CannedResponse(status: 302, headers: [HeaderField("Location", "/gone")])
      stubs = [Stub(name: "s", when: .get("*/redirect/*"), then: .respond(answer))]
    }
    let hook = HookFixture<Tag>(stubs)
    let delegate = CallbackRecorder(redirect: { _ in URL(string: place).map { URLRequest(url: $0) } })
    hook.session(delegate: delegate).dataTask(with: start).resume()
    #expect(try await delegate.completed().contains(.response(200)))
    let told = try await hook.sink.ended()[0]
    #expect(told.hops.map(\.target) == [place] && told.hops[0].headers.first(named: "Location") == "/gone")
  }

  /// The redirect is the answer then.
  @Test func aRedirectThatTheProgramRefusesIsNone() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder(redirect: { _ in nil })
    hook.session(delegate: delegate).dataTask(with: server.url("/redirect/302?to=/json")).resume()
    #expect(try await delegate.completed().contains(.response(302)))
    let told = try await hook.sink.ended()[0]
    #expect(told.hops.isEmpty && told.head?.status == 302)
  }

  @Test func aDelegatesExchangeIsWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/bytes?n=300000")).resume()
    _ = try await delegate.completed()
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesReceived == 300_000)
    #expect(FNVHash(told[0].data).description == FNVHash(LoopbackServer.bytes(300_000)).description)
  }

  @Test func aDelegatesBodyIsToldHoweverQuicklyItComes() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    // With no processor to spare the server may have answered before the beginning of a request is done.
    let crowd = Crowd()
    defer { crowd.leave() }
    for count in 1...150 {
      session.dataTask(with: server.url("/json")).resume()
      _ = try await delegate.completed(count)
    }
    let told = try await hook.sink.ended(150)
    #expect(told.count { $0.data.count != 31 } == 0)
  }

  @Test func aDownloadsExchangeIsWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let (file, _) = try await hook.session().download(from: server.url("/bytes?n=300000"))
    try FileManager.default.removeItem(at: file)
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesReceived == 300_000)
    #expect(told[0].data.count == 300_000)
    #expect(told[0].head?.status == 200)
  }

  @Test func piecesAreToldAsTheyCome() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url("/sse?n=1000&ms=50"))
    task.resume()
    try await until { (hook.sink.exchanges.first?.data.count ?? 0) > 20 }
    #expect(delegate.callbacks.count >= 2)
    task.cancel()
    #expect(try await hook.sink.ended()[0].end?.outcome == .cancelled)
  }

  @Test func theHeadIsToldBeforeTheBody() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let url = server.url("/slow?n=3&ms=100")
    let call = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.exchanges.first?.head != nil }
    _ = try await call.value
    let told = try await hook.sink.ended()[0]
    #expect((told.end?.at ?? 0) - (told.head?.at ?? 0) > 100_000)
  }

  @Test func theHeadIsToldWhereItCameBeforeAnyoneListened() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    let task = hook.session().dataTask(with: server.url("/slow?n=50&ms=100")) { _, _, _ in }
    task.resume()
    // Foundation has the head's lines by then.
    try await until { task.countOfBytesExpectedToReceive != 0 }
    #expect(hook.sink.exchanges.first?.head == nil)
    hook.sink.read()
    try await until { hook.sink.exchanges.first?.head != nil }
    #expect(hook.sink.exchanges.first?.end == nil)
    task.cancel()
    #expect(try await hook.sink.ended()[0].end?.outcome == .cancelled)
  }

  @Test func theFirstBytesTimeIsTrueWhereNobodyListened() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    let session = hook.session()
    _ = try await session.data(from: server.url("/slow?n=3&ms=100"))
    let (file, _) = try await session.download(from: server.url("/slow?n=3&ms=100"))
    try FileManager.default.removeItem(at: file)
    for told in try await hook.sink.ended(2) {
      #expect(told.head?.status == 200)
      #expect((told.end?.at ?? 0) - (told.head?.at ?? 0) > 100_000)
    }
  }

  @Test(arguments: [true, false]) func theHeadOfACutAnswerIsTold(isHeard: Bool) async throws {
    enum Heard {}
    enum Unheard {}
    func told<Tag>(_ hook: HookFixture<Tag>) async throws -> RecordingSink.Told {
      _ = try? await hook.session().data(from: server.url("/cut"))
      return try await hook.sink.ended()[0]
    }
    let told =
      if isHeard {
        try await told(HookFixture<Heard>())
      } else {
        try await told(HookFixture<Unheard>(sink: RecordingSink(reads: false)))
      }
    #expect(told.head?.status == 200)
    #expect(told.head?.headers.first(named: "Content-Length") != nil)
    #expect(told.end?.outcome == .failed)
    #expect(told.end?.bytesReceived == 9 && told.end?.responseTruncated == true, "\(told.end as Any)")
  }

  @Test func theHeadOfAnAnswerThatIsCancelledIsToldWhereNobodyListened() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(sink: RecordingSink(reads: false))
    let task = hook.session().dataTask(with: server.url("/slow?n=50&ms=20")) { _, _, _ in }
    task.resume()
    try await until { task.countOfBytesExpectedToReceive != 0 }
    task.cancel()
    let told = try await hook.sink.ended()[0]
    #expect(told.head?.status == 200)
    #expect(told.end?.outcome == .cancelled)
  }

  @Test func redirectsAreTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    _ = try await hook.session().data(from: server.url("/chain/2"))
    let told = try await hook.sink.ended()
    #expect(told[0].hops.map(\.status) == [302, 302])
    #expect(told[0].hops.map(\.url) == [server.url("/chain/2").absoluteString, server.url("/chain/1").absoluteString])
  }

  @Test func moreThanTheLimitIsOnlyCounted() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([], settings: HookSettings(bodyLimit: 1_000))
    _ = try await hook.session().data(from: server.url("/bytes?n=5000"))
    let told = try await hook.sink.ended()
    #expect(told[0].data.count == 1_000)
    #expect(told[0].end?.bytesReceived == 5_000)
    #expect(told[0].end?.responseTruncated == true)
  }

  @Test func aFailureIsTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    _ = try? await hook.session().data(from: server.url("/drop"))
    let told = try await hook.sink.ended()
    #expect(told[0].end?.outcome == .failed)
    #expect(told[0].end?.error?.domain == NSURLErrorDomain)
  }

  @Test func aStreamsBodyIsTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let body = Data("from a stream".utf8)
    request.httpBodyStream = InputStream(data: body)
    let (data, _) = try await hook.session().data(for: request)
    #expect(String(decoding: data, as: UTF8.self).contains("body 13 "))
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesSent == 13)
    #expect(told[0].answer?.edited?.body == body)
    #expect(told[0].answer?.by == .network)
  }

  @Test func aRequestsBodyHasALimitOfItsOwn() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(settings: HookSettings(requestBodyLimit: 4))
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data("from a stream".utf8))
    let (data, _) = try await hook.session().data(for: request)
    #expect(String(decoding: data, as: UTF8.self).contains("body 13 "))
    let told = try await hook.sink.ended()
    #expect(told[0].end?.bytesSent == 13)
    #expect(told[0].answer?.edited?.body == Data("from".utf8))
    #expect(told[0].answer?.edited?.truncated == true)
    #expect(told[0].data == data)
  }

  @Test func observedRequestsGoTheirOwnWay() async throws {
    enum Tag {}
    let stub = Stub(name: "never", then: .respond(CannedResponse(status: 500)))
    let hook = HookFixture<Tag>([stub], settings: HookSettings(degree: .observe))
    let (_, response) = try await hook.session().data(from: server.url("/json"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(hook.sink.exchanges.count == 1)
    #expect(hook.sink.exchanges[0].end == nil)
  }

  @Test func bypassedHostsAreLeftAlone() async throws {
    enum Tag {}
    let stub = Stub(name: "never", then: .respond(CannedResponse(status: 500)))
    let settings = HookSettings(hosts: [.init(host: "127.*.1", degree: .bypass)])
    let hook = HookFixture<Tag>([stub], settings: settings)
    let (_, response) = try await hook.session().data(from: server.url("/json"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(hook.sink.exchanges.isEmpty)
  }

  @Test func theProgramsDelegateOfATaskIsPutBack() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>()
    let delegate = CallbackRecorder()
    let task = hook.session().dataTask(with: server.url("/chain/1"))
    task.delegate = delegate
    task.resume()
    try await until { task.state == .completed }
    #expect(task.delegate === delegate)
    #expect(delegate.callbacks.contains(.redirect(302, "/chain/0")))
  }
}
