import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// Styles as text: for a terminal, and as a theme file has them.
@Suite(.bounded) struct ThemeTextTests {
  @Test(arguments: [
    (Style(), "\u{1B}[0m", "{ fg: default, bg: default }"),
    (Style(foreground: .ansi(1), background: .ansi(15)), "\u{1B}[0;38;5;1;48;5;15m", "{ fg: red, bg: brightWhite }"),
    (Style(foreground: .palette(16), background: .palette(255)), "\u{1B}[0;38;5;16;48;5;255m", "{ fg: 16, bg: 255 }"),
    (
      Style(foreground: .rgb(0x0A_0B0C), background: .rgb(0xFF_1000)), "\u{1B}[0;38;2;10;11;12;48;2;255;16;0m",
      "{ fg: \"#0a0b0c\", bg: \"#ff1000\" }"
    ),
    (
      Style(attributes: [.bold, .dim, .italic, .underline, .reverse]), "\u{1B}[0;1;2;3;4;7m",
      "{ fg: default, bg: default, bold: true, dim: true, italic: true, underline: true, reverse: true }"
    ),
    (Style(attributes: [.italic]), "\u{1B}[0;3m", "{ fg: default, bg: default, italic: true }"),
  ])
  func stylesAsText(_ style: Style, _ sequence: String, _ readable: String) {
    #expect(ANSIStyle.sequence(style) == sequence)
    #expect(style.readable == readable)
  }

  @Test(arguments: [("ab", 4, "ab  "), ("ab", 2, "ab"), ("ab", 1, "ab"), ("", 2, "  "), ("日本", 3, "日本 ")])
  func padding(_ text: String, _ width: Int, _ padded: String) {
    #expect(text.padded(to: width) == padded)
  }
}
