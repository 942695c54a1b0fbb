import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// What holds of every layout: pieces make no difference, and a part of the lines is a part of all of them.
@Suite(.bounded) struct BodyLayoutTests {
  private static let item = #"{"id":7,"名":"山田","tags":["a",{"b":[]},{}],"t":"x\ny"}"#
  private static let element = "<item id=\"7\"><name>山田</name><!-- c --><t a='b'/><p>one\ntwo <b>three</b></p></item>"

  static let layouts: [(name: String, layout: any BodyLayout, length: Int)] = {
    let json = Data(("[" + Array(repeating: item, count: 40).joined(separator: ",") + "]").utf8)
    let long = Data(
      (#"{"k":"\#(String(repeating: "木x", count: 1_500))","# + "\"\(String(repeating: "n", count: 2_100))\":1}").utf8)
    let xml = Data(
      ("<list>" + String(repeating: element, count: 30) + String(repeating: "星y", count: 1_200) + "</list>").utf8)
    let text = Data(
      (String(repeating: "one\n\r\n二\r\n", count: 60) + String(repeating: "é", count: 2_500) + "\nend").utf8)
    let lines = (0..<70).map {
      BodyLine(indent: $0 % 3, runs: [.init(.key, "k"), .init(.text, "\($0)")], opens: $0 % 3 < 2)
    }
    return [
      ("JSON", JSONLayout(json), json.count), ("long strings", JSONLayout(long), long.count),
      ("nothing", JSONLayout(Data()), 0), ("markup", MarkupLayout(xml), xml.count),
      ("no markup", MarkupLayout(Data()), 0),
      ("text", TextLayout(text), text.count), ("no text", TextLayout(Data()), 0),
      ("bytes", HexLayout(Data(0..<250)), 250), ("no bytes", HexLayout(Data()), 0),
      ("an image", ImageLayout(SamplePicture.png()), SamplePicture.png().count), ("listed", ListedLayout(lines), 200),
      ("an empty list", ListedLayout([]), 0),
    ]
  }()

  private static func whole(_ layout: any BodyLayout) -> any BodyLayout {
    var layout = layout
    layout.layOutAll()
    return layout
  }

  @Test func piecesMakeNoDifference() {
    for (name, layout, length) in Self.layouts {
      let whole = Self.whole(layout)
      let all = whole.lines(0..<whole.lineCount)
      #expect(all.count == whole.lineCount && whole.isComplete)
      for piece in [1, 2, 3, 7, 64, 1_000, 100_000] {
        var layout = layout
        var rounds = 0
        while !layout.isComplete {
          let before = layout.lineCount
          layout.layOut(bytes: piece)
          rounds += 1
          #expect(layout.lineCount >= before && rounds <= length / piece + 2, "\(name) in pieces of \(piece)")
          if rounds > length + 2 { break }
          let some = min(layout.lineCount, 5)
          #expect(
            layout.lines(layout.lineCount - some..<layout.lineCount + 5)
              == Array(all[layout.lineCount - some..<layout.lineCount]))
        }
        #expect(layout.lines(0..<layout.lineCount) == all, "\(name) in pieces of \(piece)")
        let count = layout.lineCount
        layout.layOut(bytes: 100)
        #expect(layout.lineCount == count, "\(name): there is no more")
      }
    }
  }

  @Test func aPartOfTheLinesIsAPartOfAll() {
    for (name, layout, _) in Self.layouts {
      let whole = Self.whole(layout)
      let count = whole.lineCount
      let all = whole.lines(0..<count)
      for start in Set([0, 1, 2, 3, 4, 5, 63, 64, 65, 128, count / 2, count - 1, count, count + 1, count + 99])
      where start >= 0 {
        for length in [0, 1, 2, 63, 64, 65, 1_000] {
          let expected = Array(all[min(start, count)..<min(start + length, count)])
          #expect(whole.lines(start..<start + length) == expected, "\(name) from \(start), \(length)")
        }
      }
    }
  }

  /// A line opens what ends at the next line that is no deeper.
  @Test func foldsEndWhereTheIndentationDoes() {
    for (name, layout, _) in Self.layouts where !["markup", "no markup"].contains(name) {
      let whole = Self.whole(layout)
      let all = whole.lines(0..<whole.lineCount)
      for (number, line) in all.enumerated() {
        let end = all[(number + 1)...].firstIndex { $0.indent <= line.indent }
        #expect(whole.foldEnd(of: number) == (line.opens ? end : nil), "\(name), line \(number)")
      }
      for number in [-1, all.count, all.count + 70] { #expect(whole.foldEnd(of: number) == nil, "\(name)") }
    }
  }

  @Test func pathsAreThoseOfJSONOnly() {
    for (name, layout, _) in Self.layouts {
      let whole = Self.whole(layout)
      let isJSON = layout is JSONLayout
      for number in 0..<min(whole.lineCount, 20) {
        #expect((whole.path(of: number) != nil) == isJSON, "\(name)")
        if !isJSON { #expect(whole.steps(of: number) == nil, "\(name)") }
      }
      for number in [-1, whole.lineCount] {
        #expect(whole.path(of: number) == nil && whole.steps(of: number) == nil, "\(name)")
      }
    }
  }

  /// Which line shows a byte never goes back, and each line is shown by some byte of its own.
  @Test func eachByteIsShownByOneLine() {
    for (name, layout, length) in Self.layouts {
      let whole = Self.whole(layout)
      let shown = (0..<length).map { whole.line(showing: $0) }
      #expect(zip(shown, shown.dropFirst()).allSatisfy { ($0 ?? -1) <= ($1 ?? -1) }, "\(name)")
      #expect(shown.allSatisfy { $0.map { (0..<whole.lineCount).contains($0) } ?? (name == "listed") }, "\(name)")
      if length == 0 { #expect(whole.line(showing: 0) == nil, "\(name)") }
    }
  }

  /// Containers that begin and end in the midst of many blocks of lines.
  @Test func foldsEndInTheBlockInWhichTheyEnd() {
    let numbers = (0..<9_000).map(String.init).joined(separator: ",")
    let json = #"{"a":[\#(numbers)],"b":{"c":[\#(numbers)],"d":1},"e":[\#(numbers)]}"#
    let element = (0..<9_000).map { "<n>\($0)</n>" }.joined()
    let xml = "<r><a>\(element)</a><b><c>\(element)</c><d/></b><e>\(element)</e></r>"
    for whole in [Self.whole(JSONLayout(Data(json.utf8))), Self.whole(MarkupLayout(Data(xml.utf8)))] {
      let all = whole.lines(0..<whole.lineCount)
      let opening = all.indices.filter { all[$0].opens }
      #expect(opening.count == 5)
      for number in opening {
        #expect(whole.foldEnd(of: number) == all[(number + 1)...].firstIndex { $0.indent <= all[number].indent })
      }
    }
  }

  @Test func aByteThatWasNotReachedIsShownByNoLineYet() {
    for (name, layout, length) in Self.layouts where length > 0 && !layout.isComplete {
      var layout = layout
      #expect(layout.line(showing: 0) == nil && layout.lineCount == 0, "\(name)")
      layout.layOut(bytes: 1)
      #expect(
        layout.line(showing: 0) == 0 && layout.line(showing: length - 1) == nil && layout.lineCount > 0, "\(name)")
      #expect(layout.line(showing: length) == nil, "\(name)")
      layout.layOutAll()
      #expect(layout.line(showing: length - 1) == layout.line(showing: length + 99), "\(name)")
    }
  }
}

/// Text, bytes and lists of lines, each beside what they plainly are.
@Suite(.bounded) struct PlainLayoutTests {
  /// The pieces of a text: its lines, those of more than 2,000 bytes cut between characters.
  private static func plain(_ text: String) -> [(text: String, start: Int, continues: Bool)] {
    var lines: [(text: String, start: Int, continues: Bool)] = []
    var start = 0
    var parts = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    if parts.last?.isEmpty == true { parts.removeLast() }
    for (number, part) in parts.enumerated() {
      var rest = part[...]
      var continues = false
      repeat {
        var piece = rest.prefix(2_000)
        if piece.count < rest.count { while rest[piece.endIndex] & 0xC0 == 0x80 { piece = piece.dropLast() } }
        let isLast = piece.count == rest.count
        var shown = piece
        if isLast, number < parts.count - 1 || text.utf8.last == 0x0A, shown.last == 0x0D { shown = shown.dropLast() }
        lines.append((String(decoding: shown, as: UTF8.self), start, continues))
        start += piece.count
        rest = rest[piece.endIndex...]
        continues = true
      } while !rest.isEmpty
      start += 1
    }
    return lines
  }

  static let texts: [String] = [
    "", "\n", "a", "a\n", "\na", "a\nb", "a\r\nb\r\n", "\r\n", "\r", "a\r", "a\n\n\nb", "a\rb\n",
    String(repeating: "x", count: 1_999), String(repeating: "x", count: 2_000), String(repeating: "x", count: 2_001),
    String(repeating: "x", count: 2_000) + "\n", String(repeating: "x", count: 2_000) + "\ny",
    String(repeating: "x", count: 4_001) + "\n",
    String(repeating: "é", count: 1_001), "x" + String(repeating: "é", count: 1_001),
    "xx" + String(repeating: "日", count: 900),
    "xxx" + String(repeating: "𐐨", count: 900), String(repeating: "a\n", count: 200),
    String(repeating: "x", count: 1_999) + "\r\ny",
    String(repeating: "x", count: 2_000) + "\r\ny",
  ]

  @Test(arguments: texts.indices) func textsAreCutIntoTheirLines(_ number: Int) {
    let text = Self.texts[number]
    var layout = TextLayout(Data(text.utf8))
    layout.layOutAll()
    let expected = Self.plain(text)
    #expect(layout.lineCount == expected.count)
    #expect(
      layout.lines(0..<layout.lineCount)
        == expected.map { BodyLine(runs: [.init(.text, $0.text)], continues: $0.continues) })
    for offset in 0..<text.utf8.count where offset % 61 < 3 || offset > text.utf8.count - 4 {
      #expect(layout.line(showing: offset) == expected.lastIndex { $0.start <= offset }, "byte \(offset)")
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33]) func bytesStandSixteenALine(_ count: Int) {
    let bytes = (0..<count).map { UInt8(($0 * 37) & 0xFF) }
    let layout = HexLayout(Data(bytes))
    #expect(layout.lineCount == (count + 15) / 16)
    for (number, line) in layout.lines(0..<9).enumerated() {
      let row = bytes[number * 16..<min(count, number * 16 + 16)]
      func hex(_ part: ArraySlice<UInt8>) -> String { part.map { String(format: "%02x ", $0) }.joined() }
      let (left, right) = (hex(row.prefix(8)), hex(row.dropFirst(8)))
      let both = left + (row.count > 7 ? " " : "") + right
      let signs = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
      #expect(
        line
          == BodyLine(runs: [
            .init(.offset, String(format: "%08x  ", number * 16)),
            .init(.text, both + String(repeating: " ", count: 50 - both.count)), .init(.string, signs),
          ]))
    }
    for offset in 0..<count { #expect(layout.line(showing: offset) == offset / 16) }
    #expect(layout.line(showing: count + 100) == (count == 0 ? nil : layout.lineCount - 1))
  }

  @Test func whichBytesAreSigns() {
    let layout = HexLayout(Data([0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xFF]))
    #expect(layout.lines(0..<1).first?.runs.last?.text == "· ~···")
    let far = HexLayout(Data(count: 0x12345))
    #expect(far.lines(0x1234..<0x1235).first?.runs.first?.text == "00012340  ")
  }

  @Test func anImageIsItsFactsThenItsBytes() {
    let body = SamplePicture.png()
    let layout = ImageLayout(body)
    let facts = ImageFacts(body)
    let head = layout.lines(0..<4).map(\.text)
    #expect(head[0] == "format  PNG" && head[1] == "size    \(facts?.width ?? 0) × \(facts?.height ?? 0) pixels")
    #expect(head[2] == "bytes   \(body.count)" && head[3].isEmpty && layout.factCount == 4)
    let bytes = HexLayout(body)
    #expect(layout.lineCount == 4 + bytes.lineCount && layout.isComplete)
    #expect(layout.lines(2..<6) == layout.lines(2..<4) + bytes.lines(0..<2))
    #expect(layout.lines(4..<99) == bytes.lines(0..<95) && layout.lines(5..<6) == bytes.lines(1..<2))
    #expect(layout.line(showing: 0) == 4 && layout.line(showing: 16) == 5)
    let unknown = ImageLayout(Data([1]))
    #expect(unknown.factCount == 3 && unknown.lines(0..<3).map(\.text) == ["format  unknown", "bytes   1", ""])
    #expect(ImageLayout(Data()).line(showing: 0) == nil)
    let kinds = layout.lines(0..<3).flatMap { $0.runs.map(\.kind) }
    #expect(kinds == [.key, .text, .key, .text, .key, .text])
  }

  @Test func aListHasTheLinesOfItsTexts() {
    let lines = ["ab", "", "日", "c"].map { BodyLine(runs: [.init(.text, $0)]) }
    let layout = ListedLayout(lines)
    #expect(String(decoding: layout.text, as: UTF8.self) == "ab\n\n日\nc\n")
    #expect(
      (-1...10).map { layout.line(showing: $0) } == [nil, 0, 0, 0, 1, 2, 2, 2, 2, 3, 3, nil].prefix(12).map { $0 })
    #expect(layout.lines(1..<3) == Array(lines[1..<3]) && layout.lines(4..<9).isEmpty)
  }
}
