import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Lists, `not`, `any` and `graphql` in patterns.
@Suite(.bounded) struct PatternAlternativesTests {
  private static func pattern(_ json: String) throws -> RequestPattern {
    try Stub(json: JSONValue(parsing: #"{"name":"a","when":\#(json),"then":{"pass":{}}}"#)).when
  }

  private static func request(_ line: String, headers: [String: String] = [:], body: String? = nil) -> RequestFacts {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    return RequestFacts(
      method: words[0], url: words[1], headers: headers.map { HeaderField($0.key, $0.value) },
      body: body.map { Data($0.utf8) }, process: "demo", pid: 7)
  }

  private static func matches(_ when: String, _ facts: RequestFacts) throws -> Bool {
    let pattern = try pattern(when)
    // It reads back as it was written.
    #expect(try Self.pattern(pattern.json.compact) == pattern)
    let alone = CompiledPattern(pattern).firstFailure(MatchedRequest(facts)) == nil
    // Among many others the index finds the same.
    let others = (0..<20).map {
      Stub(name: "o\($0)", when: RequestPattern(path: .glob("/none/\($0)")), then: .pass(PassChanges()))
    }
    let matcher = StubMatcher(StubSet(stubs: others + [Stub(name: "it", when: pattern, then: .pass(PassChanges()))]))
    var counters = StubCounters(salt: 0)
    let decision = matcher.decide(facts, counters: &counters)
    let found = if case .answer = decision.step { true } else { false }
    #expect(found == alone)
    return alone
  }

  @Test(arguments: [
    (#"{"host":["api.example.com","*.api.example.com"]}"#, "GET http://eu.api.example.com/", true),
    (#"{"host":["api.example.com","*.api.example.com"]}"#, "GET http://API.example.com/", true),
    (#"{"host":["api.example.com","*.api.example.com"]}"#, "GET http://example.com/", false),
    (#"{"host":["*bücher.example","x.example"]}"#, "GET http://www.xn--bcher-kva.example/", true),
    (#"{"host":["::1","localhost"]}"#, "GET http://[::1]:80/", true),
    (#"{"path":{"not":"/health*"}}"#, "GET http://a/healthz", false),
    (#"{"path":{"not":"/health*"}}"#, "GET http://a/v1", true),
    (#"{"path":{"not":["/health*","/ready"]}}"#, "GET http://a/ready", false),
    (#"{"path":{"not":{"matches":"^/v[0-9]/"}}}"#, "GET http://a/v1/x", false),
    (#"{"path":{"matches":"^/v1/","not":"*/health"}}"#, "GET http://a/v1/health", false),
    (#"{"path":{"matches":"^/v1/","not":"*/health"}}"#, "GET http://a/v1/users", true),
    (#"{"path":{"matches":["^/a","b$"]}}"#, "GET http://a/x/b", true),
    (#"{"path":[{"matches":"^/a"},"/b"]}"#, "GET http://a/b", true),
    (#"{"path":{"not":{"not":"/b"}}}"#, "GET http://a/b", true),
    (#"{"url":["http://a/x*","http://b/*"]}"#, "GET http://b/y", true),
    (#"{"scheme":["http","https"],"process":["other","demo 7"]}"#, "GET https://a/", true),
    (#"{"process":{"not":"demo 7"}}"#, "GET https://a/", false),
    (#"{"query":{"page":["1","2"]}}"#, "GET http://a/?page=2", true),
    (#"{"query":{"page":["1","2"]}}"#, "GET http://a/?page=3", false),
    (#"{"query":{"page":{"not":"1"}}}"#, "GET http://a/", true),
    (#"{"query":{"page":{"not":"1"}}}"#, "GET http://a/?page=1&page=2", false),
    (#"{"query":{"page":[{"not":"1"},"x"]}}"#, "GET http://a/", true),
    (#"{"any":[{"method":"GET"},{"headers":{"X-Canary":"1"}}]}"#, "GET http://a/", true),
    (#"{"any":[{"method":"PUT"},{"headers":{"X-Canary":"1"}}]}"#, "GET http://a/", false),
    (#"{"not":{"query":{"debug":"*"}}}"#, "GET http://a/?debug=1", false),
    (#"{"not":{"query":{"debug":"*"}}}"#, "GET http://a/", true),
    (#"{"not":[{"path":"/a"},{"path":"/b"}]}"#, "GET http://h/b", false),
    (#"{"any":[{"any":[{"path":"/a"},{"path":"/b"}]},{"not":{"method":"GET"}}]}"#, "GET http://h/b", true),
  ])
  func lists(_ when: String, _ line: String, _ expected: Bool) throws {
    #expect(try Self.matches(when, Self.request(line)) == expected)
  }

  @Test(arguments: [
    (#"{"headers":{"X":["a","b*"]}}"#, "bc", true), (#"{"headers":{"x":{"not":"a"}}}"#, "a", false),
    (#"{"body":{"contains":["q","{"]}}"#, "a", true), (#"{"body":{"contains":{"not":"*"}}}"#, "a", true),
    (#"{"body":{"contains":{"not":["one","user"]}}}"#, "a", false),
    (#"{"body":{"matches":["^x","id"]}}"#, "a", true),
    (#"{"body":{"contains":"user","matches":["^x","y$"]}}"#, "a", false),
    (#"{"any":[{"body":{"json":{"user":1}}},{"headers":{"X":"a"}}]}"#, "a", true),
    (#"{"any":[{"body":{"json":{"user":1}}},{"body":{"json":{"user":{"id":7}}}}]}"#, "b", true),
  ])
  func headersAndBodies(_ when: String, _ value: String, _ expected: Bool) throws {
    let facts = Self.request("POST http://a/", headers: ["X": value], body: #"{"user":{"id":7}}"#)
    #expect(try Self.matches(when, facts) == expected)
  }

  @Test(arguments: [
    (#"{"operationName":"GetUser","query":"query GetUser { me }","variables":{"id":7,"x":1}}"#, true),
    (#"{"query":"query GetUser($id: ID!) { me(id: $id) { name } }","variables":{"id":7}}"#, true),
    (
      ##"{"query":"# query Other\nfragment F on User { name }\nquery GetUser @live { me { ...F } }","variables":{"id":7}}"##,
      true
    ),
    (#"{"query":"query A { a } query GetUser { b }","variables":{"id":7}}"#, false),
    (#"[{"query":"{ a }"},{"operationName":"GetUser","query":"query GetUser { a }","variables":{"id":7}}]"#, true),
    (#"{"operationName":"GetUser","variables":{"id":8}}"#, false), (#"{"id":7}"#, false), ("no JSON", false),
    (#"{"operationName":"GetUser","extensions":{"persistedQuery":{"sha256Hash":"x"}},"variables":{"id":7}}"#, true),
  ])
  func graphql(_ body: String, _ expected: Bool) throws {
    let when = #"{"body":{"graphql":{"operation":"GetUser","variables":{"id":7}}}}"#
    #expect(try Self.matches(when, Self.request("POST http://a/graphql", body: body)) == expected)
  }

  @Test func graphqlInTheQueryAndAsText() throws {
    let when = #"{"body":{"graphql":{"operation":["GetUser","Get*s"],"variables":{"id":7}}}}"#
    let url = "GET http://a/graphql?query=query%20GetUser%7Bme%7D&variables=%7B%22id%22%3A7%7D"
    #expect(try Self.matches(when, Self.request(url)))
    #expect(try !Self.matches(when, Self.request("GET http://a/graphql?query=users")))
    let facts = Self.request(
      "POST http://a/", headers: ["Content-Type": "application/graphql"], body: "query GetUsers { all }")
    #expect(try Self.matches(#"{"body":{"graphql":{"operation":"GetUsers"}}}"#, facts))
    #expect(try Self.matches(#"{"body":{"graphql":{}}}"#, facts))
  }

  @Test(arguments: [
    (#"{"host":[]}"#, "empty list"), (#"{"host":[null]}"#, "cannot hold nothing"), (#"{"path":{"nott":"a"}}"#, "nott"),
    (#"{"path":{"not":null}}"#, "whatever it is, is `\"*\"`"), (#"{"port":[80,81]}"#, "any: [{ port: 80 }"),
    (#"{"path":{}}"#, "must be a text, a list"), (#"{"path":{"not":[]}}"#, "empty list"),
    (#"{"path":{"not":{"matches":"("}}}"#, "regular expression"), (#"{"any":[]}"#, "empty list"),
    (#"{"any":{"method":"GET"}}"#, "must be a list of patterns"), (#"{"not":7}"#, "a pattern as in `when`"),
    (#"{"any":[{"metod":"GET"}]}"#, "did you mean `method`"), (#"{"not":{}}"#, "exclude every"),
    (#"{"any":[{}]}"#, "fit every"), (#"{"method":{"not":"GET"}}"#, "not: { method"),
    (#"{"body":{"graphql":{"operations":"x"}}}"#, "did you mean `operation`"),
    (#"{"body":{"graphql":{"variables":[1]}}}"#, "must be a map"), (#"{"body":{"equals":["a"]}}"#, "must be a text"),
    (
      #"{"path":"# + String(repeating: #"{"not":"#, count: 40) + #""x""# + String(repeating: "}", count: 41),
      "nested more than"
    ),
  ])
  func mistakes(_ when: String, _ part: String) throws {
    let error = #expect(throws: StubError.self) { try Self.pattern(when) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  /// The sentence names the alternative that came closest.
  @Test(arguments: [
    (
      #"{"any":[{"method":"PUT","path":"/x"},{"method":"GET","headers":{"X-Canary":"1"}}]}"#,
      "any: none of 2 fits; closest is number 2: header `X-Canary`: is missing, must be `1`"
    ),
    (#"{"not":[{"path":"/x"},{"path":"/a/*"}]}"#, #"not (2 of 2): the request fits `{"path":"/a/*"}`"#),
    (
      #"{"host":["b.example","a.exampel"]}"#,
      "host: `a.example` is not `b.example` or `a.exampel` (closest: `b.example`)"
    ),
    (#"{"path":{"not":["/a*","/b"]}}"#, "path: `/a/b` must not be `/a*` or `/b`"),
    (#"{"path":{"not":{"matches":"^/a"}}}"#, "path: `/a/b` must not be matched by `^/a`"),
    (#"{"query":{"q":{"not":["9","2"]}}}"#, "query `q`: `2` must not be `9` or `2`"),
    (#"{"query":{"q":"3"}}"#, "query `q`: `1` is not `3` (nor is 1 other)"),
    (#"{"query":{"e":null}}"#, "query `e`: is there, though empty, must be absent"),
    (#"{"body":{"contains":{"not":"so"}}}"#, "body: `also` must not contain `so`"),
    (#"{"body":{"graphql":{"operation":"X"}}}"#, "graphql: the request asks for no operation"),
  ])
  func differences(_ when: String, _ expected: String) throws {
    let stub = Stub(name: "a", when: try Self.pattern(when), then: .pass(PassChanges()))
    let request = Self.request("GET http://a.example/a/b?q=1&q=2&e=", body: "also")
    let found = StubMatcher(StubSet(stubs: [stub])).explain(request)
    #expect(found.map(\.reason) == [expected])
  }

  @Test func graphqlDifferences() throws {
    let when = #"{"body":{"graphql":{"operation":"GetUser","variables":{"id":7}}}}"#
    let matcher = StubMatcher(
      StubSet(stubs: [Stub(name: "a", when: try Self.pattern(when), then: .pass(PassChanges()))]))
    let other = Self.request("POST http://a/", body: #"{"query":"query GetCart { a }"}"#)
    #expect(matcher.explain(other)[0].reason == "graphql operation: `GetCart` is not `GetUser`")
    let wrong = Self.request("POST http://a/", body: #"{"query":"query GetUser { a }","variables":{"id":8}}"#)
    #expect(matcher.explain(wrong)[0].reason == "graphql variables: JSON at /id: `8` is not `7`")
  }

  /// A stub behind one that takes all of its requests is found; one that only seems to be is not.
  @Test(arguments: [
    (#"{"path":["/a","/b*"]}"#, #"{"path":"/bc"}"#, true), (#"{"path":"/a*"}"#, #"{"path":["/ab","/ac"]}"#, true),
    (#"{"path":"/a*"}"#, #"{"path":["/ab","/b"]}"#, false), (#"{"path":"/a*"}"#, #"{"path":{"not":"/b"}}"#, false),
    (#"{"not":{"method":"GET"}}"#, #"{"path":"/b"}"#, false),
    (#"{"headers":{"X":"*"}}"#, #"{"headers":{"X":{"not":"1"}}}"#, false),
    (#"{"any":[{"method":"GET"},{"path":"/a*"}]}"#, #"{"path":"/ab"}"#, true),
    (#"{"headers":{"X":{"not":"1"}}}"#, #"{"headers":{"X":{"not":["1","2"]}}}"#, true),
  ])
  func shadows(_ wide: String, _ narrow: String, _ expected: Bool) throws {
    #expect(ShadowCheck.covers(try Self.pattern(wide), try Self.pattern(narrow)) == expected)
  }
}
