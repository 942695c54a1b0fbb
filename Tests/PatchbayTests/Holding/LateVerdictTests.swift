import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Verdicts that nothing waits for any more.
@Suite(.bounded) struct LateVerdictTests {
  private static let answer = Stub(name: "answer", then: .respond(CannedResponse(status: 299)))

  /// Keeps what each hold is to be decided by, and decides as often as it is asked to.
  private final class KeepingSink: ExchangeSink {
    private let sink: RecordingSink
    private let resumes = SeenLock<[@Sendable (Verdict.Decision?) -> Void]>([])

    init(_ sink: RecordingSink) { self.sink = sink }

    func report(_ report: ExchangeReport) { sink.report(report) }
    func unhold(_ key: UInt64) { sink.unhold(key) }
    func notice(_ sentence: String) { sink.notice(sentence) }

    func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {
      resumes.withLock { $0.append(resume) }
      sink.hold(key, resume: resume)
    }

    var holds: Int { resumes.withLock { $0.count } }

    func decide(_ decision: Verdict.Decision?, hold: Int) {
      let resume = resumes.withLock { $0[hold] }
      resume(decision)
    }

    func forget() { resumes.withLock { $0 = [] } }
  }

  private func keeping<Tag>(_ tag: Tag.Type, _ stubs: [Stub]) -> (HookFixture<Tag>, KeepingSink) {
    let hook = HookFixture<Tag>(stubs)
    let sink = KeepingSink(hook.sink)
    FixtureProtocol<Tag>.current.withLock {
      $0 = HookSnapshot(active: true, stubs: $0.stubs, revision: 1, sink: sink)
    }
    return (hook, sink)
  }

  /// All that was put on the task's own queue so far is done.
  private func settle(_ task: URLSessionTask) {
    for _ in 0..<3 { TaskInternals.workQueue(of: task)?.sync {} }
  }

  @Test func aSecondVerdictOnOneHoldIsNotTakenForTheNextHolds() async throws {
    enum Tag {}
    let (hook, sink) = keeping(Tag.self, [Stub(name: "hold", then: .hold(.both)), Self.answer])
    defer { sink.forget() }
    let task = Task { try await hook.session().data(from: URL(string: "http://twice.example/x")!).1 }
    try await hook.sink.decide(.continue(request: nil, response: nil))
    try await until { sink.holds == 2 && hook.sink.isHolding }
    sink.decide(.drop, hold: 0)
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect((try await task.value as? HTTPURLResponse)?.statusCode == 299)
    let told = try await hook.sink.ended()[0]
    #expect(told.held == [.request, .released, .response, .released] && told.late == 0)
  }

  @Test(arguments: [nil, .drop, .continue(request: nil, response: nil)] as [Verdict.Decision?])
  func aVerdictThatCrossesACancelIsNotHeard(_ decision: Verdict.Decision?) async throws {
    enum Tag {}
    let (hook, sink) = keeping(Tag.self, [Stub(name: "hold", then: .hold(.request)), Self.answer])
    defer { sink.forget() }
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: URL(string: "http://crossed.example/x")!)
    task.resume()
    try await until { hook.sink.isHolding }
    task.cancel()
    #expect(try await delegate.completed() == [.complete(URLError.cancelled.rawValue)])
    sink.decide(decision, hold: 0)
    settle(task)
    #expect(delegate.callbacks.count == 1)
    let told = try await hook.sink.ended()[0]
    #expect(told.held == [.request] && told.late == 0 && told.end?.outcome == .cancelled)
  }
}
