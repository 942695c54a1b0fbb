import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What is left of what a program printed for a terminal.
@Suite(.bounded) struct ANSITextTests {
  private func look(_ parameters: String, after before: String = "") -> ANSILook {
    var look = ANSILook()
    if !before.isEmpty { look.apply(before) }
    look.apply(parameters)
    return look
  }

  @Test func everyColourHasItsNumber() {
    for number in 0..<8 {
      let (plain, bright) = (Color.ansi(UInt8(number)), Color.ansi(UInt8(number + 8)))
      #expect(look("\(30 + number)") == ANSILook(foreground: plain))
      #expect(look("\(40 + number)") == ANSILook(background: plain))
      #expect(look("\(90 + number)") == ANSILook(foreground: bright))
      #expect(look("\(100 + number)") == ANSILook(background: bright))
    }
    for number in [5, 6, 8, 9, 10, 21, 25, 28, 29, 50, 89, 98, 99, 108, 200] {
      #expect(look("\(number)") == ANSILook(), "\(number)")
    }
  }

  @Test(
    arguments: [
      ("1", .bold, "22"), ("2", .dim, "22"), ("3", .italic, "23"), ("4", .underline, "24"), ("7", .reverse, "27"),
    ] as [(String, TextAttributes, String)])
  func attributesAreSetAndTakenAway(_ on: String, _ attribute: TextAttributes, _ off: String) {
    #expect(look(on) == ANSILook(attributes: attribute))
    let all = "1;2;3;4;7;31;42"
    let rest: TextAttributes = off == "22" ? [.bold, .dim] : attribute
    var expected = look(all)
    expected.attributes.subtract(rest)
    #expect(look(off, after: all) == expected)
    #expect(expected.attributes.rawValue != 0 && look("0", after: all) == ANSILook())
    #expect(look("", after: all) == ANSILook() && look(";", after: all) == ANSILook())
  }

  @Test(arguments: [
    ("38;5;208", ANSILook(foreground: .palette(208))), ("48;5;0", ANSILook(background: .palette(0))),
    ("38;2;1;2;255", ANSILook(foreground: .rgb(1, 2, 255))), ("48:2:9:8:7", ANSILook(background: .rgb(9, 8, 7))),
    ("38;5;208;1", ANSILook(foreground: .palette(208), attributes: .bold)),
    ("38;2;1;2;3;4", ANSILook(foreground: .rgb(1, 2, 3), attributes: .underline)),
    ("31;38;5;256", ANSILook(foreground: .ansi(1))), ("31;38;2;1;2", ANSILook(foreground: .ansi(1))),
    ("31;38;3;1", ANSILook(foreground: .ansi(1), attributes: .bold)), ("31;38", ANSILook(foreground: .ansi(1))),
    ("42;48;5;-1", ANSILook(background: .ansi(2))), ("31;42;39", ANSILook(background: .ansi(2))),
    ("31;42;49", ANSILook(foreground: .ansi(1))), ("x;1", ANSILook(attributes: .bold)),
    ("1;;4", ANSILook(attributes: .underline)),
  ])
  func aSequenceIsTakenWhole(_ parameters: String, _ expected: ANSILook) {
    #expect(look(parameters) == expected)
  }

  @Test(arguments: [
    ("a\u{1B}(Bb", "ab"), ("a\u{1B} Fb", "ab"), ("a\u{1B}/xb", "ab"), ("a\u{1B}7b", "ab"), ("a\u{1B}[2Kb", "ab"),
    ("a\u{9B}31mb", "ab"), ("a\u{9B}@b", "ab"), ("a\u{1B}[12~b", "ab"), ("a\u{1B}]0;t\u{9C}b", "ab"),
    ("a\u{1B}]0;t\u{1B}\\b", "ab"), ("a\u{1B}Xt\u{7}b", "ab"), ("a\u{1B}^t\u{7}b", "ab"), ("a\u{1B}_t\u{7}b", "ab"),
    ("a\u{1B}]never ends", "a"), ("10 %\r20", "20"), ("a\r\r", ""), ("\u{8}ab\u{8}\u{8}\u{8}c", "c"), ("ÄÂ", "ÄÂ"),
    ("日\u{8}x", "x"), ("a\tb", "a       b"), ("\u{0}", "␀"),
  ])
  func sequencesAreNotSeen(_ line: String, _ text: String) {
    #expect(ANSIText.plain(line) == text)
  }

  /// In bytes of what is seen, also where controls became signs of three bytes.
  @Test func eachStretchIsInBytesOfTheText() {
    let text = ANSIText("日\u{1B}[1mx\u{7}\u{1B}[0m\u{1B}[31m本\u{1B}[m\u{1B}[4m")
    #expect(text.text == "日x␇本")
    #expect(
      text.runs == [
        .init(range: 3..<7, look: ANSILook(attributes: .bold)),
        .init(range: 7..<10, look: ANSILook(foreground: .ansi(1))),
      ])
    #expect(ANSIText("\u{1B}[31mab\u{1B}[31mc").runs.map(\.range) == [0..<3])
    #expect(ANSIText("\u{1B}[31ma\rb").runs.map(\.range) == [0..<1])
    #expect(ANSIText("plain").runs.isEmpty)
  }

  @Test func aLookLiesOverAStyle() {
    let style = Style(foreground: .rgb(1, 1, 1), background: .rgb(2, 2, 2), attributes: .italic)
    #expect(ANSILook().over(style, depth: .trueColor) == style)
    let look = ANSILook(foreground: .rgb(255, 0, 0), background: .palette(4), attributes: .bold)
    #expect(
      look.over(style, depth: .trueColor)
        == Style(foreground: .rgb(255, 0, 0), background: .palette(4), attributes: [.italic, .bold]))
    #expect(look.over(style, depth: .ansi16).foreground == Color.rgb(255, 0, 0).reduced(to: .ansi16))
  }
}
