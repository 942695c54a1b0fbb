import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("From bytes to events", .bounded)
struct KeyParserTests {
  private func keys(_ text: String) -> [String] {
    var parser = KeyParser()
    return names(parser.feed(text.utf8) + parser.flush())
  }

  private func names(_ events: [InputEvent]) -> [String] {
    events.map { if case .key(let key) = $0 { key.description } else { "\($0)" } }
  }

  private static let sequences: [(String, String)] = [
    ("a", "a"), ("A", "A"), (" ", "space"), ("\r", "enter"), ("\n", "enter"), ("\t", "tab"), ("\u{7F}", "backspace"),
    ("\u{8}", "backspace"), ("\u{0}", "ctrl-space"), ("\u{1}", "ctrl-a"), ("\u{1A}", "ctrl-z"), ("\u{1C}", "ctrl-\\"),
    ("\u{1F}", "ctrl-_"), ("é", "é"), ("日", "日"), ("👍", "👍"), ("\u{1B}", "esc"), ("\u{1B}x", "alt-x"),
    ("\u{1B}日", "alt-日"), ("\u{1B}\r", "alt-enter"), ("\u{1B}\u{7F}", "alt-backspace"),
    ("\u{1B}\u{12}", "ctrl-alt-r"),
    ("\u{1B}[", "alt-["), ("\u{1B}O", "alt-O"), ("\u{1B}]", "alt-]"), ("\u{1B}P", "alt-P"),
    ("\u{1B}[A", "up"), ("\u{1B}OA", "up"), ("\u{1B}[1;5C", "ctrl-right"), ("\u{1B}[1;2D", "shift-left"),
    ("\u{1B}[1;3B", "alt-down"), ("\u{1B}O5A", "ctrl-up"), ("\u{1B}O1;5A", "ctrl-up"), ("\u{1B}[a", "shift-up"),
    ("\u{1B}Oa", "ctrl-up"), ("\u{1B}\u{1B}[A", "alt-up"), ("\u{1B}\u{1B}OA", "alt-up"), ("\u{1B}[1;9A", "super-up"),
    ("\u{1B}[H", "home"), ("\u{1B}OH", "home"), ("\u{1B}[1~", "home"), ("\u{1B}[7~", "home"), ("\u{1B}[F", "end"),
    ("\u{1B}OF", "end"), ("\u{1B}[4~", "end"), ("\u{1B}[8~", "end"), ("\u{1B}[2~", "ins"), ("\u{1B}[3~", "del"),
    ("\u{1B}[5~", "pgup"), ("\u{1B}[6~", "pgdn"), ("\u{1B}[6;5~", "ctrl-pgdn"), ("\u{1B}[3^", "ctrl-del"),
    ("\u{1B}[3$", "shift-del"), ("\u{1B}[3@", "ctrl-shift-del"), ("\u{1B}[Z", "shift-tab"), ("\u{1B}OP", "f1"),
    ("\u{1B}[11~", "f1"), ("\u{1B}[[A", "f1"), ("\u{1B}[[E", "f5"), ("\u{1B}[P", "f1"), ("\u{1B}[1;2P", "shift-f1"),
    ("\u{1B}[13~", "f3"), ("\u{1B}OR", "f3"), ("\u{1B}[1;5R", "ctrl-f3"), ("\u{1B}[15~", "f5"), ("\u{1B}[24~", "f12"),
    ("\u{1B}[24;5~", "ctrl-f12"), ("\u{1B}[97;5u", "ctrl-a"), ("\u{1B}[13;2u", "shift-enter"), ("\u{1B}[27u", "esc"),
    ("\u{1B}[97;2u", "A"), ("\u{1B}[9;5u", "ctrl-tab"), ("\u{1B}[97:65;2u", "A"), ("\u{1B}[114;6u", "ctrl-shift-r"),
    ("\u{1B}[27;5;13~", "ctrl-enter"), ("\u{1B}[26085u", "日"), ("\u{1B}[57376u", "f13"), ("\u{1B}OM", "enter"),
    ("\u{1B}Oj", "*"), ("\u{1B}Ox", "8"), ("\u{1B}[97;1:1u", "a"), ("\u{1B}[1;129A", "up"),
  ]

  @Test("keys in all dialects", arguments: sequences)
  func dialects(bytes: String, name: String) {
    #expect(keys(bytes) == [name])
    #expect(keys("j" + bytes) == ["j", name])
  }

  @Test(
    "unknown sequences are swallowed whole, and the key after them is a key",
    arguments: [
      "\u{1B}[99~", "\u{1B}[?62;c", "\u{1B}[>0;276;0c", "\u{1B}[5n", "\u{1B}[12;40R", "\u{1B}[1;2;3;4;5;6x",
      "\u{1B}[?1;2$y",
      "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}Oz",
      "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[<0;1M", "\u{1B}[97;1:3u", "\u{1B}[99999999999999999999~",
      "\u{1B}[57441u", "\u{1B}[[z", "\u{1B}[200;;;", "\u{1B}[;;;A\u{1B}[q", "\u{1B}[M\u{1}\u{1}\u{1}",
    ])
  func unknown(bytes: String) {
    let expected = bytes.hasSuffix(";;;") ? [] : ["j"]
    #expect(keys(bytes + "j").filter { $0 != "up" } == expected)
    #expect(keys(bytes + "xjk").last == "k")
  }

  @Test(
    "the mouse in its three encodings",
    arguments: [
      ("\u{1B}[<0;1;1M", MouseEvent(.press(.left), at: .zero)),
      ("\u{1B}[<0;1;99999M", MouseEvent(.press(.left), at: Point(x: 0, y: 99_998))),
      ("\u{1B}[<0;300;200m", MouseEvent(.release(.left), at: Point(x: 299, y: 199))),
      ("\u{1B}[<2;5;6M", MouseEvent(.press(.right), at: Point(x: 4, y: 5))),
      ("\u{1B}[<33;5;6M", MouseEvent(.drag(.middle), at: Point(x: 4, y: 5))),
      ("\u{1B}[<35;5;6M", MouseEvent(.move, at: Point(x: 4, y: 5))),
      ("\u{1B}[<64;5;6M", MouseEvent(.wheelUp, at: Point(x: 4, y: 5))),
      ("\u{1B}[<65;5;6M", MouseEvent(.wheelDown, at: Point(x: 4, y: 5))),
      ("\u{1B}[<67;5;6M", MouseEvent(.wheelRight, at: Point(x: 4, y: 5))),
      ("\u{1B}[<20;5;6M", MouseEvent(.press(.left), at: Point(x: 4, y: 5), [.shift, .control])),
      ("\u{1B}[<8;5;6M", MouseEvent(.press(.left), at: Point(x: 4, y: 5), .alt)),
      ("\u{1B}[<128;5;6M", MouseEvent(.press(.other(8)), at: Point(x: 4, y: 5))),
      ("\u{1B}[M !!", MouseEvent(.press(.left), at: .zero)),
      ("\u{1B}[M#!\"", MouseEvent(.release(nil), at: Point(x: 0, y: 1))),
      ("\u{1B}[32;5;6M", MouseEvent(.press(.left), at: Point(x: 4, y: 5))),
    ])
  func mouse(bytes: String, event: MouseEvent) {
    var parser = KeyParser()
    #expect(parser.feed(bytes.utf8) == [.mouse(event)])
  }

  @Test("a paste is one event with its line ends as LF; what looks like keys in it is text")
  func paste() {
    var parser = KeyParser()
    let text = "one\rtwo\r\nthree\n\u{1B}[A\u{1B}[20日本"
    let events = parser.feed("a\u{1B}[200~\(text)\u{1B}[201~b".utf8)
    #expect(
      events == [
        .key(Key("a")), .paste("one\ntwo\nthree\n\u{1B}[A\u{1B}[20日本"), .key(Key("b")),
      ])
    #expect(parser.feed("\u{1B}[200~\u{1B}[201~".utf8) == [.paste("")])
    #expect(parser.feed([0x1B] + "[200~".utf8 + [0xFF, 0x61] + "\u{1B}[201~".utf8) == [.paste("\u{FFFD}a")])
    let large = String(repeating: "0123456789abcdef", count: 65_536)
    #expect(parser.feed("\u{1B}[200~\(large)\u{1B}[201~".utf8) == [.paste(large)])
  }

  @Test("the same events however the bytes are split")
  func splits() {
    let text =
      "a\u{1B}[1;5C日\u{1B}OA\u{1B}[<0;12;34M\u{1B}[200~p\r日\u{1B}[201~\u{1B}x👍\u{1B}[I\u{1B}]0;t\u{7}\u{1B}[15~z"
    let bytes = Array(text.utf8)
    var whole = KeyParser()
    let expected = whole.feed(bytes)
    #expect(expected.count == 11)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var parser = KeyParser()
        let events =
          parser.feed(bytes[..<first]) + parser.feed(bytes[first..<second]) + parser.feed(bytes[second...])
        #expect(events == expected)
        #expect(!parser.needsTimeout)
      }
    }
    var one = KeyParser()
    #expect(bytes.flatMap { one.feed([$0]) } == expected)
  }

  @Test("only what may be a lone ESC or alt key waits for the timeout")
  func timeout() {
    func waits(_ bytes: [UInt8]) -> Bool {
      var parser = KeyParser()
      _ = parser.feed(bytes)
      return parser.needsTimeout
    }
    #expect(waits([0x1B]) && waits([0x1B, 0x5B]) && waits([0x1B, 0x4F]) && waits([0x1B, 0x1B]))
    #expect(!waits([]) && !waits([0xE6]) && !waits([0xE6, 0x97]) && !waits([0x1B, 0x5B, 0x31]) && !waits([0x61]))
    #expect(!waits(Array("\u{1B}[200~abc\u{1B}".utf8)) && !waits(Array("\u{1B}[<0;1".utf8)))
    var parser = KeyParser()
    #expect(parser.feed([0xE6, 0x97]).isEmpty && parser.flush().isEmpty)
    #expect(parser.feed([0xA5]) == [.key(Key("日"))])
    #expect(keys("\u{1B}\u{1B}") == ["esc", "esc"])
  }

  @Test("an invalid byte does not swallow the keys after it")
  func invalid() {
    for bytes: [UInt8] in [
      [0xFF], [0xC0], [0xE6], [0xE6, 0x97], [0x80], [0xF0, 0x9F, 0x91], [0xED, 0xA0, 0x80], [0xC3], [0xF5, 0x80],
      [0x1B, 0xFF], [0x1B, 0xE6],
    ] {
      var parser = KeyParser()
      let events = parser.feed(bytes + Array("jk".utf8))
      #expect(names(events).suffix(2) == ["j", "k"], "\(bytes)")
    }
  }

  @Test("garbage never traps, is not kept for ever, and later keys survive")
  func garbage() {
    var random = SeededRandom(seed: 23)
    let common: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3B, 0x3C, 0x32, 0x30, 0x7E, 0x4D, 0xE6, 0x5D, 0x24]
    for _ in 0..<20_000 {
      var parser = KeyParser()
      let bytes = (0..<Int.random(in: 1...24, using: &random)).map { _ in
        Bool.random(using: &random)
          ? common.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      }
      let cut = Int.random(in: 0...bytes.count, using: &random)
      _ = parser.feed(bytes[..<cut])
      _ = parser.flush()
      _ = parser.feed(bytes[cut...])
      _ = parser.flush()
      // Ends a paste, a sequence and a string, whichever was open.
      _ = parser.feed("\u{1B}[201~\u{18}\u{18}\u{18}\u{18}".utf8)
      #expect(names(parser.feed("jk".utf8)) == ["j", "k"], "\(bytes) cut at \(cut)")
    }
    var parser = KeyParser()
    _ = parser.feed("\u{1B}[".utf8)
    for _ in 0..<10_000 { _ = parser.feed("1;".utf8) }
    #expect(names(parser.feed("Aj".utf8)).last == "j")
  }
}
