import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tasks that the program suspends or cancels while something else is waited for, and delays that differ.
///
/// None is suspended while its end may be under way: Foundation ends a program that resumes such a task, without the hook
/// too (`TaskRegistry.behaviour(for:)`, `_NativeProtocol`; three of three programs that did it 20,000 times).
@Suite(.bounded) struct SuspendedTests {
  private let url = URL(string: "http://stubbed.test/a")!

  /// Opened once, by the test.
  private final class Gate: Sendable {
    private let state = SeenLock<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
    private let arrived = SeenLock(0)

    var hasArrived: Bool { arrived.withLock { $0 > 0 } }

    func pass() async {
      arrived.withLock { $0 += 1 }
      await withCheckedContinuation { next in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(next) }
          return state.isOpen
        }
        if isOpen { next.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        defer { state = (true, []) }
        return state.waiting
      }
      for next in waiting { next.resume() }
    }
  }

  /// All that was put on the task's own queue so far is done.
  private func settle(_ task: URLSessionTask) {
    for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} }
  }

  /// A session whose requests are answered by code of its own scope.
  private func session(_ scope: SessionScope, _ delegate: CallbackRecorder) -> URLSession {
    URLSession(configuration: scope.configuration(), delegate: delegate, delegateQueue: nil)
  }

  @Test func whatCodeAnswersMeanwhileComesWhenItIsResumed() async throws {
    let (scope, gate) = (Patchbay.scope(), Gate())
    scope.stub(.get("*/b")) { _ in .text("b") }
    scope.stub { _ in
      await gate.pass()
      return .text("answered", status: 201)
    }
    let delegate = CallbackRecorder()
    let task = session(scope, delegate).dataTask(with: url)
    task.resume()
    try await until { gate.hasArrived }
    task.suspend()
    settle(task)
    gate.open()
    // What was made ready before has come by then.
    for _ in 0..<3 { _ = try await scope.session().data(from: URL(string: "http://stubbed.test/b")!) }
    settle(task)
    #expect(delegate.callbacks.isEmpty)
    task.resume()
    #expect(try await delegate.completed() == [.response(201), .data("answered"), .complete(nil)])
  }

  @Test func whatCodeAnswersAfterACancelIsNotHeard() async throws {
    let (scope, gate) = (Patchbay.scope(), Gate())
    scope.stub { _ in
      await gate.pass()
      return .text("too late")
    }
    let delegate = CallbackRecorder()
    let task = session(scope, delegate).dataTask(with: url)
    task.resume()
    try await until { gate.hasArrived }
    task.cancel()
    #expect(try await delegate.completed() == [.complete(-999)])
    gate.open()
    settle(task)
    #expect(delegate.callbacks == [.complete(-999)])
    try await until { scope.exchanges.first?.outcome == .cancelled }
  }

  @Test func aHeldRequestThatIsLetGoWaitsForItsResume() async throws {
    enum Tag {}
    let answer = Stub(name: "answer", then: .respond(CannedResponse(body: .text("x"))))
    let hook = HookFixture<Tag>([Stub(name: "hold", then: .hold(.request)), answer])
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: url)
    task.resume()
    try await until { hook.sink.isHolding }
    task.suspend()
    settle(task)
    try await hook.sink.decide(.continue(request: nil, response: nil))
    settle(task)
    #expect(delegate.callbacks.isEmpty && hook.sink.unheld == 0)
    task.resume()
    #expect(try await delegate.completed() == [.response(200), .data("x"), .complete(nil)])
    #expect(try await hook.sink.ended()[0].held == [.request, .released])
  }

  // MARK: A stream that says nothing

  /// Reads nothing until it is let go.
  private final class SilentStream: InputStream {
    let gate = DispatchSemaphore(value: 0)
    private let first: Data
    private var isOver = false

    init(first: String) {
      self.first = Data(first.utf8)
      super.init(data: Data())
    }

    private var given = false
    override func open() {}
    override func close() {}
    override var streamStatus: Stream.Status { .open }
    override var hasBytesAvailable: Bool { !isOver }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
      guard given else {
        given = true
        first.copyBytes(to: buffer, count: min(maxLength, first.count))
        return first.count
      }
      gate.wait()
      isOver = true
      return 0
    }
  }

  /// Neither a pattern that looks at the body nor a rule that changes it waits for ever.
  @Test(arguments: [true, false]) func aStreamThatStopsIsWaitedForAsLongAsTheRequestMay(_ isMatched: Bool) async throws
  {
    enum Tag {}
    let matching = Stub(
      name: "matching", when: RequestPattern(body: BodyPattern(contains: .glob("*"))), then: .respond(.status(202)))
    let changing = Stub(
      name: "changing",
      then: .pass(PassChanges(to: "http://127.0.0.1:9", request: RequestChanges(mergePatch: ["a": 1]))))
    let hook = HookFixture<Tag>([isMatched ? matching : changing])
    let stream = SilentStream(first: "{")
    defer { stream.gate.signal() }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBodyStream = stream
    request.timeoutInterval = 0.05
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: request).resume()
    #expect(try await delegate.completed() == [.complete(-1_001)])
    let told = try await hook.sink.ended()[0]
    #expect(told.end?.outcome == .failed && told.end?.error?.name == "timedOut" && told.head == nil)
  }

  // MARK: Delays

  @Test func aDelayIsDrawnForEachRequest() {
    #expect(Delay.fixed(.milliseconds(1_500)).drawn == 1.5 && Delay.fixed(.zero).drawn == 0)
    #expect(Delay.fixed(.seconds(-3)).drawn == 0, "it is never negative")
    let drawn = (0..<200).map { _ in Delay.random(from: .seconds(1), to: .seconds(2)).drawn }
    #expect(drawn.allSatisfy { (1...2).contains($0) } && Set(drawn).count > 100)
    #expect(drawn.contains { $0 < 1.5 } && drawn.contains { $0 > 1.5 })
    for (from, to) in [(2, 2), (3, 2), (2, -1)] {
      #expect(Delay.random(from: .seconds(from), to: .seconds(to)).drawn == Double(from), "\(from) to \(to)")
    }
    #expect(Duration(secondsComponent: 1, attosecondsComponent: 250_000_000_000_000_000).seconds == 1.25)
  }
}
