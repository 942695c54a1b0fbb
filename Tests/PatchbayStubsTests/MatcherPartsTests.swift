import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What a matcher says besides the one that answers: holds, places, what it needs to know, and what groups took.
@Suite(.bounded) struct MatcherPartsTests {
  private static let facts = RequestFacts(method: "GET", url: "http://h/a")

  private static func stub(_ name: String, _ then: Action = .respond(CannedResponse()), path: String = "/a") -> Stub {
    Stub(name: name, when: RequestPattern(path: .glob(path)), then: then)
  }

  private static func decide(
    _ stubs: [Stub], from: Decision.Cursor = .start, allows: ((Stub) -> Bool)? = nil
  ) -> Decision {
    var counters = StubCounters(salt: 1)
    return StubMatcher(StubSet(stubs: stubs)).decide(facts, from: from, counters: &counters, allows: allows)
  }

  private static func answer(_ name: String, hold: String? = nil, step: Int? = nil) -> Decision {
    var decision = Decision(
      .answer(.init(stub: name, action: .respond(CannedResponse()), hit: 1, step: step)))
    decision.responseHold = hold
    return decision
  }

  @Test func holdsBeforeAnAnswer() {
    let held = Decision.Cursor(position: 1, held: true)
    func hold(_ name: String, _ point: Action.HoldPoint) -> Stub { Self.stub(name, .hold(point)) }
    #expect(Self.decide([Self.stub("a")]) == Self.answer("a") && Self.decide([]) == Decision(.unmatched))
    var expected = Decision(.hold(stub: "h", next: held))
    #expect(Self.decide([hold("h", .request), Self.stub("a")]) == expected)
    expected.responseHold = "h"
    #expect(Self.decide([hold("h", .both), Self.stub("a")]) == expected)
    #expect(Self.decide([hold("h", .response), Self.stub("a")]) == Self.answer("a", hold: "h"))
    #expect(Self.decide([hold("h", .response), hold("i", .response), Self.stub("a")]) == Self.answer("a", hold: "h"))
    expected = Decision(.hold(stub: "i", next: .init(position: 2, held: true)))
    expected.responseHold = "h"
    #expect(Self.decide([hold("h", .response), hold("i", .both), Self.stub("a")]) == expected)
    // A request that was held once goes past further holds; the response may be held all the same.
    #expect(
      Self.decide([hold("h", .both), hold("i", .both), Self.stub("a")], from: held) == Self.answer("a", hold: "i"))
    #expect(Self.decide([hold("h", .both), hold("i", .request), Self.stub("a")], from: held) == Self.answer("a"))
    #expect(Self.decide([Self.stub("a"), Self.stub("b")], from: .init(position: 1, held: false)) == Self.answer("b"))
    #expect(
      Self.decide([Self.stub("s", .sequence([.hold(.request), .respond(CannedResponse())], afterwards: .last))])
        == Decision(.hold(stub: "s", next: held)))
    #expect(
      Self.decide([Self.stub("s", .sequence([.respond(CannedResponse())], afterwards: .last))])
        == Self.answer("s", step: 0))
  }

  @Test func stubsThatAreLeftOutCountNothing() {
    let stubs = [Self.stub("a"), Self.stub("b")]
    let matcher = StubMatcher(StubSet(stubs: stubs))
    var counters = StubCounters(salt: 1)
    #expect(matcher.decide(Self.facts, counters: &counters, allows: { $0.name == "b" }) == Self.answer("b"))
    #expect(counters.rows.map(\.name) == ["b"])
    #expect(matcher.decide(Self.facts, counters: &counters, allows: { _ in false }) == Decision(.unmatched))
  }

  @Test func whetherOneFits() {
    var off = Self.stub("off")
    off.enabled = false
    let matcher = StubMatcher(StubSet(stubs: [Self.stub("a"), Self.stub("b", path: "/b"), off, Self.stub("c")]))
    func fits(_ position: Int, from: Int = 0) -> Bool {
      matcher.fits(Self.facts, at: position, from: .init(position: from, held: false))
    }
    #expect([0, 1, 2, 3].map { fits($0) } == [true, false, false, true])
    #expect(fits(3, from: 3) && !fits(0, from: 1) && fits(3, from: 1))
  }

  @Test func whetherTheBodyIsNeeded() {
    func needs(_ stubs: Stub..., facts: RequestFacts = Self.facts) -> Bool {
      StubMatcher(StubSet(stubs: stubs)).needsBody(facts)
    }
    let asks = Stub(name: "b", when: RequestPattern(body: BodyPattern(contains: "x")), then: .code)
    #expect(!needs(Self.stub("a")) && needs(asks) && needs(Self.stub("a"), asks))
    var other = asks
    other.when.path = "/b"
    #expect(!needs(Self.stub("a"), other), "one that fits without a body asks for none")
    #expect(!needs(other) && needs(other, facts: RequestFacts(method: "GET", url: "http://h/b")))
    other.enabled = false
    #expect(!needs(other, facts: RequestFacts(method: "GET", url: "http://h/b")))
    for text in ["{{request.body}}", "{{request.json./a}}", "{{request.form.a}}"] {
      #expect(needs(Self.stub("t", .respond(CannedResponse(body: .text(text))))), "\(text)")
      #expect(!needs(Self.stub("t", .respond(CannedResponse(body: .text(text))), path: "/b")))
    }
    #expect(!needs(Self.stub("t", .respond(CannedResponse(body: .text("{{request.path}} {{count}}"))))))
    #expect(
      needs(
        Self.stub(
          "t", .sequence([.code, .respond(CannedResponse(body: .text("{{request.body}}")))], afterwards: .last))))
    // Also where so many ask that they are looked up.
    let many = (0..<9).map {
      Stub(name: "\($0)", when: RequestPattern(body: BodyPattern(equals: "\($0)")), then: .code)
    }
    #expect(
      StubMatcher(StubSet(stubs: many)).needsBody(Self.facts) && !StubMatcher(StubSet(stubs: [])).needsBody(Self.facts))
    // Inside of alternatives.
    let either = Stub(
      name: "e",
      when: RequestPattern(any: [RequestPattern(body: BodyPattern(contains: "x")), RequestPattern(path: "/a")]),
      then: .code)
    #expect(needs(either))
    #expect(CompiledPattern(either.when).needsBody && !CompiledPattern(RequestPattern(path: "/a")).needsBody)
  }

  /// The cheap conditions come first, those on the body last, whatever else is nested in them.
  @Test func conditionsStandInTheirOrder() {
    let whole = RequestPattern(
      methods: ["GET"], url: "*", scheme: "http", host: "h", port: 80, path: "/a", query: [.init("q", "1")],
      headers: [.init("A", "1")],
      body: BodyPattern(
        contains: "c", equals: "e", matches: "m", json: 1, pointer: [.init("/p", 1)], form: [.init("f", "1")],
        multipart: [.init("m", "1")], graphql: .init()), process: "p",
      any: [RequestPattern(port: 1)], not: [RequestPattern(body: BodyPattern(equals: "x"))])
    let names = CompiledPattern(whole).conditions.map { condition -> String in
      if case .body(let inner) = condition { return "body " + String("\(inner)".prefix { $0 != "(" }) }
      return String("\(condition)".prefix { $0 != "(" })
    }
    #expect(
      names == [
        "method", "process", "scheme", "host", "port", "path", "url", "query", "header", "any", "body contains",
        "body equals",
        "body matches", "body json", "body graphql", "body pointer", "body form", "body multipart", "not",
      ])
    #expect(CompiledPattern(RequestPattern()).conditions.isEmpty)
    let nested = RequestPattern(
      path: .matches("("), any: [RequestPattern(host: .matches("["))], not: [RequestPattern(url: .matches(")"))])
    #expect(CompiledPattern(nested).problems.count == 3)
  }

  @Test func aStubThatIsTheSameIsNotCompiledAgain() {
    let first = StubMatcher(StubSet(stubs: [Self.stub("a"), Self.stub("b")]))
    let second = StubMatcher(
      StubSet(stubs: [Self.stub("b"), Self.stub("a", path: "/x"), Self.stub("c")]), process: "p", reusing: first)
    #expect(second.compiled[0] === first.compiled[1] && second.compiled[1] !== first.compiled[0])
    #expect(second.compiled.map(\.stub.name) == ["b", "a", "c"] && second.compiled[1].stub.when.path == "/x")
    #expect(second.problems.isEmpty)
    let bad = StubMatcher(StubSet(stubs: [Stub(name: "x", when: RequestPattern(path: .matches("(")), then: .code)]))
    #expect(bad.problems == ["stub `x`: the regular expression cannot be used: a `(` is not closed (character 2)"])
  }

  @Test func stepsOfASequence() {
    let (one, two) = (Action.fail(Fault(.named("offline"))), Action.respond(CannedResponse(body: .text("x"))))
    func compiled(_ then: Action) -> CompiledStub { CompiledStub(Stub(name: "a", then: then)) }
    let nested = compiled(.sequence([one, .sequence([two, .code], afterwards: .repeat)], afterwards: .pass))
    #expect(
      nested.steps == [
        .fail(Fault(.named("notConnectedToInternet"))), .respond(CannedResponse(body: .data(Data("x".utf8)))), .code,
      ])
    #expect(nested.isSequence && nested.afterwards == .pass && nested.counting.steps == 3)
    #expect(
      nested.action(step: nil) == nested.steps[0] && nested.action(step: 2) == .code
        && nested.action(step: 3) == .pass(PassChanges()))
    let last = compiled(.sequence([one, two], afterwards: .last))
    #expect(
      last.action(step: 2) == last.steps[1] && last.action(step: 9) == last.steps[1]
        && last.action(step: 0) == last.steps[0])
    let empty = compiled(.sequence([], afterwards: .last))
    #expect(empty.steps == [.pass(PassChanges())] && empty.isSequence && empty.counting.steps == 1)
    let single = compiled(one)
    #expect(
      single.steps == [.fail(Fault(.named("notConnectedToInternet")))] && !single.isSequence
        && single.counting.steps == nil && single.afterwards == .last)
    #expect(!single.hasTemplates && compiled(.respond(CannedResponse(body: .text("{{count}}")))).hasTemplates)
  }

  @Test func methodsInTheirNormalForm() {
    for method in HTTPMethod.standard {
      #expect(HTTPMethod.normal(method.lowercased()) == method && HTTPMethod.normal(method) == method)
    }
    #expect(
      HTTPMethod.normal("Purge") == "Purge" && HTTPMethod.normal("purge") == "purge" && HTTPMethod.normal("") == "")
    #expect(HTTPMethod.standard.count == 9)
  }

  @Test func pairsOfAQuery() {
    func pairs(_ text: String) -> [String] {
      NamedBytes.pairs(Array(text.utf8)[...], separator: UInt8(ascii: "&")).map {
        "\(String(decoding: $0.name, as: UTF8.self))|\(String(decoding: $0.value, as: UTF8.self))"
      }
    }
    #expect(pairs("a=1&b&c=&=d&&e=f=g") == ["a|1", "b|", "c|", "|d", "e|f=g"] && pairs("") == [] && pairs("&") == [])
    func readings(_ name: String, _ value: String) -> [String] {
      NamedBytes(name: Array(name.utf8), value: Array(value.utf8)).readings.map {
        String(decoding: $0.name + [0x7C] + $0.value, as: UTF8.self)
      }
    }
    #expect(
      readings("a%20b", "1") == ["a b|1"] && readings("a+b", "1%2B") == ["a+b|1+", "a b|1+"]
        && readings("a", "x+y") == ["a|x+y", "a|x y"])
  }

  @Test func segmentsOfAPath() {
    func segments(_ path: String) -> [String] {
      MatchedRequest(RequestFacts(method: "GET", url: "http://h" + path)).pathSegments
    }
    #expect(
      segments("/a//b%2Fc/%C3%A4/") == ["a", "b/c", "ä"] && segments("") == [] && segments("/") == []
        && segments("/a?b/c") == ["a"])
  }

  /// Of which form a request's body is, is looked into once and only where somebody asks.
  @Test func aBodyIsFetchedOnce() {
    var fetched = 0
    let request = MatchedRequest(RequestFacts(method: "POST", url: "http://h/", body: Data("a=1".utf8))) {
      fetched += 1
      return Data(#"{"b":2}"#.utf8)
    }
    #expect(fetched == 0)
    #expect(request.json == ["b": 2] && request.bodyBytes.count == 7 && request.formFields.count == 1 && fetched == 1)
    #expect(
      MatchedRequest(RequestFacts(method: "POST", url: "http://h/", body: Data("a=1".utf8)), body: { nil }).body
        == Data("a=1".utf8))
    #expect(
      MatchedRequest(Self.facts).body == nil && MatchedRequest(Self.facts).bodyBytes == []
        && MatchedRequest(Self.facts).json == nil)
  }

  @Test func aThousandPartsAreLookedAt() {
    let parts = (0..<1_001).map { "--b\r\nContent-Disposition: form-data; name=\"n\($0)\"\r\n\r\nx\r\n" }
    let body = Data((parts.joined() + "--b--").utf8)
    let request = MatchedRequest(RequestFacts(method: "POST", url: "http://h/", body: body))
    #expect(request.multipartParts.count == 1_000)
  }

  private static func fits(_ pattern: RequestPattern, _ url: String, body: String? = nil) -> Bool {
    let facts = RequestFacts(method: "POST", url: url, body: body.map { Data($0.utf8) })
    return CompiledPattern(pattern).firstFailure(MatchedRequest(facts)) == nil
  }

  @Test func addressesFitWithoutTheirBracketsAndNamesOnlyAsAWhole() {
    for host: TextPattern in ["*::1", .matches("^::1$"), .matches("^\\[::1\\]$")] {
      #expect(Self.fits(RequestPattern(host: host), "http://[::1]:80/"), "\(host)")
    }
    for host: TextPattern in [".exampl", .matches("^\\.exampl$")] {
      #expect(!Self.fits(RequestPattern(host: host), "http://a.example/"), "\(host)")
    }
  }

  @Test func valuesAreComparedWithTheCaseOfEveryLetter() {
    for (value, isSame) in [("Abc", true), ("abc", false), ("ABc", false)] {
      #expect(Self.fits(RequestPattern(query: [.init("q", "Abc")]), "http://h/?q=\(value)") == isSame)
      let form = RequestPattern(body: BodyPattern(form: [.init("f", "Abc")]))
      #expect(Self.fits(form, "http://h/", body: "f=\(value)") == isSame)
    }
  }

  /// Also where a condition is looked at after it that does not fit.
  @Test func aBudgetThatWasSpentIsToldFromEveryPlace() {
    var generator = SeededGenerator(3)
    let letters = String(
      decoding: (0..<60_000).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) }, as: UTF8.self)
    let request = MatchedRequest(
      RequestFacts(
        method: "POST", url: "http://h/?q=\(letters)&q=x", headers: [HeaderField("X", letters)],
        body: Data("[{\"operationName\":\"\(letters)\"},{\"operationName\":\"x\"}]".utf8)))
    let spent = TextPattern.matches("a[ab]{900}c")
    let (headed, other) = (RequestPattern(headers: [.init("X", spent)]), RequestPattern(methods: ["PUT"]))
    for pattern in [
      headed, RequestPattern(query: [.init("q", spent)]), RequestPattern(any: [headed, other]),
      RequestPattern(not: [headed, other]), RequestPattern(body: BodyPattern(graphql: .init(operation: spent))),
    ] {
      #expect(CompiledPattern(pattern).firstFailure(request)?.overBudget == true, "\(pattern)")
    }
  }

  // MARK: Plans

  /// What stands behind one that takes every request is of no account, so that URL and method still tell everything.
  @Test func aPlanEndsWithTheFirstThatTakesEveryRequest() {
    func isPlanned(_ change: (inout Stub) -> Void) -> Bool {
      var first = Self.stub("first")
      change(&first)
      let matcher = StubMatcher(StubSet(stubs: [first, Self.stub("held", .hold(.request))]), process: "p")
      return matcher.plan(url: "http://h/a", method: "GET") != nil
    }
    let takers = [isPlanned { _ in }, isPlanned { $0.skip = -1 }, isPlanned { $0.scenario = .init("s", to: "x") }]
    #expect(takers == [true, true, true])
    let others = [
      isPlanned { $0.skip = 1 }, isPlanned { $0.times = 1 }, isPlanned { $0.chance = 1 },
      isPlanned { $0.scenario = .init("s", in: "x") }, isPlanned { $0.enabled = false },
    ]
    #expect(others == [false, false, false, false, false])
    // One that is switched off may ask for what it likes.
    let off = Stub(name: "off", enabled: false, when: RequestPattern(headers: [.init("A", "1")]), then: .code)
    let matcher = StubMatcher(StubSet(stubs: [off]), process: "p")
    #expect(matcher.plan(url: "http://h/a", method: "GET")?.isEmpty == true)
  }

  @Test func plansAreMadeWhereURLAndMethodTell() {
    func plan(
      _ patterns: RequestPattern..., then: Action = .pass(PassChanges()), process: String? = "p",
      url: String = "http://h/a"
    ) -> Int? {
      let stubs = patterns.enumerated().map { Stub(name: "\($0.offset)", when: $0.element, then: then) }
      let plan = StubMatcher(StubSet(stubs: stubs), process: process, pid: 7).plan(url: url, method: "GET")
      return plan.map { $0.isEmpty ? 0 : 1 }
    }
    #expect(
      plan() == 0 && plan(RequestPattern()) == 1 && plan(RequestPattern(path: "/b")) == 0
        && plan(RequestPattern(methods: ["PUT"])) == 0)
    #expect(
      plan(RequestPattern(process: "p")) == 1 && plan(RequestPattern(process: "p"), process: nil) == nil
        && plan(RequestPattern(process: "p 8")) == 0)
    #expect(plan(RequestPattern(url: "*", scheme: "http", host: "h", port: 80, query: [.init("q", nil)])) == 1)
    for pattern in [
      RequestPattern(headers: [.init("A", "1")]), RequestPattern(body: BodyPattern(equals: "x")),
      RequestPattern(headers: [.init("A", nil)]),
    ] {
      #expect(
        plan(pattern) == nil && plan(RequestPattern(any: [pattern, RequestPattern()])) == nil
          && plan(RequestPattern(not: [pattern])) == nil)
      #expect(plan(RequestPattern(), pattern) == nil, "also where the first answers")
    }
    #expect(
      plan(RequestPattern(body: BodyPattern(equals: "x"))) == nil
        && plan(RequestPattern(any: [RequestPattern(path: "/a")])) == 1)
    for then in [
      Action.hold(.request), .code, .sequence([.pass(PassChanges()), .hold(.both)], afterwards: .last),
      .sequence([.code], afterwards: .last),
    ] {
      #expect(plan(RequestPattern(), then: then) == nil && plan(RequestPattern(path: "/b"), then: then) == 0)
    }
    for then in [
      Action.respond(CannedResponse()), .fail(Fault(.named("timedOut"))),
      .sequence([.pass(PassChanges())], afterwards: .last),
    ] {
      #expect(plan(RequestPattern(), then: then) == 1)
    }
    let long = "http://h/" + String(repeating: "x", count: 600)
    #expect(plan(RequestPattern(path: "/x*"), url: long) == 1 && plan(RequestPattern(path: "/y*"), url: long) == 0)
  }

  /// The first that takes every request ends a plan; the others count as they would one by one.
  @Test func plansCountAsDecisionsDo() throws {
    var (skips, once, chance, state) = (Self.stub("skips"), Self.stub("once"), Self.stub("chance"), Self.stub("state"))
    skips.skip = 1
    skips.times = 1
    once.times = 1
    chance.chance = 0
    state.scenario = .init("s", in: "x")
    var moves = Self.stub("moves")
    moves.scenario = .init("s", to: "x")
    moves.times = 1
    let matcher = StubMatcher(
      StubSet(stubs: [skips, once, chance, state, moves, Self.stub("rest"), Self.stub("never")]), process: "p")
    let plan = try #require(matcher.plan(url: "http://h/a", method: "GET"))
    var (planned, decided) = (StubCounters(salt: 1), StubCounters(salt: 1))
    for _ in 0..<5 {
      let match = plan.count(&planned)
      guard case .answer(let expected) = matcher.decide(Self.facts, counters: &decided).step else { return }
      #expect(match == expected)
    }
    #expect(
      planned == decided
        && planned.rows.map { "\($0.name) \($0.hits)" } == ["chance 0", "moves 1", "once 1", "skips 1", "state 2"])
  }

  /// URLs that are the same to Swift and differ in their bytes have plans of their own, also where they are as long.
  @Test func plansAreKeptByTheBytesOfAURL() {
    let matcher = StubMatcher(
      StubSet(stubs: [Stub(name: "a", when: RequestPattern(path: "/caf\u{e9}"), then: .pass(PassChanges()))]),
      process: "p")
    for _ in 0..<2 {
      #expect(matcher.plan(url: "http://h/caf\u{e9}", method: "GET")?.isEmpty == false)
      #expect(matcher.plan(url: "http://h/cafe\u{301}", method: "GET")?.isEmpty == true)
      #expect(matcher.plan(url: "http://h/caf\u{e9}", method: "PUT")?.isEmpty == false)
    }
    let marks = StubMatcher(
      StubSet(stubs: [Stub(name: "a", when: RequestPattern(path: "/a\u{323}\u{307}"), then: .pass(PassChanges()))]),
      process: "p")
    for _ in 0..<2 {
      #expect(marks.plan(url: "http://h/a\u{323}\u{307}", method: "GET")?.isEmpty == false)
      #expect(marks.plan(url: "http://h/a\u{307}\u{323}", method: "GET")?.isEmpty == true)
    }
    let methods = StubMatcher(
      StubSet(stubs: [Stub(name: "a", when: RequestPattern(methods: ["GET"]), then: .pass(PassChanges()))]),
      process: "p")
    for _ in 0..<2 {
      #expect(
        methods.plan(url: "http://h/", method: "GET")?.isEmpty == false
          && methods.plan(url: "http://h/", method: "PUT")?.isEmpty == true)
    }
  }
}
