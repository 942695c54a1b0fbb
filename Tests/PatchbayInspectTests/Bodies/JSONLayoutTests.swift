import Foundation
import Testing

@testable import PatchbayInspect

@Suite struct JSONLayoutTests {
  static func text(_ json: String, piece: Int = 1 << 20) -> [String] {
    var layout = JSONLayout(Data(json.utf8))
    while !layout.isComplete { layout.layOut(bytes: piece) }
    return layout.lines(0..<layout.lineCount).map { String(repeating: "  ", count: $0.indent) + $0.text }
  }

  static let books = #"{"code":100,"message":"ただいま","list":[1,{"a":true},[],{}],"none":null}"#

  @Test func indents() {
    #expect(
      Self.text(Self.books) == [
        "{", #"  "code": 100,"#, #"  "message": "ただいま","#, #"  "list": ["#, "    1,", "    {",
        #"      "a": true"#, "    },", "    [],", "    {}", "  ],", #"  "none": null"#, "}",
      ])
  }

  @Test(arguments: 1...9) func sameLinesHoweverItIsCut(piece: Int) {
    #expect(Self.text(Self.books, piece: piece) == Self.text(Self.books))
  }

  @Test func separatesRootsOfNDJSON() {
    #expect(Self.text("{\"a\":1}\n{\"a\":2}\n3\n") == ["{", "  \"a\": 1", "}", "{", "  \"a\": 2", "}", "3"])
  }

  @Test(arguments: ["{\"a\":", "[1,,2", "}}}]]]", "\"open", "{\"a\" 1 2}", "tru", "\\", "\"\\", "[\"\\u12", "{]}["])
  func showsBrokenTextWithoutLoss(text: String) {
    let shown = Self.text(text).joined().filter { !$0.isWhitespace }
    #expect(shown == text.filter { !$0.isWhitespace })
  }

  @Test func cutsLongStringsOnCharactersAndKeepsAll() {
    let long = String(repeating: "木漏れ日\\n\\\\\\\"", count: 3_000)
    let json = #"{"t":"\#(long)","after":1}"#
    var layout = JSONLayout(Data(json.utf8))
    layout.layOutAll()
    let lines = layout.lines(0..<layout.lineCount)
    #expect(lines.count > 10)
    #expect(lines.allSatisfy { $0.text.utf8.count <= 2_200 })
    #expect(
      lines.map(\.text).joined()
        == json.replacing("\"t\":", with: "\"t\": ").replacing("\"after\":", with: "\"after\": "))
  }

  @Test func randomAccessEqualsReadingThrough() {
    let json = "[" + (0..<500).map { #"{"id":\#($0),"tags":["x","y"]}"# }.joined(separator: ",") + "]"
    var layout = JSONLayout(Data(json.utf8))
    layout.layOutAll()
    let all = layout.lines(0..<layout.lineCount)
    for start in stride(from: 0, to: layout.lineCount, by: 37) {
      #expect(layout.lines(start..<start + 5) == Array(all[start..<min(all.count, start + 5)]))
    }
  }

  @Test func tellsPathsAndFolds() {
    var layout = JSONLayout(Data(Self.books.utf8))
    layout.layOutAll()
    #expect(
      (0..<layout.lineCount).map { layout.path(of: $0) } == [
        "$", "$.code", "$.message", "$.list", "$.list[0]", "$.list[1]", "$.list[1].a", "$.list[1]", "$.list[2]",
        "$.list[3]", "$.list", "$.none", "$",
      ])
    #expect(layout.foldEnd(of: 0) == 12)
    #expect(layout.foldEnd(of: 3) == 10)
    #expect(layout.foldEnd(of: 5) == 7)
    #expect(layout.foldEnd(of: 1) == nil)
  }

  @Test func readsEscapesOfPrintableCharacters() {
    #expect(Self.text(#"["\u3042\ud83d\ude00\u0007\n\u202e\u0041"]"#)[1].trimmed == #""あ😀\u0007\n\u202e\u0041""#)
  }

  @Test func findsTheLineOfAnOffset() {
    var layout = JSONLayout(Data(Self.books.utf8))
    layout.layOutAll()
    let offset = Data(Self.books.utf8).range(of: Data("true".utf8))?.lowerBound
    #expect(layout.line(showing: offset ?? 0) == 6)
  }

  @Test func neverTrapsOnGarbage() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("{}[]\",:\\u0 1aé\n".utf8)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in alphabet.randomElement(using: &generator)!
      }
      var layout = JSONLayout(Data(bytes))
      layout.layOut(bytes: 7)
      layout.layOutAll()
      let lines = layout.lines(0..<layout.lineCount)
      #expect(lines.count == layout.lineCount)
      for line in 0..<layout.lineCount { _ = (layout.path(of: line), layout.foldEnd(of: line)) }
    }
  }
}
