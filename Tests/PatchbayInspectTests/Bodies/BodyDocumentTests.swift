import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct BodyDocumentTests {
  private func lines(_ body: Data, _ type: String?) -> [String] {
    var document = BodyDocument(body, contentType: type)
    document.layout.layOutAll()
    return document.layout.lines(0..<document.layout.lineCount).map {
      String(repeating: "  ", count: $0.indent) + $0.text
    }
  }

  @Test(
    arguments: [
      ("application/json", "{}", BodyKind.json), ("application/problem+json; charset=utf-8", "{}", .json),
      ("application/x-ndjson", "{}\n{}", .ndjson), (nil, "{\"a\":1}\n{\"a\":2}", .ndjson), (nil, " [1]", .json),
      ("application/x-www-form-urlencoded", "a=1", .form), ("text/html", "<p>", .html), (nil, "<!DOCTYPE html>", .html),
      (nil, "<?xml version='1.0'?><a/>", .xml), ("text/event-stream", "data: 1", .events), ("text/plain", "hi", .text),
      (nil, "hello", .text), (nil, "a\0b", .binary), ("application/octet-stream", "GIF89a..", .image),
      ("image/png", "x", .image),
      ("text/plain", "", .empty),
    ] as [(String?, String, BodyKind)])
  func tellsTheKind(type: String?, body: String, kind: BodyKind) {
    #expect(BodyKind(of: Data(body.utf8), contentType: type) == kind)
  }

  @Test func honoursTheCharset() throws {
    let body = try #require("漱石".data(using: .shiftJIS))
    #expect(lines(body, "text/plain; charset=Shift_JIS") == ["漱石"])
    #expect(lines(Data([0xC6, 0xFC, 0xCB, 0xDC]), "text/plain; charset=\"EUC-JP\"") == ["日本"])
    #expect(lines(Data([0xFE, 0xFF, 0x30, 0x42]), nil) == ["あ"])
    #expect(
      lines(Data([0x82, 0xA0, 0x82, 0xFF, 0x41]), "text/plain; charset=sjis").first?.hasPrefix("あ\u{FFFD}") == true)
    #expect(lines(Data("é".utf8), "text/plain; charset=x-unknown") == ["é"])
    #expect(lines(Data([0xEF, 0xBB, 0xBF]) + Data("あ".utf8), nil) == ["あ"])
  }

  @Test func splitsLinesAndLongOnes() {
    #expect(lines(Data("a\r\nb\n\nc".utf8), "text/plain") == ["a", "b", "", "c"])
    let long = String(repeating: "あ", count: 5_000)
    let shown = lines(Data(long.utf8), "text/plain")
    #expect(shown.count == 8)
    #expect(shown.joined() == long)
  }

  @Test func showsFormFields() {
    let body = Data("book=42&text=%E8%89%AF%E3%81%84+x&flag&bad=%zz".utf8)
    #expect(
      lines(body, "application/x-www-form-urlencoded") == ["book = 42", "text = 良い x", "flag = ", "bad = %zz"])
  }

  @Test func showsMultipartParts() {
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\r\nhi\r\n--b--\r\n"
    #expect(
      lines(Data(body.utf8), "multipart/form-data; boundary=b") == [
        "meta  application/json, 7 bytes", "  {", "    \"a\": 1", "  }", "f  x.txt  text/plain, 2 bytes", "  hi",
      ])
  }

  /// Of a part 2,000 lines are shown, as far as they are found in its first MiB, and of a body without parts 10,000.
  @Test func ofPartsSoManyLinesAreShown() {
    let type = "multipart/mixed; boundary=B"
    func part(_ content: Data) -> Data { Data("--B\r\n\r\n".utf8) + content + Data("\r\n--B--\r\n".utf8) }
    for (count, shown) in [(1_999, 1_999), (2_000, 2_000), (2_001, 2_000)] {
      #expect(lines(part(Data(String(repeating: "x\n", count: count).utf8)), type).count == 1 + shown)
    }
    #expect(lines(part(Data(repeating: 0x78, count: 1_200_000)), type).count == 1 + 525)
    for (count, shown) in [(10_000, 10_000), (10_001, 10_000)] {
      #expect(lines(Data(String(repeating: "x\n", count: count).utf8), type).count == shown)
    }
  }

  @Test func indentsMarkup() {
    #expect(
      lines(Data("<a x='1>2'><b>t</b><c/><d></d>text<!-- n --></a>".utf8), "text/xml") == [
        "<a x='1>2'>", "  <b>t</b>", "  <c/>", "  <d></d>", "  text", "  <!-- n -->", "</a>",
      ])
  }

  @Test func indentsWhatHasLinesOfItsOwn() {
    let body = """
      <!DOCTYPE html><html>
      <!-- one
           two --><style>a { }
        b { }</style><IMG SRC=x
          ALT='a b'><p>Hello <b>you</b> 5 < 6</p><script>if (a < b) { "</p>" }</script><p>open
      </html>
      """
    #expect(
      lines(Data(body.utf8), "text/html") == [
        "<!DOCTYPE html>", "<html>", "  <!-- one", "  two -->", "  <style>", "    a { }", "    b { }", "  </style>",
        "  <IMG SRC=x ALT='a b'>", "  <p>", "    Hello", "    <b>you</b>", "    5 < 6", "  </p>", "  <script>",
        "    if (a < b) { \"</p>\" }", "  </script>", "  <p>", "    open", "  </html>",
      ])
    #expect(
      lines(Data("<a><![CDATA[x <y>\n z]]></a>".utf8), "text/xml") == ["<a>", "  <![CDATA[x <y>", "  z]]>", "</a>"])
    #expect(lines(Data("<a b='1".utf8), "text/xml") == ["<a b='1"])
    #expect(lines(Data("<".utf8), "text/xml") == ["<"])
  }

  @Test func aLongTagAndALongTextGoOnInTheNextLines() {
    let long = String(repeating: "星", count: 3_000)
    let shown = lines(Data("<a b='\(long)'><c>\(long)</c></a>".utf8), "text/xml")
    #expect(shown.map { $0.drop { $0 == " " } }.joined() == "<a b='\(long)'><c>\(long)</c></a>")
    #expect(shown.allSatisfy { $0.utf8.count <= 2_010 })
    #expect(shown.last == "</a>" && shown.contains("  <c>") && shown.contains("  </c>"))
  }

  @Test func markupOfAnySizeIsIndentedFoldedAndFound() throws {
    let item = "<item id=\"7\"><name>山田</name><tags><t>a</t><t>b</t></tags></item>"
    let body = Data(("<list>" + String(repeating: item, count: 40_000) + "<last/></list>").utf8)
    var document = BodyDocument(body, contentType: "application/xml")
    #expect(!document.layout.isComplete)
    document.layout.layOutAll()
    #expect(document.layout.lineCount == 40_000 * 7 + 3)
    #expect(document.layout.foldEnd(of: 0) == 280_002)
    #expect(document.layout.foldEnd(of: 1) == 7)
    #expect(document.layout.foldEnd(of: 3) == 6)
    #expect(document.layout.foldEnd(of: 2) == nil)
    #expect(document.layout.lines(280_001..<280_003).map(\.text) == ["<last/>", "</list>"])
    let place = try #require(document.searched.range(of: Data("<last/>".utf8))?.lowerBound)
    #expect(document.layout.line(showing: place) == 280_001)
  }

  @Test func whatIsCutAnywhereStaysAsItIs() {
    let body = Data("<a x=\"é\"><!-- c --><b>t</b><script>s</script><![CDATA[d]]><c/></a>tail".utf8)
    for end in 0...body.count {
      for start in stride(from: 0, through: end, by: 7) {
        let text = lines(body[start..<end], "text/html").map { $0.filter { $0 != " " } }.joined()
        #expect(text == String(decoding: body[start..<end], as: UTF8.self).filter { $0 != " " })
      }
    }
  }

  @Test func showsBytes() {
    #expect(
      lines(Data((0..<18).map { UInt8($0) }), "application/octet-stream").count == 2)
    let binary = lines(Data([0, 1, 2, 0x41]), nil)
    #expect(binary == ["00000000  00 01 02 41" + String(repeating: " ", count: 39) + "···A"])
  }

  @Test func findsAllHitsWhateverThePieces() {
    let body = Data("Foo foo FOO \\u3042 あ fofoo".utf8)
    for piece in 1...7 {
      var search = BodySearch("foo")
      while !search.isComplete { search.search(body, bytes: piece) }
      #expect(search.hits == [0, 4, 8, 25])
    }
    var exact = BodySearch("FOO")
    exact.search(body, bytes: 1_000)
    #expect(exact.hits == [8])
    var japanese = BodySearch("あ")
    japanese.search(body, bytes: 1_000)
    #expect(japanese.hits.count == 2)
    #expect(BodySearch("").isComplete)
  }

  @Test func readsImageFacts() {
    let gif = Data("GIF89a".utf8) + Data([0x20, 0, 0x10, 0])
    #expect(ImageFacts(gif).map { [$0.width, $0.height] } == [32, 16])
    let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 7, 0, 9, 0, 0, 0])
    #expect(ImageFacts(jpeg).map { [$0.width, $0.height] } == [9, 7])
  }

  private static let kokoroInEUC: [UInt8] = [0xA4, 0xB3, 0xA4, 0xB3, 0xA4, 0xED]
  private static let kokoroInShiftJIS: [UInt8] = [0x82, 0xB1, 0x82, 0xB1, 0x82, 0xEB]

  @Test(arguments: [
    (#"<meta charset="euc-jp">"#, kokoroInEUC),
    (#"<META http-equiv=Content-Type content="text/html; charset=Shift_JIS">"#, kokoroInShiftJIS),
  ])
  func htmlMayNameItsCharsetItself(meta: String, word: [UInt8]) {
    let body = Data("<html><head>\(meta)</head><body>".utf8) + word + Data("</body></html>".utf8)
    let document = BodyDocument(body, contentType: "text/html")
    #expect(document.layout.lines(0..<document.layout.lineCount).contains { $0.text.contains("こころ") })
  }

  @Test func xmlMayNameItsCharsetItself() {
    let body = Data("<?xml version=\"1.0\" encoding='EUC-JP'?><a>".utf8) + Self.kokoroInEUC + Data("</a>".utf8)
    let document = BodyDocument(body, contentType: "application/xml")
    #expect(document.layout.lines(0..<2).last?.text == "<a>こころ</a>")
  }

  @Test func theTypesCharsetCountsBeforeThatOfTheDocument() {
    let document = BodyDocument(
      Data(#"<html><meta charset="euc-jp"><p>こ</p></html>"#.utf8), contentType: "text/html; charset=utf-8")
    #expect(document.layout.lines(0..<9).contains { $0.text.contains("こ") })
  }

  /// Bodies whose lines are made, not cut: places found are places in those lines.
  @Test(arguments: [
    ("application/xml", "<a><b>one</b><c>two</c><b>three</b></a>", "two", 2),
    ("application/x-www-form-urlencoded", "a=1&name=%E6%98%9F&z=2", "星", 1),
    (
      "multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nhello\r\n--B--\r\n",
      "hello", 1
    ),
  ])
  func searchFindsLinesOfMadeBodies(type: String, body: String, wanted: String, line: Int) {
    let document = BodyDocument(Data(body.utf8), contentType: type)
    var search = BodySearch(wanted)
    search.search(document.searched, bytes: 1 << 20)
    #expect(search.hits.count == 1)
    #expect(search.hits.first.flatMap { document.layout.line(showing: $0) } == line)
  }

  @Test func searchFindsMembersOfMinifiedJSONAsTheyAreShown() {
    let body = Data(#"{"a":{"page":2,"Page": 2}}"#.utf8)
    var search = BodySearch(#""page": 2"#, isJSON: true)
    search.search(body, bytes: 100)
    #expect(search.hits.count == 2)
  }
}
