import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What templates are read as, what each of their parts gives, and what is said of those that cannot be used.
@Suite(.bounded) struct TemplatePartsTests {
  private static let facts = RequestFacts(
    method: "PUT", url: "HTTPS://H.Example/a%2Fb//c/?x=1&x=2&y&p=a+b&%C3%A4=%C3%A9",
    headers: [
      HeaderField("A", "1"), HeaderField("a", "2"), HeaderField("Cookie", "s=1;t=2; u=a=b;v"),
      HeaderField("cookie", "s=9; w="),
    ],
    body: Data("f=1&f=2&g=x+y%21&h".utf8))

  private static func render(_ text: String, _ facts: RequestFacts = facts, count: UInt64 = 3) -> String {
    TemplateContext(facts, count: count, date: Date(timeIntervalSince1970: 86_399.9996)).render(text)
  }

  @Test(
    arguments: [
      ("request.method", "PUT"), ("request.url", "HTTPS://H.Example/a%2Fb//c/?x=1&x=2&y&p=a+b&%C3%A4=%C3%A9"),
      ("request.scheme", "https"),
      ("request.host", "h.example"), ("request.port", "443"), ("request.path", "/a%2Fb//c/"), ("request.path.0", "a/b"),
      ("request.path.1", "c"),
      ("request.path.2", ""), ("request.query.x", "1"), ("request.query.y", ""), ("request.query.p", "a+b"),
      ("request.query.ä", "é"), ("request.query.X", ""),
      ("request.header.A", "1"), ("request.header.none", ""), ("request.cookie.s", "1"), ("request.cookie.t", "2"),
      ("request.cookie.u", "a=b"),
      ("request.cookie.v", ""), ("request.cookie.w", ""), ("request.cookie.x", ""), ("request.form.f", "1"),
      ("request.form.g", "x y!"), ("request.form.h", ""),
      ("request.body", "f=1&f=2&g=x+y%21&h"), ("request.json", ""), ("request.json.", ""), ("request.json./a", ""),
      ("count", "3"), ("counter", "3"),
      ("match.0", ""), ("now", "1970-01-01T23:59:59.999Z"), ("now unix", "86399"), ("now +1s unix", "86400"),
      ("now -1d unix", "-1"), ("random 7 7", "7"),
      ("random -3 -3", "-3"), (" request.method ", "PUT"), ("request.header.A|default x", "1"),
      ("request.header.n | default", "?"),
      ("request.header.n | default  x y ", "x y"), ("request.header.n | default \"\"", ""),
      ("request.header.n | default true | upper", "TRUE"),
      ("request.header.n | upper", ""), ("request.header.n | upper | default x | upper", "X"),
      ("request.method | lower | upper", "PUT"),
      ("request.form.g | urlEncode", "x%20y%21"), ("request.query.ä | urlEncode", "%C3%A9"),
      ("request.form.g | base64", "eCB5IQ=="),
      ("request.method | default \"|\"", "PUT"), ("request.header.n | default \"a|b\" | base64", "YXxi"),
    ] as [(String, String)])
  func eachSource(_ expression: String, _ expected: String) {
    guard expected != "?" else {
      #expect(Self.render("{{\(expression)}}") == "{{\(expression)}}")
      return
    }
    #expect(Self.render("<{{\(expression)}}>") == "<\(expected)>")
  }

  @Test func controlCharactersAreEncodedWithTwoDigits() {
    let facts = RequestFacts(method: "GET", url: "http://h/", headers: [HeaderField("A", "\t\u{F}\u{10}~-._")])
    #expect(Self.render("{{request.header.A | urlEncode}}", facts) == "%09%0F%10~-._")
  }

  @Test func whereThereIsNothing() {
    let empty = RequestFacts(method: "GET", url: "")
    for source in ["scheme", "host", "port", "path.0", "query.a", "header.a", "cookie.a", "form.a", "json./a", "body"] {
      #expect(Self.render("{{request.\(source) | default none}}", empty) == "none", "\(source)")
    }
    #expect(Self.render("{{request.path}}", empty) == "/")
  }

  @Test(
    arguments: [
      ("a", ["a"], false), ("", [], false), ("{{count}}", ["<count>"], true),
      ("a{{count}}b", ["a", "<count>", "b"], true),
      ("{{count}}{{count}}", ["<count>", "<count>"], true), ("{{\"{{\"}}", ["{{"], true),
      ("a{{\"\"}}b", ["a", "", "b"], true),
      ("{ {count}}", ["{ {count}}"], false), ("{{{count}}", nil, true), ("}}", ["}}"], false),
      ("{{\"a\" }}", nil, true), ("{{\"a}}\"}}", ["a}}"], true),
    ] as [(String, [String]?, Bool)])
  func partsOfATemplate(_ text: String, _ parts: [String]?, _ isNeeded: Bool) {
    #expect(Template.isNeeded(for: text) == isNeeded)
    let found = (try? Template(text))?.parts.map { part in
      switch part {
      case .literal(let text): text
      case .value(let expression): "<\(expression.source)>"
      }
    }
    #expect(found == parts)
    if let parts {
      #expect((try? Template(text))?.front == (parts.first?.hasPrefix("<") == true ? "" : parts.first ?? ""))
    }
  }

  @Test func whatATemplateAsksFor() throws {
    func asks(_ expression: String) throws -> Bool { try Template("a {{\(expression)}}").needsBody }
    for expression in [
      "request.json./a", "request.json", "request.form.a", "request.body", "match.1", "request.body | upper",
    ] {
      #expect(try asks(expression), "\(expression)")
    }
    for expression in [
      "request.method", "request.query.a", "request.header.a", "uuid", "now", "count", "request.path.1", "random 1 2",
    ] {
      #expect(try !asks(expression), "\(expression)")
    }
    #expect(try Template("{{match.1}} {{count}} {{match.ab}}").groups == ["1", "ab"])
  }

  @Test(
    arguments: [
      ("a {{nope}}", "1:3", "`{{nope}}` is not known"), ("a\n {{count}} {{", "2:12", "`{{` is not closed with `}}`"),
      ("{{\"a", "1:1", "`{{\"` is not closed with `\"}}`"),
      ("{{count | nope}}", "1:1", "`| nope` is not known"),
      ("{{count | uper}}", "1:1", "`| uper` is not known; did you mean `upper`?"),
      ("{{count | defalt x}}", "1:1", "`| defalt x` is not known; did you mean `default`?"),
      ("{{request.cookies}}", "1:1", "`{{request.cookies}}` is not known; did you mean `request.cookie.NAME`?"),
      ("{{request.metod}}", "1:1", "`{{request.metod}}` is not known; did you mean `request.method`?"),
      ("{{request.path.-1}}", "1:1", "`{{request.path.-1}}` is not known; did you mean `request.path.0`?"),
      ("{{now +1}}", "1:1", "`{{now +1}}`: `+1` is no offset; write it as a duration: +2d, -1h30m"),
      ("{{now -x yyyy}}", "1:1", "`{{now -x yyyy}}`: `-x` is no offset"),
      ("{{now Q}}", "1:1", "`{{now Q}}`: `Q` is no part of a date's form"),
      ("{{nowyyyy}}", "1:1", "`{{nowyyyy}}` is not known"),
      ("{{random 2 1}}", "1:1", "`{{random 2 1}}`: write `random` with two whole numbers"),
      ("{{random 1 2 3}}", "1:1", "`{{random 1 2 3}}`: write `random`"),
      ("{{random a 2}}", "1:1", "`{{random a 2}}`: write `random`"),
      ("{{random 1 b}}", "1:1", "`{{random 1 b}}`: write `random`"),
      ("{{random}}", "1:1", "`{{random}}`: write `random`"),
      ("{{randomText}}", "1:1", "`{{randomText}}`: write `randomText` with a length from 1 to 10000"),
      ("{{randomText 10001}}", "1:1", "`{{randomText 10001}}`: write"),
      ("{{randomText 1 2}}", "1:1", "`{{randomText 1 2}}`: write"),
      ("{{match.a b}}", "1:1", "`{{match.a b}}` is not known"),
      ("{{request.json.a}}", "1:1", "`{{request.json.a}}` is not known"),
      ("{{request.cookie.}}", "1:1", "`{{request.cookie.}}` is not known"),
      ("{{request.form.}}", "1:1", "`{{request.form.}}` is not known"),
      ("{{request.header.}}", "1:1", "`{{request.header.}}` is not known"),
    ] as [(String, String, String)])
  func whatCannotBeReadIsSaid(_ text: String, _ place: String, _ start: String) {
    let error = #expect(throws: StubError.self) { _ = try Template(text) }
    #expect(error?.position?.description == place)
    #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
  }

  @Test func wordsThatAreKnown() {
    for text in [
      "randomText 1", "randomText 10000", "match.a_1", "request.json", "request.json.", "random 1 1", "now  yyyy",
    ] {
      #expect((try? Template("{{\(text)}}")) != nil, "\(text)")
    }
    for text in TemplateExpression.known { #expect((try? Template("{{\(text)}}")) != nil, "\(text)") }
    for name in TemplateExpression.filterNames {
      #expect((try? Template("{{count | \(name == "default" ? "default 1" : name)}}")) != nil)
    }
    let error = #expect(throws: StubError.self) { _ = try Template("{{zzzzzzzzzz}}") }
    #expect(
      error?.message == "`{{zzzzzzzzzz}}` is not known; known are \(TemplateExpression.known.joined(separator: ", "))")
    let long = #expect(throws: StubError.self) { _ = try Template("{{\(String(repeating: "z", count: 80))}}") }
    #expect(long?.message.hasPrefix("`{{\(String(repeating: "z", count: 59))…}}` is not known") == true)
    let filter = #expect(throws: StubError.self) {
      _ = try Template("{{count | \(String(repeating: "z", count: 50))}}")
    }
    #expect(
      filter?.message
        == "`| \(String(repeating: "z", count: 39))…` is not known; known are default, upper, lower, urlEncode, base64")
  }

  @Test(
    arguments: [
      ("a", "a"), ("{{count}}", "{{count}}"), ("{{nope}}", "{{\"{{\"}}nope}}"),
      ("a {{nope}} {{count}} {{", "a {{\"{{\"}}nope}} {{count}} {{\"{{\"}}"),
      ("{{\"x\"}}", "{{\"x\"}}"), ("{{\"x", "{{\"{{\"}}\"x"), ("", ""), ("{{{{count}}", "{{\"{{\"}}{{count}}"),
    ] as [(String, String)])
  func whatCannotBeFilledInMeansItself(_ text: String, _ template: String) throws {
    #expect(Template.quotingMistakes(text) == template)
    _ = try Template(template)
  }

  @Test(
    arguments: [
      ("plain", "plain"), ("{{x}}", "{{\"{{\"}}x}}"), ("{{{", "{{\"{{\"}}{"), ("{{{{", "{{\"{{\"}}{{\"{{\"}}"),
      ("", ""),
    ] as [(String, String)])
  func textsThatMeanThemselves(_ text: String, _ template: String) { #expect(Template.quoting(text) == template) }

  /// Sixty characters of an expression are said again.
  @Test func longExpressionsAreSaidShortened() {
    let (nines, letters) = (String(repeating: "9", count: 80), String(repeating: "Q", count: 80))
    let rows = [
      ("random \(nines)", "`{{random \(nines.prefix(52))…}}`: write `random` with"),
      ("randomText \(nines)", "`{{randomText \(nines.prefix(48))…}}`: write `randomText` with"),
      ("now +\(nines)", "`{{now +\(nines.prefix(57))…}}`: `+\(nines)` is no offset"),
      ("now \(letters)", "`{{now \(letters.prefix(58))…}}`: `\(letters)` is no part of a date's form"),
      (
        "request.cookies.\(letters)",
        "`{{request.cookies.\(letters.prefix(43))…}}` is not known; did you mean `request.cookie.NAME`?"
      ),
    ]
    for (expression, start) in rows {
      let error = #expect(throws: StubError.self) { _ = try Template("{{\(expression)}}") }
      #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
    }
  }

  // MARK: JSON and bounds

  @Test func valuesInJSON() throws {
    let facts = RequestFacts(method: "GET", url: "http://h/", body: Data(#"{"a":[1,"x",null,{"b":""}]}"#.utf8))
    func json(_ text: String) -> String { TemplateContext(facts, count: 2).render(JSONValue.string(text)).compact }
    let rows = [
      ("{{request.json./a/0}}", "1"), ("{{request.json./a/1}}", "\"x\""), ("{{request.json./a/2}}", "null"),
      ("{{request.json./a/9}}", "\"\""),
      ("{{request.json./a/9 | default 5}}", "5"), ("{{request.json./a/9 | default null}}", "null"),
      ("{{request.json./a/2 | default [1]}}", "[1]"),
      ("{{request.json./a/3/b | default 7}}", "7"), ("{{request.json./a/0 | upper}}", "\"1\""),
      ("{{request.json./a/0}} ", "\"1 \""), (" {{counter}}", "\" 2\""),
      ("{{counter}}", "2"), ("{{count}}", "\"2\""), ("{{count | default 1}}", "\"2\""), ("{{random 4 4}}", "4"),
      ("{{random 4 4 | base64}}", "\"NA==\""),
      ("{{request.query.x | default 7}}", "\"7\""), ("plain", "\"plain\""), ("{{nope}}", "\"{{nope}}\""),
      ("{{\"{{\"}}", "\"{{\""), ("{{request.json.}}", "{\"a\":[1,\"x\",null,{\"b\":\"\"}]}"),
      ("{{now unix}}x", "\"\(Int(Date().timeIntervalSince1970) / 100)"),
    ]
    for (text, expected) in rows { #expect(json(text).hasPrefix(expected), "\(text)") }
    for (text, expected) in rows.dropLast() { #expect(json(text) == expected, "\(text)") }
    let whole = try JSONValue(parsing: #"{"{{count}}":["{{count}}",{"a":"{{counter}}"},true,null,7]}"#)
    #expect(TemplateContext(facts, count: 2).render(whole).compact == #"{"{{count}}":["2",{"a":2},true,null,7]}"#)
  }

  @Test func headersStayOneLine() {
    let facts = RequestFacts(method: "GET", url: "http://h/", headers: [HeaderField("A", "a\r\nb\nc\rd\0e")])
    let context = TemplateContext(facts, count: 1)
    #expect(
      context.line("x {{request.header.A}}") == "x a b c d e" && context.line("plain\n") == "plain\n"
        && context.line("{{count}}") == "1")
  }

  @Test func eachLineEndInAHeaderIsABlank() {
    for value in ["a\nb", "a\rb", "a\0b", "a\r\nb"] {
      let facts = RequestFacts(method: "GET", url: "http://h/", headers: [HeaderField("A", value)])
      #expect(TemplateContext(facts, count: 1).line("{{request.header.A}}") == "a b")
    }
  }

  /// Beyond what they may make they make nothing more, and why is said once.
  @Test func whatTemplatesMakeIsBounded() {
    let size = 64 << 20
    let facts = RequestFacts(method: "POST", url: "http://h/", body: Data(repeating: 0x78, count: size))
    let context = TemplateContext(facts, count: 1)
    #expect(context.render("{{request.body}}").utf8.count == size && context.problem == nil)
    #expect(context.render("a{{count}}b") == "")
    #expect(context.problem == "its templates made more than 64 MiB; ask for less of the request")
    #expect(
      context.render("a{{count}}b") == "ab" && context.render(JSONValue.string("{{counter}}")) == ""
        && context.render("plain") == "plain")
  }

  /// SplitMix64, so that a seed gives the same in every version and on every machine.
  @Test func whatASeedGivesIsFixed() {
    let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ value: UInt64) -> UInt64 {
      let first = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      let second = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
      return second ^ (second >> 31)
    }
    for (seed, count) in [(0, 1), (7, 1), (7, 2), (.max, 9)] as [(UInt64, UInt64)] {
      var random = TemplateRandom(seed: seed, count: count)
      let start = mix(mix(seed ^ 0x7465_6D70_6C61_7465) &+ count &* golden)
      for draw in 1...4 as ClosedRange<UInt64> { #expect(random.next() == mix(start &+ draw &* golden)) }
    }
  }

  /// Version 4 (RFC 9562 §5.4): all bits are random but those that say so.
  @Test func aUUIDIsTwoRandomNumbers() {
    var numbers = TemplateRandom(seed: 7, count: 1)
    var random = numbers
    for _ in 0..<50 {
      let first = (numbers.next() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
      let second = (numbers.next() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
      let digits = [first, second].map { String($0, radix: 16) }
      let padded = digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }
      let uuid = random.uuid().filter { $0 != "-" }
      #expect(uuid == padded.joined())
    }
  }

  @Test func aRandomTextHasAllLettersAndDigits() {
    var random = TemplateRandom(seed: 7, count: 1)
    let letters = Set(random.text(5_000))
    #expect(letters.count == 62)
  }

  @Test func whatIsRandomComesAgainWithItsSeed() {
    var one = TemplateRandom(seed: 7, count: 1)
    var other = TemplateRandom(seed: 7, count: 1)
    #expect((0..<5).map { _ in one.next() } == (0..<5).map { _ in other.next() })
    var (first, second, third) = (
      TemplateRandom(seed: 7, count: 2), TemplateRandom(seed: 8, count: 1), TemplateRandom(seed: 7, count: 1)
    )
    let draws = [first.next(), second.next(), third.next(), third.next()]
    #expect(Set(draws).count == 4)
    let text = third.text(500)
    #expect(text.count == 500 && text.utf8.allSatisfy { isalnum(Int32($0)) != 0 } && Set(text).count > 50)
    for _ in 0..<50 {
      let uuid = Array(third.uuid())
      #expect(
        uuid.count == 36 && uuid[14] == "4" && "89ab".contains(uuid[19])
          && [8, 13, 18, 23].allSatisfy { uuid[$0] == "-" })
      #expect(uuid.allSatisfy { $0 == "-" || $0.isHexDigit && !$0.isUppercase })
    }
    let numbers = Set((0..<200).map { _ in third.number(in: -2...2) })
    #expect(numbers == [-2, -1, 0, 1, 2])
  }
}
