import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Matching against itself: deciding, explaining, and the index against a plain walk.
@Suite(.bounded) struct PureMatchingTests {
  private struct Sources {
    var random = RandomStubs(21)

    mutating func pick(_ values: [String]) -> String { values[random.int(0...(values.count - 1))] }

    mutating func text(_ values: [String]) -> TextPattern? { random.chance(0.6) ? nil : some(values) }

    private mutating func some(_ values: [String], depth: Int = 0) -> TextPattern {
      if depth < 2, random.chance(0.25) {
        let parts = (0..<random.int(1...3)).map { _ in some(values, depth: depth + 1) }
        return [.any(parts), .not(parts), .all(parts)][random.int(0...2)]
      }
      return random.chance(0.8) ? .glob(pick(values)) : .matches(pick(["^/v[12]", "users", "[0-9]$", "e", "("]))
    }

    mutating func pattern(depth: Int = 0) -> RequestPattern {
      var pattern = RequestPattern()
      if depth < 2, random.chance(0.25) {
        pattern.any = (0..<random.int(1...3)).map { _ in self.pattern(depth: depth + 1) }
      }
      if depth < 2, random.chance(0.15) {
        pattern.not = (0..<random.int(1...2)).map { _ in self.pattern(depth: depth + 1) }
      }
      if random.chance(0.4) { pattern.methods = [pick(["GET", "post", "PURGE"])] }
      pattern.url = text([
        "*", "https://API.example.com/v1/*", "*users*", "http://*.example.com:8080/*", "*bücher.example/*", "*V1*",
      ])
      pattern.host = text(["api.example.com", "*.example.com", "bücher.example", "API.example.com", "::1", "*"])
      pattern.path = text(["/v1/users", "/v1/*", "*/7", "/日本", "/a%2fb", "/"])
      pattern.scheme = text(["https", "HTTP*"])
      if random.chance(0.1) { pattern.port = [80, 443, 8080][random.int(0...2)] }
      if random.chance(0.3) {
        pattern.query = [
          .init(pick(["page", "q", "a b"]), random.chance(0.3) ? nil : .glob(pick(["2", "*", "x y", "é"])))
        ]
      }
      if random.chance(0.2) {
        let values: [TextPattern] = [
          .any(["7", "8*"]), .not(["7"]), .any([.not(["x"]), "tok*"]), .glob("*"), .glob("7"), .glob("7, 8"),
          .glob("tok*-*nine"), .glob("*, *"), .matches("(?i)TOKEN-[a-z]+"),
        ]
        pattern.headers = [
          .init(pick(["Accept", "x-id"]), random.chance(0.3) ? nil : values[random.int(0...(values.count - 1))])
        ]
      }
      if random.chance(0.3) { pattern.body = body() }
      return pattern
    }

    mutating func body() -> BodyPattern {
      switch random.int(0...11) {
      case 10: BodyPattern(contains: [.any(["user", "name"]), .not(["user"])][random.int(0...1)])
      case 11: BodyPattern(graphql: .init(operation: [nil, "GetUser", .any(["Get*", "x"])][random.int(0...2)]))
      case 0: BodyPattern(contains: .glob(pick(["user", "e", "", "\"ID\":"])))
      case 1: BodyPattern(equals: pick(["user", "", "a=1&id=7+8"]))
      case 2: BodyPattern(matches: pick(["(?i)USERS?", "^$", "name=.id.", "a=1|user"]))
      case 3: BodyPattern(json: ["id": .number(pick(["7", "7.0", "70e-1", "8"]))])
      case 4: BodyPattern(json: ["items": [["id": 7]]])
      case 5: BodyPattern(json: random.chance(0.5) ? [7] : ["e\u{301}": nil])
      case 6: BodyPattern(pointer: [.init(pick(["/id", "/items/0/id", "/items/0", "", "/a~1b"]), pointed())])
      case 7: BodyPattern(form: [.init(pick(["id", "a"]), random.chance(0.2) ? nil : .glob(pick(["7 8", "*", "1"])))])
      case 8: BodyPattern(multipart: [.init("id", random.chance(0.2) ? nil : .glob(pick(["7", "*", "seven*"])))])
      default: BodyPattern(contains: "user", json: ["id": 7])
      }
    }

    private mutating func pointed() -> JSONValue {
      let values: [JSONValue] = [7, ["id": 7, "x": [1, 2]], true, "7", ["id": 7]]
      return values[random.int(0...(values.count - 1))]
    }

    mutating func facts() -> RequestFacts {
      let host = pick([
        "api.example.com", "www.example.com", "xn--bcher-kva.example", "bücher.example", "[::1]", "API.EXAMPLE.COM",
      ])
      let port = pick(["", ":8080", ":443", ":80"])
      let path = pick([
        "", "/", "/v1/users", "/v1/users/7", "/%e6%97%a5%E6%9C%AC", "/a%2Fb", "/V1/x", "/v2/../v1/users",
      ])
      let query = pick(["", "?page=2", "?page=1&page=2", "?q=x+y", "?a%20b=%C3%A9", "?q"])
      return RequestFacts(
        method: pick(["GET", "POST", "PURGE"]),
        url: pick(["https", "http", "HTTPS"]) + "://" + host + port + path + query,
        headers: (0..<random.int(0...3)).map { _ in
          HeaderField(pick(["X-ID", "x-id"]), pick(["7", "8", "Token-nine"]))
        },
        body: random.chance(0.1)
          ? Data(#"{"query":"query GetUser { user }","variables":{"id":7}}"#.utf8)
          : random.chance(0.6)
            ? Data(
              pick([
                "{\"id\":7.0}", "user", "", "a=1&id=7+8", "{\"items\":[{\"id\":8},{\"x\":[1,2],\"id\":7}]}", "[1,7]",
                "true",
                "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n7\r\n--b--",
                "{\"a/b\":true,\"\u{e9}\":null}",
                "{\"id\":1,\"id\":7}", "\"7\"", "{\"items\":[{\"id\":7}]}", "USERS name=\"id\"",
              ]).utf8) : nil)
    }
  }

  @Test func deciding_explaining_andAPlainWalkAgree() {
    var sources = Sources()
    var answered = 0
    for _ in 0..<150 {
      let stubs = (0..<20).map { number in
        Stub(
          name: "s\(number)", enabled: sources.random.chance(0.8), when: sources.pattern(),
          then: sources.random.chance(0.2) ? .hold(.request) : .respond(CannedResponse(status: 200 + number)))
      }
      let matcher = StubMatcher(StubSet(stubs: stubs))
      let patterns = stubs.map { CompiledPattern($0.when) }
      for _ in 0..<10 {
        let facts = sources.facts()
        var counters = StubCounters(salt: 1)
        let decision = matcher.decide(facts, counters: &counters)
        // The plain walk: each stub by itself, in order.
        let plain = zip(stubs, patterns).first { stub, pattern in
          stub.enabled && pattern.problems.isEmpty && pattern.firstFailure(MatchedRequest(facts)) == nil
        }?.0
        let explained = matcher.explain(facts).first { $0.verdict == .answers || $0.verdict == .holds }
        #expect(plain?.name == explained?.stub, "\(facts)")
        switch decision.step {
        case .answer(let match):
          answered += 1
          #expect(match.stub == plain?.name, "\(facts)")
        case .hold(let holder, _): #expect(holder == plain?.name)
        case .unmatched: #expect(plain == nil, "\(facts) \(String(describing: plain))")
        }
        // Matching is pure: the same again.
        var again = StubCounters(salt: 1)
        #expect(matcher.decide(facts, counters: &again) == decision)
        guard !matcher.needsBody(facts) else { continue }
        let bodiless = RequestFacts(method: facts.method, url: facts.url, headers: facts.headers)
        var fresh = StubCounters(salt: 1)
        #expect(matcher.decide(bodiless, counters: &fresh).step == decision.step)
      }
    }
    #expect(answered > 180)
  }

  /// A stub that is said to be never reached never answers.
  @Test func shadowsAreCertain() {
    var sources = Sources()
    var findings = 0
    for _ in 0..<600 {
      let stubs = (0..<6).map { Stub(name: "s\($0)", when: sources.pattern(), then: .respond(CannedResponse())) }
      let matcher = StubMatcher(StubSet(stubs: stubs))
      let shadowed = Set(ShadowCheck.findings(stubs).map { stubs[$0.index].name })
      findings += shadowed.count
      for _ in 0..<20 where !shadowed.isEmpty {
        var counters = StubCounters(salt: 1)
        if case .answer(let match) = matcher.decide(sources.facts(), counters: &counters).step {
          #expect(shadowed.contains(match.stub) == false)
        }
      }
    }
    #expect(findings > 50)
  }

  @Test func garbageNeverTraps() {
    var generator = SeededGenerator(31)
    let matcher = StubMatcher(
      StubSet(
        stubs: (0..<30).map { number in
          var sources = Sources()
          for _ in 0...number { _ = sources.pattern() }
          return Stub(name: "s\(number)", when: sources.pattern(), then: .respond(CannedResponse()))
        }))
    let pieces = [
      "http", "https", "://", ":", "/", "?", "#", "@", "[", "]", "%", "%zz", "%41", "..", ".", "é", "xn--",
      "xn--a-ecp.ru", "\u{0}", "&", "=", "+", "::1", "9999999",
    ]
    for _ in 0..<5_000 {
      let url = (0..<Int.random(in: 0...9, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? ""
      }.joined()
      var counters = StubCounters(salt: 1)
      _ = matcher.decide(RequestFacts(method: "", url: url), counters: &counters)
      #expect(matcher.explain(RequestFacts(method: "GET", url: url, body: Data([0xFF, 0x7B]))).count == 30)
      _ = StubMatcher(
        StubSet(stubs: [
          Stub(name: "u", when: RequestPattern(url: .glob(url), host: .glob(url), path: .glob(url)), then: .hold(.both))
        ]))
    }
  }
}
