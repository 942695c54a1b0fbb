import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension StubDecider.Outcome {
  /// nil where no stub takes the request or holds its response.
  var taken: StubDecider.Outcome? {
    if case .unmatched = decision.step, decision.responseHold == nil { nil } else { self }
  }

  var match: Decision.Match? { if case .answer(let match) = decision.step { match } else { nil } }
  var action: Action? { match?.action }
}

@Suite("Stubs in code and the console's", .bounded)
struct CodeStubsTests {
  private func decide(
    _ url: String, _ stubs: StubDecider, scope: SessionScope.Mark? = nil, from cursor: Decision.Cursor = .start
  ) -> StubDecider.Outcome? {
    stubs.decide(
      RequestFacts(method: "GET", url: url), of: URLRequest(url: URL(string: url)!), scope: scope, from: cursor
    ).taken
  }

  private func stubs(
    _ console: [Stub] = [], _ code: CodeStubs, off: [String] = [], overrides: [String] = []
  ) -> StubDecider {
    let push = StubPush(
      set: StubSet(revision: 1, stubs: console), disabledCodeStubs: off + overrides, overrides: overrides)
    return StubDecider(push, code: code, counters: SharedCounters()) { _ in }
  }

  private func stub(_ name: String, _ status: Int) -> Stub {
    Stub(name: name, when: RequestPattern(url: .glob("*")), then: .respond(CannedResponse(status: status)))
  }

  private func status(_ outcome: StubDecider.Outcome?) -> Int? {
    if case .respond(let response)? = outcome?.action { response.status } else { nil }
  }

  @Test func theCodeComesFirst() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("a", 201)))
    _ = code.add(CodeStub(stub: stub("scoped", 203), scope: scope.mark))
    let all = stubs([stub("b", 202)], code)
    let match = decide("http://x/", all)
    #expect(status(match) == 201 && match?.by == .code)
    #expect(status(decide("http://x/", all, scope: scope.mark)) == 203)
    let off = decide("http://x/", stubs([stub("b", 202)], code, off: ["a", "scoped"]), scope: scope.mark)
    #expect(status(off) == 202 && off?.by == .stub)
  }

  /// The order of the console's list is the order in which they are tried, whichever way one got into a place.
  @Test func whatTheConsoleOverridesKeepsItsPlaceAmongThem() {
    var code = CodeStubs()
    for number in 1...3 { _ = code.add(CodeStub(stub: stub("\(number)", 200 + number))) }
    let push = StubPush(
      set: StubSet(stubs: [stub("own", 301), stub("2", 302), stub("3", 303)]), disabledCodeStubs: ["2", "3"],
      overrides: ["3"])
    let all = EffectiveStub.all(push, code: code)
    #expect(all.map(\.stub.name) == ["1", "2", "3", "own"])
    #expect(all.map(\.stub) == [stub("1", 201), stub("2", 302), stub("3", 303), stub("own", 301)])
    // Of a process that declares them no longer nothing is left.
    #expect(EffectiveStub.all(push, code: CodeStubs()).map(\.stub.name) == ["own", "2"])
  }

  @Test func theConsoleSwitchesOff() {
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("a", 201)))
    #expect(decide("http://x/", stubs([], code, off: ["a"])) == nil)
    #expect(decide("http://x/", stubs([], code, off: ["b"])) != nil)
  }

  @Test func aStubOfTheSameNameOnTheConsoleTakesItsPlace() {
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("a", 201)))
    var off = stub("a", 202)
    off.enabled = false
    #expect(decide("http://x/", stubs([off], code)) == nil)
  }

  @Test func whatCodeAnswersIsShownAsCode() {
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: Stub(name: "closure", then: .code), answer: { _ in CannedResponse() }))
    _ = code.add(CodeStub(stub: stub("predicate", 200), accepts: { _ in true }))
    _ = code.add(CodeStub(stub: stub("plain", 200)))
    #expect(code.declared.map(\.then) == [.code, .code, .respond(CannedResponse(status: 200))])
  }

  @Test func anOverrideStandsInThePlaceOfTheStubInCode() {
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("first", 201)))
    _ = code.add(CodeStub(stub: stub("second", 202)))
    let changed = stubs([stub("second", 502)], code, overrides: ["second"])
    #expect(status(decide("http://x/", changed)) == 201)
    let alone = decide("http://x/", stubs([stub("second", 502)], code, off: ["first"], overrides: ["second"]))
    #expect(status(alone) == 502 && alone?.by == .stub)
  }

  @Test func anOverrideKeepsTheScope() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("one", 202), scope: scope.mark))
    let changed = stubs([stub("one", 502)], code, overrides: ["one"])
    #expect(status(decide("http://x/", changed, scope: scope.mark)) == 502)
    #expect(decide("http://x/", changed) == nil)
  }

  /// The person narrows a closure's pattern: elsewhere it no longer answers, there it still does.
  @Test func theCodeStillAnswersWhereAllButTheActionIsOverridden() async throws {
    var code = CodeStubs()
    _ = code.add(
      CodeStub(stub: Stub(name: "c", then: .code), answer: { _ in CannedResponse(status: 203) }))
    var narrow = Stub(name: "c", when: RequestPattern(path: .glob("/here")), then: .code)
    let changed = stubs([narrow], code, overrides: ["c"])
    #expect(decide("http://x/there", changed) == nil)
    let match = try #require(decide("http://x/here", changed))
    let answer = try #require(match.handler)
    #expect(match.by == .code)
    #expect(try await answer(URLRequest(url: URL(string: "http://x/here")!)).status == 203)
    // As one step of a sequence too.
    narrow.then = .sequence([.fail(Fault(.named("timedOut"))), .code], afterwards: .last)
    let sequence = stubs([narrow], code, overrides: ["c"])
    if case .fail? = decide("http://x/here", sequence)?.action {} else { Issue.record("no failure first") }
    #expect(decide("http://x/here", sequence)?.handler != nil, "no code second")
  }

  @Test func predicatesOfOtherScopesAreNotAsked() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(
      CodeStub(
        stub: stub("p", 200),
        accepts: { request in
          Issue.record("asked for \(request)")
          return false
        }, scope: scope.mark))
    #expect(decide("http://x/", stubs([], code)) == nil)
  }

  @Test func aPredicateIsAskedForWhatItsStubFits() {
    var code = CodeStubs()
    let asked = Mutex<[String]>([])
    var one = stub("p", 200)
    one.when = .get("*/a*")
    _ = code.add(
      CodeStub(
        stub: one,
        accepts: { request in
          asked.withLock { $0.append(request.url?.path ?? "") }
          return true
        }))
    let all = stubs([], code)
    #expect(decide("http://x/a1", all) != nil && decide("http://x/b", all) == nil)
    #expect(asked.withLock { $0 } == ["/a1"])
  }

  @Test func aPredicateIsNotAskedWhereTheConsoleOverridesItsStub() {
    var code = CodeStubs()
    _ = code.add(
      CodeStub(
        stub: stub("p", 200),
        accepts: { request in
          Issue.record("asked for \(request)")
          return false
        }))
    let changed = decide("http://x/", stubs([stub("p", 502)], code, overrides: ["p"]))
    #expect(status(changed) == 502 && changed?.by == .stub)
  }

  @Test func aHandlerTakesThePlaceOfTheOneBefore() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    func handler(_ scope: SessionScope.Mark? = nil) -> CodeStub {
      code.add(CodeStub(stub: Stub(name: "handler", then: .code), scope: scope, isHandler: true))
    }
    let first = handler()
    _ = code.add(CodeStub(stub: stub("a", 201)))
    let second = handler()
    #expect(code.stubs.map(\.stub.name) == ["handler", "a"] && code.stubs[0].id == second.id)
    // Of a scope it is another.
    #expect(handler(scope.mark).stub.name == "handler (2)")
    code.remove(first.id)
    #expect(code.stubs.count == 3)
    code.remove(second.id)
    #expect(code.stubs.map(\.stub.name) == ["handler (2)", "a"])
    // It keeps the name of the one before it, and not its own.
    _ = handler()
    let last = handler(scope.mark)
    #expect(last.stub.name == "handler (2)" && code.stubs.map(\.stub.name) == ["handler (2)", "a", "handler"])
    #expect(code.stubs[0].id == last.id)
  }

  @Test func noStubEverHasTheNumberOfAnother() {
    var numbers: Set<UInt64> = []
    for _ in 0..<3 {
      var code = CodeStubs()
      for _ in 0..<3 { numbers.insert(code.add(CodeStub(stub: stub("a", 200))).id) }
    }
    #expect(numbers.count == 9 && !numbers.contains(0))
  }

  @Test func namesAreMadeUnique() {
    var code = CodeStubs()
    let names = (0..<3).map { _ in code.add(CodeStub(stub: stub("a", 200))).stub.name }
    #expect(names == ["a", "a (2)", "a (3)"])
  }

  @Test func stubsOfAScopeComeBeforeThoseForAll() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(CodeStub(stub: stub("all", 201)))
    _ = code.add(CodeStub(stub: stub("one", 202), scope: scope.mark))
    #expect(status(decide("http://x/", stubs([], code), scope: scope.mark)) == 202)
    #expect(status(decide("http://x/", stubs([], code))) == 201)
    #expect(status(decide("http://x/", stubs([], code), scope: Patchbay.scope().mark)) == 201)
  }

  @Test func aHoldThatOnlyStopsTheResponseGoesWithTheAnswer() {
    let hold = Stub(name: "h", then: .hold(.response))
    let match = decide("http://x/", stubs([hold, stub("b", 202)], CodeStubs()))
    #expect(status(match) == 202 && match?.decision.responseHold == "h")
    let alone = decide("http://x/", stubs([hold], CodeStubs()))
    #expect(
      alone?.decision
        == {
          var decision = Decision(.unmatched)
          decision.responseHold = "h"
          return decision
        }())
  }

  @Test func afterAHoldTheListGoesOn() throws {
    let stubs = stubs(
      [stub("first", 1), Stub(name: "h", then: .hold(.request)), stub("b", 202)].dropFirst() + [], CodeStubs())
    guard case .hold("h", let next)? = decide("http://x/", stubs)?.decision.step else {
      Issue.record("not held")
      return
    }
    #expect(status(decide("http://x/", stubs, from: next)) == 202)
  }

  @Test func classesOfScopesAreUsedAgain() {
    var seen: Set<ObjectIdentifier> = []
    var marks: Set<SessionScope.Mark> = []
    for _ in 0..<2_000 {
      let scope = Patchbay.scope()
      seen.insert(ObjectIdentifier(scope.protocolClass))
      marks.insert(scope.mark)
    }
    #expect(seen.count < 500 && marks.count == 2_000)
    let open = (0..<40).map { _ in Patchbay.scope() }
    #expect(Set(open.map(\.mark)).count == 40)
  }

  /// As the console has it: what was shown to a person never came to the program.
  @Test(arguments: [Exchange.Outcome.failed, .responded])
  func theLogHasNoHeldResponseThatWasNeverGiven(_ outcome: Exchange.Outcome) {
    let log = ExchangeLog()
    var held = ExchangeReport(key: 1)
    held.start = ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: URLRequest(url: URL(string: "http://x/")!)), task: .data,
      revision: 0)
    held.head = ExchangeReport.Head(at: 1, status: 201, fields: .list([]))
    held.data = Data("shown".utf8)
    held.held = .response
    log.note(held)
    #expect(log.exchanges()[0].response == RecordedResponse(status: 201, body: Data("shown".utf8)))
    var end = ExchangeReport(key: 1)
    end.held = .released
    end.end = ExchangeUpdate.End(at: 2, outcome: outcome)
    log.note(end)
    #expect((log.exchanges()[0].response == nil) == (outcome == .failed))
  }

  @Test func theLogIsBounded() {
    let log = ExchangeLog(limit: 10)
    for key in 1...35 as ClosedRange<UInt64> {
      var report = ExchangeReport(key: key)
      report.start = ExchangeReport.Start(
        at: .now, request: RequestSnapshot(request: URLRequest(url: URL(string: "http://x/\(key)")!)), task: .data,
        revision: 0)
      log.note(report)
    }
    #expect(log.exchanges().map(\.request.url) == (26...35).map { "http://x/\($0)" })
    log.forget()
    #expect(log.exchanges().isEmpty)
  }
}
