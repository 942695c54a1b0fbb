import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct RenderingTests {
  private let facts = RequestFacts(
    method: "POST", url: "https://api.example.com:8443/v1/users/J%C3%BCrgen?id=7&q=a+b",
    headers: [HeaderField("X-Id", "42")], body: Data(#"{"user":{"id":7,"tags":["a"]},"s":"\"q\""}"#.utf8))

  @Test(arguments: [
    ("{{request.method}} {{request.scheme}} {{request.host}} {{request.port}}", "POST https api.example.com 8443"),
    ("{{request.path}}", "/v1/users/J%C3%BCrgen"),
    ("{{request.path.0}}-{{request.path.2}}-{{request.path.9}}", "v1-Jürgen-"),
    ("{{request.query.id}}{{request.query.none}}", "7"), ("{{ request.header.x-id }}", "42"),
    ("{{request.json./user/id}} {{request.json./user}} {{request.json./s}}", "7 {\"id\":7,\"tags\":[\"a\"]} \"q\""),
    ("{{count}}", "3"), ("no { braces } here", "no { braces } here"), ("{{\"{{\"}}x}}", "{{x}}"),
  ])
  func templates(_ text: String, _ expected: String) {
    #expect(TemplateContext(facts, count: 3).render(text) == expected)
  }

  /// What is escaped where it is printed goes to the program as it stands.
  @Test func sendsBodiesAsTheyStand() {
    let text = "\u{7F}\u{9B}\u{61C}\u{200F}\u{2028}\u{202E}\u{2066}\u{1F468}\u{200D}\u{1F469}"
    let body = CannedResponse(body: .json(.members(["a": .string(text)])))
    #expect(body.bytes == Data("{\"a\":\"\(text)\"}".utf8))
    let asked = RequestFacts(method: "POST", url: "http://a/", body: body.bytes)
    #expect(TemplateContext(asked, count: 1).render("{{request.json.}}") == "{\"a\":\"\(text)\"}")
  }

  @Test func timeAndUUIDs() {
    let date = Date(timeIntervalSince1970: 1_795_222_923.004)
    #expect(TemplateContext(facts, count: 1, date: date).render("{{now}}") == "2026-11-21T01:02:03.004Z")
    let uuid = TemplateContext(facts, count: 1).render("{{uuid}}")
    #expect(UUID(uuidString: uuid) != nil && uuid == uuid.lowercased())
  }

  @Test func quotedTextsComeBack() throws {
    for text in ["{{name}}", "a{{{b}}}", "{{\"{{\"}}", "plain", "}}{{"] {
      #expect(TemplateContext(facts, count: 1).render(Template.quoting(text)) == text)
      _ = try Template(Template.quoting(text))
    }
  }

  @Test(arguments: [
    "{{nope}}", "{{request.query.}}", "{{request.path.x}}", "{{request.json.user}}", "{{", "{{}}", "{{\"a}}",
  ])
  func unknownTemplatesAreRefused(_ text: String) {
    #expect(throws: StubError.self) { try Template(text) }
  }

  @Test func rendersResponses() throws {
    let context = TemplateContext(facts, count: 1)
    let json = CannedResponse(body: .json(["b": "{{request.query.id}}", "a": .number("1.10"), "ü": nil])).rendered(
      in: context)
    #expect(String(decoding: json.body, as: UTF8.self) == #"{"b":"7","a":1.10,"ü":null}"#)
    #expect(json.headers == [HeaderField("Content-Type", "application/json")])
    let text = CannedResponse(headers: [HeaderField("X", "{{request.header.X-Id}}")], body: .text("{{count}}"))
      .rendered(in: context)
    #expect(text.headers == [HeaderField("X", "42")])
    #expect(text.body == Data("1".utf8))
    #expect(
      CannedResponse(body: .file("a/b.PNG")).withGuessedType.headers == [HeaderField("Content-Type", "image/png")])
    let own = CannedResponse(headers: [HeaderField("content-type", "text/x")], body: .json(1)).rendered(in: context)
    #expect(own.headers == [HeaderField("content-type", "text/x")])
    #expect(CannedResponse(body: .filler(bytes: 5)).rendered(in: context).body.count == 5)
  }

  @Test(arguments: [
    // RFC 7396, appendix A.
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"), (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func mergePatches(_ original: String, _ patch: String, _ expected: String) throws {
    #expect(try JSONValue(parsing: original).merged(with: JSONValue(parsing: patch)).compact == expected)
  }

  @Test func patchesAnswers() {
    let changes = PassChanges(
      status: 201, headers: [.init("ETag", nil), .init("X-A", ["1", "2"]), .init("content-type", ["text/y"])],
      mergePatch: ["plan": "gold"], replace: [.init(find: "gold", with: "GOLD")])
    var notices: [String] = []
    let changed = changes.apply(
      status: 200,
      headers: [HeaderField("Content-Type", "text/x"), HeaderField("etag", "1"), HeaderField("Content-Length", "10")],
      body: Data(#"{"id": 10}"#.utf8), notices: &notices)
    #expect(changed.status == 201)
    #expect(String(decoding: changed.body, as: UTF8.self) == #"{"id":10,"plan":"GOLD"}"#)
    #expect(
      changed.headers == [
        HeaderField("Content-Type", "text/y"), HeaderField("Content-Length", "23"), HeaderField("X-A", "1"),
        HeaderField("X-A", "2"),
      ])
    #expect(notices.isEmpty)
    let same = changes.apply(status: 200, headers: [], body: Data("no".utf8), notices: &notices)
    #expect(same.body == Data("no".utf8))
    #expect(notices.count == 1)
  }

  /// What is said of the old bytes goes with them, and stays where they stay.
  @Test(arguments: [true, false]) func whatIsSaidOfAChangedBodyGoes(_ changes: Bool) {
    let headers = [
      HeaderField("Content-Length", "2"), HeaderField("content-md5", "x"), HeaderField("Digest", "y"),
      HeaderField("X-Other", "z"),
    ]
    var notices: [String] = []
    let answer = PassChanges(replace: [.init(find: changes ? "no" : "yes", with: "never")])
      .apply(status: 200, headers: headers, body: Data("no".utf8), notices: &notices)
    #expect(
      answer.headers == (changes ? [HeaderField("Content-Length", "5"), HeaderField("X-Other", "z")] : headers))
  }
}
