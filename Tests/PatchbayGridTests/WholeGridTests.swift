import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayGrid

/// Colours, shapes, texts and keys over all their bounds, and the whole of what becomes of them. With
/// `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeGridTests {
  private func compare(_ lines: [String], _ name: String) throws {
    try expectRecorded(lines.joined(separator: "\n") + "\n", "Whole/\(name).txt")
  }

  private func named(_ color: Color) -> String {
    switch color.kind {
    case .terminalDefault: "default"
    case .palette(let number): "\(number)"
    case .rgb(let red, let green, let blue): "rgb(\(red),\(green),\(blue))"
    }
  }

  @Test func colours() throws {
    let levels: [UInt8] = [0, 47, 48, 95, 114, 115, 135, 155, 175, 200, 255]
    var colors: [Color] = [
      .default, .rgb(0x61afef), .rgb(0x61afef, fallback: 12), .rgb(0x080808), .rgb(0xeeeeee), .rgb(0x767676),
    ]
    colors += (0...255).map { .palette(UInt8($0)) }
    for red in levels {
      for green in levels { for blue in [0, 115, 255] as [UInt8] { colors.append(.rgb(red, green, blue)) } }
    }
    let depths: [ColorDepth] = [.none, .ansi8, .ansi16, .palette256, .trueColor]
    let lines = colors.map { color in
      "\(named(color)) \(color.rgbValue) " + depths.map { named(color.reduced(to: $0)) }.joined(separator: " ")
    }
    let styles = [
      Style(foreground: .ansi(8), background: .ansi(0)), Style(foreground: .ansi(15), background: .ansi(7)),
      Style(foreground: .ansi(1), background: .ansi(1)),
    ]
    let reduced = styles.flatMap { style in depths.map { style.reduced(to: $0) } }.map {
      "\(named($0.foreground)) on \(named($0.background))"
    }
    try compare(lines + reduced, "colours")
  }

  @Test func shapes() throws {
    let base = Rect(x: 2, y: 1, width: 10, height: 6)
    var lines: [String] = []
    for number in [-1, 0, 1, 5, 6, 9, 10, 11] {
      lines.append("split \(number): \(base.splitTop(number)) \(base.splitBottom(number)) \(base.splitLeft(number))")
      lines.append(
        "inset \(number): \(base.inset(horizontal: number)) \(base.inset(vertical: number)) moved \(base.moved(x: number)) \(base.moved(y: number))"
      )
      lines.append(
        "centered \(number): \(base.centered(width: number, height: 3)) \(base.centered(width: 4, height: number))")
      lines.append("common \(number): \(base.intersection(Rect(x: number, y: number, width: 3, height: 20)))")
      lines.append("holds \(number): \((-1...13).map { base.contains(Point(x: $0, y: number)) ? "#" : "." }.joined())")
    }
    try compare(lines, "shapes")
  }

  @Test func texts() throws {
    let texts = [
      "", "a", "plain words here", "日本語の文", "a日b本c", "👩‍👩‍👧 family", "e\u{301}e\u{301}", "tab\there", "\u{1B}[31mred",
      "x\u{200B}y\u{AD}z", "line\nbreak", "ends with space ", "  two  spaces  ",
      "averyverylongwordwithoutany breaks", "\u{202E}turned", "🇯🇵🇫🇷", "１２３", "ｱｲｳ", "a\u{0}b\u{7F}c\u{9B}d",
      "\u{FEFF}mark", "한국어", "1\u{FE0F}\u{20E3}",
      "#\u{FE0F}", "*\u{FE0F}", "a\u{FE0F}", "9\u{FE00}", ":\u{FE0F}", "/\u{FE0F}", "\u{A0}\u{FE0F}", "a\u{200D}b",
      "\u{6F0}\u{200C}x", "\u{5FF}\u{200D}", "\u{600}\u{200D}",
      "漢\u{E0100}", "a\u{E0100}", "\u{33FF}\u{E01EF}", "\u{3400}\u{E01EF}", "\u{1820}\u{180B}", "\u{1820}\u{180E}",
      "\u{17FF}\u{180B}", "\u{18AF}\u{180F}", "\u{18B0}\u{180B}",
      "👍🏽", "a\u{1F3FB}", "❤\u{FE0F}", "❤\u{200D}🔥",
    ]
    var lines: [String] = []
    for text in texts {
      lines.append(
        "\(SafeText.line(text)) width \(textWidth(text)) lines \(SafeText.lines(text, tabWidth: 4).split(separator: "\n").joined(separator: "⏎"))"
      )
      for width in [0, 1, 2, 3, 5, 8, 13] {
        let pieces = [wrapped(text, toWidth: max(1, width)), wrapped(text, toWidth: max(1, width), byWords: false)].map
        { $0.map { SafeText.line($0) }.joined(separator: "⏎") }
        lines.append(
          "  \(width) ‹\(SafeText.line(truncated(text, toWidth: width)))› ‹\(SafeText.line(padded(text, toWidth: width)))› ‹\(SafeText.line(padded(text, toWidth: width, alignRight: true)))› \(pieces)"
        )
      }
    }
    for range in [
      0x00...0x20, 0x7E...0xA1, 0x300...0x303, 0x200A...0x2010, 0x2028...0x202F, 0x2060...0x2070, 0xFE0E...0xFE10,
      0xFFF8...0xFFFF, 0xE0000...0xE0003,
    ] {
      let scalars = range.compactMap { Unicode.Scalar(UInt32($0)) }
      lines.append(
        scalars.map {
          "\(String($0.value, radix: 16)):\(SafeText.line("a\($0)b").unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: ","))"
        }.joined(separator: " "))
    }
    lines.append(
      "<a href=\"b\">&'c\u{1}".escapedForMarkup() + " " + "<a href=\"b\">&'c".escapedForMarkup(attribute: true))
    try compare(lines, "texts")
  }

  @Test func pictures() throws {
    var grid = Grid(Size(width: 24, height: 6))
    grid.put("plain <&>", at: Point(x: 0, y: 0), style: .plain)
    grid.put("日本 wide", at: Point(x: 1, y: 1), style: Style(foreground: .rgb(0x61afef), background: .palette(52)).bold)
    grid.put("marks e\u{301}", at: Point(x: 2, y: 2), style: Style(foreground: .ansi(9)).dim.italic)
    grid.put(
      "turned", at: Point(x: 20, y: 3), style: Style(foreground: .ansi(2), background: .ansi(4)).reverse.underline)
    grid.fill(Rect(x: 5, y: 4, width: 4, height: 2), style: Style(background: .ansi(3)))
    grid.setCursor(Point(x: 3, y: 5))
    let inner = grid.box(
      Rect(x: 12, y: 3, width: 8, height: 3), style: .plain, title: "Box and more", titleStyle: Style.plain.bold)
    try compare(
      grid.svg().components(separatedBy: "\n").filter { !$0.isEmpty } + grid.lines.map { "|\($0)|" } + ["\(inner)"],
      "picture")
  }

  @Test func keysAndTheMouse() throws {
    func told(_ text: String) -> String {
      var parser = KeyParser()
      let events = parser.feed(text.utf8)
      let rest = parser.flush()
      return (events + rest).map { event in
        switch event {
        case .key(let key): return key.description
        case .mouse(let event):
          return "\(event.kind) \(event.position.x),\(event.position.y) \(event.modifiers.rawValue)"
        case .paste(let text): return "paste ‹\(SafeText.line(text))›"
        case .focus(let isOn): return "focus \(isOn)"
        }
      }.joined(separator: " ")
    }
    var lines: [String] = []
    let finals = (0x40...0x7E).compactMap { Unicode.Scalar($0) }.map { String($0) }
    for start in ["", "1;2", "1;5", "3;6"] {
      lines.append("CSI \(start) " + finals.map { "\($0)=\(told("\u{1B}[\(start)\($0)"))" }.joined(separator: " "))
    }
    lines.append("SS3 " + finals.map { "\($0)=\(told("\u{1B}O\($0)"))" }.joined(separator: " "))
    lines.append("tilde " + (0...40).map { "\($0)=\(told("\u{1B}[\($0)~"))" }.joined(separator: " "))
    lines.append("modifiers " + (0...20).map { "\($0)=\(told("\u{1B}[1;\($0)A"))" }.joined(separator: " "))
    lines.append(
      "u "
        + ((0...40).map { $0 } + Array(57_344...57_460)).map { "\($0)=\(told("\u{1B}[\($0)u"))" }.joined(separator: " ")
    )
    for final in ["M", "m"] {
      lines.append(
        "sgr \(final) " + (0...140).map { "\($0)=\(told("\u{1B}[<\($0);3;4\(final)"))" }.joined(separator: ", "))
    }
    lines.append("urxvt " + (30...140).map { "\($0)=\(told("\u{1B}[\($0);3;4M"))" }.joined(separator: ", "))
    var old: [String] = []
    for code in 32...126 {
      var parser = KeyParser()
      old.append("\(code)=\(parser.feed([0x1B, 0x5B, 0x4D, UInt8(code), 0x23, 0x24]).map { "\($0)" }.joined())")
    }
    lines.append("x10 " + old.joined(separator: ", "))
    for text in [
      "\u{1B}[<0;0;1M", "\u{1B}[<0;1;0M", "\u{1B}[<0;99999;1M", "\u{1B}[<0;100000;1M", "\u{1B}[I", "\u{1B}[O",
      "\u{1B}[200~a\rb\u{1B}[201~c", "\u{1B}[200~open", "\u{1B}[201~", "\u{1B}[?1;2c", "a\u{1B}", "\u{1B}\u{1B}",
    ] {
      lines.append("\(SafeText.line(text)) → \(told(text))")
    }
    for code in 0..<128 {
      lines.append(
        "\(code) → \(told(String(UnicodeScalar(UInt8(code))))) \(told("\u{1B}" + String(UnicodeScalar(UInt8(code)))))")
    }
    try compare(lines, "keys")
  }
}
