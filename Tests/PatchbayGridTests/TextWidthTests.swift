import PatchbayTestSupport
import Testing

@testable import PatchbayGrid

@Suite("Text width", .bounded)
struct TextWidthTests {
  @Test(
    "columns by kind of character",
    arguments: [
      ("", 0), ("plain", 5), ("日本語", 6), ("ｱｲｳ", 3), ("ＡＢ", 4), ("─│┌…", 4), ("한글", 4), ("한", 2),
      ("e\u{301}", 1), ("か\u{3099}", 2), ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("❤️", 1), ("⚠️", 1), ("🇯🇵", 2),
      ("a\u{200B}b\u{FEFF}c", 3), ("\u{202E}abc\u{202C}", 3), ("\u{1B}[31m", 5), ("\n\t", 2), ("\u{85}", 1),
      ("\u{10FFFF}", 1), ("\u{0378}", 1), ("क्‍ष", 2), ("\u{301}x", 2), ("\u{AD}a", 1), ("☁\u{200D}a", 2),
      ("e\u{300}", 1), ("\u{D7A3}", 2), ("\u{D7A4}", 1), ("\u{3097}", 1), ("\u{3100}", 1), ("👨\u{200D}", 2),
      ("a\u{200D}👍", 3),
    ])
  func width(text: String, columns: Int) {
    #expect(textWidth(text) == columns)
    #expect(textWidth(Substring(text)) == columns)
  }

  @Test(
    "of two pictures that are joined the first is drawn",
    arguments: [0x3297, 0x3299, 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x2194] as [UInt32])
  func joined(value: UInt32) throws {
    let picture = String(try #require(Unicode.Scalar(value)))
    #expect(textWidth(picture + "\u{200D}👍") == textWidth(picture))
  }

  /// The table is made, not written: a number that is changed by hand or by mistake is seen here, and one made anew
  /// brings its own sum. Beside the system's it is looked at in `WidthAgreementTests`.
  @Test("the table of widths is the one that was made")
  func table() {
    let entries = WidthTable.transitions
    #expect(zip(entries, entries.dropFirst()).allSatisfy { $0 >> 3 < $1 >> 3 && $0 & 7 != $1 & 7 })
    // FNV-1a, 64 bits.
    let sum = entries.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    #expect(entries.count == 2_049 && sum == 0x581E_A0AE_2A29_DA7E, "\(entries.count) entries, sum \(sum)")
  }

  @Test("text is cut between characters, with an ellipsis, never through a wide one")
  func truncation() {
    #expect(truncated("hello", toWidth: 5) == "hello")
    #expect(truncated("hello!", toWidth: 5) == "hell…")
    #expect(truncated("日本語", toWidth: 6) == "日本語")
    #expect(truncated("日本語", toWidth: 5) == "日本…")
    #expect(truncated("日本語", toWidth: 4) == "日…")
    #expect(truncated("日本語", toWidth: 1) == "…")
    #expect(truncated("日本語", toWidth: 0) == "")
    #expect(truncated("日本語", toWidth: -3) == "")
    #expect(truncated("e\u{301}e\u{301}e\u{301}", toWidth: 2) == "e\u{301}…")
    #expect(truncated("👨‍👩‍👧abc", toWidth: 3) == "👨‍👩‍👧…")
    #expect(truncated("abc\u{200B}", toWidth: 3) == "abc\u{200B}")
    #expect(padded("日本", toWidth: 6) == "日本  ")
    #expect(padded("12", toWidth: 4, alignRight: true) == "  12")
    #expect(padded("日本語", toWidth: 4) == "日… ")
  }

  @Test("the middle and the beginning are left out as they are where characters are dropped one by one")
  func middleAndBeginning() {
    func ending(_ text: String, _ width: Int) -> Substring {
      var end = text[...]
      while !end.isEmpty, textWidth(end) > width { end = end.dropFirst() }
      return end
    }
    func slowly(_ text: String, _ width: Int) -> String {
      guard textWidth(text) > width, width > 4 else { return truncated(text, toWidth: width) }
      let tail = (width - 1) / 2
      return truncated(text, toWidth: width - 1 - tail, ellipsis: "") + "…" + ending(text, tail)
    }
    for text in ["api.example.jp:8080", "日本語のホスト.jp", "a\u{200B}b\u{301}c👨‍👩‍👧d日\u{FEFF}e", "🇯🇵🇯🇵🇯🇵🇯🇵", ""] {
      for width in -1...24 {
        #expect(truncatedInMiddle(text, toWidth: width) == slowly(text, width), "\(text) in \(width) columns")
        let cut = textWidth(text) > max(0, width) ? "…" + ending(text, width - 1) : text
        #expect(truncatedAtStart(text, toWidth: width) == cut, "\(text) in \(width) columns")
      }
    }
  }

  /// A program may ask for any host, and each frame draws it: what takes the square of its length never ends here.
  @Test("of a megabyte no more is read than is shown")
  func longMiddle() {
    let text = String(repeating: "ホスト", count: 120_000) + ".jp"
    for _ in 0..<100 {
      #expect(truncatedInMiddle(text, toWidth: 10) == "ホス….jp")
      #expect(truncatedAtStart(text, toWidth: 6) == "…ト.jp")
    }
  }

  @Test("lines are wrapped between words, and inside a word only where they must be")
  func wrapping() {
    #expect(wrapped("", toWidth: 5) == [""])
    #expect(wrapped("one two three", toWidth: 7) == ["one two", "three"])
    #expect(wrapped("one two three", toWidth: 8) == ["one two", "three"])
    #expect(wrapped("one  two", toWidth: 4) == ["one", "two"])
    #expect(wrapped("abcdefgh ij", toWidth: 3) == ["abc", "def", "gh", "ij"])
    #expect(wrapped("one two", toWidth: 3, byWords: false) == ["one", " tw", "o"])
    #expect(wrapped("a\nb\r\n\nc", toWidth: 9) == ["a", "b", "", "c"])
    #expect(wrapped("日本語です", toWidth: 5) == ["日本", "語で", "す"])
    #expect(wrapped("日本", toWidth: 1) == ["日", "本"])
    #expect(wrapped("abc", toWidth: 0) == ["a", "b", "c"])
  }

  @Test("wrapping loses nothing but the spaces at the breaks and no line is too wide")
  func wrappingProperty() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<500 {
      let text = random.text(length: 40)
      let width = Int.random(in: 2...20, using: &random)
      let lines = wrapped(text, toWidth: width)
      #expect(lines.allSatisfy { textWidth($0) <= width })
      let hard = wrapped(text, toWidth: width, byWords: false)
      #expect(hard.joined() == text.replacingLineEnds)
      #expect(lines.joined().filter { $0 != " " } == text.replacingLineEnds.filter { $0 != " " })
      let cut = truncated(text, toWidth: width)
      #expect(textWidth(cut) <= width)
    }
  }
}

extension String {
  fileprivate var replacingLineEnds: String { filter { $0 != "\n" && $0 != "\r\n" } }
}
