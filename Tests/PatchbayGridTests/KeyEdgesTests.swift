import PatchbayTestSupport
import Testing

@testable import PatchbayGrid

/// Sequences of every beginning, and where they end.
@Suite(.bounded) struct KeyEdgesTests {
  private func named(_ events: [InputEvent]) -> String {
    events.map { event in
      switch event {
      case .key(let key): key.description
      case .mouse(let event): "\(event.kind)"
      case .paste(let text): "paste ‹\(SafeText.line(text))›"
      case .focus(let isOn): "focus \(isOn)"
      }
    }.joined(separator: " ")
  }

  /// What comes of the bytes, whether they may be a key, what they are when nothing follows, and what when `jk` does.
  @Test func everyBeginning() throws {
    let alphabet = Array("\u{1B}[O_G]P\\\u{7}a1;~M$<".utf8) + [0xC3]
    let one = alphabet.map { [0x1B, $0] }
    let all = [[0x1B]] + one + one.flatMap { start in alphabet.map { start + [$0] } }
    let lines = all.map { bytes -> String in
      var parser = KeyParser()
      let first = named(parser.feed(bytes))
      let waits = parser.needsTimeout
      let flushed = named(parser.flush())
      let rest = named(parser.feed("jk".utf8))
      var other = KeyParser()
      let together = named(other.feed(bytes + "jk".utf8) + other.flush())
      let shown = SafeText.line(String(decoding: bytes, as: UTF8.self))
      return "\(shown): ‹\(first)› \(waits ? "waits" : "goes on") ‹\(flushed)› ‹\(rest)›, at once ‹\(together)›"
    }
    try expectRecorded(lines.joined(separator: "\n") + "\n", "Whole/beginnings.txt")
  }

  @Test(arguments: [(4_096, ["up"]), (4_097, ["A"])]) func aSequenceIsGivenUpWhenItIsTooLong(
    _ length: Int, _ expected: [String]
  ) {
    var parser = KeyParser()
    #expect(parser.feed("\u{1B}[".utf8 + [UInt8](repeating: 0x3B, count: length - 2)) == [])
    #expect(parser.feed("A".utf8).map { named([$0]) } == expected)
  }

  @Test(arguments: [(256, true), (257, false)]) func anAnswerIsNoLongerThanItIs(_ length: Int, _ isOne: Bool) {
    var parser = KeyParser()
    let end = ",i=31;OK"
    _ = parser.feed("\u{1B}_G\(String(repeating: "a", count: length - 1 - end.count))\(end)\u{1B}\\".utf8)
    #expect(parser.takeAnswers() == (isOne ? [.showsPictures] : []))
    #expect(TerminalAnswer.question == "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c")
  }

  @Test func aPasteIsTheSameHoweverItIsSplit() {
    let text = "a\r\r\n\n\u{1B}\u{1B}[201\u{1B}[20\u{1B}[2é"
    let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~b".utf8)
    let expected: [InputEvent] = [.paste("a\n\n\n\u{1B}\u{1B}[201\u{1B}[20\u{1B}[2é"), .key(Key("b"))]
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var parser = KeyParser()
        let events = [bytes[..<first], bytes[first..<second], bytes[second...]].flatMap { parser.feed($0) }
        #expect(events == expected, "\(first) \(second)")
      }
    }
    var parser = KeyParser()
    #expect(parser.feed("\u{1B}[200~a".utf8) == [] && parser.flush() == [] && !parser.needsTimeout)
    #expect(parser.feed("\u{1B}[201~\u{1B}[200~b\u{1B}[201~".utf8) == [.paste("a"), .paste("b")])
  }

  @Test(arguments: [
    ("\u{1B}O0A", "up"), ("\u{1B}O9A", "super-up"), ("\u{1B}O:j", "j"), ("\u{1B}O j", "space j"),
    ("\u{1B}O\u{7F}j", "alt-O backspace j"), ("\u{1B}O1\rj", "enter j"), ("\u{1B}[20$", "shift-f9"),
    ("\u{1B}[19$", "shift-f8"), ("\u{1B}[123$yj", "j"), ("\u{1B}[?1$yj", "j"), ("\u{1B}[1:$yj", "j"),
    ("\u{1B}[[Fj", "j"), ("\u{1B}[[ j", "j"), ("\u{1B}[[\rj", "enter j"), ("\u{1B}[[\u{7F}j", "backspace j"),
    ("\u{1B}Xab\u{1B}\\j", "j"), ("\u{1B}^ab\u{1B}\\j", "j"), ("\u{1B}[<0;1;100000Mj", "j"),
    ("\u{1B}[983040u", "\u{F0000}"), ("\u{1B}[1114112uj", "j"),
  ])
  func aSequenceEndsWhereItDoes(_ bytes: String, _ expected: String) {
    var parser = KeyParser()
    let events = parser.feed(bytes.utf8)
    #expect(named(events + parser.flush()) == expected)
  }

  /// The first and the last of those of two, three and four bytes.
  @Test(arguments: ["\u{A1}", "\u{7FF}", "\u{800}", "\u{FFFC}", "\u{10000}", "\u{10FFFF}"])
  func charactersOfEveryLengthAreKeys(_ text: String) {
    var parser = KeyParser()
    #expect(parser.feed(text.utf8) == [.key(Key(Character(text)))])
    var byBytes = KeyParser()
    #expect(text.utf8.flatMap { byBytes.feed([$0]) } == [.key(Key(Character(text)))])
  }

  @Test(arguments: [("\nx", "\nx"), ("\r\nx", "\nx"), ("\rx", "\nx"), ("\n\rx", "\n\nx"), ("x\r\n", "x\n")])
  func aPasteHasItsFirstAndLastLineEnd(_ text: String, _ expected: String) {
    var parser = KeyParser()
    #expect(parser.feed("\u{1B}[200~\(text)\u{1B}[201~".utf8) == [.paste(expected)])
  }

  @Test func keysAreTheSameHoweverTheyAreSaid() {
    #expect(
      Key("a", .shift) == Key("A") && Key("A", .control) == .control("a") && Key("É", .control).code == .character("É"))
    #expect(Key("a", [.shift, .control]).description == "ctrl-shift-a" && Key("1", .shift).description == "shift-1")
    #expect(Key("ß", .shift).description == "shift-ß" && Key("a", [.shift, .alt]) == .alt("A"))
    #expect(
      Key("a", .super).typed == nil && Key("A").typed == "A" && Key("1", .shift).typed == "1" && Key.tab.typed == nil)
    #expect(
      [Key.enter, .escape, .tab, .backspace, .space, .up, .down, .left, .right].map(\.description) == [
        "enter", "esc", "tab", "backspace", "space", "up", "down", "left", "right",
      ])
    #expect(Key.control("x").modifiers == .control && Key.alt("x").modifiers == .alt)
    #expect((0...18).map { KeyModifiers(parameter: $0).rawValue } == [0] + (0...15) + [0, 1])
    #expect(KeyModifiers(parameter: 33) == .alt && KeyModifiers(parameter: 34) == [.alt, .shift])
    #expect(KeyModifiers(parameter: -5) == [])
  }

  @Test(arguments: [
    ("f1", "f1"), ("f35", "f35"), ("f36", nil), ("f00", nil), ("f01", "f1"), ("f", "f"), ("F", "F"), ("f-1", nil),
    ("c-x", "ctrl-x"), ("option-x", "alt-x"), ("cmd-x", "super-x"), ("super-shift-x", "super-X"), ("-a", nil),
    ("a-", nil),
    ("shift-", nil), ("-", "-"), ("insert", "ins"), ("page-up", "pgup"), ("PAGEDOWN", "pgdn"), ("Return", "enter"),
    ("alt-alt-x", nil), ("alt-meta-x", nil), ("ctrl-page-down", "ctrl-pgdn"), ("\u{7F}", nil), ("\u{85}", nil),
    ("ab", nil),
  ])
  func namesThatPeopleWrite(_ name: String, _ expected: String?) {
    #expect(Key(parsing: name)?.description == expected)
  }
}
