import Dispatch
import Foundation
import PatchbayTestSupport
import Synchronization
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct ScenarioTests {
  private static func stub(
    _ name: String, in state: String? = nil, to next: String? = nil, path: String = "/a",
    then: Action = .respond(CannedResponse())
  ) -> Stub {
    Stub(
      name: name, when: RequestPattern(path: .glob(path)), then: then,
      scenario: Stub.Scenario("session", in: state, to: next))
  }

  private static func take(_ matcher: StubMatcher, _ counters: inout StubCounters, _ path: String = "/a") -> String? {
    let facts = RequestFacts(method: "GET", url: "http://h" + path)
    if let plan = matcher.plan(url: facts.url, method: "GET") {
      var copy = counters
      let match = plan.count(&copy)
      let slow = matcher.decide(facts, counters: &counters)
      if case .answer(let other) = slow.step { #expect(match?.stub == other.stub) } else { #expect(match == nil) }
      return match?.stub
    }
    guard case .answer(let match) = matcher.decide(facts, counters: &counters).step else { return nil }
    return match.stub
  }

  @Test func movesWhenAStubAnswers() throws {
    let matcher = StubMatcher(
      StubSet(stubs: [
        Self.stub("out", in: "Started"), Self.stub("in", in: "signed in"),
        Self.stub("login", to: "signed in", path: "/login"),
        Self.stub("logout", in: "signed in", to: "Started", path: "/logout"),
      ]))
    var counters = StubCounters(salt: 0)
    counters.adopt(matcher)
    #expect(Self.take(matcher, &counters, "/logout") == nil)
    #expect(Self.take(matcher, &counters) == "out")
    #expect(Self.take(matcher, &counters, "/login") == "login")
    #expect(counters.takeMoves() == [.init(name: "session", state: "signed in")])
    #expect(Self.take(matcher, &counters) == "in")
    // A stub in another state does not count the request.
    #expect(counters["out"]?.hits == 1)
    #expect(Self.take(matcher, &counters, "/logout") == "logout")
    #expect(Self.take(matcher, &counters) == "out")
    counters.setState(of: "session", to: "signed in")
    #expect(Self.take(matcher, &counters) == "in")
    counters.reset()
    #expect(counters.state(of: "session") == "Started")
    let why = matcher.explain(RequestFacts(method: "GET", url: "http://h/a"), counters: counters)
    #expect(why[1].reason == "scenario `session`: answers in `signed in`, not in `Started`")
    counters.setState(of: "session", to: "signed in")
    counters.adopt(StubMatcher(StubSet()))
    #expect(counters.state(of: "session") == "Started")
  }

  /// A hold stops a request and does not answer it; skipped requests move nothing.
  @Test func onlyAnswersMove() {
    var skipping = Self.stub("skips", to: "later")
    skipping.skip = 1
    let matcher = StubMatcher(StubSet(stubs: [Self.stub("holds", to: "held", then: .hold(.request)), skipping]))
    var counters = StubCounters(salt: 0)
    _ = matcher.decide(RequestFacts(method: "GET", url: "http://h/a"), counters: &counters)
    #expect(counters.state(of: "session") == "Started")
    _ = matcher.decide(
      RequestFacts(method: "GET", url: "http://h/a"), from: .init(position: 1, held: true), counters: &counters)
    #expect(counters.state(of: "session") == "Started")
  }

  /// Of 64 requests at once exactly one is the first.
  @Test func oneOfManyMoves() {
    let matcher = StubMatcher(
      StubSet(stubs: [Self.stub("first", in: "Started", to: "done"), Self.stub("others", in: "done")]))
    let counters = Mutex(StubCounters(salt: 0))
    let taken = Mutex<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let decision = counters.withLock { matcher.decide(RequestFacts(method: "GET", url: "http://h/a"), counters: &$0) }
      if case .answer(let match) = decision.step { taken.withLock { $0[match.stub, default: 0] += 1 } }
    }
    #expect(taken.withLock { $0 } == ["first": 1, "others": 63])
  }

  @Test(arguments: [
    (#"{"in":"a"}"#, "needs a `name`"), (#"{"name":"a"}"#, "needs `in`"), (#"{"name":" ","to":"b"}"#, "is empty"),
    (#"{"name":"a","into":"b"}"#, "unknown key `into`"), (#""a""#, "must be a map"),
    (#"{"name":"a","to":null}"#, "must be a text"),
  ])
  func mistakes(_ scenario: String, _ part: String) throws {
    let json = try JSONValue(parsing: #"{"name":"s","scenario":\#(scenario),"then":{"pass":{}}}"#)
    let error = #expect(throws: StubError.self) { try Stub(json: json) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test func comesBack() throws {
    let stub = Self.stub("a", in: "x", to: "y")
    #expect(try Stub(json: stub.json) == stub)
  }
}
