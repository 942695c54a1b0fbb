import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct JSONLayoutTests {
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

  /// Many blocks of lines: paths and ends of containers are found from the block, not from the beginning.
  @Test func tellsPathsAndFoldsFarDownLargeBodies() {
    let items = (0..<6_000).map { #"{"id":\#($0),"tags":["x",{"deep":[\#($0)]}]}"# }
    let json = #"{"first":[1,2],"items":[\#(items.joined(separator: ","))],"last":{"end":true}}"#
    var layout = JSONLayout(Data(json.utf8))
    while !layout.isComplete { layout.layOut(bytes: 10_000) }
    let lines = layout.lines(0..<layout.lineCount)
    #expect(lines.count > 10 * JSONLayout.block)
    for item in [0, 1, 700, 4_321, 5_999] {
      let line = lines.firstIndex { $0.text == #""id": \#(item),"# } ?? 0
      #expect(layout.path(of: line) == "$.items[\(item)].id")
      #expect(layout.path(of: line + 4) == "$.items[\(item)].tags[1].deep")
      #expect(layout.path(of: line + 5) == "$.items[\(item)].tags[1].deep[0]")
      #expect(layout.foldEnd(of: line - 1).map { lines[$0].text.first } == "}")
      #expect(layout.foldEnd(of: line - 1) == line + 9)
    }
    #expect(layout.path(of: lines.count - 3) == "$.last.end")
    #expect(layout.foldEnd(of: 0) == lines.count - 1)
    let items5 = lines.firstIndex { $0.text.hasPrefix(#""items""#) } ?? 0
    #expect(layout.foldEnd(of: items5) == lines.count - 5)
  }

  @Test func findsEndsOnlyWhereTheyAreKnown() {
    let json = "[" + (0..<9_000).map { "[\($0)]" }.joined(separator: ",") + "]"
    var layout = JSONLayout(Data(json.utf8))
    layout.layOut(bytes: 40_000)
    #expect(!layout.isComplete && layout.lineCount > 2 * JSONLayout.block)
    #expect(layout.foldEnd(of: 0) == nil)
    layout.layOutAll()
    #expect(layout.foldEnd(of: 0) == layout.lineCount - 1)
  }

  @Test func nestingWithoutEndHasAPathThatSaysSo() {
    var layout = JSONLayout(Data((String(repeating: "[", count: 600) + "1").utf8))
    layout.layOutAll()
    let path = layout.path(of: layout.lineCount - 1) ?? ""
    #expect(path.hasPrefix("$[0][0]") && path.hasSuffix("[0]…"))
  }

  /// A string that is cut in many lines is not read to its end for each of them: a member's name is known as one
  /// only where its colon is near.
  @Test func stringsOfMegabytesAreCutWithoutReadingThemAgain() {
    let long = String(repeating: "a", count: 4_000_000)
    var layout = JSONLayout(Data(#"{"s":"\#(long)","\#(long.prefix(3_000))":1}"#.utf8))
    var steps = 0
    while !layout.isComplete {
      layout.layOut(bytes: 100_000)
      steps += 1
    }
    #expect(steps >= 40 && layout.lineCount == 2_005)
    let lines = layout.lines(0..<layout.lineCount)
    #expect(lines[500].continues && lines[500].runs.first?.kind == .string)
    #expect(lines[2_002].runs.first?.kind == .key && lines[2_003].runs.first?.kind == .key)
    #expect(lines.map(\.text).joined().utf8.count == 4_000_000 + 3_000 + 15)
  }

  /// Tabs and the line ends of Windows part it as blanks do.
  @Test func anyWhiteSpacePartsIt() {
    let spaced = "\t{\r\n\t\"code\" :\t100,\r\n\t\"list\":\u{0B}[\t1,\r2\u{0C}]\r\n}\r\n"
    #expect(Self.text(spaced) == Self.text(#"{"code":100,"list":[1,2]}"#))
  }

  /// 2,000 bytes of a text or a number stand on a line, and what fills one goes on in no other.
  @Test(arguments: [
    (1_999, [1_999]), (2_000, [2_000]), (2_001, [2_000, 1]), (4_000, [2_000, 2_000]), (4_001, [2_000, 2_000, 1]),
  ])
  func longValuesAreCut(_ length: Int, _ pieces: [Int]) {
    for value in ["\"" + String(repeating: "x", count: length - 2) + "\"", String(repeating: "7", count: length)] {
      let lines = Self.text("[\(value)]").dropFirst().dropLast().map(\.trimmed)
      #expect(lines.map(\.utf8.count) == pieces && lines.joined() == value)
    }
  }

  /// The colon behind a name is looked for so far and no further; what has none there is shown as a text.
  @Test(arguments: [(65_535, .key), (65_536, .string)] as [(Int, BodyLine.Kind)])
  func aNameIsToldByItsColon(_ length: Int, _ kind: BodyLine.Kind) {
    var layout = JSONLayout(Data("{\"\(String(repeating: "n", count: length))\":1}".utf8))
    layout.layOutAll()
    let kinds = layout.lines(1..<layout.lineCount - 1).flatMap(\.runs).map(\.kind)
    #expect(kinds.suffix(2) == [.punctuation, .number] && kinds.dropLast(2).allSatisfy { $0 == kind })
    #expect(kinds.count == 35)
  }

  /// What comes next stands on the line unless it is more than 4,000 bytes from its beginning.
  @Test(arguments: [(3_996, 3), (3_997, 4)]) func blanksWithoutEndEndALine(_ blanks: Int, _ count: Int) {
    let lines = Self.text("{\"a\"" + String(repeating: " ", count: blanks) + ":1}")
    #expect(lines.count == count && lines.joined().filter { $0 != " " } == #"{"a":1}"#)
  }

  /// There is no good place to cut it; nothing is lost, and it ends.
  @Test(arguments: [(0, 4), (1, 5)]) func aRunOfBackslashesIsCutToo(_ before: Int, _ count: Int) {
    let json = "[\"" + String(repeating: "x", count: before) + String(repeating: "\\", count: 4_500) + "\"]"
    let lines = Self.text(json)
    #expect(lines.count == count && lines.joined().filter { $0 != " " } == json)
  }

  /// Every 64th line is noted with what it stands in, a text or a name.
  @Test func linesInTheMidstOfLongTextsAreFoundByThemselves() {
    let numbers = (0..<50).map(String.init).joined(separator: ",")
    let (name, text) = (String(repeating: "n", count: 60_000), String(repeating: "t", count: 150_000))
    var layout = JSONLayout(Data(#"{"list":[\#(numbers)],"\#(name)":1,"t":"\#(text)"}"#.utf8))
    layout.layOutAll()
    let all = layout.lines(0..<layout.lineCount)
    #expect(all[64].continues && all[64].runs.first?.kind == .key)
    #expect(all[128].continues && all[128].runs.first?.kind == .string)
    for start in [63, 64, 65, 127, 128, 129] {
      #expect(layout.lines(start..<start + 3) == Array(all[start..<start + 3]), "from \(start)")
    }
  }

  @Test(arguments: [(256, true), (257, false)]) func aPathHas256Steps(_ depth: Int, _ isWhole: Bool) {
    var layout = JSONLayout(Data((String(repeating: "[", count: depth) + "1").utf8))
    layout.layOutAll()
    #expect(layout.path(of: depth) == "$" + String(repeating: "[0]", count: 256) + (isWhole ? "" : "…"))
    #expect(layout.steps(of: depth)?.count == (isWhole ? 256 : nil))
  }

  /// Pairs make one character; what is no whole escape, or stands for nothing to be seen, stays as it is.
  @Test(arguments: [
    (#"\u00a1"#, "¡"), (#"\u00a0"#, #"\u00a0"#), (#"\u0085"#, #"\u0085"#), (#"\ud800\udc00"#, "\u{10000}"),
    (#"\udbff\udfff"#, "\u{10FFFF}"), (#"\ud83d\u7000"#, "\\ud83d\u{7000}"), (#"\ud83d\ue000"#, "\\ud83d\u{E000}"),
    (#"\udc00\ud800"#, #"\udc00\ud800"#), (#"\ud83d"#, #"\ud83d"#), (#"\\u3042"#, #"\\u3042"#),
    (#"\u304"#, #"\u304"#), (#"\u30zz"#, #"\u30zz"#), (#"\u+0e9"#, #"\u+0e9"#), (#"a\n\u3042\t\u3044"#, #"a\nあ\tい"#),
  ])
  func escapesAreReadWhereTheyAreWhole(_ escape: String, _ shown: String) {
    #expect(Self.text("[\"\(escape)\"]").dropFirst().first?.trimmed == "\"\(shown)\"")
  }

  /// Wherever a line has to end: an escape stands on one of them whole.
  @Test(arguments: [#"\u00e9"#, #"\n"#, #"\""#, "é", "x"]) func escapesAreNotCut(_ piece: String) {
    for before in 0..<14 {
      let text = String(repeating: "x", count: before) + String(repeating: piece, count: 4_500 / piece.utf8.count)
      var layout = JSONLayout(Data("[\"\(text)\"]".utf8))
      layout.layOutAll()
      let lines = layout.lines(1..<layout.lineCount - 1).map(\.text)
      let shown = piece.hasPrefix(#"\u"#) ? "é" : piece
      #expect(lines.count > 2 && lines.joined() == "\"" + text.replacing(piece, with: shown) + "\"")
      for line in lines {
        let rest = line.replacing(shown, with: "").filter { $0 != "x" && $0 != "\"" }
        #expect(rest.isEmpty, "“\(rest)” of \(piece) behind \(before)")
      }
    }
  }
}
