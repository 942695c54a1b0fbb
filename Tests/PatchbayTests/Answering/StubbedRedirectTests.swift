import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Redirects, of stubs and to stubs.
@Suite(.bounded) struct StubbedRedirectTests {
  private func redirect(_ path: String, to location: String, status: Int = 302, cookie: String? = nil) -> Stub {
    var headers = [HeaderField("Location", location)]
    if let cookie { headers.append(HeaderField("Set-Cookie", cookie)) }
    return Stub(
      name: "from \(path)", when: RequestPattern(path: .glob(path)),
      then: .respond(CannedResponse(status: status, headers: headers, body: .text("elsewhere"))))
  }

  private func answer(_ path: String, _ text: String) -> Stub {
    Stub(
      name: "at \(path)", when: RequestPattern(path: .glob(path)), then: .respond(CannedResponse(body: .text(text))))
  }

  private func url(_ path: String) -> URL { URL(string: "http://stubbed.test\(path)")! }

  @Test func aStubsRedirectIsFollowedAndTheRulesRunAgain() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([
      redirect("/a", to: "/b"), redirect("/b", to: "http://other.test/c"), answer("/c", "c"),
    ])
    let session = hook.session()
    let (data, response) = try await session.data(from: url("/a"))
    #expect(String(decoding: data, as: UTF8.self) == "c")
    #expect(response.url?.absoluteString == "http://other.test/c")
    let told = try await hook.sink.ended()
    #expect(told[0].hops.map(\.status) == [302, 302])
    #expect(told[0].hops.map(\.url) == ["http://stubbed.test/a", "http://stubbed.test/b"])
    #expect(told[0].answer?.stub == "at /c")
  }

  @Test func theDelegateIsAskedFirst() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/a", to: "/b"), answer("/b", "b")])
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: url("/a"))
    task.resume()
    #expect(try await delegate.completed() == [.redirect(302, "/b"), .response(200), .data("b"), .complete(nil)])
    #expect(task.currentRequest?.url == url("/b"))
    #expect(task.originalRequest?.url == url("/a"))
  }

  /// While the delegate thinks about it the program may let its task rest.
  @Test(arguments: [false, true]) func aTaskThatIsSuspendedMeanwhileGoesOn(_ isResumedBefore: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/a", to: "/b"), answer("/b", "b")])
    let delegate = SlowRedirectDelegate()
    let session = hook.session(delegate: delegate)
    let task = session.dataTask(with: url("/a"))
    task.resume()
    try await until { delegate.isAsked }
    func settle() { for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} } }
    task.suspend()
    settle()
    if isResumedBefore { task.resume() }
    settle()
    delegate.answer()
    // A second answer is none.
    delegate.answer()
    settle()
    if !isResumedBefore {
      #expect(!delegate.isDone)
      task.resume()
    }
    try await until { delegate.isDone }
    #expect(delegate.text == "b" && task.error == nil)
    session.invalidateAndCancel()
  }

  @Test func aDelegateThatRefusesGetsTheRedirectItself() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/a", to: "/b"), answer("/b", "b")])
    let delegate = CallbackRecorder(redirect: { _ in nil })
    hook.session(delegate: delegate).dataTask(with: url("/a")).resume()
    #expect(
      try await delegate.completed() == [.redirect(302, "/b"), .response(302), .data("elsewhere"), .complete(nil)])
  }

  @Test func aLoopEnds() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/a", to: "/a")])
    let error = await #expect(throws: URLError.self) { try await hook.session().data(from: url("/a")) }
    #expect(error?.code == .httpTooManyRedirects)
    #expect(try await hook.sink.ended()[0].hops.count == 21)
  }

  @Test(.serialized, arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
  func theMethodFollowsTheStatus(status: Int, method: String) async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    // One hook for all arguments, since they share its class.
    let hook = HookFixture<Tag>(
      [301, 302, 303, 307, 308].map { redirect("/\($0)", to: server.url("/echo").absoluteString, status: $0) })
    var request = URLRequest(url: url("/\(status)"))
    request.httpMethod = "POST"
    request.httpBody = Data("body".utf8)
    let (data, _) = try await hook.session().data(for: request)
    #expect(String(decoding: data, as: UTF8.self).hasPrefix("\(method) /echo"))
  }

  /// The same of a stub and of Foundation itself, which nobody hooks here.
  @Test(.serialized, arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
  func theMethodIsTheOneOfFoundationItself(_ method: String) async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let statuses = [301, 302, 303, 305, 307, 308]
    let hook = HookFixture<Tag>(
      statuses.map { redirect("/\($0)", to: server.url("/echo").absoluteString, status: $0) })
    let plain = URLSession(configuration: .ephemeral)
    defer { plain.invalidateAndCancel() }
    for status in statuses {
      var real = URLRequest(url: server.url("/redirect/\(status)?to=/echo"))
      real.httpMethod = method
      var stubbed = URLRequest(url: url("/\(status)"))
      stubbed.httpMethod = method
      _ = try await plain.data(for: real)
      let asked = try #require(server.requests.last)
      #expect(asked.target == "/echo")
      #expect(asked.method == (RedirectRule.becomesGet(status, after: method) ? "GET" : method), "\(status)")
      _ = try await hook.session().data(for: stubbed)
      #expect(server.requests.last?.method == asked.method, "\(status) of a stub")
    }
  }

  @Test func itsCookieGoesAlong() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>([
      redirect("/cookie/start", to: server.url("/echo").absoluteString, cookie: "a=1; Path=/")
    ])
    let start = try #require(URL(string: "http://127.0.0.1:\(server.port)/cookie/start"))
    let (data, _) = try await hook.session().data(from: start)
    #expect(String(decoding: data, as: UTF8.self).contains("cookie: a=1"))
  }

  @Test(.serialized, arguments: [300, 304]) func theseAreNotFollowed(status: Int) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/300", to: "/b", status: 300), redirect("/304", to: "/b", status: 304)])
    let (_, response) = try await hook.session().data(from: url("/\(status)"))
    #expect((response as? HTTPURLResponse)?.statusCode == status)
  }

  @Test func aRedirectOfTheNetworkMayLeadToAStub() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>([answer("/echo", "stubbed")])
    let (data, response) = try await hook.session().data(from: server.url("/redirect/302?to=/echo"))
    #expect(String(decoding: data, as: UTF8.self) == "stubbed")
    #expect(response.url?.path == "/echo")
    let told = try await hook.sink.ended()
    #expect(told.count == 1)
    #expect(told[0].hops.map(\.status) == [302])
    #expect(told[0].answer?.by == .stub)
    #expect(told[0].data == Data("stubbed".utf8))
  }

  @Test func aRedirectOfTheNetworkMayLeadToAStub_delegate() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>([answer("/echo", "stubbed")])
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/redirect/302?to=/echo")).resume()
    #expect(
      try await delegate.completed() == [.redirect(302, "/echo"), .response(200), .data("stubbed"), .complete(nil)])
  }

  /// Each hop is told and asked about, whoever listens, and where a later one leads to a stub that answers.
  @Test(.serialized, arguments: [nil, "/chain/2", "/chain/1", "/chain/0"] as [String?], [false, true])
  func eachHopOfTheNetworkMayLeadToAStub(_ stubbed: String?, hasDelegate: Bool) async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>(stubbed.map { [answer($0, "stubbed")] } ?? [])
    let hops = [3, 2, 1].filter { number in stubbed.map { number > Int($0.suffix(1)) ?? 0 } ?? true }
    if hasDelegate {
      let delegate = CallbackRecorder()
      hook.session(delegate: delegate).dataTask(with: server.url("/chain/3")).resume()
      let heard = try await delegate.completed()
      let asked = hops.map { CallbackRecorder.Callback.redirect(302, "/chain/\($0 - 1)") }
      #expect(Array(heard.prefix(hops.count)) == asked && heard[hops.count] == .response(200))
      if stubbed != nil { #expect(heard[hops.count + 1] == .data("stubbed")) }
    } else {
      let (data, _) = try await hook.session().data(from: server.url("/chain/3"))
      #expect((String(decoding: data, as: UTF8.self) == "stubbed") == (stubbed != nil))
    }
    let told = try await hook.sink.ended()
    #expect(told.count == 1 && told[0].hops.map(\.url) == hops.map { server.url("/chain/\($0)").absoluteString })
    #expect(told[0].answer?.stub == stubbed.map { "at \($0)" } && told[0].head?.status == 200 && told[0].late == 0)
    #expect(server.requests.count == hops.count + (stubbed == nil ? 1 : 0))
  }

  @Test func aStubsRedirectMayLeadToTheNetwork() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>([redirect("/a", to: server.url("/slow?n=3&ms=20").absoluteString)])
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: url("/a")).resume()
    #expect(
      try await delegate.completed() == [
        .redirect(302, "/slow"), .response(200), .data("slow 0;"), .data("slow 1;"), .data("slow 2;"), .complete(nil),
      ])
    let (file, _) = try await hook.session().download(from: url("/a"))
    #expect(try String(contentsOf: file, encoding: .utf8) == "slow 0;slow 1;slow 2;")
  }

  /// What the delegate says then comes too late.
  @Test func aTaskThatIsCancelledWhileItsDelegateIsAskedGoesNowhere() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([redirect("/a", to: "/b"), answer("/b", "b")])
    let asked = SeenLock<URLSessionTask?>(nil)
    let delegate = CallbackRecorder { request in
      let task = asked.withLock { $0 }
      task?.cancel()
      return request
    }
    let task = hook.session(delegate: delegate).dataTask(with: url("/a"))
    asked.withLock { $0 = task }
    task.resume()
    #expect(try await delegate.completed() == [.redirect(302, "/b"), .complete(URLError.cancelled.rawValue)])
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.outcome == .cancelled && told.answer?.stub == "from /a" && told.late == 0)
    asked.withLock { $0 = nil }
  }
}

/// Answers a redirect when it is told to.
private final class SlowRedirectDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    var pending: (@Sendable () -> Void)?
    var body = Data()
    var isDone = false
  }

  private let state = SeenLock(State())

  var isAsked: Bool { state.withLock { $0.pending != nil } }
  var isDone: Bool { state.withLock { $0.isDone } }
  var text: String { state.withLock { String(decoding: $0.body, as: UTF8.self) } }
  func answer() { state.withLock { $0.pending }?() }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    state.withLock { $0.pending = { completionHandler(request) } }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.body += data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.isDone = true }
  }
}
