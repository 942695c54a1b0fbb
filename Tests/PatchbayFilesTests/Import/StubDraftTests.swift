import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Stubs on their way: what conditions become together, what is said of a document, and which names stubs get.
@Suite(.bounded) struct StubDraftTests {
  private func pattern(_ build: (inout PatternDraft) -> Void) -> String {
    var draft = PatternDraft()
    build(&draft)
    return draft.json.compact
  }

  @Test func conditionsAllHold() {
    #expect(pattern { _ in } == "{}")
    #expect(
      pattern {
        $0.require("path", "/a")
        $0.require("method", "GET")
        $0.require("path", "/a")
      } == #"{"path":"/a","method":"GET"}"#)
    #expect(
      pattern {
        $0.require("path", "/a")
        $0.require("path", "/b")
        $0.require("path", "/c")
      } == #"{"path":"/a","any":[{"path":"/b","any":[{"path":"/c"}]}]}"#)
    #expect(
      pattern {
        $0.require(.multipart, "m", "1")
        $0.require(.form, "f", "2")
        $0.require(.pointer, "/p", 3)
        $0.require(.headers, "h", .null)
        $0.require(.query, "q", "5")
        $0.requireBody("contains", "6")
        $0.require("path", "/a")
      }
        == #"{"path":"/a","query":{"q":"5"},"headers":{"h":null},"body":{"contains":"6","pointer":{"/p":3},"form":{"f":"2"},"multipart":{"m":"1"}}}"#
    )
    #expect(
      pattern {
        $0.require(.query, "a", "1")
        $0.require(.query, "b", "2")
        $0.require(.query, "a", "3")
      } == #"{"query":[{"a":"1"},{"b":"2"},{"a":"3"}]}"#)
  }

  @Test func bodiesOfOneKeyAreOneOrHoldBoth() {
    #expect(
      pattern {
        $0.requireBody("contains", "a")
        $0.requireBody("contains", "a")
        $0.requireBody("contains", "b")
        $0.requireBody("equals", "c")
      } == #"{"body":{"contains":"a","equals":"c"},"any":[{"body":{"contains":"b"}}]}"#)
    #expect(
      pattern {
        $0.requireBody("json", ["a": ["b": 1], "c": [1]])
        $0.requireBody("json", ["a": ["d": 2], "c": [2], "e": 3])
      } == #"{"body":{"json":{"a":{"b":1,"d":2},"c":[1,2],"e":3}}}"#)
    for (one, other) in [(["a": 1], ["a": 2]), (["a": ["b": 1]], ["a": ["b": 2]]), ([1], ["a": 1])]
      as [(JSONValue, JSONValue)]
    {
      #expect(
        pattern {
          $0.requireBody("json", one)
          $0.requireBody("json", other)
        } == #"{"body":{"json":\#(one.compact)},"any":[{"body":{"json":\#(other.compact)}}]}"#)
    }
    #expect(
      pattern {
        $0.requireBody("json", ["a": 1])
        $0.requireBody("json", ["a": 1, "b": .null])
      } == #"{"body":{"json":{"a":1,"b":null}}}"#)
  }

  @Test func refusalsAndAlternatives() {
    #expect(pattern { $0.refuse(["path": "/a"]) } == #"{"not":{"path":"/a"}}"#)
    #expect(
      pattern {
        $0.refuse(["path": "/a"])
        $0.refuse(["path": "/b"])
        $0.either([["port": 1], ["port": 2]])
        $0.either([["port": 3]])
      }
        == #"{"not":[{"path":"/a"},{"path":"/b"}],"any":[{"any":[{"port":1},{"port":2}],"any":[{"any":[{"port":3}]}]}]}"#
    )
  }

  @Test func aDraftAsAStubFileHasIt() {
    var draft = StubDraft(name: "a", then: ["pass": .members([:])], path: "p")
    #expect(draft.json.compact == #"{"name":"a","then":{"pass":{}}}"#)
    draft.enabled = false
    draft.scenario = ["name": "s"]
    draft.when.require("port", 1)
    #expect(
      draft.json.compact
        == #"{"name":"a","enabled":false,"scenario":{"name":"s"},"when":{"port":1},"then":{"pass":{}}}"#)
  }

  @Test(arguments: [
    ("a", #""a""#, #""*a*""#), ("a*b.", #"{"matches":"^a\\*b\\.$"}"#, #"{"matches":"a\\*b\\."}"#),
    ("", #""""#, #""**""#),
    (#"\^$.|?+()[]{}-/é"#, #""\\^$.|?+()[]{}-/é""#, #""*\\^$.|?+()[]{}-/é*""#),
  ])
  func textsOfOtherTools(_ text: String, _ exactly: String, _ containing: String) {
    #expect(ImportedText.exactly(text).compact == exactly)
    #expect(ImportedText.containing(text).compact == containing)
  }

  @Test(arguments: [
    ("/a", #""/a""#), ("/a*", #"{"matches":"^/a\\*$"}"#), ("/{a}", #"{"matches":"^/[^/]+$"}"#),
    ("/a.b/{c}.{d}/e", #"{"matches":"^/a\\.b/[^/]+\\.[^/]+/e$"}"#), ("/{a", #""/{a""#), ("/a}", #""/a}""#),
    ("/{known}/{b}.", #"{"matches":"^/K/[^/]+\\.$"}"#), ("{}", #"{"matches":"^[^/]+$"}"#),
  ])
  func pathsWithNames(_ template: String, _ expected: String) {
    #expect(ImportedText.path(template) { $0 == "known" ? "K" : nil }.compact == expected)
    #expect(ImportedText.wholly("a|b").compact == #"{"matches":"^(?:a|b)$"}"#)
    #expect(ImportedText.quoted(#"a\^$.|?*+()[]{}b"#) == #"a\\\^\$\.\|\?\*\+\(\)\[\]\{\}b"#)
  }

  @Test func bracesAreCountedInPairs() {
    let counts = ["": 0, "{": 0, "{{": 1, "{{{": 1, "{{{{": 2, "{ {": 0, "}}": 0, "{{a}}{{b": 2, "{é{{": 1]
    for (text, count) in counts { #expect(text.braces == count, "\(text)") }
    let value: JSONValue = ["a": "{{", "b": ["{{x}} {{", .members(["c": "{{", "{{": 1])], "d": .null, "e": 5]
    #expect(value.braces == 4)
    #expect(
      value.quotingTemplates.compact
        == #"{"a":"{{\"{{\"}}","b":["{{\"{{\"}}x}} {{\"{{\"}}",{"c":"{{\"{{\"}}","{{":1}],"d":null,"e":5}"#)
  }

  // MARK: What is said

  private func listed(_ build: (inout ImportNotes) -> Void) -> [String] {
    var notes = ImportNotes()
    build(&notes)
    return notes.listed.map(\.description)
  }

  private func at(_ line: Int, _ column: Int = 1) -> SourcePosition { SourcePosition(line: line, column: column) }

  @Test func theSameSentenceIsSaidOnceWithItsLines() {
    #expect(
      listed {
        $0.add("one", path: "a", at: at(3, 7))
        $0.add("two", path: "a", at: nil)
        $0.add("one", path: "b", at: at(1))
        $0.add("one", path: "a", at: at(3, 9))
        $0.add("one", path: "a", at: at(5))
        $0.add("one", path: "a", at: at(5, 2))
        $0.add("two", path: "a", at: nil)
      } == ["a:3:7: one; also on line 5", "a: two", "b:1:1: one"])
    #expect(
      listed {
        $0.add("one", path: "a", at: nil)
        $0.add("one", path: "a", at: at(4))
        $0.add("one", path: "a", at: at(2))
      } == ["a:4:1: one; also on line 2"])
    #expect(
      listed { notes in for line in 1...9 { notes.add("x", path: "a", at: at(line)) } }
        == ["a:1:1: x; also on lines 2, 3, 4, 5, 6, 7, 8, 9"])
    #expect(
      listed { notes in for line in 1...12 { notes.add("x", path: "a", at: at(line)) } }
        == ["a:1:1: x; also on lines 2, 3, 4, 5, 6, 7, 8, 9, 3 more"])
  }

  @Test func twoThousandSentencesAreKept() {
    let all = listed { notes in
      for number in 1...2_002 { notes.add("\(number)", path: "a", at: nil) }
      notes.add("1", path: "a", at: at(9))
    }
    #expect(all.count == 2_001 && all[0] == "a:9:1: 1" && all[1_999] == "a: 2000")
    #expect(all[2_000] == "a: more than 2000 things were left out; the others are not named")
    let two = listed { notes in
      for number in 1...2_000 { notes.add("\(number)", path: "a", at: nil) }
      for path in ["a", "b", "a"] { notes.add("more", path: path, at: nil) }
    }
    #expect(two.suffix(2).map { $0.prefix(4) } == ["a: m", "b: m"] && two.count == 2_002)
  }

  // MARK: Names

  private func names(_ names: [String]) throws -> [String] {
    let mappings = names.reversed().map { name in
      JSONValue.members(["name": .string(name), "request": .members([:]), "response": .members([:])])
    }
    return try ImportedDocument(JSONValue.members(["mappings": .array(Array(mappings))]).compact).stubs.map(\.name)
  }

  @Test func eachStubHasANameOfItsOwn() throws {
    #expect(try names(["a", "a", "b", "a"]) == ["a", "a (2)", "b", "a (3)"])
    #expect(try names(["a (2)", "a", "a", "a"]) == ["a (2)", "a", "a (3)", "a (4)"])
    #expect(try names(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"])
    #expect(try names(["", " \n\t ", "imported"]) == ["imported", "imported (2)", "imported (3)"])
    #expect(try names(["  a\tb\n\nc  ", "a  b"]) == ["a b c", "a  b"])
    let long = String(repeating: "x", count: 120)
    #expect(try names([long, long + "y"]) == [long, String(repeating: "x", count: 119) + "…"])
  }

  @Test func whatAStubFileMayNotHoldIsLeftOutWithItsReason() throws {
    func mapping(_ name: String, _ body: String) -> String {
      #"{"name": "\#(name)", "request": {"urlPathPattern": "\#(body)"}, "response": {}}"#
    }
    let read = try ImportedDocument("[\(mapping("a", "(")),\n\(mapping("a", "b")),\n\(mapping("c", "d"))]")
    // The name of one that is left out is free.
    #expect(read.stubs.map(\.name) == ["c", "a"])
    #expect(read.notes.count == 1 && read.notes[0].contains("document.json:1:2: the stub `a (2)` is left out: "))
    #expect(!read.notes[0].contains("\n"))
  }

  @Test(arguments: [(10_000, 1), (10_001, 0)]) func anAnswerHasSoManyTemplatesAtMost(_ count: Int, _ stubs: Int) throws
  {
    // Each is written as a template that gives it.
    let texts = [String](repeating: #""{{}}""#, count: count).joined(separator: ",")
    let read = try ImportedDocument(
      #"{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"example": [\#(texts)]}}}}}}}}"#
    )
    #expect(read.stubs.count == stubs)
    #expect(
      read.says("the stub `GET /a 200` is left out: its answer has more braces ({{) than a template may")
        == (stubs == 0))
  }

  @Test(arguments: [19, 20]) func matchersStandInOneAnotherUpToALimit(_ depth: Int) throws {
    for (key, open, close) in [("not", "", ""), ("and", "[", "]"), ("or", "[", "]")] {
      let matcher = (0..<depth).reduce(#"{"equalTo": "x"}"#) { inner, _ in "{\"\(key)\": \(open)\(inner)\(close)}" }
      let read = try ImportedDocument("{\"request\": {\"queryParameters\": {\"a\": \(matcher)}}}")
      #expect(read.says("cannot be said") == (depth > 19), "\(key)")
    }
  }

  // MARK: Nodes

  private func node(_ text: String) throws -> DocumentNode { try YAMLReader.document("a: " + text)["a"]! }

  @Test func numbersWithinBounds() throws {
    let cases: [(String, Int?)] = [
      ("5", 5), ("0", 1), ("1", 1), ("9", 9), ("10", 9), ("-1e300", 1), ("1e300", 9), ("5.9", 5), ("\"7\"", 7),
      ("x", nil), ("~", nil), (".nan", nil), (".inf", nil), ("inf", 9), ("-inf", 1), ("[1]", nil), ("true", nil),
      ("1.9999", 1), ("8.9999", 8),
    ]
    for (text, expected) in cases { #expect(try node(text).integer(in: 1...9) == expected, "\(text)") }
  }

  @Test func whatANodeIs() throws {
    let nodes = try ["text", "\"5\"", "5", "true", "TRUE", "false", "\"true\"", "~", "[1]", "{b: 1}"].map {
      try node($0)
    }
    #expect(nodes.map(\.scalar) == ["text", "5", "5", "true", "TRUE", "false", "true", nil, nil, nil])
    #expect(nodes.map(\.string) == ["text", "5", nil, nil, nil, nil, "true", nil, nil, nil])
    #expect(nodes.map(\.isTrue) == [false, false, false, true, true, false, false, false, false, false])
    #expect(nodes.map(\.isMap) == Array(repeating: false, count: 9) + [true])
    #expect(nodes.map { $0.list?.count } == Array(repeating: nil, count: 8) + [1, nil])
    #expect(nodes.map { $0.entries.count } == Array(repeating: 0, count: 9) + [1])
    #expect(
      try node("{b: [1, 0x10, .inf, 1e999, x, ~, yes, true]}").json.compact
        == #"{"b":[1,16,".inf",1e999,"x",null,"yes",true]}"#)
  }

  @Test func mapsThatAreMergedAreWrittenOut() throws {
    let cases = [
      ("{b: 1, <<: {b: 2, c: 3}}", #"{"b":1,"c":3}"#), ("{<<: {b: 2, c: 3}, b: 1}", #"{"b":1,"c":3}"#),
      ("{<<: [{b: 1}, {b: 2, c: 3}]}", #"{"b":1,"c":3}"#), ("{<<: {<<: {d: 4}, b: 1}}", #"{"b":1,"d":4}"#),
      ("[{<<: {b: 1}}]", #"[{"b":1}]"#), ("{<<: 5, b: 1}", #"{"b":1}"#), ("{<<: ~}", "{}"), ("5", "5"),
    ]
    for (text, expected) in cases { #expect(try node(text).withMerges(depth: 0).json.compact == expected, "\(text)") }
    let place = try node("{b: {<<: {c: 1}}}")
    #expect(place.withMerges(depth: 0).position == place.position)
    #expect(place.withMerges(depth: 198)["b"]?["c"] != nil && place.withMerges(depth: 199) == place)
    let list = try node("[{<<: {c: 1}}]")
    #expect(list.withMerges(depth: 198).list?[0]["c"] != nil && list.withMerges(depth: 199) == list)
    #expect(try node("{<<: {c: 1}}").withMerges(depth: 200)["<<"] != nil)
  }
}
