import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct JSONValueTests {
  @Test func keepsOrderDigitsAndRepeats() throws {
    let text = #"{"b":1.10,"a":[12345678901234567890,-0,1E+2],"b":"ü\n\u0001","":{}}"#
    #expect(try JSONValue(parsing: text).compact == text)
    #expect(try JSONValue(parsing: "{\"b\":1,\"b\":2}")["b"] == 2)
    #expect(try JSONValue(parsing: " [1 , {\"a\" : true} ]\n").indented() == "[\n  1,\n  {\n    \"a\": true\n  }\n]")
    #expect(try JSONValue(parsing: "[]").indented() == "[]")
  }

  @Test func readsEscapes() throws {
    let text = #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800x""#
    #expect(try JSONValue(parsing: text) == .string("\"\\/\u{8}\u{C}\n\r\té😀\u{FFFD}x"))
    #expect(try JSONValue(parsing: "\u{FEFF}1") == 1)
  }

  @Test(arguments: [
    ("", "1:1"), ("{", "1:2"), ("[1,]", "1:4"), ("{\"a\":1,}", "1:8"), ("{\n \"a\" 1}", "2:6"), ("01", "1:2"),
    ("1.", "1:3"),
    ("[1 2]", "1:4"), ("'a'", "1:1"), ("\"a\nb\"", "1:3"), ("\"\\q\"", "1:2"), ("nul", "1:1"), ("1 2", "1:3"),
    ("[é, x]", "1:2"),
    ("[\"é\", x]", "1:7"), ("\"abc", "1:5"), ("-", "1:2"), ("{a:1}", "1:2"), ("\"\\u12\"", "1:2"), ("]", "1:1"),
  ])
  func saysWhere(_ text: String, _ place: String) {
    do throws(StubError) {
      let value = try JSONValue(parsing: text)
      Issue.record("\(value)")
    } catch {
      #expect(error.position?.description == place, "\(error)")
      #expect(error.message.isEmpty == false)
    }
  }

  /// What commands a terminal or hides what is there is escaped where it is printed, and only there; nothing else is.
  @Test func escapesWhatIsNotToBePrinted() throws {
    let hidden: [ClosedRange<UInt32>] = [
      0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]
    for value in UInt32(0x20)...0x1_1000 {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let text = "あ\(scalar)b"
      let escape =
        "\\u" + String(repeating: "0", count: max(0, 4 - String(value, radix: 16).count)) + String(value, radix: 16)
      let printed = hidden.contains { $0.contains(value) } ? "\"あ\(escape)b\"" : "\"\(text)\""
      let written = JSONValue.string(text)
      guard Array(written.compact.utf8) != Array(printed.utf8) || written.bodyData != Data("\"\(text)\"".utf8) else {
        continue
      }
      Issue.record("U+\(String(value, radix: 16)): \(written.compact)")
    }
    let all = String(String.UnicodeScalarView((0...0x206F).compactMap(Unicode.Scalar.init)))
    let value = JSONValue.object([.init(all, .array([.string(all), .string("")]))])
    for text in [value.compact, value.indented(), value.indented(escaping: .minimal)] {
      #expect(try JSONValue(parsing: text) == value)
    }
    #expect(try JSONValue(parsing: value.bodyData) == value)
    for text in [value.compact, value.indented()] {
      #expect(
        !text.unicodeScalars.contains { scalar in scalar != "\n" && scalar.properties.generalCategory == .control })
      #expect(!text.unicodeScalars.contains { scalar in hidden.contains { $0.contains(scalar.value) } })
    }
  }

  @Test func depthIsLimited() throws {
    let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
    #expect(throws: StubError.self) { try JSONValue(parsing: deep) }
    let value = try JSONValue(parsing: deep, depthLimit: 400)
    #expect(value.compact == deep)
  }

  @Test func comparesByMeaning() throws {
    for (left, right) in [
      ("1", "1.0"), ("100", "1e2"), ("-0", "0.0"), ("0.5", "5E-1"), ("{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}"),
    ] {
      #expect(try JSONValue(parsing: left).means(JSONValue(parsing: right)), "\(left) \(right)")
    }
    for (left, right) in [
      ("1", "1.01"), ("1", "\"1\""), ("[1,2]", "[2,1]"), ("{\"a\":1}", "{\"a\":1,\"b\":2}"), ("1e400", "1e401"),
    ] {
      #expect(try JSONValue(parsing: left).means(JSONValue(parsing: right)) == false, "\(left) \(right)")
    }
  }

  @Test(
    arguments: [
      (#"{"a":1}"#, #"{"b":1}"#, false, false), (#"{"a":1,"b":2}"#, #"{"a":1,"c":2}"#, false, false),
      (#""a""#, #""a""#, true, true), (#""a""#, #""b""#, false, false), ("true", "false", false, false),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#, true, false), (#"{"a":2}"#, #"{"a":1,"a":2}"#, true, true),
      (#"{"a":1,"a":2}"#, #"{"a":1}"#, false, false), (#"{"a":[{"b":"x"}]}"#, #"{"a":[{"b":"y"}]}"#, false, false),
      (#"{"a":[{"b":"x"}]}"#, #"{"a":[0,{"c":1,"b":"x"}]}"#, false, true), ("[]", "{}", false, false),
      ("{}", "[]", false, false), ("null", "0", false, false), ("null", "{}", false, false),
    ] as [(String, String, Bool, Bool)])
  func sameAndPartOf(_ one: String, _ other: String, _ areSame: Bool, _ isPart: Bool) throws {
    let (left, right) = (try JSONValue(parsing: one), try JSONValue(parsing: other))
    #expect(left.means(right) == areSame && right.means(left) == areSame && left.isSubset(of: right) == isPart)
  }

  @Test func pointers() throws {
    // RFC 6901 §5.
    let document = try JSONValue(
      parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
    let expected: [(String, JSONValue?)] = [
      ("", document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
      ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8), ("/foo/2", nil), ("/foo/-", nil), ("foo", nil),
      ("/foo/00", nil), ("/foo/0/x", nil),
      ("/foo/-1", nil), ("/foo/+0", nil), ("/foo/", nil), ("/m~1n", nil), ("/m~n", 8), ("/a~01b", nil), ("/x", nil),
    ]
    for (pointer, value) in expected { #expect(document.value(at: pointer) == value, "\(pointer)") }
  }

  @Test func positionsAreThoseOfTheText() throws {
    let node = try DocumentNode(parsingJSON: Array("{\n  \"ü\": [1,\n 2]}".utf8))
    guard case .map(let entries) = node.value, case .list(let items) = entries[0].value.value else {
      Issue.record("no map")
      return
    }
    #expect(entries[0].keyPosition == SourcePosition(line: 2, column: 3))
    #expect(entries[0].value.position == SourcePosition(line: 2, column: 8))
    #expect(items[1].position == SourcePosition(line: 3, column: 2))
    #expect(items[1].bytes == 15..<16)
  }
}
