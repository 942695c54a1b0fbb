import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct GraphQLOperationTests {
  private func name(_ body: String, _ type: String? = "application/json") -> String? {
    GraphQLOperation.name(url: "https://a.example/graphql", contentType: type, body: Data(body.utf8))
  }

  @Test(arguments: [
    (#"{"operationName":"GetUser","query":"query GetUser { user { id } }"}"#, "GetUser"),
    (#"{"query":"query GetUser($id: ID!) { user(id: $id) { id } }","variables":{"id":7}}"#, "GetUser"),
    (#"{"variables":{"query":"no"}, "query" : "mutation\n  AddBook { add }"}"#, "AddBook"),
    (##"{"query":"# query Wrong\nfragment F on User { query }\nquery Right { ...F }"}"##, "Right"),
    (#"{"query":"query A { a } query B { b }","operationName":"B"}"#, "B"),
    (#"{"query":"query A { say(text: \"} query X {\") } query B { b }"}"#, "A"),
    (#"{"operationName":"Stored","variables":{},"extensions":{"persistedQuery":{"version":1}}}"#, "Stored"),
    (#"[{"query":"query A { a }"},{"query":"query B { b }"}]"#, "A,B"),
    (#" {"query":"subscription S @live { s }","operationName":null}"#, "S"),
  ])
  func named(_ body: String, _ expected: String) { #expect(name(body) == expected) }

  @Test(arguments: [
    #"{"query":"{ user { id } }"}"#, #"{"query":"boots"}"#, #"{"query":"query boots"}"#, #"{"query":42}"#,
    #"{"operationName":"Alone"}"#, #"{"operationName":"a b","query":"{ a }"}"#, #"["query"]"#, #"{"query""#, "query",
    "",
    #"{"a":{"query":"query A { a }"}}"#, #"[{"query":"query A { a }"},{"query":"{ b }"}]"#, #"{"query":"query A { a }"#,
  ])
  func unnamed(_ body: String) { #expect(name(body) == nil) }

  @Test func documentAndAddress() {
    #expect(name("query Plain { a }", "application/graphql; charset=utf-8") == "Plain")
    func inURL(_ query: String) -> String? {
      GraphQLOperation.name(url: "https://a.example/graphql?\(query)", contentType: nil, body: nil)
    }
    #expect(inURL("query=query%20GetUser%20%7B%20user%20%7D") == "GetUser")
    #expect(inURL("query=query+A+%7Ba%7D+query+B+%7Bb%7D&operationName=B") == "B")
    #expect(inURL("extensions=%7B%7D&operationName=Stored") == "Stored")
    #expect(inURL("query=boots&page=2") == nil)
    #expect(inURL("q=query") == nil)
    #expect(inURL("operationName=A&query=%7Ba%7D#&operationName=B") == "A")
    #expect(inURL("query=query+A+%7Ba%7D&b=\(String(repeating: "x", count: 70_000))") == nil)
    #expect(GraphQLOperation.name(url: "", contentType: nil, body: nil) == nil)
    // What looks like a query in the fragment is none.
    #expect(GraphQLOperation.name(url: "http://a/#?query=query+A+%7Ba%7D", contentType: nil, body: nil) == nil)
    #expect(inURL("query=query+A+%7Ba%7D#?query=query+B+%7Bb%7D") == "A")
  }

  /// What a body that lies cannot do: each prefix and each single byte taken away ends without a crash.
  @Test func brokenAnywhere() {
    let body = Array(#"[{"query":"query A(x: \"\"\"q\"\"\") { \"é\" }","operationName":"A"}, {"variables":[{}]}]"#.utf8)
    for end in body.indices {
      for cut in [Array(body[..<end]), Array(body[..<end] + body[(end + 1)...])] {
        _ = GraphQLOperation.name(url: "", contentType: nil, body: Data(cut))
        _ = GraphQLOperation.name(url: "", contentType: "application/graphql", body: Data(cut))
      }
    }
  }
}
