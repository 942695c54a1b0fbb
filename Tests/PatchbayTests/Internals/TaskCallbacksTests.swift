import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rows of a session's task registry, and who is put into them. No task of these is ever resumed.
@Suite(.bounded) struct TaskCallbacksTests {
  /// Hears nothing of tasks.
  private final class SessionDelegate: NSObject, URLSessionDelegate {}

  private let url = URL(string: "http://a.example/x")!
  private let plain = URLSession(configuration: .ephemeral)
  private let delegated = URLSession(configuration: .ephemeral, delegate: CallbackRecorder(), delegateQueue: nil)

  private func end() {
    plain.invalidateAndCancel()
    delegated.invalidateAndCancel()
  }

  private func recorder(_ sink: RecordingSink) -> ExchangeRecorder {
    ExchangeRecorder(
      key: 1, snapshot: HookSnapshot(active: true, sink: sink),
      start: ExchangeReport.Start(
        at: .now, request: RequestSnapshot(request: URLRequest(url: url)), task: .data, revision: 1))
  }

  /// Once its session has taken the task in, which it does on a queue of its own.
  private func callbacks(of task: URLSessionTask, in session: URLSession) async throws -> TaskCallbacks {
    for one in [plain, delegated, session] {
      await withCheckedContinuation { done in one.getAllTasks { _ in done.resume() } }
    }
    return try #require(TaskCallbacks(of: task, in: session))
  }

  /// Those that the hook has made for itself.
  private func made() async throws -> InterceptorRows {
    _ = InterceptorRows.prepare {}
    try await until { InterceptorRows.current != nil }
    return try #require(InterceptorRows.current)
  }

  @Test func theHooksRowsNameItsListeners() async throws {
    defer { end() }
    let rows = try await made()
    for (row, listener) in [(rows.body, BodyInterceptor.shared), (rows.head, HeadInterceptor.shared)]
      as [(InterceptorRows.Row, NSObject)]
    {
      #expect(TaskCallbacks.kind(of: row.value) == .dataWithDelegate)
      #expect(TaskCallbacks.delegate(of: row.value) === listener)
      #expect(TaskCallbacks.delegateIsThird(in: row.value, listener))
      #expect(!TaskCallbacks.delegateIsThird(in: row.value, NSObject()))
      for isThird in [true, false] { #expect(TaskCallbacks.hasDelegate(row.value, isThird: isThird)) }
    }
    #expect(rows.body.delegateIsThird && rows.head.delegateIsThird && rows.delegatesAreThird)
    let isReady = InterceptorRows.prepare {}
    #expect(isReady, "they are there, and nobody waits")
  }

  @Test func eachTaskHasARowOfItsKind() async throws {
    defer { end() }
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    for (task, session, kind) in [
      (delegated.dataTask(with: url), delegated, .delegate), (delegated.downloadTask(with: url), delegated, .delegate),
      (plain.dataTask(with: url), plain, .delegate), (plain.dataTask(with: url) { _, _, _ in }, plain, .data),
      (delegated.dataTask(with: url) { _, _, _ in }, delegated, .data),
      (plain.uploadTask(with: post, from: Data("x".utf8)) { _, _, _ in }, plain, .data),
      (plain.downloadTask(with: url) { _, _, _ in }, plain, .download),
    ] as [(URLSessionTask, URLSession, TaskCallbacks.Kind)] {
      let callbacks = try await callbacks(of: task, in: session)
      #expect(callbacks.kind == kind && callbacks.row.flatMap(TaskCallbacks.kind(of:)) == kind)
      #expect(!callbacks.mayHaveDataDelegate)
    }
  }

  @Test func whereThereIsNoRowNoneIsReplaced() async throws {
    defer { end() }
    let rows = try await made()
    let task = plain.dataTask(with: url) { _, _, _ in }
    let missing = try await callbacks(of: task, in: delegated)
    #expect(missing.kind == nil && missing.row == nil && !missing.mayHaveDataDelegate)
    #expect(!missing.replace(with: rows.head.value) && missing.row == nil)
    let own = try await callbacks(of: task, in: plain)
    #expect(!own.replace(with: 7) && own.kind == .data)
  }

  /// Listeners are put in where they hear something that would not be known otherwise, and taken out again.
  @Test func whoListensDependsOnTheTask() async throws {
    _ = try await made()
    let other = URLSession(configuration: .ephemeral, delegate: SessionDelegate(), delegateQueue: nil)
    defer {
      end()
      other.invalidateAndCancel()
    }
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    post.httpBody = Data("x".utf8)
    for (task, session, seesBody, expectsHead, kind) in [
      (delegated.dataTask(with: url), delegated, true, true, .dataWithDelegate),
      (delegated.dataTask(with: post), delegated, true, true, .dataWithDelegate),
      (delegated.downloadTask(with: url), delegated, false, false, .delegate),
      (delegated.dataTask(with: url) { _, _, _ in }, delegated, false, false, .dataWithDelegate),
      (delegated.dataTask(with: post) { _, _, _ in }, delegated, false, false, .data),
      (plain.dataTask(with: url), plain, false, false, .delegate),
      (other.dataTask(with: url), other, false, false, .delegate),
      (plain.downloadTask(with: url) { _, _, _ in }, plain, false, false, .download),
    ] as [(URLSessionTask, URLSession, Bool, Bool, TaskCallbacks.Kind)] {
      let sink = RecordingSink()
      let recorder = recorder(sink)
      let callbacks = try await callbacks(of: task, in: session)
      let own = callbacks.kind
      let interceptor = try #require(CallbackInterceptor(task: task, session: session, recorder: recorder))
      #expect(interceptor.seesBody == seesBody && interceptor.expectsHead == expectsHead)
      for _ in 0..<2 {
        interceptor.remove()
        #expect(callbacks.kind == own)
        for _ in 0..<2 {
          interceptor.install()
          #expect(callbacks.kind == kind)
        }
      }
      interceptor.remove()
      #expect(callbacks.kind == own)
      if let task = task as? URLSessionDataTask {
        BodyInterceptor.shared.urlSession(session, dataTask: task, didReceive: Data("piece".utf8))
      }
      BodyInterceptor.shared.forget(task)
      recorder.end(.responded)
      #expect(sink.exchanges.first?.data == (seesBody ? Data("piece".utf8) : Data()))
    }
  }

  @Test func onlyWhatWasPutInIsTakenOut() async throws {
    defer { end() }
    let rows = try await made()
    let task = plain.dataTask(with: url) { _, _, _ in }
    let callbacks = try await callbacks(of: task, in: plain)
    let own = try #require(callbacks.row)
    let interceptor = try #require(
      CallbackInterceptor(task: task, session: plain, recorder: recorder(RecordingSink())))
    callbacks.replace(with: rows.body.value)
    interceptor.remove()
    #expect(callbacks.kind == .dataWithDelegate)
    callbacks.replace(with: own)
    #expect(callbacks.kind == .data)
  }

  /// The delegate of one call stays in its place: it hears of the head by itself.
  @Test func theDelegateOfOneCallIsLeftAlone() async throws {
    defer { end() }
    let rows = try await made()
    let task = plain.dataTask(with: url) { _, _, _ in }
    let callbacks = try await callbacks(of: task, in: plain)
    let own = try #require(callbacks.row)
    callbacks.replace(with: rows.body.value)
    #expect(callbacks.kind == .dataWithDelegate && callbacks.mayHaveDataDelegate)
    let interceptor = CallbackInterceptor(task: task, session: plain, recorder: recorder(RecordingSink()))
    #expect(interceptor?.seesBody == false && interceptor?.expectsHead == true)
    interceptor?.install()
    #expect(callbacks.row.flatMap(TaskCallbacks.delegate(of:)) === BodyInterceptor.shared)
    callbacks.replace(with: own)
  }
}

/// The hook's own queue.
@Suite(.bounded) struct HookQueueTests {
  @Test func whatWasPutThereIsDoneWhenItHasSettled() {
    let (gate, done) = (DispatchSemaphore(value: 0), SeenLock(false))
    HookQueue.shared.async {
      gate.wait()
      done.withLock { $0 = true }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { gate.signal() }
    let began = ContinuousClock.now
    HookQueue.settle(before: .now() + .seconds(30))
    #expect(done.withLock { $0 })
    #expect(ContinuousClock.now - began < .seconds(25), "no longer than that")
  }

  @Test func whatMayBlockStandsInNobodysWay() {
    let (gate, passed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    HookQueue.apart { gate.wait() }
    HookQueue.apart { passed.signal() }
    HookQueue.shared.async { passed.signal() }
    for _ in 0..<2 { #expect(passed.wait(timeout: .now() + .seconds(20)) == .success) }
    gate.signal()
  }
}
