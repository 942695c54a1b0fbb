import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct StubCountersTests {
  private let facts = RequestFacts(method: "GET", url: "https://a.example/")

  /// Which of so many requests the stub takes; for a sequence the statuses.
  private func run(_ stub: Stub, _ count: Int, _ counters: inout StubCounters) -> [Int?] {
    let matcher = StubMatcher(StubSet(stubs: [stub]))
    return (0..<count).map { _ in
      guard case .answer(let match) = matcher.decide(facts, counters: &counters).step else { return nil }
      if case .respond(let response) = match.action { return response.status }
      return 0
    }
  }

  private func status(_ status: Int) -> Action { .respond(CannedResponse(status: status)) }

  @Test func skipThenTimes() {
    var counters = StubCounters(salt: 1)
    #expect(run(Stub(name: "a", then: status(200), skip: 2, times: 2), 6, &counters) == [nil, nil, 200, 200, nil, nil])
    #expect(counters["a"]?.hits == 2)
    counters.reset("a")
    #expect(run(Stub(name: "a", then: status(200), skip: 2, times: 2), 3, &counters) == [nil, nil, 200])
  }

  @Test func sequences() {
    let steps = [status(500), status(501), .pass(PassChanges())]
    var counters = StubCounters(salt: 1)
    #expect(run(Stub(name: "r", then: .sequence(steps, afterwards: .repeat)), 5, &counters) == [500, 501, 0, 500, 501])
    #expect(counters["r"]?.nextStep == 2)
    #expect(
      run(Stub(name: "l", then: .sequence([status(1), status(2)], afterwards: .last)), 4, &counters) == [1, 2, 2, 2])
    #expect(run(Stub(name: "p", then: .sequence([status(1)], afterwards: .pass)), 3, &counters) == [1, 0, 0])
  }

  @Test func chanceIsRepeatableAndAboutRight() {
    let stub = Stub(name: "c", then: status(200), chance: 0.3, seed: 7)
    var one = StubCounters(salt: 1)
    var other = StubCounters(salt: 2)
    let taken = run(stub, 2_000, &one)
    #expect(taken == run(stub, 2_000, &other))
    #expect((500...700).contains(taken.filter { $0 != nil }.count))
    #expect(run(Stub(name: "n", then: status(1), chance: 0), 50, &one).allSatisfy { $0 == nil })
    #expect(run(Stub(name: "y", then: status(1), chance: 1), 50, &one).allSatisfy { $0 == 1 })
    var unseeded = StubCounters(salt: 9)
    let free = Stub(name: "c", then: status(200), chance: 0.5)
    #expect(run(free, 64, &one) != run(free, 64, &unseeded))
  }

  @Test func surviveEditsThatDoNotCount() {
    var counters = StubCounters(salt: 1)
    var stub = Stub(name: "a", then: .sequence([status(1), status(2), status(3)], afterwards: .last), times: 9)
    _ = run(stub, 2, &counters)
    stub.when.path = .glob("/")
    stub.then = .sequence([status(4), status(5), status(6)], afterwards: .last)
    counters.adopt(StubMatcher(StubSet(stubs: [stub, Stub(name: "b", then: status(1))])))
    #expect(run(stub, 1, &counters) == [6])
    stub.times = 4
    #expect(run(stub, 5, &counters) == [4, 5, 6, 6, nil])
    counters.adopt(StubMatcher(StubSet(stubs: [])))
    #expect(counters.rows.isEmpty)
  }

  @Test func saysWhatChanged() {
    var counters = StubCounters(salt: 1)
    _ = run(Stub(name: "a", then: .sequence([status(1), status(2)], afterwards: .last)), 1, &counters)
    #expect(counters.takeChanges() == [.init(name: "a", hits: 1, nextStep: 1)])
    #expect(counters.hasChanges == false)
    counters.reset()
    #expect(counters.takeChanges() == [.init(name: "a", hits: 0, nextStep: nil)])
  }

  @Test func explanationsTellTheCounters() {
    let stubs = [
      Stub(name: "off", enabled: false, then: status(1)), Stub(name: "skips", then: status(1), skip: 3),
      Stub(name: "used", then: status(1), times: 1), Stub(name: "never", then: status(1), chance: 0),
      Stub(name: "path", when: RequestPattern(path: .glob("/v2/*")), then: status(1)),
      Stub(name: "holds", then: .hold(.request)), Stub(name: "answers", then: status(1)),
      Stub(name: "late", then: status(1)),
    ]
    let matcher = StubMatcher(StubSet(stubs: stubs))
    var counters = StubCounters(salt: 1)
    _ = matcher.decide(facts, counters: &counters)
    let request = RequestFacts(method: "GET", url: "https://a.example/v1/users")
    #expect(
      matcher.explain(request, counters: counters).map(\.reason) == [
        "switched off", "skip: lets 2 more requests past", "times: used up after 1", "chance: leaves this request out",
        "path: `/v1/users` is not `/v2/*`", "matches, and holds", "matches, and answers",
        "matches, but `answers` comes before it",
      ])
  }

  @Test func explanationsNameBothValues() {
    func reason(_ pattern: RequestPattern) -> String {
      let request = RequestFacts(
        method: "POST", url: "https://a.example/x?page=3", headers: [HeaderField("X-Id", "7")],
        body: Data(#"{"user":{"id":8}}"#.utf8), process: "demo")
      let matcher = StubMatcher(StubSet(stubs: [Stub(name: "a", when: pattern, then: status(1))]))
      return matcher.explain(request)[0].reason
    }
    #expect(reason(RequestPattern(methods: ["GET", "PUT"])) == "method: `POST` is not `GET` or `PUT`")
    #expect(reason(RequestPattern(host: .glob("b.*"))) == "host: `a.example` is not `b.*`")
    #expect(reason(RequestPattern(port: 80)) == "port: 443 is not 80")
    #expect(reason(RequestPattern(query: [.init("page", .glob("2"))])) == "query `page`: `3` is not `2`")
    #expect(reason(RequestPattern(query: [.init("page", nil)])) == "query `page`: is `3`, must be absent")
    #expect(
      reason(RequestPattern(query: [.init("q", .matches("^a"))])) == "query `q`: is missing, must be matched by `^a`")
    #expect(reason(RequestPattern(headers: [.init("x-id", .glob("8"))])) == "header `x-id`: `7` is not `8`")
    #expect(
      reason(RequestPattern(body: BodyPattern(json: ["user": ["id": 7]]))) == "body: JSON at /user/id: `8` is not `7`")
    #expect(
      reason(RequestPattern(body: BodyPattern(pointer: [.init("/user/id", 7)]))) == "body at /user/id: `8` is not `7`")
    #expect(
      reason(RequestPattern(body: BodyPattern(contains: "x"))) == "body: `{\"user\":{\"id\":8}}` does not contain `x`")
    #expect(reason(RequestPattern(process: .glob("other"))) == "process: `demo` is not `other`")
    let nobody = RequestFacts(method: "GET", url: "https://a.example/")
    let ofOne = Stub(name: "a", when: RequestPattern(process: .glob("demo")), then: status(1))
    #expect(
      StubMatcher(StubSet(stubs: [ofOne])).explain(nobody)[0].reason
        == "process: none was given, so it is not `demo`")
  }

  @Test func whatIsSetBackIsSaidEvenWhereNothingWasCounted() {
    var counters = StubCounters(salt: 1)
    counters.reset("gone")
    #expect(counters.takeChanges() == [StubCounters.Row(name: "gone", hits: 0, nextStep: nil)])
    #expect(counters.takeChanges().isEmpty)
  }

  /// Beside a plain model: which requests are skipped, which taken, with which number and step.
  @Test func agreesWithAPlainModel() {
    for skip in [-1, 0, 1, 3] {
      for times in [nil, 0, 1, 2, 7] as [Int?] {
        for steps in [0, 1, 2, 4] {
          for afterwards in Action.Afterwards.allCases {
            let then: Action =
              steps == 0 ? status(200) : .sequence((1...steps).map { status($0) }, afterwards: afterwards)
            let stub = Stub(name: "a", then: then, skip: skip, times: times)
            var counters = StubCounters(salt: 1)
            let seen = run(stub, 12, &counters)
            var (taken, expected): (Int, [Int?]) = (0, [])
            for number in 0..<12 {
              guard number >= max(skip, 0), taken < times ?? .max else {
                expected.append(nil)
                continue
              }
              taken += 1
              switch (steps, afterwards) {
              case (0, _): expected.append(200)
              case (_, _) where taken <= steps: expected.append(taken)
              case (_, .repeat): expected.append((taken - 1) % steps + 1)
              case (_, .last): expected.append(steps)
              case (_, .pass): expected.append(0)
              }
            }
            #expect(seen == expected, "skip \(skip), times \(times ?? -1), \(steps) steps, \(afterwards)")
            #expect((counters["a"]?.hits ?? 0) == UInt64(taken))
            let next = afterwards == .repeat && steps > 0 ? taken % steps : min(taken, steps)
            #expect(counters["a"]?.nextStep == (steps == 0 ? nil : next))
          }
        }
      }
    }
  }

  @Test func whatIsTold() {
    var counters = StubCounters(salt: 1)
    let (a, b) = (Stub(name: "a", then: status(1), scenario: .init("s", to: "on")), Stub(name: "b", then: status(1)))
    #expect(!counters.hasChanges && !counters.hasMoves && counters.rows.isEmpty && counters["a"] == nil)
    _ = run(b, 2, &counters)
    _ = run(a, 1, &counters)
    #expect(counters.rows.map(\.name) == ["a", "b"] && counters.hasChanges && counters.hasMoves)
    #expect(counters.takeChanges().map { "\($0.name) \($0.hits)" } == ["a 1", "b 2"] && !counters.hasChanges)
    #expect(counters.takeMoves() == [ScenarioState(name: "s", state: "on")] && !counters.hasMoves)
    counters.announce()
    #expect(counters.takeChanges().count == 2 && counters.takeMoves().count == 1)
    counters.reset("b")
    counters.reset("c")
    #expect(
      counters.takeChanges().map { "\($0.name) \($0.hits)" } == ["b 0", "c 0"] && counters.state(of: "s") == "on")
    counters.reset()
    #expect(counters.takeChanges().map(\.name) == ["a"] && counters.state(of: "s") == "Started")
    #expect(counters.takeMoves() == [ScenarioState(name: "s", state: "Started")])
    counters.setState(of: "s", to: "x")
    counters.setState(of: "t", to: "y")
    counters.adopt(StubMatcher(StubSet(stubs: [a])))
    #expect(
      counters.state(of: "s") == "x" && counters.state(of: "t") == "Started"
        && counters.takeMoves().map(\.name) == ["s", "t"])
  }
}

extension StubCountersTests {
  /// A scenario that another set of stubs keeps stays where it is, and one that it has not is said to have gone.
  @Test func scenariosStayWithTheirStubs() {
    func matcher(_ names: String...) -> StubMatcher {
      StubMatcher(StubSet(stubs: names.map { Stub(name: $0, then: .code, scenario: .init($0, to: "on")) }))
    }
    var counters = StubCounters(salt: 1)
    counters.adopt(matcher("s", "t"))
    counters.setState(of: "s", to: "on")
    counters.setState(of: "t", to: "off")
    #expect(counters.takeMoves().map { "\($0.name) \($0.state)" } == ["s on", "t off"])
    counters.adopt(matcher("s", "t"))
    #expect(!counters.hasMoves && counters.state(of: "t") == "off")
    counters.adopt(matcher("s", "u"))
    #expect(counters.takeMoves() == [ScenarioState(name: "t", state: "Started")] && counters.state(of: "s") == "on")
    counters.resetScenarios()
    #expect(
      counters.takeMoves() == [ScenarioState(name: "s", state: "Started")] && counters.state(of: "s") == "Started")
    counters.setState(of: "s", to: "Started")
    #expect(counters.hasMoves)
  }

  /// What changed of stubs that are gone is not told.
  @Test func stubsThatAreGoneAreForgotten() {
    let stubs = ["a", "b"].map { Stub(name: $0, when: RequestPattern(path: .glob("/\($0)")), then: .code) }
    let matcher = StubMatcher(StubSet(stubs: stubs))
    var counters = StubCounters(salt: 1)
    for path in ["/a", "/b", "/b"] {
      _ = matcher.decide(RequestFacts(method: "GET", url: "http://h" + path), counters: &counters)
    }
    counters.adopt(StubMatcher(StubSet(stubs: [stubs[1]])))
    #expect(counters.takeChanges() == [.init(name: "b", hits: 2, nextStep: nil)] && counters["a"] == nil)
    #expect(counters.rows == [.init(name: "b", hits: 2, nextStep: nil)])
  }

  /// Draws are those of SplitMix64, so that a seed gives the same everywhere and for ever.
  @Test func drawsOfASeedAreFixed() {
    func taken(_ seed: UInt64?, _ chance: Double, salt: UInt64 = 1, name: String = "a") -> String {
      let matcher = StubMatcher(StubSet(stubs: [Stub(name: name, then: .code, chance: chance, seed: seed)]))
      var counters = StubCounters(salt: salt)
      return (0..<24).map { _ in
        let decision = matcher.decide(RequestFacts(method: "GET", url: "http://h/"), counters: &counters)
        return decision.step == .unmatched ? "." : "x"
      }.joined()
    }
    func plain(_ seed: UInt64, _ chance: Double) -> String {
      var state = seed
      return (0..<24).map { _ in
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / 9_007_199_254_740_992 < chance ? "x" : "."
      }.joined()
    }
    for seed in [0, 1, 7, .max] as [UInt64] {
      for chance in [0.1, 0.5, 0.9] { #expect(taken(seed, chance) == plain(seed, chance)) }
    }
    // A draw that is just the chance is not below it.
    var first: UInt64 = 7 &+ 0x9E37_79B9_7F4A_7C15
    first = (first ^ (first >> 30)) &* 0xBF58_476D_1CE4_E5B9
    first = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
    let draw = Double((first ^ (first >> 31)) >> 11) / 9_007_199_254_740_992
    #expect(taken(7, draw).first == "." && taken(7, draw.nextUp).first == "x")
    // Without one, name and salt make it.
    #expect(
      taken(nil, 0.5) == taken(nil, 0.5) && taken(nil, 0.5) != taken(nil, 0.5, salt: 2)
        && taken(nil, 0.5) != taken(nil, 0.5, name: "b"))
    #expect(taken(nil, 0.5, name: "ab") != taken(nil, 0.5, name: "ba"))
  }
}
