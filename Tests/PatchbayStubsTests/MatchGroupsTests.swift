import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What the groups of expressions took, in every place of a request.
@Suite(.bounded) struct MatchGroupsTests {
  private static let grouped = RequestFacts(
    method: "POST", url: "https://www.xn--bcher-kva.example/p%20q/r?a=one&a=two&b=x%20y",
    headers: [HeaderField("X", "alpha"), HeaderField("x", "beta")], body: Data("f=1&f=22&g=z".utf8), process: "demo")

  @Test(
    arguments: [
      (RequestPattern(scheme: .matches("(.)s")), "p"), (RequestPattern(host: .matches("^(...)\\.")), "www"),
      (RequestPattern(host: .matches("b(ü)")), "ü"),
      (RequestPattern(path: .matches("/(p.q)/")), "p q"), (RequestPattern(path: .matches("/(p%20q)/")), "p q"),
      (RequestPattern(url: .matches("\\?(a=...)")), "a=one"),
      (RequestPattern(process: .matches("d(.)m")), "e"), (RequestPattern(query: [.init("a", .matches("t(.)o"))]), "w"),
      (RequestPattern(query: [.init("b", .matches("(x y)"))]), "x y"),
      (RequestPattern(headers: [.init("X", .matches("(b.t)"))]), "bet"),
      (RequestPattern(headers: [.init("X", .matches("(a, b)"))]), "a, b"),
      (RequestPattern(body: BodyPattern(matches: "g=(.)")), "z"),
      (RequestPattern(body: BodyPattern(contains: .matches("g=(.)"))), "z"),
      (RequestPattern(body: BodyPattern(form: [.init("f", .matches("(..)"))])), "22"),
      (RequestPattern(path: .any(["/x", .matches("/(r)")])), "r"),
      (RequestPattern(path: .all([.matches("/(r)"), .not([.matches("(x)")])])), "r"),
      (RequestPattern(any: [RequestPattern(path: .matches("/(x)")), RequestPattern(path: .matches("(r)$"))]), "r"),
      (RequestPattern(any: [RequestPattern(path: .matches("/(p)")), RequestPattern(path: .matches("(r)$"))]), "p"),
      (RequestPattern(path: .not([.matches("/(x)")])), "none"),
      (RequestPattern(not: [RequestPattern(path: .matches("/(x)"))]), "none"), (RequestPattern(path: "/*"), "none"),
      (RequestPattern(methods: ["POST"], port: 443, query: [.init("c", nil)], headers: [.init("Y", nil)]), "none"),
      (RequestPattern(path: .matches("/(r)"), query: [.init("a", .matches("(one)"))]), "r"),
    ] as [(RequestPattern, String)])
  func whatAGroupTook(_ when: RequestPattern, _ text: String) {
    let stub = Stub(name: "a", when: when, then: .code)
    #expect(TemplateContext(Self.grouped, of: stub, count: 1).render("{{match.1 | default none}}") == text)
  }

  @Test func whatAGroupTookOfABody() {
    let part = RequestFacts(
      method: "POST", url: "http://h/",
      body: Data("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\none\r\n--b--".utf8))
    let operation = RequestFacts(method: "POST", url: "http://h/", body: Data(#"{"query":"query GetUser { a }"}"#.utf8))
    func took(_ body: BodyPattern, _ facts: RequestFacts) -> String {
      TemplateContext(facts, of: Stub(name: "a", when: RequestPattern(body: body), then: .code), count: 1).render(
        "{{match.1}}")
    }
    #expect(took(BodyPattern(multipart: [.init("f", .matches("o(n)e"))]), part) == "n")
    #expect(took(BodyPattern(graphql: .init(operation: .matches("^Get(.*)"))), operation) == "User")
    #expect(took(BodyPattern(equals: "x", json: 1, pointer: [.init("/a", 1)]), operation) == "")
  }

  /// All templates of one answer have half a second together, however little each takes.
  @Test func templatesOfOneAnswerShareTheirTime() {
    let path = String(repeating: "/abcdefgh", count: 2_000)
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://h" + path), count: 1)
    let start = ContinuousClock.now
    while context.problem == nil, ContinuousClock.now - start < .seconds(30) {
      _ = context.render("{{request.path.0}}")
    }
    #expect(context.problem == "its templates took more than 500 ms; use fewer, or a smaller body")
    #expect(ContinuousClock.now - start > .milliseconds(490) && TemplateContext.timeLimit == .milliseconds(500))
  }
}
