import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Small questions to stubs, faults and statuses.
@Suite(.bounded) struct StubValueTests {
  @Test func whatChangesAreAbout() {
    #expect(
      PassChanges().isEmpty && !PassChanges(status: 1).isEmpty && RequestChanges().isEmpty
        && !RequestChanges(port: 1).isEmpty)
    #expect(
      !PassChanges(status: 1).rewritesRequest && PassChanges(to: "x").rewritesRequest
        && PassChanges(request: RequestChanges()).rewritesRequest)
    func reads(_ changes: RequestChanges) -> Bool { PassChanges(request: changes).readsRequestBody }
    #expect(reads(RequestChanges(mergePatch: 1)) && reads(RequestChanges(replace: [.init(find: "a", with: "b")])))
    #expect(
      !reads(RequestChanges()) && !reads(RequestChanges(body: .text("a"), mergePatch: 1))
        && !PassChanges(mergePatch: 1).readsRequestBody)
    let both = PassChanges(to: "x", request: RequestChanges(port: 1), status: 2)
    #expect(both.withoutRewriting == PassChanges(status: 2))
    #expect(
      [Action.HoldPoint.request, .response, .both].map { "\($0.holdsRequest) \($0.holdsResponse)" } == [
        "true false", "false true", "true true",
      ])
  }

  @Test func namedFaultsAreResolved() {
    let delay = Delay.fixed(.seconds(3))
    let partial = Fault.Partial(response: CannedResponse(status: 299))
    func resolved(_ name: String, _ delay: Delay? = nil, _ after: Fault.Partial? = nil) -> Action {
      FaultPreset.resolve(.fail(Fault(.named(name), delay: delay, after: after)))
    }
    #expect(resolved("timedOut", delay, partial) == .fail(Fault(.named("timedOut"), delay: delay, after: partial)))
    #expect(resolved("offline") == .fail(Fault(.named("notConnectedToInternet"))))
    #expect(
      resolved("offline", delay, partial)
        == .fail(Fault(.named("notConnectedToInternet"), delay: delay, after: partial)))
    #expect(resolved("noAnswer") == .fail(Fault(.named("timedOut"), delay: .fixed(.seconds(86_400)))))
    #expect(resolved("noAnswer", delay) == .fail(Fault(.named("timedOut"), delay: delay)))
    guard case .fail(let midway)? = FaultPreset["connectionLostMidway"]?.action else { return }
    #expect(resolved("connectionLostMidway") == .fail(midway))
    #expect(resolved("connectionLostMidway", nil, partial) == .fail(Fault(midway.error, after: partial)))
    guard case .respond(var busy)? = FaultPreset["http503"]?.action else { return }
    #expect(resolved("http503") == .respond(busy))
    busy.delay = delay
    #expect(resolved("http503", delay) == .respond(busy))
    #expect(
      resolved("slow2s") == .pass(PassChanges(delay: .fixed(.seconds(2))))
        && resolved("slow2s", delay) == .pass(PassChanges(delay: delay)))
    #expect(
      resolved("dripping", delay) == .pass(PassChanges(delay: delay, pace: .dribble(pieces: 20, over: .seconds(10)))))
    #expect(resolved("nonsense", delay, partial) == .fail(Fault(.named("unknown"), delay: delay, after: partial)))
    let own = Action.fail(Fault(.custom(domain: "D", code: 1, message: nil), delay: delay))
    #expect(FaultPreset.resolve(own) == own && FaultPreset.resolve(.code) == .code)
    for preset in FaultPreset.all {
      #expect(FaultPreset.of(preset.action)?.action == preset.action && preset.id == preset.name)
    }
    #expect(FaultPreset.of(.code) == nil && FaultPreset["nonsense"] == nil)
  }

  @Test func errorsThatAProgramGets() {
    func resolved(_ failure: Fault.Failure) -> String {
      let error = failure.resolved
      return "\(error.domain) \(error.code) \(error.name ?? "-") \(error.message ?? "-")"
    }
    #expect(resolved(.named("timedOut")) == "NSURLErrorDomain -1001 timedOut -")
    #expect(resolved(.named("offline")) == "NSURLErrorDomain -1009 notConnectedToInternet -")
    #expect(
      resolved(.named("http503")) == "NSURLErrorDomain -1 unknown -"
        && resolved(.named("nonsense")) == "NSURLErrorDomain -1 unknown -")
    #expect(resolved(.custom(domain: "D", code: 7, message: "m")) == "D 7 - m")
    #expect(resolved(.custom(domain: "D", code: -1001, message: nil)) == "D -1001 - -")
    #expect(
      resolved(.custom(domain: "NSURLErrorDomain", code: -1001, message: nil)) == "NSURLErrorDomain -1001 timedOut -")
    #expect(resolved(.custom(domain: "NSURLErrorDomain", code: 5, message: nil)) == "NSURLErrorDomain 5 - -")
  }

  @Test func aSetOfStubsBeginsEmpty() {
    let set = StubSet()
    #expect(set.revision == 0 && set.stubs.isEmpty && set.unmatched == .pass && set.holdAll == nil)
    let stub = Stub(name: "a", then: .code)
    #expect(stub.enabled && stub.skip == 0 && stub.when == RequestPattern() && stub.id == "a")
    #expect(stub.chance == nil && stub.seed == nil && stub.times == nil && stub.scenario == nil)
  }

  @Test func scenariosOfStubs() {
    func stub(_ scenario: Stub.Scenario?) -> Stub { Stub(name: "a", then: .code, scenario: scenario) }
    let found = [
      stub(nil), stub(.init("b", in: "x", to: "y")), stub(.init("a")), stub(.init("b", in: "y", to: "Started")),
      stub(.init("b", in: "z")), stub(.init("a", to: "x")),
    ].scenarios
    #expect(found.map { "\($0.name): \($0.states.joined(separator: " "))" } == ["b: Started x y z", "a: Started x"])
    #expect([Stub]().scenarios.isEmpty && Stub.Scenario.start == "Started")
  }

  @Test func patternsThatAskOfTheBody() {
    let body = RequestPattern(body: BodyPattern())
    #expect(
      body.asksBody && RequestPattern(any: [RequestPattern(), body]).asksBody && RequestPattern(not: [body]).asksBody)
    #expect(
      !RequestPattern().asksBody
        && !RequestPattern(path: "/a", any: [RequestPattern()], not: [RequestPattern(port: 1)]).asksBody)
  }

  @Test(
    arguments: [
      (299, "GET", false, false), (300, "GET", false, false), (301, "GET", true, false), (301, "POST", true, true),
      (302, "POST", true, true), (302, "PUT", true, false),
      (303, "PUT", true, true), (303, "HEAD", true, true), (304, "GET", false, false), (305, "POST", true, false),
      (306, "GET", true, false), (307, "POST", true, false),
      (308, "POST", true, false), (309, "GET", false, false), (200, "POST", false, false),
    ] as [(Int, String, Bool, Bool)])
  func redirects(_ status: Int, _ method: String, _ isFollowed: Bool, _ becomesGet: Bool) {
    #expect(RedirectRule.follows(status) == isFollowed && RedirectRule.becomesGet(status, after: method) == becomesGet)
  }

  /// Those of the registry of IANA, with the names that RFC 9110 gives.
  @Test func statusesAreListedInOrder() {
    let codes: [Int] =
      Array(100...103) + Array(200...208) + [226] + Array(300...305) + [307, 308] + Array(400...418)
      + Array(421...426) + [428, 429, 431, 451] + Array(500...508) + [510, 511]
    #expect(HTTPStatus.all.map(\.code) == codes)
    for (code, phrase) in HTTPStatus.all { #expect(HTTPStatus.phrase(code) == phrase && !phrase.isEmpty) }
    #expect(HTTPStatus.phrase(306) == "" && HTTPStatus.phrase(0) == "")
    #expect(
      [101, 203, 226, 308, 418, 425, 431, 451, 508, 511].map { HTTPStatus.phrase($0) } == [
        "Switching Protocols", "Non-Authoritative Information", "IM Used", "Permanent Redirect", "I'm a teapot",
        "Too Early", "Request Header Fields Too Large", "Unavailable For Legal Reasons", "Loop Detected",
        "Network Authentication Required",
      ])
  }
}
