import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

private func facts(
  _ first: String, _ second: String? = nil, _ headers: [HeaderField] = [], body: String? = nil, process: String = ""
) -> RequestFacts {
  // One argument is the URL of a GET.
  RequestFacts(
    method: second == nil ? "GET" : first, url: second ?? first, headers: headers, body: body.map { Data($0.utf8) },
    process: process)
}

private func fits(_ pattern: RequestPattern, _ facts: RequestFacts) -> Bool {
  let matcher = StubMatcher(StubSet(stubs: [Stub(name: "a", when: pattern, then: .respond(CannedResponse()))]))
  var counters = StubCounters(salt: 1)
  if case .answer = matcher.decide(facts, counters: &counters).step { return true }
  return false
}

@Suite(.bounded) struct StubMatcherTests {
  @Test(arguments: [
    ("demo", true), ("demo 4121", true), ("d* 4121", true), ("demo 4122", false), ("other 4121", false),
    ("demo 04121", true), ("demo *", false), (" 4121", false),
  ])
  func aNameWithANumberIsThatProcessAlone(_ pattern: String, _ fits: Bool) {
    let stub = Stub(
      name: "a", when: RequestPattern(process: .glob(pattern)), then: .respond(CannedResponse()))
    let request = RequestFacts(method: "GET", url: "https://a.example/", process: "demo", pid: 4121)
    for matcher in [
      StubMatcher(StubSet(stubs: [stub])), StubMatcher(StubSet(stubs: [stub]), process: "demo", pid: 4121),
    ] {
      #expect(matcher.explain(request).first?.matches == fits)
      var counters = StubCounters(salt: 1)
      let decision = matcher.decide(request, counters: &counters)
      #expect(decision.step == .unmatched ? !fits : fits)
    }
    let plan = StubMatcher(StubSet(stubs: [stub]), process: "demo", pid: 4121)
      .plan(url: request.url, method: request.method)
    #expect(plan?.isEmpty == !fits)
    var named = request
    named.process = "demo 4122"
    named.pid = 7
    #expect(
      StubMatcher(StubSet(stubs: [stub])).explain(named).first?.matches
        == (pattern == "demo 4122" || pattern == "demo *"))
  }

  @Test(arguments: [
    ("*/maintenance*", "https://api.example.com/v1/maintenance?x=1", true),
    ("*/maintenance*", "https://api.example.com/v1/users", false),
    ("https://api.example.com", "https://api.example.com/", true),
    ("https://API.Example.com:443/x", "https://api.example.com/x", true),
    ("HTTPS://api.example.com/X", "https://api.example.com/x", false),
    ("http://a.example/x", "http://a.example:80/x#part", true),
    ("http://a.example:8080/x", "http://a.example/x", false),
    ("*API.example.com/v1*", "https://api.example.com/v1/a", true),
    ("https://bücher.example/*", "https://xn--bcher-kva.example/a", true),
    ("*bücher.example/*", "https://xn--bcher-kva.example/a", true),
    ("*/日本/*", "https://a.example/%E6%97%A5%E6%9C%AC/x", true),
    ("*/日本/*", "https://a.example/%e6%97%a5%e6%9c%ac/x", true),
    ("https://a.example/%7Eme", "https://a.example/~me", true),
    ("https://a.example/a%2Fb", "https://a.example/a/b", false),
    ("https://a.example/a b", "https://a.example/a%20b", true),
    ("https://a.example/i[1].png?k[]=2", "https://a.example/i%5B1%5D.png?k%5b%5d=2", true),
    ("https://a.example/i%5B1%5D.png", "https://a.example/i[1].png", true),
    ("*i[1].png", "https://a.example/i%5B1%5D.png", true),
    ("*[::1]:8080/i[1]*", "http://[::1]:8080/i%5B1%5D", true),
    ("http://[::1]/i[1]", "http://[::1]/i%5B1%5D", true),
    ("https://a.example/x", "https://user:secret@a.example/x", true),
    ("https://a.example/b", "https://a.example/a/../b", true),
    ("https://a.example/a/../b", "https://a.example/b", true),
    ("https://a.example/./b?c=/../d", "https://a.example/b?c=/../d", true),
    ("https://a.example/a/../b", "https://a.example/a/b", false), ("https://a.example/..", "https://a.example", true),
    ("https://a.example/*/../b", "https://a.example/b", false),
    ("https://a.example?x=1", "https://a.example/?x=1", true),
    ("*", "https://a.example/", true),
    ("", "https://a.example/", false),
  ])
  func urlGlobs(_ glob: String, _ url: String, _ expected: Bool) {
    #expect(fits(RequestPattern(url: .glob(glob)), facts(url)) == expected)
  }

  @Test(arguments: [
    ("*.example.com", "https://api.example.com/", true),
    ("*.example.com", "https://example.com/", false),
    ("API.EXAMPLE.com", "https://api.example.com/", true),
    ("api.example.com", "https://api.example.com./", true),
    ("bücher.example", "https://xn--bcher-kva.example/", true),
    ("xn--bcher-kva.example", "https://bücher.example/", true),
    ("BÜCHER.*", "https://xn--bcher-kva.example/", true),
    ("*cher.example", "https://xn--bcher-kva.example/", true),
    ("::1", "http://[::1]:80/", true),
    ("[0:0::1]", "http://[::1]/", true),
    ("127.0.0.1", "http://127.0.0.1:9000/", true),
  ])
  func hosts(_ glob: String, _ url: String, _ expected: Bool) {
    #expect(fits(RequestPattern(host: .glob(glob)), facts(url)) == expected)
  }

  @Test func queriesCompareByMeaning() {
    let url = "https://a.example/s?q=a%20b&tag=1&tag=2&flag&plus=a+b&n%61me=%C3%A4"
    func query(_ name: String, _ value: TextPattern?) -> Bool {
      fits(RequestPattern(query: [.init(name, value)]), facts(url))
    }
    #expect(query("q", .glob("a b")))
    #expect(query("tag", .glob("2")))
    #expect(query("tag", .glob("3")) == false)
    #expect(query("flag", .glob("")))
    #expect(query("flag", nil) == false)
    #expect(query("debug", nil))
    #expect(query("plus", .glob("a b")))
    #expect(query("plus", .glob("a+b")))
    #expect(query("name", .glob("ä")))
    #expect(query("name", .matches("^ä$")))
  }

  @Test func everythingElse() {
    let request = facts(
      "POST", "https://a.example:8443/v1/users/42",
      [HeaderField("authorization", "Bearer x"), HeaderField("A", "1"), HeaderField("a", "2")],
      process: "demo")
    #expect(fits(RequestPattern(methods: ["get", "post"]), request))
    #expect(fits(RequestPattern(methods: ["GET"]), request) == false)
    #expect(fits(RequestPattern(port: 8443), request))
    #expect(fits(RequestPattern(port: 443), request) == false)
    #expect(fits(RequestPattern(path: .matches("^/v1/users/[0-9]+$")), request))
    #expect(fits(RequestPattern(headers: [.init("Authorization", .glob("Bearer *"))]), request))
    #expect(fits(RequestPattern(headers: [.init("Authorization", .glob("bearer *"))]), request) == false)
    #expect(fits(RequestPattern(headers: [.init("a", .glob("1, 2"))]), request))
    #expect(fits(RequestPattern(headers: [.init("Cookie", nil)]), request))
    #expect(fits(RequestPattern(process: .glob("de*")), request))
    #expect(fits(RequestPattern(process: .glob("other")), request) == false)
    #expect(fits(RequestPattern(scheme: .glob("HTTPS")), request))
  }

  @Test func bodies() {
    let json = facts("POST", "https://a.example/", body: #"{"user":{"id":7.0,"tags":["a","b"]},"n":null}"#)
    func body(_ pattern: BodyPattern, _ request: RequestFacts) -> Bool { fits(RequestPattern(body: pattern), request) }
    #expect(body(BodyPattern(json: ["user": ["id": 7]]), json))
    #expect(body(BodyPattern(json: ["user": ["tags": ["b"]]]), json))
    #expect(body(BodyPattern(json: ["user": ["tags": ["c"]]]), json) == false)
    #expect(body(BodyPattern(json: ["missing": nil]), json) == false)
    #expect(body(BodyPattern(pointer: [.init("/user/tags/1", "b")]), json))
    #expect(body(BodyPattern(pointer: [.init("/user/tags/01", "b")]), json) == false)
    #expect(body(BodyPattern(contains: "\"tags\""), json))
    #expect(body(BodyPattern(matches: "\"id\":\\s*7"), json))
    #expect(body(BodyPattern(equals: "{}"), json) == false)
    let form = facts("POST", "https://a.example/", body: "name=J%C3%BCrgen+M&x=1")
    #expect(body(BodyPattern(form: [.init("name", .glob("Jürgen M")), .init("y", nil)]), form))
    let text = "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a;b.txt\"\r\n\r\nhello\r\n--B--\r\n"
    let parts = facts(
      "POST", "https://a.example/", [HeaderField("Content-Type", "multipart/form-data; boundary=B")], body: text)
    #expect(body(BodyPattern(multipart: [.init("f", .glob("hel*"))]), parts))
    #expect(body(BodyPattern(multipart: [.init("g", .glob("hel*"))]), parts) == false)
    #expect(body(BodyPattern(contains: ""), facts("https://a.example/")))
  }

  @Test func firstEnabledWinsAndHoldsGoOn() {
    let set = StubSet(
      stubs: [
        Stub(name: "off", enabled: false, then: .respond(CannedResponse())),
        Stub(name: "look", when: RequestPattern(path: .glob("/v1/*")), then: .hold(.both)),
        Stub(name: "answer", then: .fail(Fault(.named("offline")))),
      ])
    let matcher = StubMatcher(set)
    var counters = StubCounters(salt: 1)
    let request = facts("https://a.example/v1/x")
    let first = matcher.decide(request, counters: &counters)
    guard case .hold(let holder, let next) = first.step else {
      Issue.record("not held: \(first)")
      return
    }
    #expect(holder == "look")
    #expect(first.responseHold == "look")
    let second = matcher.decide(request, from: next, counters: &counters)
    guard case .answer(let match) = second.step else {
      Issue.record("not answered: \(second)")
      return
    }
    #expect(match.stub == "answer")
    #expect(match.action == .fail(Fault(.named("notConnectedToInternet"))))
    #expect(counters.takeChanges().map(\.name) == ["answer", "look"])
    #expect(counters.takeChanges().isEmpty)
  }

  /// A request that was held once is not held by the stubs after that; where none answers, none takes it.
  @Test func afterAHoldNoOtherHolds() {
    var counters = StubCounters(salt: 1)
    let request = facts("https://a.example/")
    let stubs = ["a", "b"].map { Stub(name: $0, then: .hold(.request)) }
    let matcher = StubMatcher(StubSet(stubs: stubs))
    guard case .hold(let stub, let next) = matcher.decide(request, counters: &counters).step else {
      Issue.record("not held")
      return
    }
    #expect(stub == "a")
    #expect(matcher.decide(request, from: next, counters: &counters) == Decision(.unmatched))
  }

  /// What becomes of a request that no stub takes, and the switch that holds everything, are the hook's to carry out.
  @Test func onlyTheStubsOfASetCount() {
    var counters = StubCounters(salt: 1)
    let request = facts("https://a.example/")
    for set in [StubSet(unmatched: .fail), StubSet(unmatched: .hold), StubSet(holdAll: .both)] {
      #expect(StubMatcher(set).decide(request, counters: &counters) == Decision(.unmatched))
    }
  }

  @Test func bodiesAreReadOnlyWhenLookedAt() {
    let stub = Stub(
      name: "a", when: RequestPattern(path: .glob("/b"), body: BodyPattern(contains: "x")),
      then: .respond(CannedResponse()))
    let matcher = StubMatcher(StubSet(stubs: [stub]))
    #expect(matcher.needsBody(facts("https://a.example/b")))
    #expect(matcher.needsBody(facts("https://a.example/c")) == false)
    var counters = StubCounters(salt: 1)
    var reads = 0
    for path in ["/b", "/c"] {
      _ = matcher.decide(
        facts("https://a.example" + path), counters: &counters,
        body: {
          reads += 1
          return Data("x".utf8)
        })
    }
    #expect(reads == 1)
  }

  @Test func badRegularExpressionsNeverMatchAndAreReported() {
    let matcher = StubMatcher(
      StubSet(stubs: [Stub(name: "a", when: RequestPattern(path: .matches("(")), then: .hold(.request))]))
    #expect(matcher.problems.count == 1)
    var counters = StubCounters(salt: 1)
    #expect(matcher.decide(facts("https://a.example/"), counters: &counters) == Decision(.unmatched))
  }

  /// One that asks for something is not shadowed by none that asks for more of it, nor one that leaves it open.
  @Test(arguments: [
    (RequestPattern(host: .glob("a.example")), RequestPattern(), false),
    (RequestPattern(), RequestPattern(host: .glob("a.example")), true),
    (RequestPattern(path: .glob("/x*")), RequestPattern(host: .glob("a.example")), false),
    (RequestPattern(path: .glob("/x*")), RequestPattern(path: .glob("/xy")), true),
    (RequestPattern(path: .glob("/*")), RequestPattern(host: .glob("a.example")), true),
    (RequestPattern(host: .glob("*")), RequestPattern(), true),
  ])
  func whatIsOpenIsNotShadowed(_ wide: RequestPattern, _ narrow: RequestPattern, _ isShadowed: Bool) {
    let stubs = [wide, narrow].map { Stub(name: "s", when: $0, then: .respond(CannedResponse())) }
    #expect(ShadowCheck.findings(stubs).isEmpty != isShadowed)
  }

  /// Of many that ask something of the body the right one is found, also between those that ask nothing of it.
  @Test func amongManyOfTheBodyTheRightOneAnswers() {
    var stubs = (0..<40).map { number in
      Stub(
        name: "\(number)",
        when: number % 8 == 3
          ? RequestPattern(path: .glob("/other\(number)"))
          : RequestPattern(body: BodyPattern(json: ["id": .number("\(number)")])), then: .respond(CannedResponse()))
    }
    stubs.append(Stub(name: "last", then: .respond(CannedResponse())))
    let matcher = StubMatcher(StubSet(stubs: stubs))
    for (number, name) in [(0, "0"), (17, "17"), (39, "39"), (3, "last"), (99, "last")] {
      var counters = StubCounters(salt: 1)
      let request = facts(
        "POST", "https://a.example/", [HeaderField("Content-Type", "application/json")], body: "{\"id\":\(number)}")
      guard case .answer(let match) = matcher.decide(request, counters: &counters).step else {
        Issue.record("\(number) was not answered")
        continue
      }
      #expect(match.stub == name)
    }
  }
}
