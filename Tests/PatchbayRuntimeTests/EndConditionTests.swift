import Dispatch
import Foundation
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayRuntime
@testable import PatchbayServer

/// What ends a console without a screen.
@Suite(.bounded) struct EndConditionTests {
  // MARK: Spans of time

  @Test(
    arguments: [
      (.zero, 0, 0), (.nanoseconds(1), 0, 1), (.nanoseconds(999), 0, 999), (.nanoseconds(1_000), 1, 1_000),
      (.nanoseconds(1_999), 1, 1_999), (.milliseconds(300), 300_000, 300_000_000),
      (.milliseconds(1_500), 1_500_000, 1_500_000_000), (.seconds(86_400), 86_400_000_000, 86_400_000_000_000),
      (.milliseconds(-1_500), -1_500_000, -1_500_000_000),
      // The largest that 64 bits of nanoseconds hold, and a nanosecond more.
      (.seconds(9_223_372_036) + .nanoseconds(854_775_807), 9_223_372_036_854_775, .max),
      (.seconds(9_223_372_036) + .nanoseconds(854_775_808), 9_223_372_036_854_775, .max),
      (.seconds(9_223_372_036) + .nanoseconds(854_775_806), 9_223_372_036_854_775, .max - 1),
      (.seconds(-9_223_372_037), -9_223_372_037_000_000, .min),
      (.seconds(9_223_372_037), 9_223_372_037_000_000, .max), (.seconds(10_000_000_000), 10_000_000_000_000_000, .max),
      (.seconds(1_000_000_000_000), 1_000_000_000_000_000_000, .max),
      (.seconds(9_223_372_036_854), 9_223_372_036_854_000_000, .max),
      (.seconds(9_223_372_036_855), .max, .max), (.seconds(Int64.max), .max, .max), (.seconds(Int64.min), .min, .min),
    ] as [(Duration, Int64, Int)])
  func spansAreCountedAndSaturate(_ span: Duration, _ microseconds: Int64, _ nanoseconds: Int) {
    #expect(span.microseconds == microseconds)
    #expect(span.dispatchInterval == .nanoseconds(nanoseconds))
  }

  @Test(arguments: [Duration.seconds(10_000_000_000), .seconds(1_000_000_000_000), .seconds(Int64.max)])
  func aSpanWithoutMeasureNeverEnds(_ span: Duration) {
    #expect(DispatchTime.now() + span.dispatchInterval == .distantFuture)
  }

  @Test func endsAfterItsTime() async {
    let end = EndCondition()
    end.end(after: .zero)
    #expect(await end.wait() == .time)
    let later = EndCondition()
    let began = ContinuousClock.now
    later.end(after: .milliseconds(30))
    #expect(await later.wait() == .time)
    #expect(ContinuousClock.now - began >= .milliseconds(30))
  }

  @Test func aTimeThatIsFarOffDoesNotEndIt() async {
    let end = EndCondition()
    end.end(after: .seconds(10_000_000_000))
    end.end(after: .seconds(3_600))
    end.end(after: .milliseconds(20))
    #expect(await end.wait() == .time)
    let other = EndCondition()
    other.end(after: .seconds(10_000_000_000))
    let told = Task { await other.wait() }
    // Whatever was due comes before this.
    _ = await end.wait()
    other.end(.programGone)
    #expect(await told.value == .programGone)
  }

  // MARK: The first reason

  @Test(arguments: [.time, .idle, .signal(SIGTERM), .commandEnded, .programGone] as [EndCondition.Reason])
  func theFirstReasonStays(_ reason: EndCondition.Reason) async {
    let end = EndCondition()
    end.end(reason)
    end.end(reason == .idle ? .time : .idle)
    #expect(await end.wait() == reason)
    #expect(await end.wait() == reason)
  }

  @Test func whoWaitsIsTold() async throws {
    let end = EndCondition()
    let waiting = Task { await end.wait() }
    await Task.yield()
    end.end(.commandEnded)
    end.end(.idle)
    #expect(await waiting.value == .commandEnded)
  }

  // MARK: Quiet

  private let process = HarnessProcess(name: "demo", pid: 7)

  private func exchange(_ id: Int64, _ phase: Exchange.Phase) -> Exchange {
    var exchange = Exchange(
      id: id, process: process, startedAt: Timestamp(microseconds: id),
      request: RecordedRequest(method: "GET", url: "http://a.example/"))
    exchange.phase = phase
    return exchange
  }

  private var linked: ServerEvent {
    let hello = Hello(
      process: process, executable: "/bin/demo", parent: 1, entry: .attach, instance: 1,
      startedAt: Timestamp(microseconds: 1))
    return .linked(
      LinkInfo(id: LinkID(1), hello: hello, at: Timestamp(microseconds: 2), settings: HookSettings()))
  }

  @Test func itIsQuietWhileNoExchangeIsUnderWay() {
    var underWay = ExchangesUnderWay()
    #expect(underWay.received([]) == nil)
    #expect(underWay.received([.notice(process, "hello"), .progress(process, [])]) == nil)
    #expect(underWay.received([linked]) == true)
    for phase in Exchange.Phase.allCases where phase != .ended {
      #expect(underWay.received([.exchanges([exchange(1, phase)])]) == false, "\(phase)")
      #expect(underWay.received([linked]) == false)
      #expect(underWay.received([.notice(nil, "hello")]) == nil)
    }
    #expect(underWay.received([.exchanges([exchange(2, .waiting), exchange(3, .ended)])]) == false)
    #expect(underWay.received([.exchanges([exchange(1, .ended)])]) == false)
    #expect(underWay.received([.exchanges([exchange(2, .ended)]), .notice(nil, "bye")]) == true)
    #expect(underWay.received([.exchanges([exchange(4, .waiting)]), .exchanges([exchange(4, .ended)])]) == true)
    #expect(underWay.received([.exchanges([exchange(4, .ended), exchange(5, .heldRequest)])]) == false)
  }

  @Test func silenceEndsItFromTheStart() async {
    let end = EndCondition()
    _ = end.watcher(idle: .zero, countsFromLink: false)
    #expect(await end.wait() == .idle)
  }

  @Test func silenceEndsItFromTheFirstLink() async {
    let end = EndCondition()
    let told = end.watcher(idle: .milliseconds(1), countsFromLink: true)
    told([.notice(nil, "hello")])
    let other = EndCondition()
    other.end(after: .milliseconds(30))
    _ = await other.wait()
    let waiting = Task { await end.wait() }
    told([.exchanges([exchange(1, .waiting)])])
    told([linked])
    told([.exchanges([exchange(1, .ended)])])
    #expect(await waiting.value == .idle)
  }

  @Test func noSilenceEndsItWhileAnExchangeIsUnderWayOrNobodyHasLinked() async {
    let unlinked = EndCondition()
    unlinked.watcher(idle: .zero, countsFromLink: true)([.notice(nil, "hello")])
    let busy = EndCondition()
    let told = busy.watcher(idle: .milliseconds(5), countsFromLink: true)
    told([.exchanges([exchange(1, .ended), exchange(2, .heldResponse)])])
    let clock = EndCondition()
    clock.end(after: .milliseconds(30))
    _ = await clock.wait()
    for end in [unlinked, busy] {
      end.end(.commandEnded)
      #expect(await end.wait() == .commandEnded)
    }
  }

  // MARK: Signals

  /// What comes as soon as they are watched counts, and the first of them.
  @Test(.alone) func aSignalThatIsWatchedEndsIt() async {
    let end = EndCondition()
    end.watch(signals: [SIGPOLL, SIGVTALRM])
    kill(getpid(), SIGVTALRM)
    #expect(await end.wait() == .signal(SIGVTALRM))
  }

  #if os(Linux)
    /// One that comes between the moment from which it does not end this process and the one from which Dispatch listens.
    @Test(.alone) func aSignalThatComesBeforeItIsListenedToCounts() async throws {
      // Each once, for Dispatch keeps its handler; they are nobody's.
      for number in Int32(50)...57 {
        var before = sigaction()
        sigaction(number, nil, &before)
        let begun = Mutex(false)
        let sent = Mutex(false)
        let first = handler(before)
        Thread.detachNewThread {
          begun.withLock { $0 = true }
          let deadline = ContinuousClock.now + Patience.usual
          var now = sigaction()
          repeat { sigaction(number, nil, &now) } while handler(now) == first && ContinuousClock.now < deadline
          kill(getpid(), number)
          sent.withLock { $0 = true }
        }
        try await eventually("who sends it") { begun.withLock { $0 } }
        let end = EndCondition()
        end.watch(signals: [number])
        try await eventually("it is sent") { sent.withLock { $0 } }
        end.end(after: .seconds(2))
        #expect(await end.wait() == .signal(number))
      }
    }

    private func handler(_ action: sigaction) -> UInt {
      unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }
  #endif
}
