import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What goes out in the place of what the program asked.
@Suite(.bounded) struct RequestRewritingTests {
  private let asked = RequestParts(
    method: "POST", url: "https://api.example.com/v1/users?page=2&q=a+b%20c#top",
    headers: [HeaderField("Host", "other"), HeaderField("X-Old", "1"), HeaderField("Content-Length", "9")])

  private func sent(
    _ changes: PassChanges, body: String? = nil, asked: RequestParts? = nil, isRedirected: Bool = false
  ) throws -> (parts: RequestParts, notices: [String]) {
    var notices: [String] = []
    let parts = try changes.apply(
      to: asked ?? self.asked, body: body.map { Data($0.utf8) }, isRedirected: isRedirected, notices: &notices)
    return (parts, notices)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080/mirror", "http://127.0.0.1:8080/mirror/v1/users?page=2&q=a+b%20c#top"),
    ("http://127.0.0.1:8080/mirror/", "http://127.0.0.1:8080/mirror/v1/users?page=2&q=a+b%20c#top"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/users?page=2&q=a+b%20c#top"),
    ("HTTP://staging.example", "http://staging.example/v1/users?page=2&q=a+b%20c#top"),
    ("http://[::1]:80/", "http://[::1]:80/v1/users?page=2&q=a+b%20c#top"),
    ("http://me:secret@h/a%20b", "http://me:secret@h/a%20b/v1/users?page=2&q=a+b%20c#top"),
  ])
  func toPutsSchemeHostPortAndPath(_ to: String, _ url: String) throws {
    let parts = try sent(PassChanges(to: to)).parts
    #expect(parts.url == url)
    #expect(parts.headers.first(named: "Host") == nil && parts.headers.first(named: "X-Old") == "1")
    #expect(parts.method == "POST" && parts.body == .kept)
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "is none"), ("staging", "is none"), ("ftp://h", "is neither http nor https"),
    ("http://", "has no host"), ("http://h?x=1", "has a query or a fragment"),
    ("http://h#x", "has a query or a fragment"),
    ("http://h:99999", "port"), ("", "is none"),
  ])
  func whatIsNoTargetIsSaid(_ to: String, _ reason: String) {
    #expect(
      PassChanges(to: to).mistakeOfTarget?.contains(reason) == true, "\(PassChanges(to: to).mistakeOfTarget ?? "")")
    #expect(throws: StubError.self) { try sent(PassChanges(to: to)) }
  }

  @Test func whereARedirectLeadsBelowTheTargetNothingIsPutBeforeItAgain() throws {
    let changes = PassChanges(to: "http://h:80/mirror")
    func url(_ text: String, _ isRedirected: Bool = true) throws -> String {
      try sent(changes, asked: RequestParts(method: "GET", url: text), isRedirected: isRedirected).parts.url
    }
    #expect(try url("http://h/mirror/next?a") == "http://h:80/mirror/next?a")
    #expect(try url("http://h/mirrored") == "http://h:80/mirror/mirrored")
    #expect(try url("http://other/mirror/next") == "http://h:80/mirror/mirror/next")
    #expect(try url("http://h/mirror/next", false) == "http://h:80/mirror/mirror/next")
  }

  @Test func partsOfTheURL() throws {
    let changes = RequestChanges(scheme: "http", host: "::1", port: 8081, path: "v2/花 子/a%2Fb?")
    #expect(
      try sent(PassChanges(request: changes)).parts.url
        == "http://[::1]:8081/v2/%E8%8A%B1%20%E5%AD%90/a%2Fb%3F?page=2&q=a+b%20c#top")
    let both = PassChanges(to: "http://t/pre", request: RequestChanges(host: "never", path: "/p"))
    #expect(try sent(both).parts.url == "http://t/pre/p?page=2&q=a+b%20c#top")
  }

  @Test func itemsOfTheQuery() throws {
    func query(_ text: String, _ changes: [RequestChanges.QueryChange]) throws -> String {
      let url = text.isEmpty ? "http://h/" : "http://h/?\(text)"
      let parts = try sent(
        PassChanges(request: RequestChanges(query: changes)), asked: RequestParts(method: "GET", url: url)
      ).parts
      return String(parts.url.dropFirst("http://h/".count))
    }
    #expect(try query("page=2&debug", [.init("page", nil), .init("debug", ["1"])]) == "?debug=1")
    #expect(try query("page=2", [.init("page", nil)]) == "")
    #expect(try query("a=1&b=2&a=3&c=%2B", [.init("a", ["x", "y"])]) == "?a=x&a=y&b=2&c=%2B")
    #expect(try query("", [.init("q", ["a b&c=d+花"])]) == "?q=a%20b%26c%3Dd%2B%E8%8A%B1")
    #expect(try query("a%62=1&c+d=2", [.init("ab", nil), .init("c d", ["3"])]) == "?c%20d=3")
    #expect(try query("A=1", [.init("a", ["2"])]) == "?A=1&a=2")
  }

  @Test func headerFieldsComeLast() throws {
    let changes = RequestChanges(
      headers: [
        .init("x-old", nil), .init("Host", ["mine"]), .init("X-New", ["1", "2"]), .init("Content-Type", ["t/p"]),
      ],
      body: .json(["a": 1]))
    let parts = try sent(PassChanges(to: "http://h", request: changes)).parts
    #expect(
      parts.headers == [
        HeaderField("Content-Type", "t/p"), HeaderField("Host", "mine"), HeaderField("X-New", "1"),
        HeaderField("X-New", "2"),
      ])
    #expect(parts.body == .bytes(Data(#"{"a":1}"#.utf8)))
  }

  @Test func bodies() throws {
    func body(_ changes: RequestChanges, _ asked: String?) throws -> (RequestParts.Body, notices: Int, type: String?) {
      let (parts, notices) = try sent(PassChanges(request: changes), body: asked)
      return (parts.body, notices.count, parts.headers.first(named: "Content-Type"))
    }
    let json = RequestChanges(body: .json(["a": 1]))
    #expect(try body(json, nil) == (.bytes(Data(#"{"a":1}"#.utf8)), 0, "application/json"))
    #expect(try body(RequestChanges(body: .text("")), "x") == (.bytes(Data()), 0, nil))
    let patch = RequestChanges(mergePatch: ["b": 2, "c": nil], replace: [.init(find: "one", with: "two")])
    #expect(try body(patch, #"{"a":"one","c":3}"#) == (.bytes(Data(#"{"a":"two","b":2}"#.utf8)), 0, nil))
    #expect(try body(patch, "one, no JSON") == (.bytes(Data("two, no JSON".utf8)), 1, nil))
    #expect(try body(patch, nil) == (.kept, 1, nil))
    #expect(try body(RequestChanges(replace: [.init(find: "none", with: "")]), "x") == (.kept, 0, nil))
    #expect(try body(RequestChanges(method: "get"), "x") == (.dropped, 0, nil))
    #expect(try sent(PassChanges(request: RequestChanges(method: "get"))).parts.method == "GET")
  }

  @Test func aGetGetsNoBody() throws {
    let get = RequestParts(method: "GET", url: "http://h/")
    let (parts, notices) = try sent(PassChanges(request: RequestChanges(body: .text("x"))), asked: get)
    #expect(parts == get && notices.count == 1)
    let (put, _) = try sent(PassChanges(request: RequestChanges(method: "PUT", body: .text("x"))), asked: get)
    #expect(put.method == "PUT" && put.body == .bytes(Data("x".utf8)))
  }

  @Test func templatesAreFilledIn() throws {
    let changes = PassChanges(
      to: "http://{{request.header.X-To}}/m",
      request: RequestChanges(
        path: "/v2/{{request.path.1}}", query: [.init("q", ["{{request.method}}"])],
        headers: [.init("X", ["{{request.host}}"])], body: .json(["was": "{{request.json./a}}", "n": 1])))
    #expect(Action.pass(changes).hasTemplates)
    let facts = RequestFacts(
      method: "POST", url: "https://a.example/v1/users", headers: [HeaderField("X-To", "b.example:1")],
      body: Data(#"{"a":"x"}"#.utf8))
    let filled = changes.filled(in: TemplateContext(facts, count: 1))
    #expect(filled.to == "http://b.example:1/m" && filled.request?.path == "/v2/users")
    #expect(filled.request?.query == [.init("q", ["POST"])] && filled.request?.headers == [.init("X", ["a.example"])])
    #expect(filled.request?.body == .json(["was": "x", "n": 1]))
  }

  /// They are checked in the file, so they have to hold: also in what is changed of the answer alone.
  @Test func headersOfThePatchedAnswerAreFilledInToo() {
    let changes = PassChanges(headers: [.init("X-Asked", ["{{request.method}}", "b"]), .init("ETag", nil)])
    #expect(Action.pass(changes).hasTemplates)
    let filled = changes.filled(in: TemplateContext(RequestFacts(method: "PUT", url: "http://h/"), count: 1))
    #expect(filled.headers == [.init("X-Asked", ["PUT", "b"]), .init("ETag", nil)])
  }

  /// What a request brings begins no header field of its own.
  @Test func aHeaderStaysOneLine() {
    let facts = RequestFacts(method: "GET", url: "http://h/?q=a%0D%0AEvil:%201%00%0A")
    let context = TemplateContext(facts, count: 1)
    let text = "v {{request.query.q}}"
    let line = [PassChanges.HeaderChange("X", [text])]
    let changes = PassChanges(request: RequestChanges(headers: line), headers: line).filled(in: context)
    #expect(changes.headers == [.init("X", ["v a Evil: 1  "])] && changes.request?.headers == changes.headers)
    let response = CannedResponse(headers: [HeaderField("X", text)]).filled(in: context)
    #expect(response.headers == [HeaderField("X", "v a Evil: 1  ")])
  }

  @Test func explainingSaysWhatGoesOut() {
    func reason(_ changes: PassChanges) -> String {
      let matcher = StubMatcher(StubSet(stubs: [Stub(name: "a", then: .pass(changes))]))
      return matcher.explain(RequestFacts(method: "GET", url: "http://a.example/v1?x=1"))[0].reason
    }
    #expect(
      reason(PassChanges(to: "http://h:1/{{request.host}}", request: RequestChanges(method: "PUT")))
        == "matches, and answers; it is sent as PUT http://h:1/a.example/v1?x=1")
    #expect(reason(PassChanges(to: "{{request.query.x}}")).contains("it is sent as nothing, since `to` must be"))
    #expect(reason(PassChanges(request: RequestChanges(headers: [.init("X", ["1"])]))) == "matches, and answers")
    #expect(reason(PassChanges(status: 200)) == "matches, and answers")
  }

  @Test func filesBecomeBytesWithTheirType() {
    let action = Action.pass(PassChanges(request: RequestChanges(body: .file("a/b.json"))))
    #expect(action.bodyFiles == ["a/b.json"])
    guard case .pass(let changes) = action.withFiles(["a/b.json": Data("{}".utf8)]) else { return }
    #expect(changes.request?.body == .data(Data("{}".utf8)))
    #expect(changes.request?.headers == [.init("Content-Type", ["application/json"])])
  }

  @Test func mistakesOfStubsInCodeAreSaid() {
    func mistakes(_ changes: PassChanges) -> [String] { Stub(name: "a", then: .pass(changes)).mistakes }
    #expect(mistakes(PassChanges(to: "nowhere")).count == 1)
    #expect(mistakes(PassChanges(to: "http://{{nothing}}/")).count == 1)
    #expect(mistakes(PassChanges(request: RequestChanges(host: "h:80"))).count == 1)
    #expect(mistakes(PassChanges(request: RequestChanges(body: .file("x")))).count == 1)
    #expect(mistakes(PassChanges(to: "http://h", request: RequestChanges(body: .text("{{uuid}}")))).isEmpty)
  }
}
