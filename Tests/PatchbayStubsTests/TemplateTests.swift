import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct TemplateTests {
  private let facts = RequestFacts(
    method: "POST", url: "https://api.example.com/v1/users/J%C3%BCrgen?id=7&empty=",
    headers: [HeaderField("Cookie", "a=1; sid=x=y"), HeaderField("Cookie", "b=2"), HeaderField("X", "Bearer tok")],
    body: Data(#"{"user":{"id":7,"tags":["a"],"n":null},"s":"q","big":12345678901234567890}"#.utf8))
  /// 22 November 2026, 01:02:03.004 UTC, a Sunday.
  private let date = Date(timeIntervalSince1970: 1_795_309_323.004)

  private func render(_ text: String) -> String { TemplateContext(facts, count: 3, date: date).render(text) }

  @Test(arguments: [
    ("{{request.cookie.sid}} {{request.cookie.b}} {{request.cookie.none}}", "x=y 2 "), ("{{counter}}", "3"),
    ("{{request.query.none | default none at all}}", "none at all"),
    ("{{request.query.none|default \"a | b\"}}", "a | b"),
    ("{{request.query.empty | default 7}}", "7"), ("{{request.query.id | default 9}}", "7"),
    ("{{request.path.2 | upper}} {{request.method | lower}}", "JÜRGEN post"),
    ("{{request.path.2 | urlEncode}}", "J%C3%BCrgen"), ("{{request.json./s | base64}}", "cQ=="),
    ("{{request.json./s | base64 | lower}}", "cq=="), ("{{request.json./user/n | default x}}", "x"),
    ("{{now}}", "2026-11-22T01:02:03.004Z"), ("{{now +2d yyyy-MM-dd}}", "2026-11-24"),
    ("{{now -1h30m yyyy-MM-dd'T'HH:mm:ssX}}", "2026-11-21T23:32:03Z"), ("{{now unix}}", "1795309323"),
    ("{{now +1m unix}}", "1795309383"), ("{{now EEE, dd MMM yyyy HH:mm:ss zzz}}", "Sun, 22 Nov 2026 01:02:03 UTC"),
    ("{{now EEEE d MMMM yy h:mm a SSS}}", "Sunday 22 November 26 1:02 AM 004"),
    ("{{ now  +1s }}", "2026-11-22T01:02:04.004Z"),
  ])
  func texts(_ text: String, _ expected: String) { #expect(render(text) == expected) }

  @Test func valuesStayValuesInJSON() throws {
    let json = try JSONValue(
      parsing: """
        {"id":"{{request.json./user/id}}","user":"{{request.json./user}}","n":"{{request.json./user/n}}",
         "big":"{{request.json./big}}","s":"{{request.json./s}}","q":"{{request.query.id}}","mix":"x{{request.json./user/id}}",
         "c":"{{counter}}","u":"{{now unix}}","r":"{{random 5 5}}","d":"{{request.json./no | default 4}}",
         "t":"{{request.json./no | default four}}","up":"{{request.json./user/id | upper}}","none":"{{request.json./no}}"}
        """)
    let expected = """
      {"id":7,"user":{"id":7,"tags":["a"],"n":null},"n":null,"big":12345678901234567890,"s":"q","q":"7","mix":"x7",\
      "c":3,"u":1795309323,"r":5,"d":4,"t":"four","up":"7","none":""}
      """
    #expect(TemplateContext(facts, count: 3, date: date).render(json).compact == expected)
  }

  @Test func groupsOfExpressions() throws {
    func text(_ when: String, _ template: String) throws -> String {
      let stub = try Stub(json: JSONValue(parsing: #"{"name":"a","when":\#(when),"then":{"pass":{}}}"#))
      return TemplateContext(facts, of: stub, count: 1).render(template)
    }
    #expect(
      try text(#"{"path":{"matches":"^/(v[0-9])/(?<kind>[a-z]+)/(.*)$"}}"#, "{{match.1}} {{match.kind}} {{match.3}}")
        == "v1 users Jürgen")
    #expect(try text(#"{"path":{"matches":"users"}}"#, "{{match.0}}|{{match.1}}") == "users|")
    #expect(
      try text(
        #"{"path":["/x",{"matches":"/(v1)"}],"headers":{"x":{"matches":"Bearer (?<token>.+)"}}}"#,
        "{{match.1}} {{match.token}}") == "v1 tok")
    #expect(
      try text(#"{"any":[{"method":"GET","path":{"matches":"(no)"}},{"path":{"matches":"(users)"}}]}"#, "{{match.1}}")
        == "users")
    #expect(try text(#"{"body":{"matches":"\"id\":(?<id>[0-9]+)"}}"#, "{{match.id | default none}}") == "7")
  }

  /// What groups take is what other engines say.
  @Test(arguments: [
    ("(a+)(a*)", "aaa"), ("(a+?)(a*)", "aaa"), ("(a|ab)(c|bcd)(d*)", "abcd"), ("x(?:(a)|b)*y", "xabay"),
    ("^(.*)/(.*)$", "a/b/c"), ("(\\w+)@(\\w+)\\.com", "mail to ann@example.com now"), ("(?i)(HE)(l+)", "xhello"),
    ("(a)?b", "b"), ("(.*?)(\\d{2,3})", "abc12345"), ("(é+)(.)", "xéé!"),
    ("\\b(\\w)(\\w*)$", "one two"),
  ])
  func groupsAgreeWithFoundation(_ expression: String, _ text: String) throws {
    let own = try PatternRegex(expression).groups.match(Array(text.utf8))
    let foundation = try NSRegularExpression(pattern: expression)
    let found = try #require(foundation.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)))
    let expected = (0..<found.numberOfRanges).map { Range(found.range(at: $0), in: text).map { String(text[$0]) } }
    #expect(own?.texts == expected)
  }

  @Test func groupsTakeBoundedTime() throws {
    let regex = try PatternRegex("(a*)*(a*)*(a*)*(x|b)")
    let start = ContinuousClock.now
    #expect(regex.groups.match([UInt8](repeating: 0x61, count: 1 << 20)) == nil)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func theSameSeedGivesTheSame() {
    func all(_ seed: UInt64?, _ count: UInt64) -> String {
      TemplateContext(facts, count: count, seed: seed).render("{{random 1 1000000}} {{randomText 12}} {{uuid}}")
    }
    #expect(all(7, 1) == all(7, 1))
    #expect(all(7, 1) != all(7, 2))
    #expect(all(7, 1) != all(8, 1))
    #expect(all(nil, 1) != all(nil, 1))
    let words = all(7, 1).split(separator: " ")
    #expect(
      (1...1_000_000).contains(Int(words[0]) ?? 0) && words[1].count == 12 && UUID(uuidString: String(words[2])) != nil)
  }

  @Test(arguments: [
    ("{{random 5 1}}", "the smaller first"), ("{{random 1}}", "two whole numbers"),
    ("{{randomText 0}}", "length from 1"),
    ("{{randomText 99999}}", "length from 1"), ("{{now +2x}}", "is no offset"),
    ("{{now Q}}", "no part of a date's form"),
    ("{{now yyyyyyy}}", "too long"), ("{{now 'T}}", "not closed"),
    ("{{request.query.x | uper}}", "did you mean `upper`"),
    ("{{request.query.x | default}}", "needs a value"), ("{{request.query.x | nothing}}", "known are default"),
    ("{{nowt}}", "not known"), ("{{match.}}", "not known"), ("{{request.cookies.a}}", "request.cookie.NAME"),
  ])
  func mistakes(_ text: String, _ part: String) {
    let error = #expect(throws: StubError.self) { try Template(text) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test func saysEachMistakeOfAText() {
    #expect(Template.mistakes(in: "{{a}} {{now}} {{b}} {{").map(\.number) == [0, 2, 3])
  }

  @Test(arguments: [
    (#"{"name":"a","when":{"path":{"matches":"^/(a)"}},"then":{"respond":{"body":"{{match.2}}"}}}"#, "have one group"),
    (#"{"name":"a","when":{"path":{"matches":"^/(a)"}},"then":{"respond":{"body":"{{match.id}}"}}}"#, "(?<id>…)"),
    (#"{"name":"a","when":{"path":"/a"},"then":{"respond":{"json":{"x":"{{match.1}}"}}}}"#, "needs an expression"),
    (#"{"name":"a","then":{"respond":{"headers":{"X":"{{match.1}}"}}}}"#, "needs an expression"),
  ])
  func groupsAreChecked(_ stub: String, _ part: String) throws {
    let json = try JSONValue(parsing: stub)
    let error = #expect(throws: StubError.self) { try Stub(json: json) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test func whatTheyMakeIsBounded() {
    let body = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
    let context = TemplateContext(RequestFacts(method: "POST", url: "http://a/", body: body), count: 1)
    _ = context.render(String(repeating: "{{request.body}}", count: 200))
    #expect(context.problem?.contains("64 MiB") == true || context.problem?.contains("500 ms") == true)
    let large = TemplateContext(facts, count: 1)
    _ = large.render("{{request.body}}")
    #expect(large.problem == nil)
  }
}
