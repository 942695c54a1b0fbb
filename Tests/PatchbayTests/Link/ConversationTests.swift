import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One connection from its beginning to its end, as the console hears it.
@Suite(.bounded) struct ConversationTests {
  private static let stub = Stub(name: "mine", then: .respond(CannedResponse(status: 204)))

  /// The same bytes as the console would send.
  private func bytes(_ messages: ConsoleMessage...) -> [UInt8] {
    var encoder = FrameEncoder()
    for message in messages { encoder.append(message) }
    return Array(encoder.bytes)
  }

  @Test func itBeginsWithWhoTheProgramIsAndWhatItsCodeSays() throws {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.controller.changeCode { _ = $0.add(CodeStub(stub: Self.stub)) }
    for sentence in ["one", "two"] { fixture.controller.say(sentence) }
    let before = Timestamp.now
    fixture.link.begin(.configuration)
    #expect(console.hears(.applied(revision: 1)))
    guard case .hello(let hello)? = console.heard.first else { throw WaitedTooLong() }
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(
      hello
        == Hello(
          process: HarnessProcess(name: ProcessInfo.processInfo.processName, pid: getpid()), executable: executable,
          parent: getppid(), entry: .configuration, instance: hello.instance, startedAt: hello.startedAt))
    #expect(hello.startedAt <= before)
    #expect(LinkFixture("/nowhere").link.hello.instance != hello.instance, "each link has a number of its own")
    #expect(
      Array(console.heard.dropFirst()) == [
        .codeStubs([Self.stub]), .notice("one"), .notice("two"), .applied(revision: 1),
      ])
    #expect(fixture.link.hello == hello)
  }

  /// Of requests' bodies as much is told as the console wants, from its welcome on.
  @Test func theLimitOfRequestsBodiesIsTheConsoles() throws {
    let console = FakeConsole(settings: HookSettings(requestBodyLimit: 3))
    let fixture = LinkFixture(console.path)
    fixture.attach()
    func report() {
      var report = ExchangeReport(key: fixture.hook.nextKey())
      report.start = fixture.start
      report.start?.request.body = .data(Data("a body".utf8))
      report.end = ExchangeUpdate.End(at: 1, outcome: .responded)
      fixture.hook.snapshot.sink?.report(report)
    }
    report()
    #expect(console.waits { $0.updates.count == 1 })
    for (limit, number) in [(UInt64(6), 2), (5, 3), (0, 4)] {
      console.send(.settings(HookSettings(requestBodyLimit: limit)))
      #expect(fixture.waits { $0.hook.snapshot.settings.requestBodyLimit == limit })
      report()
      #expect(console.waits { $0.updates.count == number })
    }
    let requests = console.updates.compactMap(\.start?.request)
    #expect(
      requests.map { $0.body.map { String(decoding: $0, as: UTF8.self) } ?? "" } == ["a b", "a body", "a bod", ""])
    #expect(requests.map(\.truncated) == [true, false, true, true])
  }

  @Test func whatTheConsoleSaysMayComeByteByByte() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    // Linked, so that what the console says by itself has been said: nothing comes between these bytes.
    fixture.attach()
    let all = bytes(
      .stubs(StubPush(set: StubSet(revision: 5, stubs: [Self.stub]))), .settings(HookSettings(degree: .observe)),
      .stubs(StubPush(set: StubSet(revision: 6))))
    for byte in all { console.sendRaw([byte]) }
    #expect(console.hears(.applied(revision: 6)) && console.heard.contains(.applied(revision: 5)))
    #expect(fixture.hook.snapshot.settings.degree == .observe && fixture.link.phase == .linked)
  }

  /// A later console may say what this hook does not know.
  @Test func whatIsNotKnownIsPassedOver() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let unknown: [UInt8] = [0, 0, 0, 3, 1, 250, 7]
    console.sendRaw(unknown + bytes(.settings(HookSettings(degree: .observe))) + unknown + unknown)
    #expect(fixture.waits { $0.hook.snapshot.settings.degree == .observe })
    console.send(.stubs(StubPush(set: StubSet(revision: 2))))
    #expect(console.hears(.applied(revision: 2)) && fixture.link.phase == .linked)
  }

  /// What follows a refusal, or what is no message, is not heard any more.
  @Test func afterARefusalNothingIsHeard() {
    for ending in [bytes(.refused("No.")), [0, 0, 0, 4, 1, 2, 9, 9]] {
      let console = FakeConsole()
      let fixture = LinkFixture(console.path)
      fixture.attach()
      console.sendRaw(ending + bytes(.stubs(StubPush(set: StubSet(revision: 9)))))
      #expect(fixture.waits { if case .refused = $0.link.phase { true } else { false } })
      #expect(console.waits { $0.ended == 1 })
      #expect(fixture.waits { !$0.hook.snapshot.active } && !console.heard.contains(.applied(revision: 9)))
    }
  }

  /// Who waits for the first stubs goes on when they cannot come, and knows why.
  @Test func aRefusalEndsTheWaitForTheFirstStubs() {
    for promise in [nil, StubPromise(unmatched: .fail)] {
      let console = FakeConsole(push: nil)
      let fixture = LinkFixture(console.path, promise: promise)
      let isOver = SeenLock(false)
      DispatchQueue.global().async {
        fixture.link.begin(.attach)
        isOver.withLock { $0 = true }
      }
      #expect(console.waits { !$0.heard.isEmpty })
      console.send(.refused("Not you."))
      #expect(fixture.waits { $0.link.phase == .refused("Not you.") })
      #expect(fixture.waits { _ in isOver.withLock { $0 } })
      #expect(fixture.waits { !$0.hook.snapshot.awaitsStubs })
      let snapshot = fixture.hook.snapshot
      #expect(snapshot.active == (promise != nil) && snapshot.withoutStubs == (promise == nil ? nil : "Not you."))
      #expect(fixture.waits { $0.link.state.withLock { $0.settled && $0.waiters.isEmpty } })
    }
  }

  @Test func whatWasHeldIsLetGoAndWhatIsReportedIsNotKept() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let sink = fixture.hook.snapshot.sink
    console.stop()
    #expect(fixture.waits { $0.link.phase == .waiting && !$0.hook.snapshot.active })
    var report = ExchangeReport(key: .max)
    report.start = fixture.start
    sink?.report(report)
    sink?.notice("nobody hears it")
    #expect(fixture.link.queue.takeOrSleep() == nil)
  }

  @Test func whatIsAskedBeforePromisedStubsComeIsTold() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path, promise: StubPromise(unmatched: .fail))
    let early = fixture.report()
    fixture.attach()
    let later = fixture.report()
    #expect(console.waits { $0.updates.count == 2 })
    #expect(console.updates.map(\.key) == [early, later])
  }

  // MARK: What is told again, and what only once

  /// Whoever comes anew knows nothing of what was counted before.
  @Test func aConsoleThatComesBackIsToldAllCountersAgain() throws {
    let first = FakeConsole()
    let fixture = LinkFixture(first.path)
    fixture.controller.changeCode { _ = $0.add(CodeStub(stub: Self.stub)) }
    fixture.attach()
    let url = try #require(URL(string: "http://a.example/"))
    let facts = RequestFacts(method: "GET", url: "http://a.example/")
    let taken = fixture.hook.snapshot.stubs?.decide(facts, of: URLRequest(url: url), scope: nil).taken
    #expect(taken?.match?.stub == "mine")
    let progress = HookMessage.progress([StubProgress(name: "mine", hits: 1)])
    fixture.report()
    #expect(first.hears(progress))
    first.stop()
    #expect(fixture.waits { $0.link.phase == .waiting })
    let next = FakeConsole(path: first.path)
    #expect(next.hears(.applied(revision: 1)))
    fixture.report()
    #expect(next.hears(progress))
  }

  @Test func theConsoleMovesAScenarioAndHearsOfEachMove() throws {
    let stub = Stub(name: "a", then: .respond(CannedResponse()), scenario: .init("login", in: "Started", to: "in"))
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [stub])))
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let request = URLRequest(url: try #require(URL(string: "http://a.example/")))
    func takes() -> Bool {
      let facts = RequestFacts(method: "GET", url: "http://a.example/")
      return fixture.hook.snapshot.stubs?.decide(facts, of: request, scope: nil).taken != nil
    }
    for (state, isTaken) in [("out", false), ("Started", true)] {
      console.send(.setScenario(ScenarioState(name: "login", state: state)))
      #expect(console.hears(.scenarios([ScenarioState(name: "login", state: state)])))
      #expect(takes() == isTaken)
    }
    fixture.report()
    #expect(console.hears(.scenarios([ScenarioState(name: "login", state: "in")])))
  }

  @Test func whatIsMissingIsToldWhenItChanges() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let shed = Shed(exchanges: 1, bodies: 2, bytes: 3)
    fixture.link.queue.add(shed)
    for number in 1...4 {
      fixture.report()
      #expect(console.waits { $0.updates.count == number })
    }
    #expect(console.heard.count { $0 == .shed(shed) } == 1)
  }

  @Test func whatHasBeenSentMakesRoom() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path, limits: ReportQueue.Limits(bodies: 1_000, facts: 3 * 1_024))
    fixture.attach()
    for number in 1...12 {
      fixture.report(body: Data(count: 900))
      #expect(console.waits { $0.updates.count == number })
    }
    #expect(fixture.link.queue.shed == Shed() && console.updates.allSatisfy { $0.data?.count == 900 })
  }

  /// Nobody asks the framework for an answer's head before its request has been told.
  @Test func whoHasNoAnswerYetHearsThatItsBeginningWasRead() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let slow = SeenLock(0)
    let recorder = ExchangeRecorder(
      key: fixture.hook.nextKey(), snapshot: fixture.hook.snapshot, start: fixture.start)
    #expect(recorder.flush { slow.withLock { $0 += 1 } })
    #expect(fixture.waits { _ in slow.withLock { $0 } == 1 })
    recorder.end(.cancelled)
    #expect(console.waits { $0.updates.last?.end?.outcome == .cancelled })
  }

  /// Each push of stubs leaves alone what began under an earlier one.
  @Test func whatBeganBeforeALaterPushCanBeHeld() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let key = fixture.hook.nextKey()
    console.send(.stubs(StubPush(set: StubSet(revision: 2))))
    #expect(console.hears(.applied(revision: 2)))
    let decisions = SeenLock<[Verdict.Decision?]>([])
    fixture.hook.snapshot.sink?.hold(key) { decision in decisions.withLock { $0.append(decision) } }
    #expect(decisions.withLock { $0.isEmpty })
    console.send(.verdict(Verdict(key: key, decision: .drop)))
    #expect(fixture.waits { _ in decisions.withLock { $0 } == [.drop] })
  }

  // MARK: The end of the process

  @Test func withoutALinkTheEndWaitsForNothing() throws {
    let clock = ContinuousClock()
    // A busy machine is late by itself, but not each time.
    let took = (0..<Patience.tries(5)).map { _ in
      let fixture = LinkFixture("/nowhere/at/all.sock")
      return clock.measure { fixture.link.flush() }
    }
    #expect(took.contains { $0 < .milliseconds(150) }, "\(took)")
    let console = FakeConsole(push: nil)
    let address = LinkAddress(path: console.path, isExplicit: true)
    let connecting = try (0..<Patience.tries(5)).map { _ in
      let fixture = LinkFixture(console.path)
      let isTaken = fixture.link.handOver(try LinkSocket.connect(to: address))
      #expect(isTaken && fixture.link.phase == .connecting)
      defer { fixture.link.takeHandover()?.close() }
      return clock.measure { fixture.link.flush() }
    }
    #expect(connecting.contains { $0 < .milliseconds(150) }, "\(connecting)")
  }

  @Test func afterTheEndOfAnAttemptToEndAllIsAsBefore() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    #expect(fixture.link.flushStage == .none && fixture.link.untilNextFlushStage == nil && !fixture.link.isFlushing)
    for round in 1...3 {
      fixture.report(body: Data(count: 100_000))
      fixture.link.flush()
      #expect(console.waits { $0.updates.count { $0.end != nil } == round })
      // A busy machine may come to the end of its patience, and then the thread is still at it.
      #expect(fixture.waits { $0.link.flushStage == .none && !$0.link.isFlushing })
    }
    let bytes = console.updates.reduce(0) { $0 + ($1.data?.count ?? 0) }
    let cut = console.updates.count { $0.end?.responseTruncated == true }
    #expect(cut > 0 || bytes == 300_000)
  }
}
