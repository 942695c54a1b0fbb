import PatchbayTestSupport
import Testing

@Suite("The emulated terminal", .bounded)
struct VTScreenTests {
  private func screen(_ text: String, columns: Int = 10, rows: Int = 4) -> VTScreen {
    var screen = VTScreen(columns: columns, rows: rows)
    screen.feed(text.utf8)
    return screen
  }

  @Test("text wraps at the right edge and scrolls at the foot")
  func wrapsAndScrolls() {
    let screen = screen("abcdefghijKL\r\n2\r\n3\r\n4\r\n5", rows: 3)
    #expect(screen.lines == ["3", "4", "5"])
    #expect(self.screen("abcdefghijKL").lines == ["abcdefghij", "KL", "", ""])
  }

  @Test("a full last column does not wrap before the next character")
  func wrapIsPending() {
    let screen = screen("abcdefghij\rX")
    #expect(screen.lines[0] == "Xbcdefghij")
    #expect(screen.lines[1].isEmpty)
  }

  @Test("wide characters take two cells and go down in one piece")
  func wide() {
    let screen = screen("日本\u{1B}[1;3Hx", columns: 10)
    #expect(screen.lines[0] == "日x")
    #expect(self.screen("日本\u{1B}[1;2Hx").lines[0] == " x本")
    #expect(self.screen("123456789日").lines.prefix(2) == ["123456789", "日"])
    #expect(self.screen("か\u{3099}x").cell(column: 0, row: 0)?.text == "か\u{3099}")
  }

  @Test("cursor motion, erasing, insertion and deletion")
  func editing() {
    #expect(screen("abcdef\u{1B}[1;3H\u{1B}[2P").lines[0] == "abef")
    #expect(screen("abcdef\u{1B}[1;3H\u{1B}[2@").lines[0] == "ab  cdef")
    #expect(screen("abcdef\u{1B}[1;3H\u{1B}[2X").lines[0] == "ab  ef")
    #expect(screen("abcdef\u{1B}[1;3H\u{1B}[K").lines[0] == "ab")
    #expect(screen("abcdef\u{1B}[1;3H\u{1B}[1K").lines[0] == "   def")
    #expect(screen("a\r\nb\r\nc\u{1B}[2;1H\u{1B}[L").lines == ["a", "", "b", "c"])
    #expect(screen("a\r\nb\r\nc\u{1B}[2;1H\u{1B}[M").lines == ["a", "c", "", ""])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1B}[2;3r\u{1B}[2;1H\u{1B}M").lines == ["a", "", "b", "d"])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1B}[2;3r\u{1B}[S").lines == ["a", "c", "", "d"])
    #expect(screen("-\u{1B}[4b").lines[0] == "-----")
  }

  @Test("colours in the semicolon and the colon form")
  func colors() {
    #expect(screen("\u{1B}[38;5;208;1mx").style(of: "x")?.foreground == .palette(208))
    #expect(screen("\u{1B}[38;2;1;2;3mx").style(of: "x")?.foreground == .rgb(1, 2, 3))
    #expect(screen("\u{1B}[38:2::1:2:3mx").style(of: "x")?.foreground == .rgb(1, 2, 3))
    #expect(screen("\u{1B}[48:5:7mx").style(of: "x")?.background == .palette(7))
    #expect(screen("\u{1B}[31;42;7mx\u{1B}[my").style(of: "y") == VTStyle())
    #expect(screen("\u{1B}[91mx").style(of: "x")?.foreground == .palette(9))
  }

  @Test("the alternate screen comes and goes, and modes are known")
  func modes() {
    var screen = screen("main\u{1B}[?1049h\u{1B}[Halt\u{1B}[?1000;1006h\u{1B}[?2004h\u{1B}[?25l")
    #expect(screen.text == "alt")
    #expect(screen.modes.mouse == [1000, 1006])
    #expect(screen.modes.bracketedPaste && !screen.modes.cursorVisible && screen.modes.alternateScreen)
    screen.feed("\u{1B}[?1049l\u{1B}[?25h\u{1B}]2;title\u{7}\u{1B}]52;c;aGk=\u{1B}\\!".utf8)
    #expect(screen.text == "main!")
    #expect(screen.modes.cursorVisible && screen.title == "title" && screen.copied == ["aGk="])
    #expect(screen.unknown.isEmpty)
  }

  @Test("line drawing, and the same screen however the bytes are split")
  func splits() {
    let text = "\u{1B}(0lqk\u{1B}(B 日本\u{1B}[2;2H\u{1B}[1;38;5;9mé\u{1B}]0;t\u{7}\u{1B}[0m."
    let whole = screen(text)
    #expect(whole.lines.prefix(2) == ["┌─┐ 日本", " é."])
    let bytes = Array(text.utf8)
    for cut in bytes.indices {
      var parts = VTScreen(columns: 10, rows: 4)
      parts.feed(bytes[..<cut])
      parts.feed(bytes[cut...])
      #expect(parts.lines == whole.lines && parts.title == "t" && parts.style(of: "é") == whole.style(of: "é"))
    }
  }
}
