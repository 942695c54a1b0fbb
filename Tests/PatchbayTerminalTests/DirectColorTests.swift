import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayTerminal

/// A terminfo entry of 24 bits, made of a made-up one: term(5), byte by byte.
@Suite("The terminfo entry for 24 bits of colour", .bounded)
struct DirectColorTests {
  private static func short(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }

  /// A compiled entry: numbers of 16 bits, or of 32.
  private static func entry(
    names: String = "ab", flags: [UInt8] = [1, 0], numbers: [Int] = [80, -1, 24], places: [Int] = [0, -1, 3],
    table: [UInt8] = [65, 66, 0, 67, 0], isWide: Bool = false
  ) -> [UInt8] {
    let name = Array(names.utf8) + [0]
    var bytes = [isWide ? 0o1036 : 0o432, name.count, flags.count, numbers.count, places.count, table.count].flatMap(
      short)
    bytes += name + flags
    if bytes.count % 2 == 1 { bytes.append(0) }
    for number in numbers { bytes += short(number) + (isWide ? short(number >> 16) : []) }
    return bytes + places.flatMap(short) + table
  }

  /// What the text for a colour is: `setaf` with 3, `setab` with 4.
  private static func colour(_ digit: Int) -> [UInt8] {
    Array(
      "\u{1B}[%?%p1%{8}%<%t\(digit)%p1%d%e\(digit)8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m\0".utf8)
  }

  /// What is made of it, with its numbers of 32 bits and the one extended flag behind.
  private static func expected(flags: [UInt8], numbers: [Int], places: [Int], table: [UInt8]) -> [UInt8] {
    let name = Array("pb|24-bit colour\0".utf8)
    var bytes = [0o1036, name.count, flags.count, numbers.count, places.count, table.count].flatMap(short)
    bytes += name + flags
    if bytes.count % 2 == 1 { bytes.append(0) }
    for number in numbers { bytes += short(number) + short(number >> 16) }
    bytes += places.flatMap(short) + table
    if bytes.count % 2 == 1 { bytes.append(0) }
    return bytes + [1, 0, 0, 0, 0, 0, 1, 0, 4, 0, 1, 0, 0, 0] + Array("RGB\0".utf8)
  }

  @Test("a small entry gets the colours, the pairs and the two texts, and keeps the rest", arguments: [false, true])
  func small(_ isWide: Bool) throws {
    for (names, extra) in [("ab", []), ("abc", []), ("ab", [68, 0]), ("abc", [68, 0])] as [(String, [UInt8])] {
      let table: [UInt8] = [65, 66, 0, 67, 0] + extra
      let wide = isWide ? 0x0001_8002 : -2
      let bytes = Self.entry(names: names, numbers: [80, -1, 24, wide], table: table, isWide: isWide)
      let made = try #require(CompiledEntry(bytes)).direct(named: "pb")
      let numbers = [80, -1, 24, wide] + Array(repeating: -1, count: 9) + [1 << 24, 1 << 16]
      let places = [0, -1, 3] + Array(repeating: -1, count: 356) + [table.count, table.count + Self.colour(3).count]
      let expected = Self.expected(
        flags: [1, 0], numbers: numbers, places: places, table: table + Self.colour(3) + Self.colour(4))
      #expect(made == expected, "\(names) \(extra)")
    }
  }

  @Test("an entry that has them has others in their place, changes no colours and initialises none")
  func large() throws {
    for flagCount in [27, 28, 29] {
      let numbers = Array(100..<120)
      let places = Array(repeating: 0, count: 365)
      let bytes = Self.entry(
        flags: Array(repeating: 1, count: flagCount), numbers: numbers, places: places, table: [65, 0])
      let made = try #require(CompiledEntry(bytes)).direct(named: "pb")
      var (flags, newNumbers, newPlaces) = (Array(repeating: UInt8(1), count: flagCount), numbers, places)
      if flagCount > 27 { flags[27] = 0 }
      (newNumbers[13], newNumbers[14]) = (1 << 24, 1 << 16)
      (newPlaces[299], newPlaces[359], newPlaces[360]) = (-1, 2, 2 + Self.colour(3).count)
      #expect(
        made
          == Self.expected(
            flags: flags, numbers: newNumbers, places: newPlaces, table: [65, 0] + Self.colour(3) + Self.colour(4)))
    }
  }

  @Test("one that is cut off anywhere, or is none, is not read") func damaged() {
    for isWide in [false, true] {
      let whole = Self.entry(isWide: isWide)
      for count in 0..<whole.count { #expect(CompiledEntry(Array(whole.prefix(count))) == nil, "\(count)") }
      #expect(CompiledEntry(whole) != nil && CompiledEntry(whole + [1, 2, 3]) != nil)
      for magic in [0o431, 0o433, 0o1035, 0o1037, 0] {
        #expect(CompiledEntry(Self.short(magic) + whole.dropFirst(2)) == nil)
      }
      // Each count below 0.
      for place in stride(from: 2, through: 10, by: 2) {
        var bytes = whole
        (bytes[place], bytes[place + 1]) = (0xFF, 0xFF)
        #expect(CompiledEntry(bytes) == nil, "\(place)")
      }
    }
    #expect(CompiledEntry(Self.entry(places: [4])) != nil, "the last byte of its table")
    #expect(CompiledEntry(Self.entry(places: [5])) == nil, "behind its table")
    #expect(CompiledEntry(Self.entry(flags: [], numbers: [], places: [], table: [])) != nil)
  }

  @Test(
    "terminals that take text for the clipboard, by their types",
    arguments: [
      ("xterm-256color", true), ("", true), ("screen", true), ("tmux-256color", true), ("foot", true), ("linux", false),
      ("linux-16color", false), ("linuxish", true), ("ansi", false), ("ansi-m", false), ("cons25", false),
      ("cons25w", true), ("sun", false), ("sun-color", false), ("cygwin", false), ("vt100", false), ("vt", false),
      ("xvt", true), ("v", true),
    ])
  func clipboard(_ type: String, _ expected: Bool) {
    #expect(Terminal.takesClipboard(type: type) == expected)
  }

  @Test("text for the clipboard goes through tmux and GNU screen in their wrappings") func copying() {
    #expect(TerminalModes.copy("ab", throughTmux: false) == "\u{1B}]52;c;YWI=\u{7}")
    #expect(
      TerminalModes.copy("ab", throughTmux: true)
        == "\u{1B}]52;c;YWI=\u{7}\u{1B}Ptmux;\u{1B}\u{1B}]52;c;YWI=\u{7}\u{1B}\\")
    #expect(
      TerminalModes.copy("ab", throughTmux: false, throughScreen: true) == "\u{1B}P\u{1B}]52;c;YWI=\u{7}\u{1B}\\")
    // 519 bytes are 692 of base64, which with the 8 around them fill one piece; three bytes more begin another.
    for (count, pieces) in [(519, [700]), (520, [700, 4]), (1_044, [700, 700]), (1_045, [700, 700, 4])] {
      let text = TerminalModes.copy(String(repeating: "x", count: count), throughTmux: false, throughScreen: true)
      let parts = text.components(separatedBy: "\u{1B}\\").dropLast()
      #expect(parts.allSatisfy { $0.hasPrefix("\u{1B}P") } && parts.map { $0.unicodeScalars.count - 2 } == pieces)
    }
  }

  @Test("the modes that are turned on and off, and the title without controls") func modes() {
    #expect(TerminalModes.mouseOn == "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h")
    #expect(TerminalModes.mouseOff == "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l")
    #expect(TerminalModes.on(mouse: true) == TerminalModes.mouseOn + "\u{1B}[?2004h\u{1B}[?1004h")
    #expect(TerminalModes.on(mouse: false) == "\u{1B}[?2004h\u{1B}[?1004h")
    #expect(TerminalModes.off == TerminalModes.mouseOff + "\u{1B}[?1004l\u{1B}[?2004l")
    #expect(TerminalModes.titleOn == "\u{1B}[22;2t" && TerminalModes.titleOff == "\u{1B}[23;2t")
    let title = TerminalModes.title("a\u{7}b\u{1B}c")
    #expect(title.hasPrefix("\u{1B}]2;a") && title.hasSuffix("c\u{7}"))
    #expect(!title.dropFirst(4).dropLast().unicodeScalars.contains { $0.value < 0x20 })
  }
}
