import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a program sees of a request that the hook sends in a session of its own is what it would have seen.
@Suite(.bounded) struct PassFaithTests {
  private static let head = Action.pass(PassChanges(headers: [.init("X-New", ["1"])]))
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  @Test func aBodyWithoutATypeGetsTheOneThatFoundationGives() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.head)
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    request.httpBody = Data("a=1".utf8)
    _ = try await hook.session().data(for: request)
    #expect(server.requests.last?.header("Content-Type") == "application/x-www-form-urlencoded")
    _ = try await hook.session().upload(for: request, from: Data("a=1".utf8))
    #expect(server.requests.last?.header("Content-Type") == nil)
  }

  /// Without a delegate nobody is asked, so that nothing waits for the session's queue: what runs there may wait for the task.
  @Test(arguments: [false, true]) func aRedirectWaitsForNobody(_ isAsync: Bool) async throws {
    enum Tag {}
    enum Other {}
    let hook = isAsync ? HookFixture<Tag>() : nil
    let other = isAsync ? nil : HookFixture<Other>()
    let session = URLSession(configuration: hook?.configuration() ?? other!.configuration())
    let url = server.url("/chain/2")
    let came = SeenLock<Int?>(nil)
    session.dataTask(with: server.url("/json")) { _, _, _ in
      let done = DispatchSemaphore(value: 0)
      if isAsync {
        Task {
          let status = (try? await session.data(from: url).1 as? HTTPURLResponse)?.statusCode
          came.withLock { $0 = status ?? 0 }
          done.signal()
        }
      } else {
        let inner = session.dataTask(with: url)
        inner.resume()
        while inner.state != .completed { usleep(2_000) }
        came.withLock { $0 = (inner.response as? HTTPURLResponse)?.statusCode ?? 0 }
        done.signal()
      }
      done.wait()
    }
    .resume()
    try await until { came.withLock { $0 != nil } }
    #expect(came.withLock { $0 } == 200)
    let sink = (hook?.sink ?? other?.sink)!
    let told = try await sink.ended(2)
    #expect(told.map { $0.hops.map(\.status) }.contains([302, 302]), "the redirects are told of all the same")
    session.invalidateAndCancel()
  }

  /// What the stubs are asked is where Foundation goes, which for such a place is not where RFC 3986 has it.
  @Test func aStubTakesWhereAPlaceWithoutASlashLeads() async throws {
    enum Tag {}
    func stub(_ path: String) -> Stub {
      Stub(name: path, when: RequestPattern(path: .glob(path)), then: .respond(CannedResponse(body: .text(path))))
    }
    let hook = HookFixture<Tag>([stub("/next"), stub("/redirect/next")])
    let bare = try await URLSession(configuration: .ephemeral).data(from: server.url("/redirect/302?to=next")).1
    let (data, response) = try await hook.session().data(from: server.url("/redirect/302?to=next"))
    #expect(response.url == bare.url && String(decoding: data, as: UTF8.self) == response.url?.path)
  }

  /// Its delegate's queue is busy, so that the redirect waits there, where natively it would not. To answer it when it
  /// has been cancelled ends the process.
  @Test(arguments: [false, true]) func aTaskThatIsCancelledWhileItsRedirectWaitsEnds(_ isStubbed: Bool) async throws {
    enum Tag {}
    enum Other {}
    let to = Stub(name: "to", when: RequestPattern(path: .glob("/echo")), then: .respond(CannedResponse()))
    let hook = isStubbed ? HookFixture<Tag>([to]).configuration() : HookFixture<Other>().configuration()
    let session = URLSession(configuration: hook)
    let (isIn, mayGo) = (SeenLock(false), DispatchSemaphore(value: 0))
    session.dataTask(with: server.url("/json")) { _, _, _ in
      isIn.withLock { $0 = true }
      mayGo.wait()
    }
    .resume()
    try await until { isIn.withLock { $0 } }
    let ended = SeenLock<Int?>(nil)
    let before = server.requests.count
    let task = session.dataTask(with: server.url("/redirect/302?to=/echo")) { _, _, error in
      ended.withLock { $0 = (error as? URLError)?.code.rawValue ?? 0 }
    }
    task.resume()
    try await until { self.server.requests.count > before }
    // The answer has been read, and the question is behind the handler.
    try await until { session.delegateQueue.operationCount > 1 }
    for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} }
    task.cancel()
    for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} }
    mayGo.signal()
    try await until { ended.withLock { $0 != nil } }
    // Where no stub takes it nobody is asked, and all of it has come before the cancel.
    #expect(ended.withLock { $0 } == (isStubbed ? URLError.Code.cancelled.rawValue : 0))
    // Somebody who answers late has done so by now.
    try await until { session.delegateQueue.operationCount == 0 }
    for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} }
    session.invalidateAndCancel()
  }

  @Test func aBodyThatAPersonTakesOutIsNotSent() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.hold(.request))
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "PUT"
    request.httpBody = Data("a=1".utf8)
    async let answer = hook.session().data(for: request)
    let edited = RecordedRequest(method: "PUT", url: server.url("/echo").absoluteString, headers: [], body: nil)
    try await hook.sink.decide(.continue(request: edited, response: nil))
    #expect(String(decoding: try await answer.0, as: UTF8.self).contains("body 0 "))
  }

  @Test func whatWasSentIsCountedInTheTask() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.head)
    let delegate = CallbackRecorder()
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let task = hook.session(delegate: delegate).uploadTask(with: request, from: Data(count: 50_000))
    task.resume()
    _ = try await delegate.completed()
    #expect(task.countOfBytesSent == 50_000 && task.countOfBytesExpectedToSend == 50_000)
  }

  @Test(arguments: [head, .respond(CannedResponse(body: .text("stubbed")))])
  func theDelegateOfOneCallHearsOfTheBody(_ action: Action) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(action)
    let delegate = CallbackRecorder()
    let (data, _) = try await hook.session().data(for: URLRequest(url: server.url("/json")), delegate: delegate)
    try await until { delegate.callbacks.count >= 2 }
    #expect(delegate.callbacks == [.response(200), .data(String(decoding: data, as: UTF8.self))])
  }

  @Test(.alone) func aDownloadIsWrittenAsItComes() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.head, limit: 1_000)
    let before = ProcessMemory.peak
    let (file, response) = try await hook.session().download(from: server.url("/big?mb=192"))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-New") == "1")
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    #expect(size == 192 << 20)
    #expect(ProcessMemory.peak - before < 64 << 20)
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.bytesReceived == 192 << 20 && told.end?.responseTruncated == true)
    #expect(told.data.count == 1_000)
  }

  @Test func anErrorAfterARedirectNamesTheFirstURL() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.head)
    let url = server.url("/redirect/302?to=/drop")
    let error = await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    #expect(error?.code == .badServerResponse)
    #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
  }

  @Test func aChallengeIsAskedOnce() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(Self.head)
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: server.url("/hostile/unauthorized-plain")).resume()
    #expect(try await delegate.completed() == [.response(401), .data("no"), .complete(nil)])
  }
}

/// What this process has had in memory at most.
private enum ProcessMemory {
  /// Bytes.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }
}
