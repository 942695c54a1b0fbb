import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct MatchPlanTests {
  private func stub(_ name: String, _ when: RequestPattern, _ then: Action = .pass(PassChanges())) -> Stub {
    Stub(name: name, when: when, then: then)
  }

  private func pattern(_ url: String) -> RequestPattern {
    var pattern = RequestPattern()
    pattern.url = .glob(url)
    return pattern
  }

  @Test func takesWhatADecisionTakes() throws {
    var once = stub("once", pattern("http://a.test/*"))
    once.times = 1
    var late = stub("late", pattern("http://a.test/*"))
    late.skip = 1
    var post = pattern("http://a.test/item?x=*")
    post.methods = ["POST"]
    let stubs = [once, late, stub("post", post), stub("rest", pattern("http://a.test/i*"))]
    let matcher = StubMatcher(StubSet(revision: 1, stubs: stubs), process: "p")
    var planned = StubCounters(salt: 1)
    var decided = StubCounters(salt: 1)
    let urls = ["http://a.test/item?x=1", "http://A.test:80/%69tem", "http://b.test/", "http://a.test/other"]
    for round in 0..<4 {
      for url in urls {
        for method in ["GET", "POST"] {
          let plan = try #require(matcher.plan(url: url, method: method))
          let taken = plan.count(&planned)
          let facts = RequestFacts(method: method, url: url, process: "p")
          let decision = matcher.decide(facts, counters: &decided)
          var match: Decision.Match?
          if case .answer(let answer) = decision.step { match = answer }
          #expect(taken == match, "round \(round), \(method) \(url)")
        }
      }
    }
    #expect(planned.rows == decided.rows)
    #expect(try #require(matcher.plan(url: "http://b.test/", method: "GET")).isEmpty)
  }

  @Test func leavesToADecisionWhatElseCounts() {
    var headed = pattern("*")
    headed.headers = [.init("X", .glob("1"))]
    let byHeader = StubMatcher(StubSet(revision: 1, stubs: [stub("h", headed)]), process: "p")
    #expect(byHeader.plan(url: "http://a.test/", method: "GET") == nil)
    let holding = StubMatcher(
      StubSet(revision: 1, stubs: [stub("hold", pattern("http://a.test/held"), .hold(.request))]), process: "p")
    #expect(holding.plan(url: "http://a.test/held", method: "GET") == nil)
    #expect(holding.plan(url: "http://a.test/", method: "GET") != nil)
    var own = pattern("*")
    own.process = .glob("p")
    let processes = StubSet(revision: 1, stubs: [stub("own", own)])
    #expect(StubMatcher(processes).plan(url: "http://a.test/", method: "GET") == nil)
    #expect(StubMatcher(processes, process: "p").plan(url: "http://a.test/", method: "GET")?.isEmpty == false)
    #expect(StubMatcher(processes, process: "q").plan(url: "http://a.test/", method: "GET")?.isEmpty == true)
  }

  @Test func keepsToTheStepsOfASequence() throws {
    let answers = [200, 201].map { Action.respond(CannedResponse(status: $0)) }
    let set = StubSet(revision: 1, stubs: [stub("s", pattern("*"), .sequence(answers, afterwards: .repeat))])
    let matcher = StubMatcher(set, process: "p")
    var counters = StubCounters(salt: 1)
    let plan = try #require(matcher.plan(url: "http://a.test/", method: "GET"))
    let statuses = (0..<3).map { _ -> Int? in
      guard case .respond(let response)? = plan.count(&counters)?.action else { return nil }
      return response.status
    }
    #expect(statuses == [200, 201, 200])
  }
}
