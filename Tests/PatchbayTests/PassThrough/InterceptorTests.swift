import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Who stands between Foundation and the program's delegates, called as Foundation calls them.
@Suite(.bounded) struct InterceptorTests {
  private let url = URL(string: "http://a.example/x")!

  private func recorder(_ sink: RecordingSink, body: RequestBody = .none) -> ExchangeRecorder {
    ExchangeRecorder(
      key: 1, snapshot: HookSnapshot(active: true, sink: sink),
      start: ExchangeReport.Start(
        at: .now, request: RequestSnapshot(request: URLRequest(url: url), body: body), task: .data, revision: 1))
  }

  private func head(_ status: Int = 200) throws -> HTTPURLResponse {
    try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["A": "1"]))
  }

  /// What was called on the session's own queue so far.
  private func callbacks(_ delegate: CallbackRecorder, of session: URLSession) -> [CallbackRecorder.Callback] {
    session.delegateQueue.waitUntilAllOperationsAreFinished()
    return delegate.callbacks
  }

  // MARK: The short way of pieces

  @Test func piecesTakeTheShortWayWhereNoneIsOnTheLongOne() throws {
    let (delegate, sink) = (CallbackRecorder(), RecordingSink())
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let recorder = recorder(sink)
    let target = DirectPieces.Target(
      session: session, task: session.dataTask(with: url), delegate: delegate, recorder: recorder)
    func piece(_ text: String) -> Data { Data(text.utf8) }
    let pieces = DirectPieces()
    #expect(!pieces.deliver(piece("a")) && !pieces.deliver(piece("b")), "the head has not been told")
    pieces.open(to: target)
    #expect(!pieces.deliver(piece("c")), "none overtakes another")
    for _ in 0..<2 { pieces.arrived() }
    #expect(!pieces.deliver(piece("d")))
    for _ in 0..<2 { pieces.arrived() }
    #expect(pieces.deliver(piece("e")) && pieces.deliver(piece("f")))
    #expect(callbacks(delegate, of: session) == [.data("e"), .data("f")])
    pieces.close()
    #expect(!pieces.deliver(piece("g")))
    pieces.open(to: target)
    #expect(!pieces.deliver(piece("h")))
    for _ in 0..<2 { pieces.arrived() }
    #expect(pieces.deliver(piece("i")))
    #expect(callbacks(delegate, of: session) == [.data("e"), .data("f"), .data("i")])
    recorder.end(.responded)
    #expect(sink.exchanges.first?.data == piece("efi") && sink.exchanges.first?.end?.bytesReceived == 3)
  }

  // MARK: In the place of a session's delegate

  @Test func theProgramHearsWhatIsListenedTo() throws {
    let (delegate, sink) = (CallbackRecorder(), RecordingSink())
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let (task, other) = (session.dataTask(with: url), session.dataTask(with: url))
    let recorder = recorder(sink)
    let listener = BodyInterceptor.shared
    listener.listen(to: task, for: recorder)
    let allowed = SeenLock(0)
    listener.urlSession(session, dataTask: task, didReceive: try head(201)) { disposition in
      allowed.withLock { $0 += disposition == .allow ? 1 : 100 }
    }
    listener.urlSession(session, dataTask: task, didReceive: Data("one".utf8))
    listener.urlSession(session, dataTask: other, didReceive: Data("two".utf8))
    listener.urlSession(session, task: task, didSendBodyData: 7, totalBytesSent: 8, totalBytesExpectedToSend: 9)
    listener.forget(task)
    listener.urlSession(session, dataTask: task, didReceive: Data("three".utf8))
    #expect(delegate.callbacks == [.response(201), .data("one"), .data("two"), .sent(7), .data("three")])
    recorder.end(.responded)
    #expect(sink.exchanges.map(\.data) == [Data("one".utf8)] && allowed.withLock { $0 } == 1)
  }

  @Test func whereNobodyListensAnAnswerIsAllowed() throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let allowed = SeenLock(0)
    BodyInterceptor.shared.urlSession(session, dataTask: session.dataTask(with: url), didReceive: try head()) {
      disposition in
      allowed.withLock { $0 += disposition == .allow ? 1 : 100 }
    }
    #expect(allowed.withLock { $0 } == 1)
  }

  @Test func onlyADelegateOfASessionHearsPieces() {
    let plain = URLSession(configuration: .ephemeral)
    let delegated = URLSession(configuration: .ephemeral, delegate: CallbackRecorder(), delegateQueue: nil)
    defer {
      plain.invalidateAndCancel()
      delegated.invalidateAndCancel()
    }
    for (task, session, hears) in [
      (delegated.dataTask(with: url), delegated, true), (delegated.downloadTask(with: url), delegated, true),
      (delegated.dataTask(with: url) { _, _, _ in }, delegated, false), (plain.dataTask(with: url), plain, false),
      (plain.dataTask(with: url) { _, _, _ in }, plain, false),
    ] as [(URLSessionTask, URLSession, Bool)] {
      #expect(CallbackInterceptor.hearsPieces(of: task, in: session) == hears)
      #expect(!CallbackInterceptor.hearsPieces(of: task, in: nil))
    }
  }

  // MARK: In the place of a task's delegate

  private final class Client: NSObject, URLProtocolClient {
    func urlProtocol(_: URLProtocol, didReceive _: URLResponse, cacheStoragePolicy _: URLCache.StoragePolicy) {}
    func urlProtocol(_: URLProtocol, didLoad _: Data) {}
    func urlProtocolDidFinishLoading(_: URLProtocol) {}
    func urlProtocol(_: URLProtocol, didFailWithError _: any Error) {}
    func urlProtocol(_: URLProtocol, cachedResponseIsValid _: CachedURLResponse) {}
    func urlProtocol(_: URLProtocol, didReceive _: URLAuthenticationChallenge) {}
    func urlProtocol(_: URLProtocol, didCancel _: URLAuthenticationChallenge) {}
    func urlProtocol(_: URLProtocol, wasRedirectedTo _: URLRequest, redirectResponse _: URLResponse) {}
  }

  private final class Host: NativeLoaderHost, @unchecked Sendable {  // Nothing in it changes.
    let loading: URLProtocol? = nil
    let current: RequestSnapshot
    let outcome: StubDecider.Outcome?

    init(_ url: URL, _ outcome: StubDecider.Outcome?) {
      current = RequestSnapshot(request: URLRequest(url: url))
      self.outcome = outcome
    }

    func stubs(forRedirect request: URLRequest) -> StubDecider.Outcome? { outcome }
    func takeOver(_ request: URLRequest, _ outcome: StubDecider.Outcome) {}
    func ended() {}
  }

  private struct Watch {
    let session: URLSession
    let task: URLSessionTask
    let recorder: ExchangeRecorder
    let host: Host
    let loader: NativeLoader
    let watcher: RedirectWatcher

    /// Nobody stands in the task's delegate's place any more.
    func end() {
      let loader = loader
      TaskInternals.workQueue(of: task)?.sync { loader.failed(URLError(.cancelled), from: nil) }
      session.invalidateAndCancel()
    }
  }

  private func watch(
    _ delegate: CallbackRecorder?, _ sink: RecordingSink, body: RequestBody = .none,
    outcome: StubDecider.Outcome? = nil, configuration: URLSessionConfiguration = .ephemeral
  ) -> Watch {
    let session = URLSession(configuration: configuration)
    let task = session.dataTask(with: url)
    let recorder = recorder(sink, body: body)
    let host = Host(url, outcome)
    let loader = NativeLoader(
      task: task, session: session, client: Client(), cached: nil, recorder: recorder, host: host)
    return Watch(
      session: session, task: task, recorder: recorder, host: host, loader: loader,
      watcher: RedirectWatcher(loader, instead: delegate))
  }

  /// Where the loader agrees to go after an answer that leads to that request.
  private func redirect(
    _ watch: Watch, to next: URLRequest, status: Int = 302, headers: [String: String]? = nil
  ) async -> URLRequest? {
    await withCheckedContinuation { done in
      watch.watcher.urlSession(
        watch.session, task: watch.task,
        willPerformHTTPRedirection: HTTPURLResponse(
          url: url, statusCode: status, httpVersion: nil, headerFields: headers)!, newRequest: next
      ) { done.resume(returning: $0) }
    }
  }

  /// Where the program agrees to go, with what it is asked and what is told.
  @Test func redirectsAreAskedForAndTold() async throws {
    let next = URLRequest(url: try #require(URL(string: "http://b.example/next")))
    let elsewhere = URLRequest(url: try #require(URL(string: "http://c.example/")))
    let rows: [(CallbackRecorder?, String?, String?)] = [
      (nil, "http://b.example/next", nil), (CallbackRecorder(), "http://b.example/next", nil),
      (CallbackRecorder { _ in elsewhere }, "http://c.example/", "http://c.example/"),
      (CallbackRecorder { _ in nil }, nil, ""),
    ]
    for (delegate, target, turn) in rows {
      let sink = RecordingSink()
      let watch = watch(delegate, sink)
      let agreed = await redirect(watch, to: next, status: 307, headers: ["Location": "/next", "A": "1"])
      #expect(agreed?.url?.absoluteString == target)
      #expect(delegate == nil || delegate?.callbacks == [.redirect(307, "/next")])
      watch.recorder.end(.responded)
      watch.end()
      guard let hop = sink.exchanges.first?.hops.first else {
        #expect(turn == "", "one that is refused leads nowhere, and is none")
        continue
      }
      #expect(hop.status == 307 && hop.url == url.absoluteString && hop.target == turn)
      #expect(hop.headers == [HeaderField("A", "1"), HeaderField("Location", "/next")])
    }
  }

  @Test func whereAStubTakesTheNextRequestNobodyGoesThere() async throws {
    let next = URLRequest(url: try #require(URL(string: "http://b.example/next")))
    let stub = StubDecider.Outcome(
      decision: Decision(.answer(Decision.Match(stub: "s", action: .respond(.status(200))))))
    for delegate in [nil, CallbackRecorder()] {
      let watch = watch(delegate, RecordingSink(), outcome: stub)
      let agreed = await redirect(watch, to: next)
      #expect(agreed == nil)
      watch.end()
    }
  }

  @Test func cookiesOfTheStorageGoAlongWhereNobodyIsAsked() async throws {
    let next = URLRequest(url: try #require(URL(string: "http://b.example/next")))
    let configuration = URLSessionConfiguration.ephemeral
    let cookie = try #require(
      HTTPCookie(properties: [.name: "n", .value: "v", .domain: "b.example", .path: "/"]))
    configuration.httpCookieStorage?.setCookie(cookie)
    for delegate in [nil, CallbackRecorder()] {
      let watch = watch(delegate, RecordingSink(), configuration: configuration)
      let agreed = await redirect(watch, to: next)
      #expect(agreed?.value(forHTTPHeaderField: "Cookie") == (delegate == nil ? "n=v" : nil))
      watch.end()
    }
  }

  @Test func everythingElseGoesToTheDelegateThatWasThere() async throws {
    final class All: NSObject, URLSessionTaskDelegate, Sendable {
      let said = SeenLock<[String]>([])
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) {
        said.withLock { $0.append("challenge") }
        completionHandler(.cancelAuthenticationChallenge, URLCredential(user: "u", password: "p", persistence: .none))
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
      ) {
        said.withLock { $0.append("stream") }
        completionHandler(InputStream(data: Data("streamed".utf8)))
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
      ) {
        said.withLock { $0.append("sent \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)") }
      }
      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        said.withLock { $0.append("complete \((error as? URLError)?.code.rawValue ?? 0)") }
      }
    }
    let all = All()
    let sink = RecordingSink()
    let capture = StreamCapture(limit: 100)
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: url)
    let recorder = recorder(sink, body: .stream(capture))
    let host = Host(url, nil)
    let loader = NativeLoader(
      task: task, session: session, client: Client(), cached: nil, recorder: recorder, host: host)
    let challenge = URLAuthenticationChallenge(
      protectionSpace: URLProtectionSpace(host: "a", port: 80, protocol: "http", realm: nil, authenticationMethod: nil),
      proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: Sender())
    for (delegate, credential, disposition) in [
      (all, "u", URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge),
      (nil, nil, .performDefaultHandling),
    ] as [(All?, String?, URLSession.AuthChallengeDisposition)] {
      let watcher = RedirectWatcher(loader, instead: delegate)
      let answers = SeenLock<[String]>([])
      watcher.urlSession(session, task: task, didReceive: challenge) { answered, given in
        answers.withLock { $0.append("\(answered == disposition) \(given?.user ?? "none")") }
      }
      #expect(answers.withLock { $0 } == ["true \(credential ?? "none")"])
      watcher.urlSession(session, task: task) { stream in
        var buffer = [UInt8](repeating: 0, count: 20)
        stream?.open()
        let count = stream?.read(&buffer, maxLength: 20) ?? 0
        answers.withLock { $0.append(String(decoding: buffer[..<count], as: UTF8.self)) }
      }
      #expect(answers.withLock { $0 }.last == (delegate == nil ? "" : "streamed"))
      watcher.urlSession(session, task: task, didSendBodyData: 1, totalBytesSent: 2, totalBytesExpectedToSend: 3)
      watcher.urlSession(session, task: task, didCompleteWithError: URLError(.timedOut))
    }
    #expect(all.said.withLock { $0 } == ["challenge", "stream", "sent 1 2 3", "complete -1001"])
    #expect(capture.bytes(limit: 100).data == Data("streamed".utf8), "what is read of it is noted")
    withExtendedLifetime((host, loader)) {}
  }

  private final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }
}
