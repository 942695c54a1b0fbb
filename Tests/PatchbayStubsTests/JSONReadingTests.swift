import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What JSON texts are read as, and each mistake with its words and its place.
@Suite(.bounded) struct JSONReadingTests {
  private static func sentence(_ text: String, depthLimit: Int = 256) -> String {
    do throws(StubError) {
      return "read \(try JSONValue(parsing: text, depthLimit: depthLimit).compact)"
    } catch { return error.description }
  }

  @Test(
    arguments: [
      ("", "1:1: the text is empty; JSON needs a value"), (" \t\r\n", "2:1: the text is empty; JSON needs a value"),
      ("\u{FEFF}", "1:2: the text is empty; JSON needs a value"),
      ("1 2", "1:3: there is something after the end of the JSON value"),
      ("'a'", "1:1: JSON strings stand in double quotes"),
      ("[1,]", "1:4: a value is missing here (is there a comma too many?)"),
      ("}", "1:1: a value is missing here (is there a comma too many?)"), ("x", "1:1: a JSON value was expected here"),
      ("True", "1:1: a JSON value was expected here"), ("tru", "1:1: a JSON value was expected here"),
      ("nulL", "1:1: a JSON value was expected here"), ("falsy", "1:1: a JSON value was expected here"),
      ("truex", "1:5: there is something after the end of the JSON value"),
      ("{", "1:2: the object is not closed with `}`"),
      ("{\"a\":1", "1:7: the object is not closed with `}`"), ("{\"a\":1,", "1:8: the object is not closed with `}`"),
      ("{\"a\":1,}", "1:8: a comma before `}` is one too many"),
      ("{a:1}", "1:2: a member's name in double quotes was expected here"),
      ("{\"a\" 1}", "1:6: `:` was expected after the name \"a\""),
      ("{\"a\"", "1:5: `:` was expected after the name \"a\""),
      ("{\"a\":", "1:6: the value of \"a\" is missing"), ("{\"a\": ", "1:7: the value of \"a\" is missing"),
      ("{\"a\":1 \"b\":2}", "1:8: `,` or `}` was expected here"), ("[", "1:2: the array is not closed with `]`"),
      ("[1", "1:3: the array is not closed with `]`"), ("[1,", "1:4: the array is not closed with `]`"),
      ("[1 2]", "1:4: `,` or `]` was expected here"), ("[1}", "1:3: `,` or `]` was expected here"),
      ("\"a", "1:3: the string is not closed with a double quote"),
      ("\"a\\", "1:3: the string is not closed with a double quote"),
      ("\"\\\"", "1:4: the string is not closed with a double quote"),
      ("\"a\nb\"", "1:3: a control character or line end inside a string must be written as an escape such as \\n"),
      (
        "\"\\n\u{1F}\"", "1:4: a control character or line end inside a string must be written as an escape such as \\n"
      ),
      ("\"\\q\"", "1:2: this escape is not known in JSON"), ("\"\\u12g4\"", "1:2: \\u needs four hexadecimal digits"),
      ("\"\\u123", "1:2: \\u needs four hexadecimal digits"), ("01", "1:2: a number may not begin with 0"),
      ("-01", "1:3: a number may not begin with 0"), ("-", "1:2: `-` is not a JSON number"),
      ("1.", "1:3: `1.` is not a JSON number"),
      ("1.e5", "1:3: `1.` is not a JSON number"), ("1e", "1:3: `1e` is not a JSON number"),
      ("1e+", "1:4: `1e+` is not a JSON number"),
      ("1e-x", "1:4: `1e-` is not a JSON number"), ("-x", "1:2: `-` is not a JSON number"),
      ("+1", "1:1: a JSON value was expected here"),
      ("[1,\n é, x]", "2:2: a JSON value was expected here"),
      ("{\"é\":\n \"日\" x}", "2:6: `,` or `}` was expected here"),
      ("[1:2]", "1:3: `,` or `]` was expected here"), ("{\"a\":1:2}", "1:7: `,` or `}` was expected here"),
      ("[10/2]", "1:4: `,` or `]` was expected here"),
      ("\"\\u0041", "1:8: the string is not closed with a double quote"),
      ("\"\\uD83D", "1:8: the string is not closed with a double quote"),
      ("\"\\uD83D\\", "1:8: the string is not closed with a double quote"),
      ("\"\\uD83D\\u", "1:8: \\u needs four hexadecimal digits"),
      ("\"\\uD83D\\uDE0\"", "1:8: \\u needs four hexadecimal digits"),
      (
        "\"\\n \u{1F}\"",
        "1:5: a control character or line end inside a string must be written as an escape such as \\n"
      ),
    ] as [(String, String)])
  func mistakesAreSaidWithTheirPlace(_ text: String, _ sentence: String) { #expect(Self.sentence(text) == sentence) }

  @Test func longNamesAndNumbersAreShortenedInMistakes() {
    let name = String(repeating: "n", count: 50)
    let short = String(repeating: "n", count: 39) + "…"
    #expect(Self.sentence("{\"\(name)\" 1}") == "1:55: `:` was expected after the name \"\(short)\"")
    #expect(Self.sentence("{\"\(name)\":") == "1:55: the value of \"\(short)\" is missing")
    let digits = String(repeating: "7", count: 50)
    #expect(Self.sentence(digits + ".") == "1:52: `\(String(repeating: "7", count: 39))…` is not a JSON number")
  }

  @Test(
    arguments: [
      ("0", "0"), ("-0", "-0"), ("0.5", "0.5"), ("-0.0e0", "-0.0e0"), ("10", "10"), ("1E5", "1E5"), ("1e+05", "1e+05"),
      ("9e-9", "9e-9"),
      (" [ ] ", "[]"), ("{ }", "{}"), ("[ [ ] , { } ]", "[[],{}]"),
      ("\t{ \"a\" : 1 , \"b\" : [ 2 ] }\r\n", "{\"a\":1,\"b\":[2]}"),
      ("\"\\u0041\\u00e9\\uD83D\\uDE00\"", "\"Aé😀\""), ("\"\\uDE00\"", "\"\u{FFFD}\""),
      ("\"\\uD83Dx\"", "\"\u{FFFD}x\""),
      ("\"\\uD83D\\n\"", "\"\u{FFFD}\\n\""), ("\"\\uD83D\\u0041\"", "\"\u{FFFD}A\""),
      ("\"\\uD83D\\uD83D\\uDE00\"", "\"\u{FFFD}😀\""),
      ("\"\\uDBFF\\uDFFF\"", "\"\u{10FFFF}\""), ("\"\\uD800\\uDC00\"", "\"\u{10000}\""),
      ("\"\\uE000\"", "\"\u{E000}\""),
      ("\"\\uD7FF\"", "\"\u{D7FF}\""), ("\"\\uD7FF\\uDC00\"", "\"\u{D7FF}\u{FFFD}\""),
      ("\"\\u6D77\\uDE00\"", "\"海\u{FFFD}\""), ("\"\\uD83D\\uE000\"", "\"\u{FFFD}\u{E000}\""),
      ("\"\\n b ! c\"", "\"\\n b ! c\""), ("\"\\u0041 \"", "\"A \""),
      ("\"\\/\\b\\f\"", "\"/\\u0008\\u000c\""), ("\"a\\tb\\rc\"", "\"a\\tb\\rc\""), ("\u{FEFF}true", "true"),
      ("false", "false"), ("null", "null"),
      ("\"\\u007f\\u0000\"", "\"\\u007f\\u0000\""), ("\"日\\\\\"", "\"日\\\\\""),
    ] as [(String, String)])
  func textsAreReadAndWritten(_ text: String, _ written: String) { #expect(Self.sentence(text) == "read \(written)") }

  @Test func depthIsCounted() {
    #expect(Self.sentence("[[1]]", depthLimit: 3) == "read [[1]]")
    #expect(Self.sentence("[[1]]", depthLimit: 2) == "1:3: the JSON is nested deeper than 2 levels")
    #expect(Self.sentence("{\"a\":{\"b\":1}}", depthLimit: 3) == "read {\"a\":{\"b\":1}}")
    #expect(Self.sentence("{\"a\":{\"b\":1}}", depthLimit: 2) == "1:11: the JSON is nested deeper than 2 levels")
    #expect(
      Self.sentence("1", depthLimit: 1) == "read 1" && Self.sentence("1", depthLimit: 0).hasPrefix("1:1: the JSON is"))
    let deep = String(repeating: "[", count: 255)
    #expect(Self.sentence(deep + "1" + String(repeating: "]", count: 255)).hasPrefix("read"))
    #expect(Self.sentence("[" + deep + "1" + String(repeating: "]", count: 256)).contains("deeper than 256 levels"))
    let bytes = Array("[[1]]".utf8)
    #expect(
      (try? DocumentNode(parsingJSON: bytes, depthLimit: 3)) != nil
        && (try? DocumentNode(parsingJSON: bytes, depthLimit: 2)) == nil)
    #expect(
      (try? JSONValue(parsing: Data(bytes), depthLimit: 2)) == nil && (try? JSONValue(parsing: Data(bytes))) == [[1]])
  }

  @Test(arguments: [(256, true), (257, false)])
  func depthHasOneLimitHoweverATextComes(_ depth: Int, _ isRead: Bool) {
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let isText = (try? JSONValue(parsing: text)) != nil
    let isData = (try? JSONValue(parsing: Data(text.utf8))) != nil
    let isDocument = (try? DocumentNode(parsingJSON: Array(text.utf8))) != nil
    #expect(isText == isRead && isData == isRead && isDocument == isRead)
  }

  @Test func indentedOverSeveralLines() throws {
    let value = try JSONValue(parsing: #"{"a":[1,{"b":null}],"c":{},"d":[],"e":"x"}"#)
    #expect(
      value.indented()
        == "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": [],\n  \"e\": \"x\"\n}"
    )
    #expect(JSONValue.array([1, ["a": 2]]).indented(by: 1) == "[\n 1,\n {\n  \"a\": 2\n }\n]")
    #expect(JSONValue.array([1]).indented(by: 0) == "[\n1\n]" && JSONValue.array([1]).indented(by: -3) == "[\n1\n]")
    #expect(
      JSONValue.string("\u{9B}").indented() == "\"\\u009b\""
        && JSONValue.string("\u{9B}").indented(escaping: .minimal) == "\"\u{9B}\"")
  }

  /// Places by line and column, also far along a line and behind characters of several bytes.
  @Test func placesAreCountedInCharacters() throws {
    for length in [0, 1, 61, 62, 63, 64, 65, 126, 127, 128, 129, 300] {
      for letter in ["x", "é", "日", "😀"] {
        let text = "[\n\"" + String(repeating: letter, count: length) + "\", 7]"
        let node = try DocumentNode(parsingJSON: Array(text.utf8))
        guard case .list(let items) = node.value else { return }
        #expect(items[0].position == SourcePosition(line: 2, column: 1))
        #expect(items[1].position == SourcePosition(line: 2, column: length + 5), "\(length) \(letter)")
        let end = text.utf8.count - 1
        #expect(items[1].bytes == end - 1..<end && node.bytes == 0..<text.utf8.count)
        #expect(Self.sentence(String(text.dropLast())).hasPrefix("2:\(length + 6): "))
      }
    }
    #expect(Self.sentence(String(repeating: "\n", count: 9) + " x") == "10:2: a JSON value was expected here")
  }

  @Test(arguments: [1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 192])
  func aMistakeAtTheEndHasItsPlaceWhateverTheLength(_ length: Int) {
    let text = "[" + String(repeating: " ", count: length - 1)
    #expect(Self.sentence(text) == "1:\(length + 1): the array is not closed with `]`")
    let lines = String(repeating: "\n", count: length - 1) + "["
    #expect(Self.sentence(lines) == "\(length):2: the array is not closed with `]`")
  }

  @Test func documentsSayWhatStandsWhere() throws {
    let text = "{\"a\": [null, true, false, -1.5, \"x\"],\n \"b\": {}}"
    let node = try DocumentNode(parsingJSON: Array(text.utf8))
    guard case .map(let entries) = node.value else { return }
    #expect(entries.map(\.key) == ["a", "b"] && entries.map(\.keyBytes) == [1..<4, 39..<42])
    #expect(entries.map { $0.keyPosition?.description } == ["1:2", "2:2"])
    #expect(entries[1].value == DocumentNode(.map([]), at: SourcePosition(line: 2, column: 7), bytes: 44..<46))
    guard case .list(let items) = entries[0].value.value else { return }
    #expect(
      items.map(\.value) == [
        .scalar("null", .null), .scalar("true", .bool), .scalar("false", .bool), .scalar("-1.5", .number),
        .scalar("x", .text),
      ])
    #expect(items.map { $0.position?.column } == [8, 14, 20, 27, 33])
    #expect(items.map(\.bytes) == [7..<11, 13..<17, 19..<24, 26..<30, 32..<35])
    #expect(items.map(\.summary) == ["nothing", "`true`", "`false`", "the number -1.5", "the text `x`"])
    #expect(node.summary == "a map" && entries[0].value.summary == "a list")
    #expect(
      DocumentNode(.scalar(String(repeating: "y", count: 50), .text)).summary
        == "the text `\(String(repeating: "y", count: 39))…`")
    #expect(
      items.map(\.isNull) == [true, false, false, false, false] && !node.isNull
        && !DocumentNode(.scalar("null", .text)).isNull)
    #expect(node["b"] == entries[1].value && node["c"] == nil && entries[0].value["a"] == nil)
    let twice = try DocumentNode(parsingJSON: Array("{\"a\":1,\"a\":2}".utf8))
    #expect(twice["a"]?.value == .scalar("1", .number))
    // The same without places, and back.
    let json = try JSONValue(parsing: text)
    let plain = DocumentNode(json)
    #expect(plain.position == nil && plain.bytes == nil && plain["a"]?.position == nil)
    var mistakes: [String] = []
    #expect(JSONValue(plain) { message, _ in mistakes.append(message) } == json && mistakes.isEmpty)
    let odd = DocumentNode(
      .list([
        .init(.scalar(".inf", .number)), .init(.scalar("TRUE", .bool)), .init(.scalar("False", .bool)),
        .init(.scalar("~", .null)),
      ]))
    #expect(JSONValue(odd) { message, _ in mistakes.append(message) } == [nil, true, false, nil])
    #expect(mistakes == ["the number .inf has no form in JSON"])
  }

  @Test(
    arguments: [
      ("1", true), ("-1", true), ("1.5e9", true), ("", false), (" 1", false), ("1 ", false), ("+1", false),
      ("01", false),
      ("null", false),
      ("\"1\"", false), ("1,2", false), ("٣", false), (".5", false), ("/", false), (":", false),
    ] as [(String, Bool)])
  func whatIsANumber(_ text: String, _ isOne: Bool) { #expect(JSONValue.isNumber(text) == isOne) }

  @Test(
    arguments: [
      ("1", "1.0", true), ("1", "10e-1", true), ("0", "-0", true), ("0", "0e99", true), ("0.0", "-0.00", true),
      ("1e2", "100", true),
      ("1e+2", "100.0", true), ("1E2", "1e2", true), ("12e0", "12", true), ("0.10", "1e-1", true),
      ("120", "12e1", true),
      ("-1", "1", false),
      ("1", "2", false), ("1e2", "1e3", false), ("1e99999999999999999999", "1", true),
      ("1e9999999999999", "1e9999999999998", true),
      ("10", "1", false), ("0.01", "0.1", false), ("100", "1", false), ("1.5", "15", false), ("-0.5", "-5e-1", true),
      ("1e-2", "1e2", false), ("-1", "-1.0", true), ("-12", "-1.2e1", true), ("0.00e5", "0", true),
      // Further out all powers of ten count as the same.
      ("1e1099511627775", "1e1099511627776", false), ("1e1099511627776", "1e1099511627777", true),
      ("1e-1099511627775", "1e-1099511627776", false), ("1e-1099511627776", "1e-1099511627777", true),
    ] as [(String, String, Bool)])
  func numbersAreComparedByTheirValue(_ one: String, _ other: String, _ areSame: Bool) {
    #expect((JSONNumber(one) == JSONNumber(other)) == areSame)
    if areSame { #expect(JSONNumber(one).hashValue == JSONNumber(other).hashValue) }
    #expect(JSONValue.number(one).means(.number(other)) == areSame)
  }

  @Test func literalsAndLookingUp() throws {
    let value: JSONValue = ["s": "x", "i": -7, "b": true, "a": [1, nil], "o": ["p": false], "s": "y"]
    #expect(value.compact == #"{"s":"x","i":-7,"b":true,"a":[1,null],"o":{"p":false},"s":"y"}"#)
    #expect(value["s"] == "y" && value["o"]?["p"] == false && value["x"] == nil && JSONValue.array([])["s"] == nil)
    #expect(
      value["s"]?.text == "y" && value["i"]?.text == nil && value["i"]?.integer == -7 && value["s"]?.integer == nil)
    #expect(JSONValue.number("1.0").integer == nil && JSONValue.number("9223372036854775808").integer == nil)
    #expect(JSONValue.members(["a": 1, "b": 2, "a": 3]).compact == #"{"a":1,"b":2,"a":3}"#)
    #expect(String(decoding: JSONValue.string("\u{2028}\n\u{1}").bodyData, as: UTF8.self) == "\"\u{2028}\\n\\u0001\"")
    var texts: [String] = []
    try JSONValue(parsing: #"{"a":"1","b":["2",{"c":"3"},4,null,true]}"#).collectTexts(into: &texts)
    #expect(texts == ["1", "2", "3"])
  }

  // MARK: Steps

  @Test func waysThroughADocument() throws {
    let value = try JSONValue(parsing: #"{"a":{"b":[1,{"c":2}]},"d":3,"d":4}"#)
    let rows: [([JSONStep], String?, String?, String?)] = [
      ([], value.compact, "9", "9"), ([.member("d")], "4", #"{"a":{"b":[1,{"c":2}]},"d":3,"d":9}"#, #"{"d":9}"#),
      (
        [.member("a"), .member("b"), .element(1), .member("c")], "2", #"{"a":{"b":[1,{"c":9}]},"d":3,"d":4}"#,
        #"{"a":{"b":[1,{"c":9}]}}"#
      ),
      (
        [.member("a"), .member("b"), .element(0)], "1", #"{"a":{"b":[9,{"c":2}]},"d":3,"d":4}"#,
        #"{"a":{"b":[9,{"c":2}]}}"#
      ),
      ([.member("a"), .member("b")], #"[1,{"c":2}]"#, #"{"a":{"b":9},"d":3,"d":4}"#, #"{"a":{"b":9}}"#),
      ([.member("x")], nil, nil, nil),
      ([.element(0)], nil, nil, nil), ([.member("a"), .element(0)], nil, nil, nil),
      ([.member("a"), .member("b"), .element(2)], nil, nil, nil),
      ([.member("a"), .member("b"), .element(-1)], nil, nil, nil),
      ([.member("a"), .member("b"), .member("c")], nil, nil, nil),
      ([.member("d"), .member("e")], nil, nil, nil), ([.member("x"), .member("y")], nil, nil, nil),
    ]
    for (steps, found, replaced, patch) in rows {
      #expect(value.value(at: steps)?.compact == found, "\(steps)")
      #expect(value.replacing(at: steps, with: 9)?.compact == replaced, "\(steps)")
      #expect(value.mergePatch(at: steps, to: 9)?.compact == patch, "\(steps)")
    }
  }

  @Test(
    arguments: [
      (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#), (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
      (#"{"a":1}"#, "7", "7"), ("7", #"{"a":null}"#, #"{"a":null}"#),
      (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"c":null,"d":3}}"#, #"{"a":{"b":1,"c":null,"d":3}}"#),
      (#"{"a":1,"a":2}"#, #"{"a":3}"#, #"{"a":1,"a":3}"#), ("{}", "{}", "{}"),
      (#"{"a":[1]}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
    ] as [(String, String, String)])
  func patchesFollowOneAnother(_ first: String, _ next: String, _ both: String) throws {
    #expect(try JSONValue(parsing: first).followed(byPatch: JSONValue(parsing: next)).compact == both)
  }

  @Test func whatAPatchPutsWhere() throws {
    func rows(_ text: String) throws -> [String] {
      try JSONValue(parsing: text).patchedValues.map { row in
        row.steps.map { if case .member(let name) = $0 { name } else { "?" } }.joined(separator: "/") + "="
          + row.value.compact
      }
    }
    #expect(try rows(#"{"a":1,"b":{"c":null,"d":{"e":[1]}},"f":{}}"#) == ["a=1", "b/c=null", "b/d/e=[1]", "f={}"])
    #expect(try rows("{}") == ["={}"] && rows("7") == ["=7"] && rows("[1]") == ["=[1]"])
  }
}
