import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
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

  @Test func theConsoleComesFirst() {
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("a", 201)))
    let match = decide("http://x/", stubs([stub("b", 202)], code))
    #expect(status(match) == 202 && match?.by == .stub)
    let alone = decide("http://x/", stubs([], code))
    #expect(status(alone) == 201 && alone?.by == .code)
  }

  @Test func theConsoleSwitchesOff() {
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("a", 201)))
    #expect(decide("http://x/", stubs([], code, off: ["a"])) == nil)
    #expect(decide("http://x/", stubs([], code, off: ["b"])) != nil)
  }

  @Test func aStubOfTheSameNameOnTheConsoleTakesItsPlace() {
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("a", 201)))
    var off = stub("a", 202)
    off.enabled = false
    #expect(decide("http://x/", stubs([off], code)) == nil)
  }

  @Test func whatCodeAnswersIsShownAsCode() {
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: Stub(name: "closure", then: .code), answer: { _ in CannedResponse() }))
    _ = code.add(CodeStub(id: 0, stub: stub("predicate", 200), accepts: { _ in true }))
    _ = code.add(CodeStub(id: 0, stub: stub("plain", 200)))
    #expect(code.declared.map(\.then) == [.code, .code, .respond(CannedResponse(status: 200))])
  }

  @Test func anOverrideStandsInThePlaceOfTheStubInCode() {
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("first", 201)))
    _ = code.add(CodeStub(id: 0, stub: stub("second", 202)))
    let changed = stubs([stub("second", 502)], code, overrides: ["second"])
    #expect(status(decide("http://x/", changed)) == 201)
    let alone = decide("http://x/", stubs([stub("second", 502)], code, off: ["first"], overrides: ["second"]))
    #expect(status(alone) == 502 && alone?.by == .stub)
  }

  @Test func anOverrideKeepsTheScope() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("one", 202), scope: scope.mark))
    let changed = stubs([stub("one", 502)], code, overrides: ["one"])
    #expect(status(decide("http://x/", changed, scope: scope.mark)) == 502)
    #expect(decide("http://x/", changed) == nil)
  }

  /// The person narrows a closure's pattern: elsewhere it no longer answers, there it still does.
  @Test func theCodeStillAnswersWhereAllButTheActionIsOverridden() throws {
    var code = CodeStubs()
    _ = code.add(
      CodeStub(id: 0, stub: Stub(name: "c", then: .code), answer: { _ in CannedResponse(status: 203) }))
    var narrow = Stub(name: "c", when: RequestPattern(path: .glob("/here")), then: .code)
    let changed = stubs([narrow], code, overrides: ["c"])
    #expect(decide("http://x/there", changed) == nil)
    let match = try #require(decide("http://x/here", changed))
    let answer = try #require(match.handler)
    #expect(match.by == .code)
    #expect(try answer(URLRequest(url: URL(string: "http://x/here")!)).status == 203)
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
        id: 0, stub: stub("p", 200),
        accepts: { request in
          Issue.record("asked for \(request)")
          return false
        }, scope: scope.mark))
    #expect(decide("http://x/", stubs([], code)) == nil)
  }

  @Test func namesAreMadeUnique() {
    var code = CodeStubs()
    let names = (0..<3).map { _ in code.add(CodeStub(id: 0, stub: stub("a", 200))).stub.name }
    #expect(names == ["a", "a (2)", "a (3)"])
  }

  @Test func stubsOfAScopeComeBeforeThoseForAll() {
    let scope = Patchbay.scope()
    var code = CodeStubs()
    _ = code.add(CodeStub(id: 0, stub: stub("all", 201)))
    _ = code.add(CodeStub(id: 0, stub: stub("one", 202), scope: scope.mark))
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
    var seen: Set<SessionScope.Mark> = []
    for _ in 0..<2_000 { seen.insert(Patchbay.scope().mark) }
    #expect(seen.count < 500)
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
    log.removeAll()
    #expect(log.exchanges().isEmpty)
  }
}
