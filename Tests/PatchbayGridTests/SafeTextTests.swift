import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("Hostile text", .bounded)
struct SafeTextTests {
  @Test(
    "what would steer the terminal or hide from the reader becomes a sign",
    arguments: [
      ("plain text", "plain text"),
      ("日本語 ok", "日本語 ok"),
      ("\u{1B}[31mred\u{1B}[0m", "␛[31mred␛[0m"),
      ("a\u{0}b\u{7}c\u{7F}", "a␀b␇c␡"),
      ("one\r\ntwo\n", "one␍␊two␊"),
      ("a\tb", "a b"),
      ("\u{9B}31m\u{85}", "‹U+009B›31m‹U+0085›"),
      ("safe\u{202E}gpj.exe", "safe‹U+202E›gpj.exe"),
      ("\u{2066}x\u{2069}\u{200E}", "‹U+2066›x‹U+2069›‹U+200E›"),
      ("a\u{200B}b\u{FEFF}c\u{AD}d", "a‹U+200B›b‹U+FEFF›c‹U+00AD›d"),
      ("a\u{200D}b", "a‹U+200D›b"),
      ("l1\u{2028}l2\u{2029}", "l1‹U+2028›l2‹U+2029›"),
      ("tag\u{E0041}", "tag‹U+E0041›"),
      ("x\u{FE0F}", "x‹U+FE0F›"),
      ("\u{3164}", "‹U+3164›"),
      ("👨‍👩‍👧 ⚠️ 1️⃣ 👍🏽", "👨‍👩‍👧 ⚠️ 1️⃣ 👍🏽"),
      ("می‌خواهم", "می‌خواهم"),
      ("क्‍ष", "क्‍ष"),
      ("0\u{FE0F}", "0\u{FE0F}"),
      ("\u{1800}\u{180B}", "\u{1800}\u{180B}"),
      ("1\t\u{FE0F}", "1 ‹U+FE0F›"),
      ("1\u{1B}\u{FE0F}", "1␛‹U+FE0F›"),
      ("1\u{202E}\u{FE0F}", "1‹U+202E›‹U+FE0F›"),
    ])
  func line(text: String, shown: String) {
    #expect(Array(SafeText.line(text).unicodeScalars) == Array(shown.unicodeScalars))
    #expect(Array(SafeText.line(shown).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test("lines keep their ends, and tabs reach the next stop")
  func lines() {
    #expect(SafeText.lines("a\r\nb\nc\rd") == "a\nb\nc␍d")
    #expect(SafeText.lines("a\tb\n日\tc", tabWidth: 4) == "a   b\n日  c")
    #expect(SafeText.lines("\u{1B}]0;x\u{7}\r") == "␛]0;x␇␍")
  }

  @Test("a tab reaches the next stop after signs, marks and other tabs")
  func stops() {
    #expect(SafeText.lines("\tx") == "        x" && SafeText.lines("\tx", tabWidth: 4) == "    x")
    #expect(SafeText.lines("\tx", tabWidth: 1) == " x" && SafeText.lines("\tx", tabWidth: 0) == " x")
    #expect(SafeText.lines("a\tb\tc", tabWidth: 4) == "a   b   c")
    #expect(SafeText.lines("\u{1B}\tx", tabWidth: 4) == "␛   x")
    #expect(SafeText.lines("\u{202E}\tx", tabWidth: 6) == "‹U+202E›    x")
    #expect(SafeText.lines("─\tx", tabWidth: 4) == "─   x")
    #expect(SafeText.lines("e\u{301}\tx", tabWidth: 4) == "e\u{301}   x")
  }

  @Test("no control and no bidi character ever comes through, whatever goes in")
  func property() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<2_000 {
      let text = String(
        String.UnicodeScalarView(
          (0..<12).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x2100 : 0xE01FF), using: &random))
          }))
      let isBad: (Unicode.Scalar) -> Bool = {
        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || (0x202A...0x202E).contains($0.value)
          || (0x2066...0x2069).contains($0.value) || $0 == "\u{200B}" || $0 == "\u{FEFF}"
      }
      #expect(!SafeText.line(text).unicodeScalars.contains(where: isBad))
      var grid = Grid(width: 200, height: 1)
      grid.put(text, at: .zero)
      #expect(!grid.text.unicodeScalars.contains(where: isBad))
    }
  }
}
