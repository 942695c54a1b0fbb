import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Operations of GraphQL, told by their names and matched by name and variables.
@Suite(.bounded) struct GraphQLPartsTests {
  private func name(_ body: String, _ type: String? = "application/json", url: String = "http://h/") -> String? {
    GraphQLOperation.name(url: url, contentType: type, body: Data(body.utf8))
  }

  @Test(
    arguments: [
      ("query A { a }", "A"), ("mutation A { a }", "A"), ("subscription A { a }", "A"),
      ("query A($x: [I!] = {b: 1}) @d(e: \"f\") { a }", "A"),
      ("{ a } query B { b }", "B"), ("query { query } query B { b }", "B"),
      ("query ($x: I) { query No } mutation M { m }", "M"), ("fragment F on T { query } query Q { q }", "Q"),
      ("\u{FEFF}query A { a }", "A"), (",,query,A{a}", "A"), ("query\t\r\nA{a}", "A"), ("query _a1 { a }", "_a1"),
      ("query # no\nA { a }", "A"),
      ("query # no\rA { a }", "A"), ("# query No\r\nquery A {a}", "A"), ("\"query No\" query A { a }", "A"),
      ("\"\"\"query \" No \\\"\"\" x\"\"\" query A {a}", "A"),
      ("\"\" query A {a}", "A"), ("query A(a: \"\\\"} query No {\") { a }", "A"), ("query A", "A"), ("query A }", "A"),
      ("} query A { a }", nil), ("query 1A { a }", nil),
      ("query ! A { a }", nil), ("query \"x\" A { a }", "A"), ("", nil), ("{ a }", nil), ("boots", nil), ("query", nil),
      ("queryA { a }", nil), ("query: A", nil),
      ("schema { query: Q }", nil), ("query { a } A", nil), ("query { a } mutation { b }", nil),
      ("\"not closed query A", nil), ("\"\"\"not closed query A\"\"", nil),
      ("query ( A ) { a }", nil), ("query \"a\\", nil), ("{ a(b: \"\"\"}\"\"\") } query C { c }", "C"),
      ("{ a(b: \"\"\"\"\"\") } query C { c }", "C"),
      ("query zZ_a09 { a }", "zZ_a09"), ("query @A { a }", nil), ("query \u{E}A { a }", nil),
      ("query { a } # query No", nil), ("\"\"", nil), ("\"\\\"\" query A { a }", "A"),
      ("\"\"\"a \"query No {\" b\"\"\" query A { a }", "A"),
    ] as [(String, String?)])
  func namesInADocument(_ document: String, _ expected: String?) {
    #expect(name(document, "application/graphql") == (document.hasPrefix("{") ? nil : expected), "\(document)")
    let json = JSONValue.members(["query": .string(document)]).compact
    let isDocument = ["query", "mutation", "subscription", "fragment", "{"].contains { start in
      document.drop { $0 == "," || $0 == "\u{FEFF}" }.hasPrefix(start)
    }
    if isDocument, document.contains("{"), !document.hasPrefix("queryA") {
      #expect(name(json) == expected, "\(document)")
    }
  }

  @Test(
    arguments: [
      (#"{"query":"query A { a }","operationName":"B"}"#, "B"), (#"{"query":"query A { a }","operationName":""}"#, "A"),
      (#"{"query":"query A { a }","operationName":"b c"}"#, "A"),
      (#"{"query":"query A { a }","operationName":7}"#, "A"), (#"{"query":"query A { a }","operationName":null}"#, "A"),
      (#"{"query":"query A { a }","operationName":{"x":"}"}}"#, "A"), (#"{"query":"boots","operationName":"B"}"#, nil),
      (#"{"query":null,"operationName":"B","id":1}"#, "B"),
      (#"{"operationName":"B"}"#, nil), (#"{"operationName":"B","variables":null}"#, "B"),
      (#"{"operationName":"B","extensions":{}}"#, "B"),
      (#"{"operationName":"B","documentId":"x"}"#, "B"), (#"{"operationName":"B","doc_id":"x"}"#, "B"),
      (#"{"operationName":"B","id":"x"}"#, "B"), (#"{"operationName":"B","ids":"x"}"#, nil),
      (#"{"variables":{"a":["}",{"b":"\"]}"}]},"query":"query A { a }"}"#, "A"),
      (#"{"a":-1.5e3,"b":true,"c":[],"d":{},"e":"x","query":"query A { a }"}"#, "A"),
      (#"{"\u0071uery":"query A { a }","query":"query B {b}"}"#, "B"),
      (#"{"query":"query A { a }","query":"query B { b }"}"#, "B"), (#"{"query":"query A { a }"},"#, "A"),
      (#"{"query":"query A { a }","x"}"#, nil), (#"{"query":"query A { a }" "x":1}"#, nil),
      (#"{"query" "query A { a }"}"#, nil), (#"{query:"query A { a }","query":1}"#, nil),
      (#"{"query":"query A { a }","x":[1}"#, nil), (#"{"query":"query A { a }","x":"not closed}"#, nil),
      ("\n\t {\"query\":\"query A { a }\"}", "A"), ("x{\"query\":\"query A { a }\"}", nil),
      (#"[]"#, nil), (#"["query"]"#, nil), (#"[{"query":"query A { a }"}]"#, "A"),
      (#"[{"query":"query A { a }"},{"query":"query B { b }"}"#, "A,B"),
      (#" [ {"query":"query A { a }"} , {"operationName":"B","id":1} ]"#, "A,B"),
      (#"[{"query":"query A { a }"},{"query":"{ b }"}]"#, nil), (#"[{"query":"query A { a }"},7]"#, nil),
      (#"{"query":"query A { a }","x":1,}"#, nil), (#"{}"#, nil), (#"{"query":{"query":"query A { a }"}}"#, nil),
      (#"{"x":{"query":"query A { a }"}}"#, nil),
      ("{\"query\":\"query \\u0041 \\n{ a }\"}", "A"), ("{\"query\":\"query A { a }", nil),
      ("{\"query\":\"\\uZZZZ query A { a }\"}", nil), (#"{"query":"query A { a }" , "x":1 }"#, "A"),
    ] as [(String, String?)])
  func namesInABody(_ body: String, _ expected: String?) {
    #expect(name(body) == expected)
    #expect(name(body, nil) == expected)
    if body.hasPrefix("{") { #expect(name(body, "application/graphql+json") == expected) }
  }

  @Test func whatIsTooLongIsNotLookedAt() {
    let limit = GraphQLOperation.bodyLimit
    #expect(limit == 1_048_576)
    let start = #"{"query":"query A { a }","x":""#
    func body(_ length: Int) -> String { start + String(repeating: "x", count: length - start.utf8.count - 2) + "\"}" }
    #expect(name(body(limit)) == "A" && name(body(limit + 1)) == nil)
    // A body that is too long leaves the URL to tell.
    #expect(
      name(body(limit + 1), url: "http://h/?query=query+B+%7Bb%7D") == "B"
        && name(body(limit), url: "http://h/?query=query+B+%7Bb%7D") == "A")
    #expect(name("", url: "http://h/?query=query+B+%7Bb%7D") == "B")
    let (longest, longer) = (String(repeating: "n", count: 200), String(repeating: "n", count: 201))
    #expect(
      name("query \(longest) { a }", "application/graphql") == longest
        && name("query \(longer) { a }", "application/graphql") == nil)
    #expect(
      name(#"{"query":"query A { a }","operationName":"\#(longest)"}"#) == longest
        && name(#"{"query":"query A { a }","operationName":"\#(longer)"}"#) == "A")
    let one = #"{"query":"query A { a }"}"#
    for (count, names) in [(1, 1), (9, 9), (10, 10), (11, 10), (20, 10)] {
      let batch = "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
      #expect(name(batch)?.split(separator: ",").count == names)
    }
    func url(_ length: Int) -> String {
      "http://h/?query=query+A+%7Ba%7D&x=" + String(repeating: "x", count: length - 24)
    }
    let room = 64 << 10
    #expect(
      GraphQLOperation.name(url: url(room), contentType: nil, body: nil) == "A"
        && GraphQLOperation.name(url: url(room + 1), contentType: nil, body: nil) == nil)
  }

  @Test(
    arguments: [
      ("query=query+A+%7Ba%7D", "A"), ("query=%7Ba%7D&operationName=B", "B"), ("query=boots&operationName=B", nil),
      ("operationName=B", nil), ("operationName=B&variables=%7B%7D", "B"),
      ("operationName=B&extensions=", "B"), ("operationName=B&extension=x", nil), ("query", nil), ("query=", nil),
      ("a=b&&query=query%20A%7Ba%7D&", "A"), ("query=query+A+%7Ba%7D&query=query+B+%7Bb%7D", "B"),
      ("operationName=a+b&query=query+A%7Ba%7D", "A"), ("query=a=b", nil),
      ("query=query+A($x:I=1)+%7Ba%7D", "A"), ("#query=query+A+%7Ba%7D", nil),
      ("x#?query=query+A+%7Ba%7D", nil), ("query=query+A+%7Ba%7D#x", "A"), ("", nil),
    ] as [(String, String?)])
  func namesInAQuery(_ query: String, _ expected: String?) {
    #expect(GraphQLOperation.name(url: "http://h/?" + query, contentType: nil, body: nil) == expected)
  }

  /// Name and variables of all that a request asks for.
  private func operations(_ body: String?, _ type: String? = nil, url: String = "http://h/") -> [String] {
    let facts = RequestFacts(
      method: "POST", url: url, headers: type.map { [HeaderField("content-type", $0)] } ?? [],
      body: body.map { Data($0.utf8) })
    return GraphQLRequest.all(in: MatchedRequest(facts)).map { "\($0.name) \($0.variables.compact)" }
  }

  @Test func whatIsAskedFor() {
    #expect(operations(#"{"query":"query A { a }","variables":{"v":1}}"#) == [#"A {"v":1}"#])
    #expect(
      operations(#"{"query":"{ a }"}"#) == [" {}"] && operations(#"{"query":"boots"}"#) == [" {}"]
        && operations(#"{"query":7}"#) == [])
    #expect(
      operations(#"{"operationName":"B","query":"query A { a }"}"#) == ["B {}"]
        && operations(#"{"operationName":"B"}"#) == ["B {}"])
    #expect(
      operations(#"{"extensions":{"persistedQuery":{}},"variables":null}"#) == [" null"]
        && operations(#"{"extensions":{"other":1}}"#) == [])
    #expect(
      operations(#"[{"query":"query A { a }"},7,{"x":1},{"operationName":"B","variables":{"w":2}}]"#) == [
        "A {}", #"B {"w":2}"#,
      ])
    #expect(
      operations("7") == [] && operations("[]") == [] && operations(nil) == [] && operations("query A { a }") == [])
    #expect(
      operations("query A { a }", "application/graphql") == ["A {}"]
        && operations("{ a }", "Application/GraphQL; x=y") == [" {}"])
    #expect(operations(nil, "application/graphql") == [] && operations("query A { a }", "text/plain") == [])
    #expect(operations(#"{"query":"query A { a }"}"#, "application/graphql") == ["A {}"], "JSON is read as JSON")
  }

  @Test(
    arguments: [
      ("query=query+A+%7Ba%7D", ["A {}"]), ("query=%7Ba%7D", [" {}"]), ("query=boots", []),
      ("query=boots&operationName=B", ["B {}"]), ("operationName=B", ["B {}"]),
      ("operationName=B&variables=%7B%22v%22:1%7D", [#"B {"v":1}"#]), ("operationName=B&variables=no", ["B {}"]),
      ("extensions=%7B%22persistedQuery%22:1%7D", [" {}"]),
      ("extensions=%7B%22other%22:1%7D", []), ("variables=%7B%7D", []),
      ("query=query+A+%7Ba%7D&operationName=B", ["B {}"]), ("", []),
      ("query=query+A+%7Ba%7D&query=query+B+%7Bb%7D", ["A {}"]),
    ] as [(String, [String])])
  func whatIsAskedForInAQuery(_ query: String, _ expected: [String]) {
    #expect(operations(nil, url: "http://h/?" + query) == expected)
  }
}
