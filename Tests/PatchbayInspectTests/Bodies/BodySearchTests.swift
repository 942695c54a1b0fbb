import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// Finding text in a body, beside a search byte by byte.
@Suite(.bounded) struct BodySearchTests {
  private static func hits(_ needle: String, _ body: String, piece: Int = 1 << 20, isJSON: Bool = false) -> [Int] {
    var search = BodySearch(needle, isJSON: isJSON)
    while !search.isComplete { search.search(Data(body.utf8), bytes: piece) }
    return search.hits
  }

  @Test(arguments: [
    ("a", "abca", [0, 3]), ("A", "aAbA", [1, 3]), ("a", "aA", [0, 1]), ("ab", "aabab", [1, 3]),
    ("aa", "aaaa", [0, 1, 2]),
    ("abc", "ab", []), ("abc", "xxab", []), ("z", "zZ", [0, 1]), ("@", "@`", [0]), ("[", "[{", [0]), ("{", "[{", [1]),
    ("é", "Éé", [2]), ("É", "Éé", [0]), ("é", #"x\u00e9"#, [1]), ("é", #"\u00E9"#, [0]), ("É", #"\u00c9 \u00C9"#, [0]),
    ("aé", #"A\u00e9"#, [0]), ("😀", #"\ud83d\ude00"#, [0]), ("ÿ", #"\u00ff"#, [0]), ("Ā", #"\u0100"#, [0]),
    ("日", #"日\u65e5"#, [0, 3]),
    ("x", "", []), ("ab", "ab", [0]), ("b", "ab", [1]), ("\u{80}", #"\u0080"#, [0]), ("\u{7F}", "a\u{7F}", [1]),
  ])
  func findsThePlacesOfAText(_ needle: String, _ body: String, _ places: [Int]) {
    for piece in [1, 2, 3, 100] { #expect(Self.hits(needle, body, piece: piece) == places, "pieces of \(piece)") }
  }

  /// Where a member is shown, a blank follows its colon that need not be there.
  @Test(arguments: [
    (#""a": 1"#, #"{"a":1,"A": 1}"#, true, [1, 7]), (#""a": 1"#, #"{"a":1,"A": 1}"#, false, [7]),
    (#""A": 1"#, #"{"A":1,"a":1}"#, true, [1]), (#"a: 1"#, #"{"a":1}"#, true, []),
    (#""a": {"b": 2"#, #"{"a":{"b":2}}"#, true, [1]),
  ])
  func findsMembersAsTheyAreShown(_ needle: String, _ body: String, _ isJSON: Bool, _ places: [Int]) {
    #expect(Self.hits(needle, body, isJSON: isJSON) == places)
  }

  @Test func goesThroughTheBodyPieceByPiece() {
    let body = Data("a.a.a.".utf8)
    var search = BodySearch("a")
    #expect(!search.isComplete && search.hits.isEmpty)
    search.search(body, bytes: 3)
    #expect(search.hits == [0, 2] && !search.isComplete)
    search.search(body, bytes: 0)
    #expect(search.hits == [0, 2] && !search.isComplete)
    search.search(body, bytes: 3)
    #expect(search.hits == [0, 2, 4] && search.isComplete)
    search.search(body, bytes: 9)
    #expect(search.hits == [0, 2, 4], "there is no more")
    var none = BodySearch("")
    none.search(body, bytes: 9)
    #expect(none.isComplete && none.hits.isEmpty)
    var nothing = BodySearch("a")
    nothing.search(Data(), bytes: 1)
    #expect(nothing.isComplete)
  }

  @Test func soManyHitsAreListedAndNoMore() {
    for (count, wanted) in [(BodySearch.limit, BodySearch.limit), (BodySearch.limit + 5, BodySearch.limit)] {
      var search = BodySearch("a")
      let body = Data(repeating: 0x61, count: count) + Data(repeating: 0x62, count: 10)
      search.search(body, bytes: count)
      #expect(search.hits.count == wanted && search.hits.last == wanted - 1)
      #expect(search.isComplete, "where so many are found, the rest is not looked at")
    }
    var search = BodySearch("a")
    search.search(Data(repeating: 0x61, count: BodySearch.limit - 1) + Data([0x62]), bytes: BodySearch.limit - 1)
    #expect(!search.isComplete && search.hits.count == BodySearch.limit - 1)
  }
}

/// What a body is, by its type and its first bytes.
@Suite(.bounded) struct BodyKindTests {
  @Test(
    arguments: [
      ("application/x-ndjson", .ndjson), ("application/ndjson", .ndjson), ("application/jsonl", .ndjson),
      ("application/x-jsonlines", .ndjson), ("application/x-www-form-urlencoded", .form), ("text/html", .html),
      ("application/xhtml+xml", .html), ("text/event-stream", .events), ("application/xml", .xml), ("text/xml", .xml),
      ("image/svg+xml", .xml), ("application/json", .json), ("text/json", .json), ("application/a+json", .json),
      ("application/a+xml", .xml), ("multipart/mixed", .multipart), ("image/x", .image),
      ("APPLICATION/JSON; a=b", .json),
      ("text/plain", .text), ("text/css", .text), ("application/javascript", .text), ("application/x", .text),
      ("", .text),
      ("x+json/y", .text),
    ] as [(String, BodyKind)])
  func byItsType(_ type: String, _ kind: BodyKind) {
    #expect(BodyKind(of: Data("word".utf8), contentType: type) == kind)
    #expect(BodyKind(of: Data(), contentType: type) == .empty)
  }

  @Test(
    arguments: [
      ("{", .json), ("[", .json), (" \t\r\n\u{0B}\u{0C}{", .json), ("<", .xml), ("\n<a>", .xml), ("<p><html", .html),
      ("<!DOCTYPE HTML>", .html), ("<!doctype x><HTML>", .html), ("<!doctype x>", .xml), ("a<html>", .text),
      ("\"a\"", .text),
      (" ", .text), ("1", .text),
    ] as [(String, BodyKind)])
  func byItsFirstBytes(_ text: String, _ kind: BodyKind) {
    for type in [nil, "application/x", "text/plain"] {
      #expect(BodyKind(of: Data(text.utf8), contentType: type) == kind, "\(type ?? "")")
    }
  }

  /// Two objects, each on a line of its own.
  @Test(
    arguments: [
      ("{}\n{}", true), ("{}\r\n{}", true), ("{} \r\n{}", true), ("{}\n\r{}", true), ("{}\n\n{}", false),
      ("{}\n {}", false),
      ("{}\n[]", false), ("{\n{}", false), ("{}", false), ("{}\n", false), (" {}\n{}", false), ("[]\n{}", false),
      ("\n{}", false),
      ("{\"a\":\n{}}", false), ("{\"a\":1}x\n{}", false),
    ])
  func severalObjectsAreLines(_ text: String, _ several: Bool) {
    let kind = BodyKind(of: Data(text.utf8), contentType: "application/json")
    #expect(kind == (several ? .ndjson : .json))
    #expect((BodyKind(of: Data(text.utf8), contentType: nil) == .ndjson) == several)
    // A slice whose indices do not begin with 0.
    #expect(BodyKind(of: Data("xx\(text)".utf8).dropFirst(2), contentType: "application/json") == kind)
  }

  @Test func aFirstLineThatIsTooLongIsNotLookedAt() {
    for (count, kind) in [(65_535 - 9, BodyKind.ndjson), (65_535 - 7, .json)] {
      let text = "{\"a\":\"" + String(repeating: "x", count: count) + "\"}\n{}"
      #expect(BodyKind(of: Data(text.utf8), contentType: "application/json") == kind, "\(count)")
    }
  }

  /// More than one in ten of control characters, or of bytes that are no characters, or a NUL.
  @Test(
    arguments: [
      ([0x61, 0], .binary), ([0x01] + letters(9), .text), ([0x01] + letters(8), .binary),
      ([0x08] + letters(8), .binary),
      ([0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B], .text), ([0x0E] + letters(8), .binary), ([0x1F] + letters(8), .binary),
      ([0x1B] + letters(1), .text), ([0x20, 0x7F], .text), ([0xFF] + letters(9), .text), ([0xFF] + letters(8), .binary),
      ([0xFF, 0xFE, 0, 0], .text), ([0xFE, 0xFF, 0, 0], .text), ([0xFE, 0xFE], .binary),
    ] as [([UInt8], BodyKind)])
  func bytesThatAreNoText(_ bytes: [UInt8], _ kind: BodyKind) {
    #expect(BodyKind(of: Data(bytes), contentType: nil) == kind)
    #expect(BodyKind(of: Data(bytes), contentType: "application/octet-stream") == kind)
    #expect(BodyKind(of: Data(bytes), contentType: "text/plain") == .text, "the type says that it is text")
    #expect(BodyKind(of: Data(bytes), contentType: "application/x-javascript") == .text)
  }

  @Test func onlyTheFirst4096BytesAreLookedAt() {
    let letters = Data(repeating: 0x61, count: 4_096)
    #expect(BodyKind(of: letters + [0], contentType: nil) == .text)
    #expect(BodyKind(of: letters.dropLast() + [0], contentType: nil) == .binary)
  }

  private static func letters(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }
}
