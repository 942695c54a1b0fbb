import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// The search beside a slow and plain one: scalars one by one.
@Suite(.bounded) struct TextSearchTests {
  private typealias Scalar = (scalar: UInt32, start: Int, end: Int)

  /// The scalars of bytes with the place of each; a byte that is no part of one stands for itself.
  private static func scalars(_ bytes: [UInt8]) -> [Scalar] {
    var found: [Scalar] = []
    var at = 0
    while at < bytes.count {
      let length = (1...4).first { length in
        at + length <= bytes.count
          && String(validating: bytes[at..<at + length], as: UTF8.self)?.unicodeScalars.count == 1
      }
      guard let length, let scalar = String(validating: bytes[at..<at + length], as: UTF8.self)?.unicodeScalars.first
      else {
        found.append((.max, at, at + 1))
        at += 1
        continue
      }
      found.append((scalar.value, at, at + length))
      at += length
    }
    return found
  }

  /// As the search compares: one scalar for one, and the Kelvin sign and its like are no ASCII letters.
  private static func folded(_ scalar: UInt32) -> UInt32 {
    guard let letter = Unicode.Scalar(scalar) else { return scalar }
    if letter == "ς" { return 0x3C3 }
    let lower = letter.properties.lowercaseMapping.unicodeScalars
    guard lower.count == 1, let only = lower.first else { return scalar }
    return scalar >= 0x80 && only.value < 0x80 ? scalar : only.value
  }

  private static func slowly(_ text: String, _ given: [Scalar], from start: Int, isCaseSensitive: Bool) -> Range<Int>? {
    func form(_ scalar: UInt32) -> UInt32 { isCaseSensitive ? scalar : folded(scalar) }
    let wanted = text.unicodeScalars.map { form($0.value) }
    for place in given.indices where given[place].start >= start && place + wanted.count <= given.count {
      let piece = given[place..<place + wanted.count]
      if zip(piece, wanted).allSatisfy({ form($0.scalar) == $1 && $0.scalar != .max }), let last = piece.last {
        return given[place].start..<last.end
      }
    }
    return nil
  }

  private static func find(_ search: TextSearch, _ bytes: [UInt8], from start: Int) -> Range<Int>? {
    bytes.withUnsafeBufferPointer { search.find(in: $0, from: start) }
  }

  private static let needles = [
    "a", "A", "ab", "aB", "abab", "é", "É", "éa", "ß", "σ", "ς", "Σς", "k", "\u{212A}", "ⱥ", "Ⱥ", "aⱥ", "ⱥa", "日本", "𝒳",
    "𐐨", "𐐀a", "http://", "e", "ee", "\"a\": ", "a b", "ǆ", "İ", "ı", "  ", "zq", "日a本", "Ⱦx",
  ]

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6]) func findsWhatASlowSearchFinds(_ seed: UInt64) {
    var generator = SeededGenerator(seed)
    let letters: [String] = [
      "a", "b", "A", "B", "é", "É", "σ", "ς", "Σ", "k", "K", "\u{212A}", "ⱥ", "Ⱥ", "日", "本", "𐐨", "𐐀", "e", "ß", "ẞ",
      " ",
      "\"", ":", "i", "İ", "ı", "ǆ", "Ǆ", "x", "Ⱦ", "z", "q",
    ]
    for _ in 0..<50 {
      let few = (0..<Int.random(in: 1...5, using: &generator)).compactMap { _ in
        letters.randomElement(using: &generator)
      }
      var bytes = (0..<Int.random(in: 0...70, using: &generator)).flatMap { _ in
        Array((few.randomElement(using: &generator) ?? "").utf8)
      }
      if Bool.random(using: &generator), !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &generator)] = [0xFF, 0x80, 0xC3, 0xE6].randomElement(
          using: &generator)!
      }
      let scalars = Self.scalars(bytes)
      var wanted = Self.needles
      wanted.append(few.joined())
      wanted.append(few.reversed().joined().lowercased())
      for needle in wanted {
        for isCaseSensitive in [true, false] {
          let search = TextSearch(needle, isCaseSensitive: isCaseSensitive)
          for start in [0, 1, bytes.count / 2, max(0, bytes.count - 1), bytes.count] where start <= bytes.count {
            // A start within a character is none for the slow one either.
            if start < bytes.count, bytes[start] & 0xC0 == 0x80 { continue }
            let found = Self.find(search, bytes, from: start)
            let expected = Self.slowly(needle, scalars, from: start, isCaseSensitive: isCaseSensitive)
            #expect(found == expected, "“\(needle)” \(isCaseSensitive) from \(start) in \(bytes)")
          }
        }
      }
    }
  }

  /// At each distance from both ends, as it looks at sixteen places at once.
  @Test(arguments: ["x", "xyz", "Xy", "é", "xé", "日本語", "ⱥx", "0123456789abcdefghij"], [false, true])
  func findsItAtEveryPlace(_ needle: String, _ isCaseSensitive: Bool) {
    let search = TextSearch(needle, isCaseSensitive: isCaseSensitive)
    let length = needle.utf8.count
    for before in 0...40 {
      for after in 0...34 {
        let bytes =
          [UInt8](repeating: 0x2E, count: before) + Array(needle.utf8) + [UInt8](repeating: 0x2E, count: after)
        #expect(Self.find(search, bytes, from: 0) == before..<before + length)
        #expect(Self.find(search, bytes, from: before) == before..<before + length)
        #expect(Self.find(search, bytes, from: before + 1) == nil)
        #expect(Self.find(search, Array(bytes.prefix(before + length - 1)), from: 0) == nil)
      }
    }
  }

  @Test func anEmptyTextStandsEverywhere() {
    let search = TextSearch("", isCaseSensitive: false)
    #expect(search.isEmpty && search.length == 0 && !TextSearch("a", isCaseSensitive: true).isEmpty)
    #expect(Self.find(search, [1, 2, 3], from: 2) == 2..<2 && Self.find(search, [], from: 0) == 0..<0)
    #expect(TextSearch("aé日", isCaseSensitive: true).length == 3)
  }

  @Test(arguments: ["a", "ab", "é", "日本", "aⱥ", "ⱥ", "𐐨b", ""]) func isFoundAtTheEnd(_ needle: String) {
    for isCaseSensitive in [true, false] {
      let search = TextSearch(needle, isCaseSensitive: isCaseSensitive)
      for before in ["", "a", "b", "é", "日", "𐐨", needle, needle.uppercased(), "bab"] {
        for end in [needle, needle.uppercased(), "x"] {
          let bytes = Array((before + end).utf8)
          let place = bytes.withUnsafeBufferPointer { search.matchAtEnd(of: $0) }
          let scalars = (before + end).unicodeScalars
          let tail = Array(scalars.suffix(needle.unicodeScalars.count)).map(\.value)
          let wanted = needle.unicodeScalars.map(\.value)
          let fits =
            tail.count == wanted.count
            && zip(tail, wanted).allSatisfy { isCaseSensitive ? $0 == $1 : Self.folded($0) == Self.folded($1) }
          let start = bytes.count - String(String.UnicodeScalarView(scalars.suffix(wanted.count))).utf8.count
          #expect(place == (fits ? start : nil), "“\(needle)” at the end of “\(before + end)”")
        }
      }
    }
  }

  @Test func aTextMatchesAtOnePlace() {
    let bytes = Array("xÉYz".utf8)
    bytes.withUnsafeBufferPointer { bytes in
      let search = TextSearch("éy", isCaseSensitive: false)
      #expect((0..<bytes.count).map { search.match(bytes, at: $0) } == [nil, 4, nil, nil, nil])
      let exact = TextSearch("ÉY", isCaseSensitive: true)
      #expect((0..<bytes.count).map { exact.match(bytes, at: $0) } == [nil, 4, nil, nil, nil])
      #expect(TextSearch("éy", isCaseSensitive: true).match(bytes, at: 1) == nil)
      #expect(search.match(bytes, at: bytes.count) == nil)
    }
  }
}

/// Single scalars: how they are read, and which are the same but for their case.
@Suite(.bounded) struct ScalarTests {
  private static func read(_ bytes: [UInt8], at index: Int = 0, end: Int? = nil) -> [UInt32] {
    bytes.withUnsafeBufferPointer {
      let read = ScalarRead($0, at: index, end: end ?? bytes.count)
      return [read.scalar, UInt32(read.length)]
    }
  }

  /// Around each bound of a length.
  @Test(
    arguments: [
      0, 1, 0x41, 0x7E, 0x7F, 0x80, 0x81, 0xFF, 0x100, 0x7FE, 0x7FF, 0x800, 0x801, 0xFFF, 0x1000, 0xD7FF, 0xE000,
      0xFFFD,
      0xFFFF, 0x10000, 0x10001, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
    ] as [UInt32])
  func isReadWhole(_ value: UInt32) throws {
    let bytes = Array(String(try #require(Unicode.Scalar(value))).utf8)
    #expect(Self.read(bytes) == [value, UInt32(bytes.count)])
    #expect(Self.read([0x41] + bytes + [0x42], at: 1) == [value, UInt32(bytes.count)])
    for length in 1..<bytes.count {
      #expect(Self.read(Array(bytes[..<length])) == [.max, 1])
      #expect(Self.read(bytes, end: length) == [.max, 1], "what lies behind the end is none of it")
      for wrong in [0x41, 0xC0, 0xFF, bytes[0]] as [UInt8] where wrong & 0xC0 != 0x80 {
        var broken = bytes
        broken[length] = wrong
        #expect(Self.read(broken) == [.max, 1])
      }
    }
  }

  @Test(arguments: [0x80, 0xBF, 0xC0, 0xC1, 0xF5, 0xFF] as [UInt8]) func beginsNoCharacter(_ first: UInt8) {
    #expect(Self.read([first, 0x80, 0x80, 0x80]) == [.max, 1])
  }

  /// All that has one small letter for one capital: of the first plane, and of the scripts beyond it that have cases.
  @Test func capitalsFoldToTheirSmallLetters() {
    var differ: [UInt32] = []
    let scripts: [Range<UInt32>] = [
      0x10400..<0x10450, 0x104B0..<0x10500, 0x10570..<0x105C0, 0x10C80..<0x10D00, 0x118A0..<0x118E0, 0x16E40..<0x16E80,
      0x1E900..<0x1E944,
    ]
    for value in Array(0..<0x10000) + scripts.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let lower = scalar.properties.lowercaseMapping.unicodeScalars
      let only = lower.count == 1 ? lower.first?.value ?? value : value
      let expected = value == 0x3C2 ? 0x3C3 : value >= 0x80 && only < 0x80 ? value : only
      if CaseFolding.fold(value) != expected { differ.append(value) }
    }
    #expect(differ.isEmpty, "\(differ.map { String($0, radix: 16) })")
    #expect(CaseFolding.fold(.max) == .max && CaseFolding.fold(0x10FFFF) == 0x10FFFF)
  }

  @Test func variantsAreAllThatFoldTheSame() {
    #expect(CaseFolding.variants(of: 0x61) == [0x61, 0x41] && CaseFolding.variants(of: 0x7A) == [0x7A, 0x5A])
    for sign: UInt32 in [0x40, 0x5B, 0x60, 0x7B, 0x30, 0x7F] { #expect(CaseFolding.variants(of: sign) == [sign]) }
    #expect(Set(CaseFolding.variants(of: 0x3C3)) == [0x3C3, 0x3C2, 0x3A3])
    #expect(CaseFolding.variants(of: 0xE9) == [0xE9, 0xC9] && CaseFolding.variants(of: 0x65E5) == [0x65E5])
    for value in UInt32(0)..<0x11000 {
      let folded = CaseFolding.fold(value)
      #expect(CaseFolding.variants(of: folded).contains(value), "\(value)")
    }
  }
}
