import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// Which charset a body has, and what it says then.
@Suite(.bounded) struct CharsetTests {
  @Test(
    arguments: [
      ("iso-8859-1", .windows1252), ("latin1", .windows1252), ("utf-16", .utf16), ("utf-16le", .utf16LittleEndian),
      ("utf-16be", .utf16BigEndian), ("utf-32", .utf32), ("shift_jis", .shiftJIS), ("shift-jis", .shiftJIS),
      ("sjis", .shiftJIS), ("x-sjis", .shiftJIS), ("windows-31j", .shiftJIS), ("euc-jp", .eucJP), ("x-euc-jp", .eucJP),
      ("iso-2022-jp", .iso2022JP), ("windows-1250", .windows1250), ("windows-1251", .windows1251),
      ("windows-1252", .windows1252), ("windows-1253", .windows1253), ("windows-1254", .windows1254),
      ("iso-8859-2", .latin2), ("iso-8859-15", .latin9), ("koi8-r", .koi8r), ("gbk", .gb18030), ("gb2312", .gb18030),
      ("gb18030", .gb18030), ("big5", .big5), ("euc-kr", .korean), ("ks_c_5601-1987", .korean), ("utf-8", .utf8),
      ("us-ascii", .utf8), ("nonsense", .utf8), ("", .utf8),
    ] as [(String, Charset)])
  func isNamedByTheType(_ name: String, _ charset: Charset) {
    for type in ["text/plain; charset=\(name)", "text/plain;charset=\"\(name.uppercased())\""] {
      #expect(Charset(contentType: type, body: Data("ab".utf8)) == charset, "\(type)")
      #expect(Charset(contentType: type, body: nil) == charset)
    }
  }

  @Test func aByteOrderMarkCountsBeforeTheType() {
    let type = "text/plain; charset=big5"
    #expect(Charset(contentType: type, body: Data([0xFF, 0xFE])) == .utf16LittleEndian)
    #expect(Charset(contentType: type, body: Data([0xFE, 0xFF, 0, 65])) == .utf16BigEndian)
    #expect(Charset(contentType: nil, body: Data([0xFE, 0xFF])) == .utf16BigEndian)
    for body: [UInt8] in [[], [0xFF], [0xFE], [0xFF, 0xFF], [0xFE, 0xFE], [65, 0xFF, 0xFE]] {
      #expect(Charset(contentType: type, body: Data(body)) == .big5)
      #expect(Charset(contentType: nil, body: Data(body)) == .utf8)
    }
    #expect(
      Charset(contentType: "text/plain", body: nil) == .utf8 && Charset(contentType: "charset", body: nil) == .utf8)
    // A slice whose indices do not begin with 0.
    #expect(Charset(contentType: nil, body: Data([1, 2, 0xFF, 0xFE]).dropFirst(2)) == .utf16LittleEndian)
  }

  /// The numbers stand in histories.
  @Test func numbersStay() {
    #expect(Charset.allCases.map(\.rawValue) == Array(0...18))
    #expect(Charset.shiftJIS.rawValue == 5 && Charset.korean.rawValue == 18 && Charset.utf8.rawValue == 0)
  }

  static let texts: [(Charset, [UInt8], String)] = [
    (.utf8, [0x61, 0xC3, 0xA9, 0xFF], "aé\u{FFFD}"), (.utf16, [0xFE, 0xFF, 0, 0x61], "a"),
    (.utf16LittleEndian, [0xE5, 0x65, 0x2C, 0x67], "日本"), (.utf16BigEndian, [0x65, 0xE5, 0x67, 0x2C], "日本"),
    (.utf32, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"), (.shiftJIS, [0x93, 0xFA, 0x96, 0x7B, 0x87, 0x40], "日本①"),
    (.eucJP, [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
    (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
    (.windows1250, [0xB9, 0xE8], "ąč"), (.windows1251, [0xC4, 0xE0], "Да"), (.windows1252, [0x80, 0xE9], "€é"),
    (.windows1253, [0xC1, 0xE1], "Αα"), (.windows1254, [0xDD, 0xFD], "İı"), (.latin2, [0xB1, 0xE8], "ąč"),
    (.latin9, [0xA4, 0xE9], "€é"), (.koi8r, [0xE4, 0xC1], "Да"), (.gb18030, [0xD6, 0xD0], "中"),
    (.big5, [0xA4, 0xA4], "中"), (.korean, [0xC7, 0xD1], "한"),
  ]

  @Test func eachIsReadAsWhatItIs() {
    #expect(Set(Self.texts.map(\.0)) == Set(Charset.allCases))
    for (charset, bytes, text) in Self.texts {
      let read = bytes.withUnsafeBufferPointer { bytes in
        charset.withUTF8(bytes) { String(decoding: $0, as: UTF8.self) }
      }
      #expect(read == text, "\(charset)")
      let pattern = [(try? FilterText(String(text.prefix(1)))) ?? .exactly("")]
      bytes.withUnsafeBufferPointer { #expect(FilterMatching.body($0, charset, pattern), "\(charset)") }
    }
  }

  @Test func aBodyWithoutAnyBytesHasNoText() {
    for charset in Charset.allCases {
      let count = charset.withUTF8(UnsafeBufferPointer(start: nil, count: 0)) { $0.count }
      #expect(count == 0, "\(charset)")
    }
  }
}

/// Bodies in UTF-8, whatever they came in.
@Suite(.bounded) struct BodyTextTests {
  private static func text(_ bytes: [UInt8], _ type: String?, _ kind: BodyKind? = nil) -> String {
    String(decoding: BodyText.utf8(Data(bytes), contentType: type, kind: kind), as: UTF8.self)
  }

  @Test(
    arguments: [
      ("utf-8", [0xC3, 0xA9], "é"), ("UTF-8", [0xC3, 0xA9], "é"), ("us-ascii", [0xC3, 0xA9], "é"),
      ("shift_jis", [0x87, 0x40], "①"), ("shift-jis", [0x87, 0x40], "①"), ("sjis", [0x87, 0x40], "①"),
      ("x-sjis", [0x87, 0x40], "①"), ("windows-31j", [0x87, 0x40], "①"), ("iso-8859-1", [0x80], "€"),
      ("latin1", [0x80], "€"), ("x-euc-jp", [0xC6, 0xFC], "日"), ("ks_c_5601-1987", [0xC7, 0xD1], "한"),
      ("gb2312", [0xD6, 0xD0], "中"), ("macintosh", [0x8E], "é"), ("koi8-r", [0xC1], "а"),
      ("unheard-of", [0xC3, 0xA9], "é"),
    ] as [(String, [UInt8], String)])
  func theTypeNamesIt(_ charset: String, _ bytes: [UInt8], _ text: String) {
    #expect(Self.text(bytes, "text/plain; charset=\(charset)") == text)
  }

  @Test func marksCountFirstAndAreTakenOff() {
    let type = "text/plain; charset=koi8-r"
    #expect(Self.text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], type) == "é")
    #expect(Self.text([0xFF, 0xFE, 0xE5, 0x65], type) == "日" && Self.text([0xFE, 0xFF, 0x65, 0xE5], type) == "日")
    #expect(Self.text([0xEF, 0xBB], nil) == "\u{FFFD}" && Self.text([0xFF, 0xFE], nil).isEmpty)
    #expect(BodyText.utf8(Data([9, 0xEF, 0xBB, 0xBF, 65]).dropFirst(), contentType: nil).startIndex == 0)
  }

  /// What is no character costs one byte, and reading goes on behind it.
  @Test func whatIsNoCharacterIsAQuestionMark() {
    #expect(Self.text([0x61, 0xFF, 0x62], "text/plain; charset=euc-jp") == "a\u{FFFD}b")
    #expect(Self.text([0x61, 0xC6], "text/plain; charset=euc-jp") == "a\u{FFFD}")
    #expect(Self.text([0xC6, 0xFC, 0xFF, 0xFF, 0xC6, 0xFC], "text/plain; charset=euc-jp") == "日\u{FFFD}\u{FFFD}日")
  }

  /// More than the converter takes at once.
  @Test(arguments: [65_535, 65_536, 65_537, 200_001]) func longBodiesAreReadToTheirEnd(_ count: Int) {
    let body = [UInt8](repeating: 0xE9, count: count - 1) + [0x21]
    let text = Self.text(body, "text/plain; charset=iso-8859-1")
    #expect(text == String(repeating: "é", count: count - 1) + "!")
  }

  @Test(
    arguments: [
      ("<meta charset=koi8-r>", BodyKind.html, "koi8-r"), ("<META CHARSET = 'KOI8-R' >", .html, "koi8-r"),
      ("<meta name=x><meta charset=\"a.b:c_d-1\">", .html, "a.b:c_d-1"), ("<meta charset=>", .html, nil),
      ("<meta charset>", .html, nil), ("<meta name=x>charset=koi8-r", .html, nil), ("charset=koi8-r", .html, nil),
      ("<meta http-equiv=content-type content=\"text/html; charset=big5\">", .html, "big5"),
      ("<?xml version='1.0' encoding='euc-jp'?><a/>", .xml, "euc-jp"), ("<?xml encoding=\"euc-jp\"?>", .html, "euc-jp"),
      ("<?xml version='1.0'?><a encoding='euc-jp'/>", .xml, nil), (" <?xml encoding='euc-jp'?>", .xml, nil),
      ("<?xml encoding='euc-jp'", .xml, nil), ("<meta charset=koi8-r>", .xml, nil),
      ("<meta charset=koi8-r>", .text, nil),
      ("<?xml version='1.0'?><meta charset=koi8-r>", .html, "koi8-r"), ("<?xml encoding='euc-jp'?>", .json, nil),
    ] as [(String, BodyKind, String?)])
  func aDocumentMayNameItItself(_ document: String, _ kind: BodyKind, _ name: String?) {
    #expect(DeclaredCharset.name(in: Data(document.utf8), kind: kind) == name)
  }

  @Test func isLookedForAmongTheFirstBytesOnly() {
    let tag = "<meta charset=koi8-r>"
    for (blanks, name) in [(1_024 - tag.utf8.count, "koi8-r"), (1_023, nil), (1_024, nil)] {
      let document = Data((String(repeating: " ", count: blanks) + tag).utf8)
      #expect(DeclaredCharset.name(in: document, kind: .html) == name)
    }
    #expect(Self.text(Array("<meta charset=koi8-r>".utf8) + [0xC1], "text/html", .html) == "<meta charset=koi8-r>а")
    #expect(Self.text([0xC1], "text/html", nil) == "\u{FFFD}")
  }
}
