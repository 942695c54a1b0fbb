import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is in force: of the console's, the code's and the promise, as snapshots that requests are decided by.
@Suite(.bounded) struct HookControllerTests {
  private static let stub = Stub(name: "a", then: .respond(CannedResponse(status: 201)))

  private func link(_ controller: HookController) -> ConsoleLink {
    ConsoleLink(address: LinkAddress(path: "/nowhere/patchbay.sock", isExplicit: true), controller: controller)
  }

  private func push(
    _ unmatched: StubSet.Unmatched = .pass, hold: Action.HoldPoint? = nil, stubs: [Stub] = [stub],
    overrides: [String] = []
  ) -> StubPush {
    StubPush(set: StubSet(revision: 7, stubs: stubs, unmatched: unmatched, holdAll: hold), overrides: overrides)
  }

  private func facts(_ url: String = "http://x/") -> RequestFacts { RequestFacts(method: "GET", url: url) }

  private func decide(_ controller: HookController) -> StubDecider.Outcome? {
    controller.hook.snapshot.stubs?.decide(facts(), of: URLRequest(url: URL(string: "http://x/")!), scope: nil).taken
  }

  @Test func nothingIsTakenUntilSomebodySaysSo() {
    let controller = HookController(hook: HookState())
    #expect(!controller.hook.snapshot.active)
    controller.publish()
    controller.linkEnded(isGuest: false)
    controller.consoleGone("why")
    #expect(!controller.hook.snapshot.active && controller.sentences.isEmpty && !controller.wasPromisedStubs)
    controller.apply(HookSettings(degree: .observe))
    #expect(!controller.hook.snapshot.active)
  }

  @Test func aPushIsInForceAsItSays() {
    let controller = HookController(hook: HookState())
    var settings = HookSettings(degree: .observe, hosts: [.init(host: "*.Example.com", degree: .bypass)])
    controller.apply(push(.fail, hold: .response), settings: settings, link: link(controller))
    let snapshot = controller.hook.snapshot
    #expect(snapshot.active && snapshot.revision == 7 && snapshot.unmatched == .fail && snapshot.holdAll == .response)
    #expect(
      snapshot.settings == settings && snapshot.withoutStubs == nil && snapshot.room == nil && !snapshot.awaitsStubs)
    #expect(snapshot.stubs != nil && snapshot.sink != nil && snapshot.largestPatched == 64 << 20)
    #expect(
      snapshot.hosts.count == 1 && snapshot.hosts[0].glob.matches("api.example.com")
        && snapshot.hosts[0].degree == .bypass)
    #expect(decide(controller)?.action == Self.stub.then)
    settings.degree = .full
    controller.apply(settings)
    #expect(controller.hook.snapshot.settings == settings && controller.hook.snapshot.unmatched == .fail)
    controller.apply(push(stubs: []), settings: settings, link: link(controller))
    #expect(controller.hook.snapshot.active && controller.hook.snapshot.stubs == nil, "without stubs none is asked")
  }

  /// Without a promise: what stays of the console's when it has gone.
  @Test(arguments: [false, true], [StubSet.Unmatched.pass, .fail, .hold])
  func whatStaysWithoutTheConsole(_ keeps: Bool, _ unmatched: StubSet.Unmatched) {
    for isGuest in [false, true] {
      let controller = HookController(hook: HookState())
      controller.apply(
        push(unmatched, hold: .request), settings: HookSettings(degree: .observe, keepStubs: keeps),
        link: link(controller))
      _ = decide(controller)
      #expect(controller.takeProgress() == [StubProgress(name: "a", hits: 1)])
      controller.linkEnded(isGuest: isGuest)
      let snapshot = controller.hook.snapshot
      let stays = !isGuest && (keeps || unmatched == .fail)
      #expect(snapshot.active == stays && (snapshot.stubs != nil) == stays && snapshot.holdAll == nil)
      #expect(snapshot.unmatched == (stays && unmatched == .fail ? .fail : .pass))
      #expect(snapshot.settings == (stays ? HookSettings(degree: .observe, keepStubs: keeps) : HookSettings()))
      // Whoever comes next begins to count at zero, unless all goes on.
      controller.apply(push(), settings: HookSettings(), link: link(controller))
      _ = controller.takeProgress()
      #expect(decide(controller)?.match?.hit == (stays ? 2 : 1))
    }
  }

  @Test func countersOfStubsInCodeStayWhenTheConsoleGoes() {
    let controller = HookController(hook: HookState())
    _ = controller.declare(CodeStub(stub: Self.stub))
    controller.apply(push(overrides: ["a"]), settings: HookSettings(), link: link(controller))
    #expect(decide(controller)?.match?.hit == 1 && decide(controller)?.match?.hit == 2)
    controller.linkEnded(isGuest: false)
    #expect(decide(controller)?.match?.hit == 3)
    controller.resetCounts("b")
    #expect(decide(controller)?.match?.hit == 4)
    controller.resetCounts("a")
    #expect(decide(controller)?.match?.hit == 1)
    controller.resetCounts(nil)
    #expect(decide(controller)?.match?.hit == 1)
  }

  @Test func countersAreToldWhenTheyChange() {
    let controller = HookController(hook: HookState())
    controller.apply(push(), settings: HookSettings(), link: link(controller))
    #expect(controller.takeProgress() == [])
    _ = decide(controller)
    _ = decide(controller)
    #expect(controller.takeProgress() == [StubProgress(name: "a", hits: 2)] && controller.takeProgress() == [])
    controller.announceProgress()
    #expect(controller.takeProgress() == [StubProgress(name: "a", hits: 2)])
  }

  @Test func scenariosMoveAndAreTold() {
    let controller = HookController(hook: HookState())
    let stub = Stub(name: "a", then: .respond(CannedResponse()), scenario: .init("login", in: "Started", to: "in"))
    controller.apply(push(stubs: [stub]), settings: HookSettings(), link: link(controller))
    #expect(controller.takeMoves() == [])
    #expect(decide(controller) != nil && decide(controller) == nil)
    #expect(controller.takeMoves().map { "\($0.name) \($0.state)" } == ["login in"] && controller.takeMoves() == [])
    controller.setState(ScenarioState(name: "login", state: "Started"))
    #expect(decide(controller) != nil)
  }

  // MARK: Stubs in code

  @Test func whatIsDeclaredIsInForceAndCountsFromZero() {
    let controller = HookController(hook: HookState())
    let declared = controller.declare(CodeStub(stub: Self.stub))
    #expect(declared.stub.name == "a" && controller.codeStubs == [Self.stub] && controller.hook.snapshot.active)
    #expect(decide(controller)?.match?.hit == 1)
    let second = controller.declare(CodeStub(stub: Self.stub))
    #expect(second.stub.name == "a (2)" && decide(controller)?.match?.hit == 2)
    controller.changeCode { $0.remove(declared.id) }
    #expect(decide(controller)?.match?.stub == "a (2)" && decide(controller)?.match?.hit == 2)
    let again = controller.declare(CodeStub(stub: Self.stub))
    #expect(again.stub.name == "a" && controller.code.stubs.map(\.id) == [second.id, again.id])
    controller.resetCode()
    #expect(controller.codeStubs.isEmpty && controller.hook.snapshot.stubs == nil)
  }

  @Test func aClosedScopeTakesNoStub() {
    let controller = HookController(hook: HookState())
    let scope = Patchbay.scope()
    _ = controller.declare(CodeStub(stub: Self.stub, scope: scope.mark))
    #expect(controller.codeStubs.count == 1)
    scope.close()
    let late = controller.declare(CodeStub(stub: Self.stub, scope: scope.mark))
    #expect(controller.codeStubs.count == 1 && late.id == 0, "a number that no stub has")
  }

  @Test func theLogIsMadeWhenItIsAskedFor() {
    let controller = HookController(hook: HookState())
    let log = controller.log
    #expect(controller.log === log && controller.hook.snapshot.active && controller.hook.snapshot.stubs == nil)
    var report = ExchangeReport(key: 1)
    report.start = ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: URLRequest(url: URL(string: "http://x/")!)), task: .data, revision: 0)
    controller.hook.snapshot.sink?.report(report)
    #expect(log.exchanges().count == 1)
    controller.resetCode()
    #expect(log.exchanges().isEmpty || controller.log !== log)
  }

  @Test func whereThereIsNoConsoleAHoldGoesOn() {
    let sink = CombinedSink(link: nil, log: nil)
    let resumed = SeenLock(0)
    sink.hold(1) { decision in resumed.withLock { $0 += decision == nil ? 1 : 100 } }
    sink.unhold(1)
    sink.notice("nobody")
    #expect(resumed.withLock { $0 } == 1)
  }

  @Test func aSentenceIsKeptOnceForEachConsole() {
    let controller = HookController(hook: HookState())
    for sentence in ["one", "two", "one"] { controller.say(sentence) }
    #expect(controller.sentences == ["one", "two"])
    let link = link(controller)
    controller.apply(push(), settings: HookSettings(), link: link)
    link.queue.open(from: 0)
    controller.say("three")
    controller.say("three")
    #expect(link.queue.takeOrSleep()?.messages == [.notice("three"), .notice("three")])
    controller.changeCode { _ = $0.add(CodeStub(stub: Self.stub)) }
    controller.hook.snapshot.sink?.notice("four")
    #expect(link.queue.takeOrSleep()?.messages == [.codeStubs([Self.stub]), .notice("four")])
  }

  // MARK: The promise

  @Test(arguments: [StubSet.Unmatched.pass, .fail, .hold])
  func whatWasPromisedIsWaitedFor(_ unmatched: StubSet.Unmatched) throws {
    let controller = HookController(hook: HookState(), promise: StubPromise(unmatched: unmatched))
    controller.publish()
    let before = controller.hook.snapshot
    #expect(controller.wasPromisedStubs && before.active && before.awaitsStubs && before.stubs == nil)
    #expect(
      before.revision == Exchange.revisionBeforeStubs && before.unmatched == unmatched && before.withoutStubs == nil)
    let room = try #require(before.room)
    let link = link(controller)
    controller.expectStubs(by: link)
    #expect(controller.hook.snapshot.room === room && controller.hook.snapshot.sink != nil)
    link.queue.append(.notice("told before they come"))
    #expect(link.queue.takeOrSleep()?.messages.count == 1)
    let went = SeenLock(0)
    #expect(room.enter { went.withLock { $0 += 1 } } != nil)
    controller.apply(HookSettings(degree: .observe))
    #expect(went.withLock { $0 } == 0, "settings are not what is waited for")
    controller.apply(push(unmatched), settings: HookSettings(), link: link)
    let now = controller.hook.snapshot
    #expect(went.withLock { $0 } == 1 && !now.awaitsStubs && now.revision == 7 && now.stubs != nil)
    #expect((now.room != nil) == (unmatched == .hold) && now.room !== room)
    // A link that ends leaves all as it is, until it is known that the console has gone.
    controller.linkEnded(isGuest: false)
    #expect(controller.hook.snapshot === now)
    controller.consoleGone("it has gone")
    let after = controller.hook.snapshot
    switch unmatched {
    case .pass: #expect(!after.active)
    case .fail: #expect(after.active && after.stubs != nil && after.unmatched == .fail && !after.awaitsStubs)
    case .hold:
      #expect(after.active && after.unmatched == .hold && after.awaitsStubs && after.withoutStubs == "it has gone")
    }
  }

  /// What is reported between two links is for the next one; what began before is the first one's.
  @Test func aLinkThatComesBackFindsNoGap() {
    let controller = HookController(hook: HookState(), promise: StubPromise(unmatched: .fail))
    let link = link(controller)
    controller.expectStubs(by: link)
    controller.apply(push(.fail), settings: HookSettings(), link: link)
    let before = controller.hook.nextKey()
    link.queue.close()
    controller.linkEnded(isGuest: false)
    let after = controller.hook.nextKey()
    for key in [before, after] {
      var report = ExchangeReport(key: key)
      report.end = ExchangeUpdate.End(at: 1, outcome: .responded)
      controller.hook.snapshot.sink?.report(report)
    }
    #expect(link.queue.takeOrSleep()?.reports.map(\.key) == [after])
    controller.consoleGone("it has gone")
    link.queue.append(.notice("nobody"))
    #expect(link.queue.takeOrSleep() == nil)
  }

  @Test(arguments: [(StubSet.Unmatched.pass, false, false), (.fail, true, false), (.hold, true, true)])
  func aPromiseThatCannotBeKept(_ unmatched: StubSet.Unmatched, _ isActive: Bool, _ waits: Bool) {
    let controller = HookController(hook: HookState(), promise: StubPromise(unmatched: unmatched))
    controller.publish()
    let went = SeenLock(0)
    _ = controller.hook.snapshot.room?.enter { went.withLock { $0 += 1 } }
    controller.consoleGone("there is none")
    let snapshot = controller.hook.snapshot
    #expect(went.withLock { $0 } == 1, "whoever waits looks again")
    #expect(
      snapshot.active == isActive && snapshot.awaitsStubs == waits
        && snapshot.unmatched == (isActive ? unmatched : .pass))
    #expect(snapshot.withoutStubs == (isActive ? "there is none" : nil) && (snapshot.room != nil) == isActive)
    // Said again it changes nothing; said otherwise it does.
    controller.consoleGone("there is none")
    #expect(controller.hook.snapshot === snapshot)
    controller.consoleGone("another")
    #expect(controller.hook.snapshot.withoutStubs == (isActive ? "another" : nil))
  }

  /// And not what `run` was started with.
  @Test(arguments: [(StubSet.Unmatched.fail, StubSet.Unmatched.pass), (.pass, .hold), (.fail, .hold), (.hold, .pass)])
  func whatTheConsoleSaidLastOfTheUnmatchedCounts(_ before: StubSet.Unmatched, _ last: StubSet.Unmatched) {
    let controller = HookController(hook: HookState(), promise: StubPromise(unmatched: before))
    let link = link(controller)
    controller.expectStubs(by: link)
    controller.apply(push(last), settings: HookSettings(), link: link)
    controller.consoleGone("it has gone")
    let snapshot = controller.hook.snapshot
    #expect(snapshot.active == (last == .hold) && snapshot.awaitsStubs == (last == .hold))
    #expect(snapshot.unmatched == last && snapshot.stubs == nil)
  }

  @Test func whatAPromiseSaysWhereItStands() {
    let stands: [(StubPromise.Stand, Bool, Bool, String?)] = [
      (.open, true, true, nil), (.kept, false, false, nil),
      (.late, false, true, "the console sent no stubs within 5 s"),
      (.broken("why"), false, true, "why"),
    ]
    for (stand, waits, waitsToHold, reason) in stands {
      for unmatched in [StubSet.Unmatched.pass, .fail, .hold] {
        let promise = StubPromise(unmatched: unmatched, stand: stand)
        #expect(promise.keepsWaiting == (unmatched == .hold ? waitsToHold : waits), "\(stand), \(unmatched)")
        #expect(promise.reason == reason)
      }
    }
    #expect(StubPromise.patience == .seconds(5))
  }

  @Test func whoWaitsGoesOnInOrderOnce() throws {
    let first = SeenLock(0)
    let room = WaitingRoom { _ in first.withLock { $0 += 1 } }
    let went = SeenLock<[Int]>([])
    let tickets = (0..<20).map { number in room.enter { went.withLock { $0.append(number) } } }
    #expect(tickets == (1...20).map(UInt64.init) && first.withLock { $0 } == 1)
    for number in [3, 17] { room.leave(try #require(tickets[number])) }
    room.open()
    #expect(went.withLock { $0 } == (0..<20).filter { $0 != 3 && $0 != 17 })
    room.open()
    #expect(
      room.enter { went.withLock { $0.append(99) } } == nil && went.withLock { $0.last } == 99
        && went.withLock { $0.count } == 19)
  }

  /// What a stub's closure held goes with it, and may change the stubs as it goes.
  @Test func whatAStubHeldMayCallBackAsItGoes() {
    final class Fixture: Sendable {
      let controller: HookController
      init(_ controller: HookController) { self.controller = controller }
      deinit { controller.changeCode { _ in } }
    }
    let controller = HookController(hook: HookState())
    func declare() {
      let fixture = Fixture(controller)
      _ = controller.declare(
        CodeStub(
          stub: Stub(name: "a", then: .code), answer: { _ in withExtendedLifetime(fixture) { CannedResponse() } }))
    }
    declare()
    #expect(controller.code.declared.count == 1)
    controller.resetCode()
    #expect(controller.code.declared.isEmpty)
  }

  @Test func theFirstThatWaitsIsToldOfAtOnce() {
    let told = SeenLock(0)
    let room = WaitingRoom { _ in told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 0)
    for _ in 0..<3 {
      _ = room.enter {}
      #expect(told.withLock { $0 } == 1)
    }
  }

  @Test func whileItIsDormantItLooksForAConsole() {
    let looked = SeenLock(0)
    let hook = HookState(whenDormant: { looked.withLock { $0 += 1 } })
    #expect(!hook.snapshot.active && looked.withLock { $0 } == 1)
    _ = hook.replace(HookSnapshot(active: true))
    #expect(hook.snapshot.active && looked.withLock { $0 } == 1)
    _ = hook.replace(.dormant)
    #expect(!hook.snapshot.active && looked.withLock { $0 } == 2)
    #expect(hook.snapshot.revision == 0 && !hook.snapshot.awaitsStubs && hook.snapshot.largestPatched == 64 << 20)
  }

  // MARK: Which requests are taken

  @Test func onlyRequestsOfTheWebAreTaken() throws {
    let snapshot = HookSnapshot(active: true)
    for (text, isTaken) in [
      ("http://a/", true), ("https://a/", true), ("HTTP://a/", true), ("HttpS://a/", true), ("ftp://a/", false),
      ("file:///a", false),
      ("ws://a/", false), ("httpx://a/", false), ("data:text/plain,a", false), ("/relative", false),
    ] {
      let request = URLRequest(url: try #require(URL(string: text)))
      #expect(Admission.takes(request, by: snapshot) == isTaken, "\(text)")
      #expect(!Admission.takes(request, by: .dormant), "\(text)")
    }
  }

  @Test func eachHostHasItsDegree() throws {
    let hosts: [HookSettings.HostDegree] = [
      .init(host: "api.*", degree: .full), .init(host: "*.EXAMPLE.com", degree: .bypass),
      .init(host: "seen", degree: .observe),
    ]
    for usual in HookSettings.Degree.allCases {
      let sink = RecordingSink()
      let snapshot = HookSnapshot(
        active: true, settings: HookSettings(degree: usual, hosts: hosts), revision: 5, sink: sink)
      for (host, degree) in [
        ("api.example.com", HookSettings.Degree.full), ("WWW.example.com", .bypass), ("seen", .observe),
        ("other", usual),
      ] {
        let url = try #require(URL(string: "http://\(host)/x"))
        #expect(Admission.degree(for: url, by: snapshot) == degree, "\(host), \(usual)")
        let before = sink.exchanges.count
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        #expect(Admission.takes(request, by: snapshot) == (degree == .full))
        #expect(sink.exchanges.count == before + (degree == .observe ? 1 : 0))
        guard degree == .observe, let start = sink.exchanges.last?.start else { continue }
        #expect(
          start.request.method == "PUT" && start.request.body == Data("body".utf8) && start.revision == 5
            && start.task == .unknown)
        #expect(start.request.headers.first(named: "Host") == host)
      }
    }
  }

  /// Where stubs are still to come, or the program's code is strict, no host is left alone.
  @Test func strictCodeTakesAll() throws {
    let request = URLRequest(url: try #require(URL(string: "http://a/")))
    let settings = HookSettings(degree: .bypass)
    let (one, two) = (SessionScope.Mark(number: 1_000_001), SessionScope.Mark(number: 1_000_002))
    #expect(!Admission.takes(request, by: HookSnapshot(active: true, settings: settings)))
    #expect(Admission.takes(request, by: HookSnapshot(active: true, settings: settings, awaitsStubs: true)))
    var strictness = CodeStubs.Strictness()
    #expect(strictness.isEmpty)
    strictness.scopes = [one]
    #expect(!strictness.isEmpty)
    let scoped = HookSnapshot(active: true, settings: settings, strictness: strictness)
    #expect(Admission.takes(request, by: scoped, scope: one) && !Admission.takes(request, by: scoped, scope: two))
    #expect(!Admission.takes(request, by: scoped))
    strictness = CodeStubs.Strictness(everywhere: true)
    let all = HookSnapshot(active: true, settings: settings, strictness: strictness)
    #expect(!strictness.isEmpty && Admission.takes(request, by: all) && Admission.takes(request, by: all, scope: two))
  }

  @Test func whatIsForAllIsRemovedAlone() {
    var code = CodeStubs()
    let scope = SessionScope.Mark(number: 1_000_003)
    code.strictness = CodeStubs.Strictness(everywhere: true, scopes: [scope])
    _ = code.add(CodeStub(stub: Self.stub))
    _ = code.add(CodeStub(stub: Self.stub, scope: scope))
    code.removeThoseForAll()
    #expect(
      code.stubs.map(\.scope) == [scope] && code.strictness.scopes == [scope] && !code.strictness.everywhere
        && !code.isEmpty)
    code.remove(scope)
    #expect(code.isEmpty && code.stubs.isEmpty)
  }

  /// A request whose URL and method tell everything needs no more; one with conditions on the rest does.
  @Test func whatADecisionNeeds() {
    func decider(_ stubs: [Stub], code: CodeStubs = CodeStubs(), notices: SeenLock<[String]> = SeenLock([]))
      -> StubDecider
    {
      StubDecider(StubPush(set: StubSet(revision: 1, stubs: stubs)), code: code, counters: SharedCounters()) {
        sentence in
        notices.withLock { $0.append(sentence) }
      }
    }
    let plain = decider([
      Stub(name: "p", when: RequestPattern(path: .glob("/p")), then: .respond(CannedResponse()), times: 1)
    ])
    #expect(!plain.looksAtBodies && !plain.needsBody(facts(), scope: nil))
    if case .answer(let match)? = plain.decide(url: "http://x/p", method: "GET") {
      #expect(match.stub == "p")
    } else {
      Issue.record("not taken")
    }
    #expect(plain.decide(url: "http://x/p", method: "GET") == .unmatched, "it was made for one")
    #expect(plain.decide(url: "http://x/q", method: "GET") == .unmatched)
    let body = decider([
      Stub(name: "b", when: RequestPattern(body: BodyPattern(contains: .glob("x"))), then: .respond(CannedResponse()))
    ])
    #expect(
      body.looksAtBodies && body.needsBody(facts(), scope: nil) && body.decide(url: "http://x/", method: "GET") == nil)
    let header = decider([
      Stub(name: "h", when: RequestPattern(headers: [.init("A", .glob("1"))]), then: .respond(CannedResponse()))
    ])
    #expect(!header.looksAtBodies && header.decide(url: "http://x/", method: "GET") == nil)
    let template = decider([Stub(name: "t", then: .respond(CannedResponse(body: .text("{{request.method}}"))))])
    #expect(
      template.looksAtBodies && !template.needsBody(facts(), scope: nil)
        && template.decide(url: "http://x/", method: "GET") == nil)
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: Self.stub))
    let coded = decider([], code: code)
    #expect(
      !coded.looksAtBodies && !coded.needsBody(facts(), scope: nil)
        && coded.decide(url: "http://x/", method: "GET") == nil)
    var strict = CodeStubs()
    strict.strictness.everywhere = true
    #expect(decider([Self.stub], code: strict).decide(url: "http://x/", method: "GET") == nil)
  }

  @Test func codeThatAnswersOrIsAskedMayLookAtBodies() {
    let rows: [(CodeStub, Bool)] = [
      (CodeStub(stub: Stub(name: "c", then: .code), answer: { _ in CannedResponse() }), true),
      (CodeStub(stub: Self.stub, accepts: { _ in true }), true), (CodeStub(stub: Self.stub), false),
    ]
    for (stub, isLookedAt) in rows {
      var code = CodeStubs()
      _ = code.add(stub)
      let decider = StubDecider(StubPush(set: StubSet(revision: 1)), code: code, counters: SharedCounters()) { _ in }
      #expect(decider.looksAtBodies == isLookedAt, "\(stub.stub.name)")
      #expect(decider.needsBody(facts(), scope: nil) == isLookedAt)
      #expect(
        !decider.needsBody(RequestFacts(method: "PUT", url: "ftp://other/"), scope: nil)
          || stub.stub.when == RequestPattern())
    }
  }

  @Test func anAnswerWhoseTemplatesMakeTooMuchIsAFailureThatSaysSo() {
    let notices = SeenLock<[String]>([])
    let text = "{{request.body}}{{request.body}}"
    let stub = Stub(name: "t", then: .respond(CannedResponse(body: .text(text))))
    let decider = StubDecider(
      StubPush(set: StubSet(revision: 1, stubs: [stub])), code: CodeStubs(), counters: SharedCounters()
    ) { sentence in
      notices.withLock { $0.append(sentence) }
    }
    let facts = RequestFacts(method: "POST", url: "http://x/", body: Data(repeating: 0x78, count: (32 << 20) + 1))
    let outcome = decider.decide(facts, of: URLRequest(url: URL(string: "http://x/")!), scope: nil)
    let said = notices.withLock { $0 }
    let sentence = said.first ?? ""
    #expect(said.count == 1 && sentence.hasPrefix("Stub `t`: its templates "), "\(said)")
    #expect(outcome.by == .stub && outcome.handler == nil)
    #expect(outcome.action == .fail(Fault(.custom(domain: "Patchbay", code: 1, message: sentence))))
  }

  @Test func templatesAreFilledIn() throws {
    let notices = SeenLock<[String]>([])
    func action(_ then: Action) -> Action? {
      let decider = StubDecider(
        StubPush(set: StubSet(revision: 1, stubs: [Stub(name: "t", then: then)])), code: CodeStubs(),
        counters: SharedCounters()
      ) { sentence in
        notices.withLock { $0.append(sentence) }
      }
      return decider.decide(facts("http://x/7"), of: URLRequest(url: URL(string: "http://x/7")!), scope: nil).action
    }
    let text = CannedResponse(body: .text("at {{request.path.0}}"))
    let filled = CannedResponse(body: .text("at 7"))
    guard case .respond(let response)? = action(.respond(text)) else { throw CancellationError() }
    #expect(response.bytes == filled.bytes)
    let partial = Fault(.named("timedOut"), after: .init(response: text, bytes: 2))
    guard case .fail(let fault)? = action(.fail(partial)) else { throw CancellationError() }
    #expect(fault.after?.response.bytes == filled.bytes && fault.after?.bytes == 2 && fault.error == .named("timedOut"))
    #expect(action(.fail(Fault(.named("timedOut")))) == .fail(Fault(.named("timedOut"))))
    #expect(notices.withLock { $0 }.isEmpty)
  }
}
