import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Why a stub takes a request or not, sentence by sentence.
@Suite(.bounded) struct ExplanationTests {
  private static let facts = RequestFacts(
    method: "POST", url: "http://shop.b%C3%BCcher.example:8080/v1/a%20b?q=1&q=2&e=&s=x+y",
    headers: [HeaderField("X-Id", "7"), HeaderField("X-Id", "8"), HeaderField("X-Empty", "")],
    body: Data(#"{"a":{"b":[1,2]},"s":"x"}"#.utf8), process: "demo", pid: 7)

  private static func reason(_ when: String, _ facts: RequestFacts = facts) throws -> String {
    let stub = try Stub(json: JSONValue(parsing: #"{"name":"a","when":\#(when),"then":{"pass":{}}}"#))
    return StubMatcher(StubSet(stubs: [stub])).explain(facts)[0].reason
  }

  @Test(
    arguments: [
      (#"{}"#, "matches, and answers"),
      (#"{"method":"GET"}"#, "method: `POST` is not `GET`"),
      (#"{"method":["GET","put"]}"#, "method: `POST` is not `GET` or `PUT`"),
      (#"{"scheme":"https"}"#, "scheme: `http` is not `https`"),
      (#"{"scheme":{"not":"http*"}}"#, "scheme: `http` must not be `http*`"),
      (#"{"host":"a"}"#, "host: `shop.bücher.example` is not `a`"),
      (#"{"host":["a","shop.*"],"port":8080,"method":"GET"}"#, "method: `POST` is not `GET`"),
      (#"{"port":80}"#, "port: 8080 is not 80"),
      (#"{"path":"/v1/a b/"}"#, "path: `/v1/a%20b` is not `/v1/a b/`"),
      (#"{"path":{"matches":"^/v2"}}"#, "path: `/v1/a%20b` is not matched by `^/v2`"),
      (#"{"path":{"matches":["^/v2","^/v3"]}}"#, "path: `/v1/a%20b` is not matched by `^/v2` or matched by `^/v3`"),
      (#"{"path":{"matches":"^/v1","not":"*b"}}"#, "path: `/v1/a%20b` is not matched by `^/v1` and anything but `*b`"),
      (
        #"{"url":"http://h/"}"#,
        "url: `http://shop.xn--bcher-kva.example:8080/v1/a%20b?q=1&q=2&e=&s=x+y` is not `http://h/`"
      ),
      (#"{"process":"other"}"#, "process: `demo` is not `other`"),
      (#"{"process":"demo 8"}"#, "process: `demo 7` is not `demo 8`"),
      (#"{"process":["x","demo 8"]}"#, "process: `demo 7` is not `x` or `demo 8` (closest: `demo 8`)"),
      (#"{"process":{"matches":"^x"}}"#, "process: `demo` is not matched by `^x`"),
      (#"{"process":{"not":"d*"}}"#, "process: `demo` must not be `d*`"),
      (#"{"query":{"q":"3"}}"#, "query `q`: `1` is not `3` (nor is 1 other)"),
      (#"{"query":{"q":{"not":"2"}}}"#, "query `q`: `2` must not be `2`"),
      (#"{"query":{"q":{"not":["9","1"]}}}"#, "query `q`: `1` must not be `9` or `1`"),
      // Of fields of one name a list with a comma is tried too (RFC 9110 §5.3).
      (#"{"headers":{"x-id":{"not":"7, 8"}}}"#, "header `x-id`: `7, 8` must not be `7, 8`"),
      (#"{"query":{"q":["3","12"]}}"#, "query `q`: `1` is not `3` or `12` (nor is 1 other) (closest: `12`)"),
      (#"{"query":{"q":null}}"#, "query `q`: is `1`, must be absent"),
      (#"{"query":{"e":null}}"#, "query `e`: is there, though empty, must be absent"),
      (#"{"query":{"e":"x"}}"#, "query `e`: `` is not `x`"),
      (#"{"query":{"n":"x"}}"#, "query `n`: is missing, must be `x`"),
      // A `+` is read in two ways, so two values are told.
      (#"{"query":{"s":"z"}}"#, "query `s`: `x+y` is not `z` (nor is 1 other)"),
      (#"{"headers":{"x-id":"9"}}"#, "header `x-id`: `7` is not `9` (nor is 1 other)"),
      (#"{"headers":{"X-Id":null}}"#, "header `X-Id`: is `7`, must be absent"),
      (#"{"headers":{"X-Empty":null}}"#, "header `X-Empty`: is there, though empty, must be absent"),
      (#"{"headers":{"X-None":"1"}}"#, "header `X-None`: is missing, must be `1`"),
      (
        #"{"headers":{"accept":"1"}}"#,
        "header `accept`: is missing, must be `1` (the loading system adds it only when the request goes out, behind the stubs)"
      ),
      (#"{"body":{"contains":"y!"}}"#, #"body: `{"a":{"b":[1,2]},"s":"x"}` does not contain `y!`"#),
      (
        #"{"body":{"contains":["y!","z!"]}}"#, #"body: `{"a":{"b":[1,2]},"s":"x"}` does not contain `y!` or `z!`"#
      ),
      (#"{"body":{"contains":{"not":"a"}}}"#, #"body: `{"a":{"b":[1,2]},"s":"x"}` must not contain `a`"#),
      (#"{"body":{"equals":"x"}}"#, #"body: `{"a":{"b":[1,2]},"s":"x"}` is not `x`"#),
      (#"{"body":{"matches":"^x"}}"#, #"body: `{"a":{"b":[1,2]},"s":"x"}` is not matched by `^x`"#),
      (#"{"body":{"json":{"n":1}}}"#, "body: JSON at /n is missing, must be `1`"),
      (#"{"body":{"json":{"a":{"n":1}}}}"#, "body: JSON at /a/n is missing, must be `1`"),
      (#"{"body":{"json":{"a":{"b":[3]}}}}"#, "body: JSON at /a/b has no element `3`"),
      (#"{"body":{"json":{"a":{"b":[2,3,4]}}}}"#, "body: JSON at /a/b has no element `3`"),
      (#"{"body":{"json":{"s":"x","a":{"b":{}}}}}"#, "body: JSON at /a/b: `[1,2]` is not `{}`"),
      (#"{"body":{"json":[1]}}"#, #"body: JSON: `{"a":{"b":[1,2]},"s":"x"}` is not `[1]`"#),
      (#"{"body":{"pointer":{"/a/b/1":3}}}"#, "body at /a/b/1: `2` is not `3`"),
      (#"{"body":{"pointer":{"/a/c":3}}}"#, "body at /a/c: is missing, must be `3`"),
      (#"{"body":{"form":{"f":"1"}}}"#, "form field `f`: is missing, must be `1`"),
      (#"{"body":{"multipart":{"f":"1"}}}"#, "part `f`: is missing, must be `1`"),
      (#"{"body":{"graphql":{"operation":"X"}}}"#, "graphql: the request asks for no operation"),
      (#"{"any":[{"method":"PUT"}]}"#, "any: method: `POST` is not `PUT`"),
      (
        #"{"any":[{"method":"PUT","port":1},{"method":"GET"},{"port":2}]}"#,
        "any: none of 3 fits; closest is number 2: method: `POST` is not `GET`"
      ),
      (#"{"not":{"method":"POST"}}"#, #"not: the request fits `{"method":"POST"}`"#),
      (#"{"not":[{"method":"GET"},{"port":8080}]}"#, #"not (2 of 2): the request fits `{"port":8080}`"#),
    ] as [(String, String)])
  func whatIsNotAsAskedIsSaid(_ when: String, _ expected: String) throws {
    #expect(try Self.reason(when) == expected)
  }

  @Test(
    arguments: [
      (#"{"port":80}"#, "port: none is not 80"),
      (#"{"host":"h"}"#, "host: `` is not `h`"),
      (#"{"process":"demo"}"#, "process: none was given, so it is not `demo`"),
      (#"{"body":{"contains":"x"}}"#, "body: there is none, does not contain `x`"),
      (#"{"body":{"contains":{"not":["","x"]}}}"#, "body: there is none, must not contain `` or `x`"),
      (#"{"body":{"equals":"x"}}"#, "body: there is none, is not `x`"),
      (#"{"body":{"matches":"x"}}"#, "body: there is none, is not matched by `x`"),
      (#"{"body":{"json":{"a":1}}}"#, #"body: there is none, must hold the JSON `{"a":1}`"#),
      (#"{"body":{"pointer":{"/a":1}}}"#, "body: there is none, must have `1` at /a"),
      (#"{"body":{"form":{"f":"1"}}}"#, "body: there is none, must have the form field `f`"),
      (#"{"body":{"multipart":{"f":"1"}}}"#, "body: there is none, must have the part `f`"),
      (#"{"body":{"graphql":{}}}"#, "graphql: the request asks for no operation"),
    ] as [(String, String)])
  func ofWhatIsNotThereIsSaid(_ when: String, _ expected: String) throws {
    #expect(try Self.reason(when, RequestFacts(method: "GET", url: "ftp:x")) == expected)
  }

  @Test func bodiesThatAreNoJSON() throws {
    let text = RequestFacts(
      method: "POST", url: "http://h/", body: Data(("f=1&f=2&" + String(repeating: "é", count: 100)).utf8))
    let start = "`f=1&f=2&" + String(repeating: "é", count: 71) + "…`"
    #expect(try Self.reason(#"{"body":{"json":{"a":1}}}"#, text) == "body: \(start) is not JSON")
    #expect(try Self.reason(#"{"body":{"pointer":{"/a":1}}}"#, text) == "body: \(start) is not JSON")
    #expect(try Self.reason(#"{"body":{"equals":""}}"#, text) == "body: \(start) is not ``")
    #expect(try Self.reason(#"{"body":{"form":{"f":"3"}}}"#, text) == "form field `f`: `1` is not `3` (nor is 1 other)")
    #expect(try Self.reason(#"{"body":{"form":{"f":null}}}"#, text) == "form field `f`: is `1`, must be absent")
    let many = RequestFacts(method: "POST", url: "http://h/", body: Data("f=1&f=2&f=3".utf8))
    #expect(
      try Self.reason(#"{"body":{"form":{"f":"9"}}}"#, many) == "form field `f`: `1` is not `9` (nor are 2 others)")
    let parts = RequestFacts(
      method: "POST", url: "http://h/",
      body: Data("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n1\r\n--b--".utf8))
    #expect(try Self.reason(#"{"body":{"multipart":{"f":"3"}}}"#, parts) == "part `f`: `1` is not `3`")
    #expect(try Self.reason(#"{"body":{"multipart":{"f":null}}}"#, parts) == "part `f`: is `1`, must be absent")
    let long = RequestFacts(
      method: "POST", url: "http://h/", body: Data("{\"a\":\"\(String(repeating: "x", count: 300))\"}".utf8))
    #expect(
      try Self.reason(#"{"body":{"json":{"a":1}}}"#, long)
        == "body: JSON at /a: `\"\(String(repeating: "x", count: 78))…` is not `1`")
  }

  @Test func ofSeveralValuesTheFirstIsTold() throws {
    for (query, value) in [("q=&q=2", "there, though empty"), ("q=2&q=", "`2`")] {
      let facts = RequestFacts(method: "GET", url: "http://h/?" + query)
      #expect(try Self.reason(#"{"query":{"q":null}}"#, facts) == "query `q`: is \(value), must be absent")
    }
  }

  /// Letters count, however many bytes each has.
  @Test func aBodyIsShownWithEightyLetters() throws {
    let facts = RequestFacts(method: "POST", url: "http://h/", body: Data(String(repeating: "😀", count: 100).utf8))
    let start = String(repeating: "😀", count: 79) + "…"
    #expect(try Self.reason(#"{"body":{"json":{"a":1}}}"#, facts) == "body: `\(start)` is not JSON")
  }

  @Test func graphql() throws {
    func reason(_ graphql: String, _ body: String) throws -> String {
      try Self.reason(
        #"{"body":{"graphql":\#(graphql)}}"#,
        RequestFacts(method: "POST", url: "http://h/", body: Data(body.utf8)))
    }
    let named = #"{"query":"query Get { a }","variables":{"v":1}}"#
    #expect(try reason(#"{"operation":"X"}"#, named) == "graphql operation: `Get` is not `X`")
    #expect(try reason(#"{"operation":["X","Y"]}"#, named) == "graphql operation: `Get` is not `X` or `Y`")
    #expect(try reason(#"{"operation":{"not":"G*"}}"#, named) == "graphql operation: `Get` must not be `G*`")
    #expect(
      try reason(#"{"operation":"Get","variables":{"v":2}}"#, named) == "graphql variables: JSON at /v: `1` is not `2`")
    #expect(try reason(#"{"variables":{"w":2}}"#, named) == "graphql variables: JSON at /w is missing, must be `2`")
    let unnamed = #"{"query":"{ a }"}"#
    #expect(try reason(#"{"operation":"X"}"#, unnamed) == "graphql operation: an operation without a name is not `X`")
    #expect(
      try reason(#"{"operation":{"not":""}}"#, unnamed)
        == "graphql operation: an operation without a name must not be ``")
    let batch = #"[{"query":"query A { a }","variables":{"v":1}},{"query":"query B { a }","variables":{"v":2}}]"#
    #expect(try reason(#"{"operation":"C"}"#, batch) == "graphql operation: `A` is not `C`")
    #expect(
      try reason(#"{"operation":"B","variables":{"v":3}}"#, batch) == "graphql variables: JSON at /v: `2` is not `3`")
  }

  /// Of long lists six are spelled, and long texts are cut.
  @Test func longPatternsAreShortened() throws {
    func path(_ count: Int) throws -> String {
      let list = (1...count).map { "\"/z\($0)\"" }.joined(separator: ",")
      return try Self.reason(#"{"path":{"not":[\#(list),"/v1/*"]}}"#)
    }
    #expect(try path(1) == "path: `/v1/a%20b` must not be `/z1` or `/v1/*`")
    #expect(try path(5) == "path: `/v1/a%20b` must not be `/z1`, `/z2`, `/z3`, `/z4`, `/z5` or `/v1/*`")
    #expect(try path(6) == "path: `/v1/a%20b` must not be `/z1`, `/z2`, `/z3`, `/z4`, `/z5`, `/z6` or 1 more")
    #expect(try path(8) == "path: `/v1/a%20b` must not be `/z1`, `/z2`, `/z3`, `/z4`, `/z5`, `/z6` or 3 more")
    let long = String(repeating: "m", count: 201)
    #expect(
      try Self.reason(#"{"method":"\#(long)"}"#) == "method: `POST` is not `\(String(repeating: "m", count: 199))…`")
    let fitting = String(repeating: "m", count: 200)
    #expect(try Self.reason(#"{"method":"\#(fitting)"}"#) == "method: `POST` is not `\(fitting)`")
  }

  /// Of a list the text that has most in common with the value at its two ends; of two as near, the first.
  @Test(
    arguments: [
      (#"["/v9/*","/v1/x"]"#, "`/v1/x`"), (#"["/v1/x","/v1/y"]"#, "`/v1/x`"), (#"["*zz","*y%20b","*zb"]"#, "`*y%20b`"),
      (#"["x*%20c","x*a%20b","x*b"]"#, "`x*a%20b`"), (#"[{"matches":"^/v2"},"/v"]"#, "`/v`"), (#"["x","y"]"#, nil),
      (#"[{"matches":"^/v2"},{"matches":"^/v3"}]"#, nil), (#"["/v1"]"#, nil),
    ] as [(String, String?)])
  func theClosestOfAListIsNamed(_ list: String, _ closest: String?) throws {
    let reason = try Self.reason(#"{"path":\#(list)}"#)
    #expect(reason.contains("(closest: ") == (closest != nil), "\(reason)")
    if let closest { #expect(reason.hasSuffix(" (closest: \(closest))"), "\(reason)") }
  }

  @Test func verdicts() {
    func stub(_ name: String, _ then: Action = .respond(CannedResponse()), _ change: (inout Stub) -> Void = { _ in })
      -> Stub
    {
      var stub = Stub(name: name, then: then)
      change(&stub)
      return stub
    }
    let stubs = [
      stub("off") { $0.enabled = false }, stub("bad") { $0.when.path = .matches("(") },
      stub("other") { $0.when.methods = ["PUT"] }, stub("skips") { $0.skip = 1 }, stub("skips two") { $0.skip = 2 },
      stub("unlucky") { $0.chance = 0 }, stub("used up") { $0.times = 0 },
      stub("later") { $0.scenario = .init("s", in: "x") }, stub("holds", .hold(.response)),
      stub("sequence", .sequence([.hold(.both), .respond(CannedResponse())], afterwards: .last)),
      stub("answers", .pass(PassChanges(to: "http://t"))), stub("also", .hold(.both)),
      stub("later too") { $0.scenario = .init("s", in: "y") }, stub("after") { $0.skip = 1 },
    ]
    let matcher = StubMatcher(StubSet(stubs: stubs))
    let found = matcher.explain(RequestFacts(method: "GET", url: "http://h/a"))
    #expect(
      found.map { "\($0.stub): \($0.reason)" } == [
        "off: switched off",
        "bad: the regular expression cannot be used: a `(` is not closed (character 2)",
        "other: method: `GET` is not `PUT`", "skips: skip: lets this request past",
        "skips two: skip: lets 2 more requests past", "unlucky: chance: leaves this request out",
        "used up: times: used up after 0", "later: scenario `s`: answers in `x`, not in `Started`",
        "holds: matches, and holds", "sequence: matches, and holds",
        "answers: matches, and answers; it is sent as GET http://t/a", "also: matches, but `answers` comes before it",
        "later too: scenario `s`: answers in `y`, not in `Started`", "after: matches, but `answers` comes before it",
      ])
    #expect(found.map(\.matches) == [false, false, false] + Array(repeating: true, count: 11))
    #expect(found.map(\.sent) == Array(repeating: nil, count: 10) + ["GET http://t/a", nil, nil, nil])
  }

  /// As the hook fills it in.
  @Test func whereARequestGoesIsSaidWithWhatThePatternCaught() throws {
    var stub = Stub(name: "m", then: .pass(PassChanges(to: "http://{{match.1}}.example.com/{{count}}")))
    stub.when.path = .matches("^/t/([a-z]+)/")
    var counters = StubCounters(salt: 0)
    let matcher = StubMatcher(StubSet(stubs: [stub]))
    let facts = RequestFacts(method: "GET", url: "https://api.example.com/t/acme/x")
    #expect(matcher.explain(facts, counters: counters)[0].sent?.hasPrefix("GET http://acme.example.com/1") == true)
    _ = matcher.decide(facts, counters: &counters)
    #expect(matcher.explain(facts, counters: counters)[0].sent?.hasPrefix("GET http://acme.example.com/2") == true)
  }

  @Test func aPlaceInAnExplanationIsOfTheFirstThatFails() throws {
    let spent = "a[ab]{900}c"
    var generator = SeededGenerator(3)
    let body = String(
      decoding: (0..<60_000).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) }, as: UTF8.self)
    let facts = RequestFacts(method: "POST", url: "http://h/", body: Data(body.utf8))
    for when in [#"{"matches":"\#(spent)"}"#, #"{"contains":{"matches":"\#(spent)"}}"#] {
      let reason = try Self.reason(#"{"body":\#(when)}"#, facts)
      #expect(reason.hasPrefix("the regular expression took too many steps; body: `\(body.prefix(79))…` "), "\(reason)")
    }
    let notice = Explanation.budgetNotice(Stub(name: "x", then: .code))
    #expect(
      notice
        == "Stub `x`: a regular expression took more than 500000 steps on a request and counts as not matching; make it simpler."
    )
  }
}
