import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What a form makes of the texts in its fields, and that it keeps what is not touched.
@Suite(.bounded) struct StubFormKeepsTests {
  /// Whatever a stub has, and however it is written: in a form that nobody touches it stays, also where a field shows less.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func whatIsNotTouchedStays(_ seed: UInt64) {
    var random = RandomStubs(seed)
    for number in 0..<100 {
      let stub = random.stub(number % 10 == 0 ? " stub \(number) " : "stub \(number)")
      var build = StubBuild(StubForm(editing: stub))
      let made = build.stub()
      #expect(made?.json.compact == stub.json.compact && made == stub, "\(build.problems)")
      // With another field changed too.
      var form = StubForm(editing: stub)
      form.form.setText("times", "7")
      var wanted = stub
      wanted.times = 7
      build = StubBuild(form)
      #expect(build.stub() == wanted, "\(build.problems)")
    }
  }

  @Test(arguments: [0.125, 1.0 / 3, 0.4889, 0.00049, 0.9999, 1, 0]) func aChanceIsNotRounded(_ chance: Double) {
    let stub = Stub(name: "a", then: .hold(.both), chance: chance)
    var form = StubForm(editing: stub)
    form.form.setText("skip", "3")
    var build = StubBuild(form)
    #expect(build.stub()?.chance == chance)
    form.form.setText("chance", "25%")
    build = StubBuild(form)
    #expect(build.stub()?.chance == 0.25)
  }

  @Test func anErrorOfOnesOwnStays() {
    for failure in [
      Fault.Failure.custom(domain: "My Domain", code: 5, message: "two  blanks "),
      .custom(domain: "D", code: 1, message: ""), .custom(domain: "", code: 0, message: nil),
    ] {
      let stub = Stub(name: "a", then: .fail(Fault(failure)))
      var form = StubForm(editing: stub)
      form.form.setText("delay", "2s")
      var build = StubBuild(form)
      #expect(build.stub()?.then == .fail(Fault(failure, delay: .fixed(.seconds(2)))), "\(build.problems)")
    }
  }

  private func built(_ stub: Stub, _ changes: (String, String)...) -> (stub: Stub?, problems: [String]) {
    var form = StubForm(editing: stub)
    for (id, text) in changes { form.form.setText(id, text) }
    var build = StubBuild(form)
    let made = build.stub()
    return (made, build.problems.map { "\($0.0): \($0.1)" })
  }

  private let hold = Stub(name: "a", then: .hold(.both))

  // MARK: Numbers and the like

  @Test(arguments: [
    ("skip", "0", true), ("skip", " 5 ", true), ("skip", "1000000000", true), ("skip", "1000000001", false),
    ("skip", "-1", false), ("skip", "x", false),
    ("times", "1", true), ("times", "0", false), ("times", "1000000000", true), ("times", "1000000001", false),
    ("times", "", true),
    ("port", "0", true), ("port", "65535", true), ("port", "65536", false), ("port", "-1", false),
    ("seed", "0", true), ("seed", "18446744073709551615", true), ("seed", "18446744073709551616", false),
    ("seed", "1.5", false), ("seed", "  ", true),
    ("chance", "100%", true), ("chance", "101%", false), ("chance", "1", true), ("chance", "1.01", false),
    ("chance", "-1%", false), ("chance", "0", true),
    ("chance", "50 %", true), ("chance", "%", false), ("chance", "nan", false), ("name", "  ", false),
    ("name", "b", true),
  ])
  func numbersHaveTheirBounds(_ id: String, _ text: String, _ isRight: Bool) {
    let (stub, problems) = built(hold, (id, text))
    #expect(
      (stub != nil) == isRight && problems.isEmpty == isRight && problems.allSatisfy { $0.hasPrefix(id) }, "\(problems)"
    )
  }

  @Test func theyAreTaken() {
    let (stub, problems) = built(
      hold, ("name", " b "), ("skip", "2"), ("times", "3"), ("chance", "12.5%"), ("seed", "9"), ("port", "8080"),
      ("method", "get, Put post"),
      ("scenario", "s"), ("state", "one"), ("next", " two "))
    let wanted = Stub(
      name: "b", when: RequestPattern(methods: ["GET", "PUT", "POST"], port: 8_080), then: .hold(.both), skip: 2,
      chance: 0.125, seed: 9, times: 3,
      scenario: .init("s", in: "one", to: "two"))
    #expect(stub == wanted, "\(problems)")
    #expect(built(hold, ("chance", "100%")).stub?.chance == nil && built(hold, ("chance", "0.5")).stub?.chance == 0.5)
    #expect(
      built(hold, ("scenario", "s")).problems == [
        "scenario: give the state it answers in, the one that follows, or both"
      ])
    #expect(built(hold, ("state", "one"), ("next", "two")).stub?.scenario == nil, "without a name there is none")
    #expect(built(hold, ("url", "~(")).problems.first?.hasPrefix("url: the regular expression") == true)
  }

  @Test(
    arguments: [
      ("300ms", Delay.fixed(.milliseconds(300))), (" 2s ", .fixed(.seconds(2))), ("", nil),
      ("100ms to 900ms", .random(from: .milliseconds(100), to: .milliseconds(900))),
      ("1s…2s", .random(from: .seconds(1), to: .seconds(2))), ("1s to 1s", .random(from: .seconds(1), to: .seconds(1))),
    ] as [(String, Delay?)])
  func delaysAreRead(_ text: String, _ delay: Delay?) {
    let stub = Stub(name: "a", then: .respond(CannedResponse(delay: .fixed(.seconds(9)))))
    #expect(built(stub, ("delay", text)).stub?.then == .respond(CannedResponse(delay: delay)))
  }

  @Test(arguments: ["x", "2s to 1s", "1s to 2s to 3s", "to", "1s to", "5"]) func noDelays(_ text: String) {
    let stub = Stub(name: "a", then: .respond(CannedResponse()))
    #expect(built(stub, ("delay", text)).problems == ["delay: write 300ms, 2s, or 100ms to 900ms"])
  }

  @Test(
    arguments: [
      ("20kB/s", Pace.throttle(bytesPerSecond: 20_000)), ("1/s", .throttle(bytesPerSecond: 1)),
      ("5 over 2s", .dribble(pieces: 5, over: .seconds(2))), (" ", nil),
      ("1over 1s", .dribble(pieces: 1, over: .seconds(1))),
    ] as [(String, Pace?)])
  func pacesAreRead(_ text: String, _ pace: Pace?) {
    #expect(
      built(Stub(name: "a", then: .respond(CannedResponse())), ("pace", text)).stub?.then
        == .respond(CannedResponse(pace: pace)))
  }

  @Test(arguments: ["0/s", "20kB", "x/s", "0 over 2s", "-1 over 2s", "5 over", "5 over x", "1 over 2s over 3s"])
  func noPaces(_ text: String) {
    #expect(
      built(Stub(name: "a", then: .respond(CannedResponse())), ("pace", text)).problems == [
        "pace: write 20kB/s, or 5 over 2s"
      ])
  }

  @Test(
    arguments: [
      ("timedOut", Fault.Failure.named("timedOut"), nil),
      ("D -5 what is said", .custom(domain: "D", code: -5, message: "what is said"), nil),
      ("D 5", .custom(domain: "D", code: 5, message: nil), nil),
      ("timeOut", nil, "error: no such error; did you mean timedOut?"), ("", nil, "error: no such error"),
      ("D x", nil, "error: no such error"), ("connectionLostMidway", .named("connectionLostMidway"), nil),
    ] as [(String, Fault.Failure?, String?)])
  func errorsAreRead(_ text: String, _ failure: Fault.Failure?, _ problem: String?) {
    let (stub, problems) = built(Stub(name: "a", then: .fail(Fault(.named("cancelled")))), ("error", text))
    #expect(problems == (problem.map { [$0] } ?? []) && stub?.then == failure.map { .fail(Fault($0)) })
  }

  // MARK: Patterns as texts

  @Test(arguments: [
    TextPattern.glob("a*"), .glob("~a"), .glob("\\~a"), .glob("\\\\~a"), .glob("\\a"), .glob("[::1]"), .glob(#"["a"]"#),
    .glob(#"\["a"]"#), .glob("{a}"),
    .glob(#"{"not":"a"}"#), .matches("a"), .matches("~a"), .matches(""), .any([.glob("a"), .matches("b")]),
    .not([.glob("a")]),
    .all([.matches("a"), .not([.glob("b")])]), .glob("a;b"), .glob("a=b"), .glob("!a"), .glob("日本"),
  ])
  func patternsComeBack(_ pattern: TextPattern) throws {
    #expect(PatternText.pattern(PatternText.text(pattern)) == pattern, "\(PatternText.text(pattern))")
    for (name, sign) in [("n", "="), ("A b", ":")] {
      let conditions = [
        RequestPattern.Condition(name, pattern), .init("x", nil), .init("y", .glob("1\\")), .init("z", pattern),
      ]
      let text = PatternText.text(conditions, sign: sign)
      #expect(try PatternText.conditions(text, sign: Character(sign)) == conditions, "\(text)")
    }
  }

  @Test func conditionsAreRead() throws {
    func read(_ text: String) throws -> [RequestPattern.Condition] { try PatternText.conditions(text, sign: "=") }
    #expect(try read("") == [] && read(" ; ;") == [])
    #expect(
      try read("a=1;b = 2 ; !c; ! d ;e=") == [
        .init("a", .glob("1")), .init("b", .glob("2")), .init("c", nil), .init("d", nil), .init("e", .glob("")),
      ])
    #expect(try read("a=1=2; b=~x") == [.init("a", .glob("1=2")), .init("b", .matches("x"))])
    #expect(throws: FormProblem.self) { try read("a=1; b") }
    #expect(PatternText.pattern("") == nil && PatternText.text(nil) == "")
  }

  @Test func headerFieldsAreReadLineByLine() throws {
    #expect(
      try PatternText.headers("A: 1\n\n  \nB:2\nC: a: b \n d :e") == [
        HeaderField("A", "1"), HeaderField("B", "2"), HeaderField("C", "a: b"), HeaderField("d", "e"),
      ])
    #expect(PatternText.text([HeaderField("A", "1"), HeaderField("B", "")]) == "A: 1\nB: ")
    for (text, line) in [("A", 1), (": 1", 1), ("A: 1\n\nB", 3)] {
      #expect(throws: FormProblem("line \(line): write Name: value")) { try PatternText.headers(text) }
    }
  }

  @Test(arguments: [
    ("a", "b"), ("a => b", "c"), (" a", "b "), ("\"a\"", "\""), ("a\nb", "\r\n"), ("a", ""), ("a\\", "\\n"),
    ("=>", "=>"), ("\" => \"", "x"), ("日", " "), ("a\"", "b\""),
  ])
  func replacementsComeBack(_ find: String, _ with: String) throws {
    let all = [PassChanges.Replacement(find: find, with: with), .init(find: "x", with: "y")]
    #expect(try ReplaceText.replacements(ReplaceText.text(all)) == all, "\(ReplaceText.text(all))")
  }

  @Test func replacementsAreRead() throws {
    #expect(
      try ReplaceText.replacements("a=>b\n \nc  =>  d") == [.init(find: "a", with: "b"), .init(find: "c ", with: "d")])
    for (text, line) in [("a", 1), ("=> b", 1), ("a => b\n\nc", 3)] {
      #expect(throws: FormProblem("line \(line): write find => with")) { try ReplaceText.replacements(text) }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func whatIsAskedOfABodyComesBack(_ seed: UInt64) throws {
    var random = RandomStubs(seed)
    for _ in 0..<60 {
      let when = random.pattern()
      if var body = when.body {
        body.contains = nil
        let text = BodyAsks.text(body)
        #expect(try BodyAsks.pattern(text) == (text.isEmpty ? nil : body), "\(text)")
      }
      #expect(try BodyAsks.patterns(BodyAsks.text(when.any), "any") == when.any)
      #expect(try BodyAsks.patterns(BodyAsks.text(when.not), "not") == when.not)
    }
  }

  @Test func whatIsAskedOfABodyIsRead() throws {
    #expect(try BodyAsks.pattern("") == nil && BodyAsks.pattern(" ; ") == nil)
    #expect(
      try BodyAsks.pattern(#"json: {"a;b": "]"} ; matches:"x;\"y" "#)
        == BodyPattern(matches: #"x;"y"#, json: ["a;b": "]"]))
    #expect(try BodyAsks.pattern(#"{"equals": "a"}"#) == BodyPattern(equals: "a"))
    for text in ["json", "json: {", "nothing: 1", "equals: {}"] {
      #expect(throws: FormProblem.self) { try BodyAsks.pattern(text) }
    }
    #expect(
      try BodyAsks.patterns(#"{"path": "/a"}"#, "any") == [RequestPattern(path: .glob("/a"))]
        && BodyAsks.patterns("  ", "not") == [])
    #expect(throws: FormProblem.self) { try BodyAsks.patterns("[{}]", "any") }
    #expect(
      BodyAsks.contains("") == nil && BodyAsks.contains("a") == .glob("a") && BodyAsks.contains("[1") == .glob("[1"))
    #expect(BodyAsks.contains(#"["a","b"]"#) == .any([.glob("a"), .glob("b")]) && BodyAsks.contained(nil) == "")
    #expect(BodyAsks.contained(BodyPattern(contains: .not([.glob("a")]))) == #"{"not":"a"}"#)
  }

  // MARK: Statuses

  @Test(
    arguments: [
      ("404", 404, "Not Found"), (" 200 ", 200, "OK"), ("99", nil, ""), ("600", nil, ""), ("100", 100, "Continue"),
      ("599", 599, ""), ("teapot", 418, "→ 418 I'm a teapot"),
      ("not", 304, "→ 304 Not Modified"), ("NOT F", 404, "→ 404 Not Found"), ("found", 302, "→ 302 Found"),
      ("xyz", nil, ""), ("", nil, ""),
    ] as [(String, Int?, String)])
  func aStatusIsANumberOrItsName(_ text: String, _ code: Int?, _ meaning: String) {
    #expect(StatusText.code(text) == code && StatusText.meaning(of: text) == meaning)
  }

  @Test(arguments: [
    ("50", "500 Internal Server Error · 501 Not Implemented · 502 Bad Gateway"), ("500", ""),
    ("51", "510 Not Extended · 511 Network Authentication Required"), ("9", ""),
    ("found", "404 Not Found"), ("teapot", ""), ("", ""), ("2", "200 OK · 201 Created · 202 Accepted"),
  ])
  func othersThatItMayBecome(_ text: String, _ others: String) { #expect(StatusText.suggestions(for: text) == others) }
}
