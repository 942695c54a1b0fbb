import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests that the hook sends in a session of its own, and their answers: the rarer ways.
@Suite(.bounded) struct DetachedAnswerTests {
  private static let field = PassChanges(headers: [.init("X-New", ["1"])])
  private let server: LoopbackServer
  private let asked = URL(string: "http://stubbed.test/a")!

  init() throws { server = try LoopbackServer() }

  private static func redirect(to location: String, status: Int = 302) -> [Stub] {
    let answer = CannedResponse(status: status, headers: [HeaderField("Location", location)])
    return [Stub(name: "away", when: RequestPattern(path: .glob("/a")), then: .respond(answer))]
  }

  private func cookies(of session: URLSession) -> [String] {
    let cookies = session.configuration.httpCookieStorage?.cookies ?? []
    return cookies.map { "\($0.name)=\($0.value)" }.sorted()
  }

  // MARK: Where a stub's redirect leads

  /// Foundation begins no task with `HTTP:`, but a redirect may lead there.
  @Test func aSchemeInCapitalsIsTheSame() async throws {
    enum Tag {}
    let place = "HTTP://127.0.0.1:\(server.port)/echo"
    let hook = HookFixture<Tag>(Self.redirect(to: place))
    let (data, _) = try await hook.session().data(from: asked)
    #expect(String(decoding: data, as: UTF8.self).hasPrefix("GET /echo"))
  }

  @Test func anErrorThereNamesTheFirstURL() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.redirect(to: server.url("/drop").absoluteString))
    let error = await #expect(throws: URLError.self) { try await hook.session().data(from: asked) }
    #expect(error?.code == .badServerResponse)
    #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == asked)
  }

  /// Foundation sends no body any more after a redirect, but says of which type it was.
  @Test(
    .serialized,
    arguments: [
      ("POST", "a=1", nil, "application/x-www-form-urlencoded"), ("POST", "a=1", "a/b", "a/b"), ("POST", nil, nil, nil),
      ("PUT", "a=1", nil, nil),
    ] as [(String, String?, String?, String?)])
  func aBodyLeavesItsType(_ method: String, _ body: String?, _ type: String?, _ expected: String?) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.redirect(to: server.url("/echo").absoluteString, status: 307))
    var request = URLRequest(url: asked)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    if let type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
    _ = try await hook.session().data(for: request)
    let received = try #require(server.requests.last)
    #expect(received.method == method && received.bodyLength == 0)
    #expect(received.header("Content-Type") == expected)
  }

  // MARK: What goes out

  @Test(.serialized, arguments: [false, true]) func aDownloadSendsItsBody(isStream: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.field))
    let body = Data("a=1".utf8)
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    if isStream { request.httpBodyStream = InputStream(data: body) } else { request.httpBody = body }
    let (file, response) = try await hook.session().download(for: request)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try String(contentsOf: file, encoding: .utf8).contains("body 3 \(FNVHash(body))"))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-New") == "1")
  }

  /// Without a delegate Foundation counts only what is to be sent.
  @Test(.serialized, arguments: [true, false])
  func whatWasSentIsCountedWhereTheAnswerHasNoBody(hasDelegate: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.field))
    var request = URLRequest(url: server.url("/empty"))
    request.httpMethod = "POST"
    let body = Data(count: 50_000)
    let task: URLSessionUploadTask
    if hasDelegate {
      let delegate = CallbackRecorder()
      task = hook.session(delegate: delegate).uploadTask(with: request, from: body)
      task.resume()
      _ = try await delegate.completed()
    } else {
      let hasEnded = SeenLock(false)
      task = hook.session().uploadTask(with: request, from: body) { _, _, _ in hasEnded.withLock { $0 = true } }
      task.resume()
      try await until { hasEnded.withLock { $0 } }
    }
    #expect(task.countOfBytesExpectedToSend == 50_000)
    #expect(task.countOfBytesSent == (hasDelegate ? 50_000 : 0))
  }

  @Test(.serialized, arguments: [("/json", 31), ("/chunked?n=2", -1)] as [(String, Int64)])
  func theTaskKnowsHowLongTheAnswerIs(_ path: String, _ count: Int64) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.field))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url(path))
    task.resume()
    _ = try await delegate.completed()
    #expect(task.countOfBytesExpectedToReceive == count)
  }

  @Test func nothingGoesOnOfWhatTheProgramCancels() async throws {
    enum Tag {}
    let isLeft = SeenLock(false)
    let server = try LoopbackServer { answer in
      answer.waitForClient()
      isLeft.withLock { $0 = true }
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(.pass(Self.field))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url("/"))
    task.resume()
    try await until { server.requests.count == 1 }
    task.cancel()
    _ = try await delegate.completed()
    try await until { isLeft.withLock { $0 } }
  }

  // MARK: What comes

  @Test func anInterimHeadIsHandedOnAndIsNotTheAnswers() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.field))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/odd/early")).resume()
    #expect(try await delegate.completed() == [.response(103), .response(200), .data("early"), .complete(nil)])
    let told = try await hook.sink.ended()[0]
    #expect(told.head?.status == 200 && told.head?.headers.first(named: "X-New") == "1")
  }

  /// A delegate hears the answer that asks for a credential before it is asked, changed as any other.
  @Test func theAnswerThatAsksForACredentialIsChangedToo() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(replace: [.init(find: "who", with: "WHO")])))
    let delegate = StreamingDelegate()
    hook.session(delegate: delegate).dataTask(with: server.url("/basic")).resume()
    #expect(
      try await delegate.recorder.completed() == [
        .response(401), .data("WHO are you"), .response(200), .data("welcome"), .complete(nil),
      ])
    #expect(try await hook.sink.ended()[0].data == Data("welcome".utf8))
  }

  // MARK: Cookies on the way

  @Test(.serialized, arguments: [true, false])
  func theAnswerThatAsksForACredentialSetsItsCookies(isRemoved: Bool) async throws {
    enum Tag {}
    let server = try LoopbackServer { answer in
      guard answer.request.header("Authorization") != nil else {
        return answer.send(401, [("WWW-Authenticate", "Basic realm=\"r\""), ("Set-Cookie", "asked=1; Path=/")])
      }
      answer.send(text: "welcome")
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(
      .pass(PassChanges(headers: [.init("Set-Cookie", isRemoved ? nil : ["added=1; Path=/"])])))
    let session = hook.session(delegate: StreamingDelegate())
    let (data, _) = try await session.data(from: server.url("/"))
    #expect(data == Data("welcome".utf8))
    #expect(cookies(of: session) == (isRemoved ? [] : ["added=1", "asked=1"]))
  }

  /// Of several changes of cookies the last one says whether a redirect keeps its own.
  @Test(
    .serialized,
    arguments: [
      ([nil, ["added=1; Path=/"]], ["added=1", "hop=1"]), ([["added=1; Path=/"], nil], []), ([[]], []),
    ] as [([[String]?], [String])])
  func theLastChangeCountsForRedirects(_ changes: [[String]?], _ kept: [String]) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: changes.map { .init("Set-Cookie", $0) })))
    let session = hook.session()
    let (data, _) = try await session.data(from: server.url("/cookie/hop"))
    #expect(String(decoding: data, as: UTF8.self).contains("hop=1") == kept.contains("hop=1"))
    #expect(cookies(of: session) == kept)
  }

  @Test func aHeldAnswerThatBreaksOffSetsItsCookiesAllTheSame() async throws {
    enum Tag {}
    let server = try LoopbackServer { answer in
      answer.head(200, [("Set-Cookie", "a=1; Path=/"), ("Content-Length", "100")])
      answer.raw(Array("only this".utf8))
      answer.drop()
    }
    defer { server.stop() }
    let hook = HookFixture<Tag>(.hold(.response))
    let session = hook.session()
    #expect((try? await session.data(from: server.url("/"))) == nil)
    #expect(cookies(of: session) == ["a=1"])
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.outcome == .failed && told.held.isEmpty)
  }

  // MARK: What is heard of a transfer

  @Test func onlyPiecesOfABodyLeaveTheCountsAsTheyAre() throws {
    let url = server.url("/")
    let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    #expect(!TransferEvent.data(Data("x".utf8)).isCounted)
    for event in [
      .head(head), .sent(1, total: 1, expected: 1), .written(1, total: 1, expected: 1), .file(url), .end(head, nil),
      .end(nil, URLError(.timedOut)),
    ] as [TransferEvent] {
      #expect(event.isCounted)
    }
  }

  @Test func aDownloadThatNobodyWantsLeavesNoFile() async throws {
    let (file, other) = (try #require(DownloadedFile.make(Data("x".utf8))), try #require(DownloadedFile.make(Data())))
    TransferEvent.end(nil, nil).discard()
    TransferEvent.file(file).discard()
    try await until { !FileManager.default.fileExists(atPath: file.path) }
    #expect(FileManager.default.fileExists(atPath: other.path))
    DownloadedFile.remove(other)
    try await until { !FileManager.default.fileExists(atPath: other.path) }
  }
}
