import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What is wrong with stubs that a program declares in its code, which nobody has read by the schema.
@Suite(.bounded) struct StubMistakesTests {
  private static let bad = TextPattern.matches("(")
  private static let inBad =
    "in the expression `(`: the regular expression cannot be used: a `(` is not closed (character 2)"

  private static let places: [(String, RequestPattern)] = [
    ("url", RequestPattern(url: bad)), ("scheme", RequestPattern(scheme: bad)), ("host", RequestPattern(host: bad)),
    ("path", RequestPattern(path: bad)), ("process", RequestPattern(process: bad)),
    ("query", RequestPattern(query: [.init("a", bad)])), ("headers", RequestPattern(headers: [.init("a", bad)])),
    ("contains", RequestPattern(body: BodyPattern(contains: bad))),
    ("matches", RequestPattern(body: BodyPattern(matches: "("))),
    ("form", RequestPattern(body: BodyPattern(form: [.init("a", bad)]))),
    ("multipart", RequestPattern(body: BodyPattern(multipart: [.init("a", bad)]))),
    ("graphql", RequestPattern(body: BodyPattern(graphql: .init(operation: bad)))),
    ("a list", RequestPattern(path: .any(["/a", .not([.all([bad])])]))),
    ("any", RequestPattern(any: [RequestPattern(path: "/a"), RequestPattern(path: bad)])),
    ("not", RequestPattern(not: [RequestPattern(path: bad)])),
  ]

  @Test func expressionsAreLookedIntoWhereverTheyStand() {
    for (place, when) in Self.places {
      #expect(Stub(name: "a", when: when, then: .hold(.both)).mistakes == [Self.inBad], "\(place)")
    }
    let pointer = RequestPattern(body: BodyPattern(pointer: [.init("a", 1), .init("", 2), .init("/b", 3)]))
    #expect(Stub(name: "a", when: pointer, then: .code).mistakes == ["the JSON Pointer `a` must begin with `/`"])
    #expect(Stub(name: "a", when: RequestPattern(path: .matches("^/a")), then: .code).mistakes.isEmpty)
    let long = TextPattern.matches("(" + String(repeating: "a", count: 100))
    #expect(
      Stub(name: "a", when: RequestPattern(path: long), then: .code).mistakes.first?
        .hasPrefix("in the expression `(\(String(repeating: "a", count: 58))…`: ") == true)
  }

  /// What cannot be used is left out and everything else stays, so that no request goes past which was meant.
  @Test func aPatternIsLeftWithoutItsMistakes() {
    let right: TextPattern = "x"
    func whole(_ text: TextPattern?, _ source: String?, _ pointer: String) -> RequestPattern {
      RequestPattern(
        methods: ["GET"], url: text, scheme: text, host: text, port: 80, path: text,
        query: [.init("a", right), .init("b", text)], headers: [.init("a", nil), .init("b", text)],
        body: BodyPattern(
          contains: text, equals: "e", matches: source, json: 1, pointer: [.init("/a", 1), .init(pointer, 2)],
          form: [.init("a", nil), .init("b", text)], multipart: [.init("a", right), .init("b", text)],
          graphql: .init(operation: text, variables: ["v": 1])), process: text,
        any: [RequestPattern(path: right), RequestPattern(path: text)],
        not: [RequestPattern(path: text), RequestPattern(path: right)])
    }
    let fine = whole("y", "z", "/b")
    #expect(fine.withoutMistakes == fine)
    let expected = RequestPattern(
      methods: ["GET"], port: 80, query: [.init("a", right)], headers: [.init("a", nil)],
      body: BodyPattern(
        equals: "e", json: 1, pointer: [.init("/a", 1)], form: [.init("a", nil)], multipart: [.init("a", right)],
        graphql: .init(variables: ["v": 1])), not: [RequestPattern(path: right)])
    #expect(whole(Self.bad, "(", "b").withoutMistakes == expected)
    #expect(RequestPattern().withoutMistakes == RequestPattern())
    for (place, when) in Self.places { #expect(when.withoutMistakes != when, "\(place)") }
  }

  @Test(
    arguments: [
      (Action.hold(.both), []), (.code, []), (.pass(PassChanges()), []), (.respond(CannedResponse()), []),
      (.respond(CannedResponse(body: .text("{{uuid}}"))), []),
      (
        .respond(CannedResponse(headers: [HeaderField("A", "{{nopes}}")], body: .text("{{nopesy}}"))),
        ["`{{nopes}}` is not known", "`{{nopesy}}` is not known"]
      ),
      (
        .respond(CannedResponse(body: .file("a.json"))),
        ["the file `a.json` is read for stub files only; read it and give its bytes, `.data(…)`"]
      ),
      (
        .respond(CannedResponse(body: .folder("a", otherwise: .pass))),
        ["the folder `a` is relative, which only stub files can be; give its whole path"]
      ),
      (.respond(CannedResponse(body: .folder("/a", otherwise: .pass))), []),
      (.fail(Fault(.named("timedOut"))), []), (.fail(Fault(.named("http503"))), []),
      (.fail(Fault(.custom(domain: "D", code: 1, message: nil))), []),
      (
        .fail(Fault(.named("timeOut"))),
        ["`timeOut` is neither a URLError code such as timedOut nor a named fault; did you mean `timedOut`?"]
      ),
      (
        .fail(Fault(.named("-1001"))),
        ["`-1001` is neither a URLError code such as timedOut nor a named fault; did you mean `timedOut`?"]
      ),
      (
        .fail(Fault(.named("zzzzzzzzz"))), ["`zzzzzzzzz` is neither a URLError code such as timedOut nor a named fault"]
      ),
      (
        .fail(Fault(.named("x"), after: .init(response: CannedResponse(body: .text("{{nopes}}"))))),
        ["`x` is neither", "`{{nopes}}` is not known"]
      ),
      (
        .sequence([.fail(Fault(.named("x"))), .pass(PassChanges(to: "y"))], afterwards: .last),
        ["`x` is neither", "`to` must be a URL"]
      ),
      (
        .pass(
          PassChanges(
            to: "http://{{nopes}}", request: RequestChanges(host: "h:1", body: .file("f")),
            headers: [.init("A", ["{{nopes2}}"])])),
        ["`{{nopes}}`", "`{{nopes2}}`", "`h:1` is no host", "the file `f` is read"]
      ),
      (.pass(PassChanges(request: RequestChanges(host: "{{request.host}}:1"))), []),
      (.respond(CannedResponse(body: .text("{{match.1}}"))), ["`{{match.1}}` needs an expression"]),
    ] as [(Action, [String])])
  func actionsAreLookedInto(_ then: Action, _ parts: [String]) {
    let found = Stub(name: "a", then: then).mistakes
    #expect(found.count == parts.count, "\(found)")
    for (sentence, part) in zip(found, parts) { #expect(sentence.hasPrefix(part), "\(sentence)") }
  }

  /// Sixty characters of a path are said again.
  @Test func longPathsAreSaidShortened() {
    for (count, said) in [(60, String(repeating: "a", count: 60)), (61, String(repeating: "a", count: 59) + "…")] {
      let path = String(repeating: "a", count: count)
      #expect(CannedResponse(body: .file(path)).mistakeOfFile?.hasPrefix("the file `\(said)` is read") == true)
      let folder = CannedResponse(body: .folder(path, otherwise: .pass))
      #expect(folder.mistakeOfFile?.hasPrefix("the folder `\(said)` is relative") == true)
    }
  }

  /// The groups that a template may name are those of all expressions of the pattern that can have taken something.
  @Test func groupsThatTemplatesMayName() {
    let one = TextPattern.matches("(?<one>.)(.)")
    let places: [(String, RequestPattern)] = [
      ("url", RequestPattern(url: one)), ("scheme", RequestPattern(scheme: one)), ("host", RequestPattern(host: one)),
      ("path", RequestPattern(path: one)), ("process", RequestPattern(process: one)),
      ("query", RequestPattern(query: [.init("a", one)])), ("headers", RequestPattern(headers: [.init("a", one)])),
      ("contains", RequestPattern(body: BodyPattern(contains: one))),
      ("matches", RequestPattern(body: BodyPattern(matches: "(?<one>.)(.)"))),
      ("form", RequestPattern(body: BodyPattern(form: [.init("a", one)]))),
      ("multipart", RequestPattern(body: BodyPattern(multipart: [.init("a", one)]))),
      ("graphql", RequestPattern(body: BodyPattern(graphql: .init(operation: one)))),
      ("a list", RequestPattern(path: .any(["/a", .all([one])]))),
      ("any", RequestPattern(any: [RequestPattern(path: "/a"), RequestPattern(path: one)])),
    ]
    for (place, when) in places {
      let groups = KnownGroups(when)
      for name in ["0", "1", "2", "one"] { #expect(groups.mistake(inName: name) == nil, "\(place) \(name)") }
      #expect(groups.mistake(inName: "3") == "`{{match.3}}`: the expressions in `when` have 2 groups", "\(place)")
      #expect(
        groups.mistake(inName: "two") == "`{{match.two}}`: no group in `when` has that name; write it as `(?<two>…)`")
    }
    #expect(
      KnownGroups(RequestPattern(path: .matches("a"))).mistake(inName: "1")
        == "`{{match.1}}`: the expressions in `when` have no groups")
    #expect(
      KnownGroups(RequestPattern(host: .matches("a"), path: .matches("(a)"))).mistake(inName: "2")
        == "`{{match.2}}`: the expressions in `when` have one group")
    #expect(KnownGroups(RequestPattern(host: .matches("a"), path: .matches("(a)(b)"))).mistake(inName: "2") == nil)
    for when in [
      RequestPattern(), RequestPattern(path: "/a"), RequestPattern(path: .not([one])),
      RequestPattern(not: [RequestPattern(path: one)]),
    ] {
      #expect(
        KnownGroups(when).mistake(inName: "1") == "`{{match.1}}` needs an expression, `{ matches: … }`, in `when`")
    }
  }
}
