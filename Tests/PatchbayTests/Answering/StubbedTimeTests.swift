import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Delays, paces, timeouts, and what the program does meanwhile.
@Suite(.bounded) struct StubbedTimeTests {
  private let url = URL(string: "http://stubbed.test/slow")!

  private func delayed(_ delay: Duration) -> Action {
    .respond(CannedResponse(body: .text("late"), delay: .fixed(delay)))
  }

  @Test func anAnswerWaitsForItsDelay() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.milliseconds(80)))
    let began = ContinuousClock.now
    let (data, _) = try await hook.session().data(from: url)
    #expect(ContinuousClock.now - began >= .milliseconds(80))
    #expect(String(decoding: data, as: UTF8.self) == "late")
  }

  @Test func otherRequestsAreNotHeldUp() async throws {
    enum Tag {}
    let slow = Stub(name: "slow", when: RequestPattern(path: .glob("/slow")), then: delayed(.seconds(30)))
    let quick = Stub(name: "quick", then: .respond(CannedResponse(body: .text("quick"))))
    let hook = HookFixture<Tag>([slow, quick])
    let session = hook.session()
    let waiting = session.dataTask(with: url) { _, _, _ in }
    waiting.resume()
    // What is cancelled before it has begun is never told of.
    try await until { !hook.sink.exchanges.isEmpty }
    for _ in 0..<20 { _ = try await session.data(from: URL(string: "http://stubbed.test/quick")!) }
    #expect(waiting.state == .running)
    waiting.cancel()
    #expect(try await hook.sink.ended(21).count == 21)
  }

  @Test func aCancelDuringTheDelayEndsIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.seconds(30)))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: url)
    task.resume()
    try await until { !hook.sink.exchanges.isEmpty }
    task.cancel()
    #expect(try await delegate.completed() == [.complete(URLError.cancelled.rawValue)])
    let told = try await hook.sink.ended()
    #expect(told[0].end?.outcome == .cancelled)
    #expect(delegate.callbacks.count == 1)
    #expect(hook.sink.exchanges[0].late == 0)
  }

  @Test func theRequestsTimeoutCounts() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.seconds(60)))
    var request = URLRequest(url: url)
    request.timeoutInterval = 0.1
    let error = await #expect(throws: URLError.self) { try await hook.session().data(for: request) }
    #expect(error?.code == .timedOut)
    #expect(error?.failingURL == url)
    #expect(try await hook.sink.ended()[0].end?.error?.name == "timedOut")
  }

  @Test func theSessionsTimeoutCounts() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.seconds(60)))
    let session = hook.session { $0.timeoutIntervalForRequest = 0.1 }
    let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(error?.code == .timedOut)
  }

  @Test func aHandlerGetsADribbledBodyWhole() async throws {
    enum Tag {}
    let pace = Pace.dribble(pieces: 5, over: .milliseconds(50))
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("one two three"), pace: pace)))
    let (data, _) = try await hook.session().data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "one two three")
    #expect(try await hook.sink.ended()[0].data == data)
  }

  @Test func aDelegateGetsItInPieces() async throws {
    enum Tag {}
    let pace = Pace.dribble(pieces: 3, over: .milliseconds(30))
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("aabbcc"), pace: pace)))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: url).resume()
    #expect(
      try await delegate.completed() == [.response(200), .data("aa"), .data("bb"), .data("cc"), .complete(nil)])
  }

  @Test func aThrottledBodyTakesItsTime() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .respond(CannedResponse(body: .filler(bytes: 2_000), pace: .throttle(bytesPerSecond: 10_000))))
    let began = ContinuousClock.now
    let (data, _) = try await hook.session().data(from: url)
    #expect(data.count == 2_000)
    #expect(ContinuousClock.now - began >= .milliseconds(190))
  }

  @Test func aSuspendedTaskWaitsForItsResume() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.milliseconds(300)))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: url)
    task.resume()
    task.suspend()
    try await Task.sleep(for: .milliseconds(400))
    #expect(delegate.callbacks.isEmpty)
    task.resume()
    #expect(try await delegate.completed() == [.response(200), .data("late"), .complete(nil)])
  }

  /// The framework says so only when the task runs again already.
  @Test(arguments: 1...20) func aTaskThatIsSuspendedAndResumedAtOnceGoesOn(_ round: Int) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.milliseconds(30)))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: url)
    task.resume()
    task.suspend()
    task.resume()
    #expect(try await delegate.completed() == [.response(200), .data("late"), .complete(nil)])
  }

  /// What takes just as long as is allowed is too late, and 0 is no limit.
  @Test(arguments: [(0.05, false), (0, true), (30, true)] as [(Double, Bool)])
  func aDelayOf50MillisecondsIsInTime(_ timeout: Double, _ isInTime: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(delayed(.milliseconds(50)))
    var request = URLRequest(url: url)
    request.timeoutInterval = timeout
    let data = try? await hook.session().data(for: request).0
    #expect(data == (isInTime ? Data("late".utf8) : nil))
    #expect(try await hook.sink.ended()[0].end?.error?.name == (isInTime ? nil : "timedOut"))
  }
}
