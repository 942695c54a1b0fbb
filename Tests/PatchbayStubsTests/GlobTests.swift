import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct GlobTests {
  /// Tries every way to cut the text: slow, and plainly right.
  private func slow(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == UInt8(ascii: "*") {
      return (0...text.count).contains { slow(pattern.dropFirst(), text.dropFirst($0)) }
    }
    return text.first == first && slow(pattern.dropFirst(), text.dropFirst())
  }

  @Test func agreesWithTheSlowMatcher() {
    var generator = SeededGenerator(3)
    let letters = Array("aab*".utf8)
    var found = 0
    for _ in 0..<20_000 {
      let pattern = (0..<Int.random(in: 0...7, using: &generator)).map { _ in
        letters[Int.random(in: 0...3, using: &generator)]
      }
      let text = (0..<Int.random(in: 0...10, using: &generator)).map { _ in
        letters[Int.random(in: 0...2, using: &generator)]
      }
      let expected = slow(pattern[...], text[...])
      if expected { found += 1 }
      #expect(Glob(pattern).matches(text) == expected, "\(String(decoding: pattern, as: UTF8.self))")
    }
    #expect(found > 2_000)
  }

  @Test func foldingAgreesWithTheSlowMatcher() {
    var generator = SeededGenerator(4)
    let letters = Array("aAb*".utf8)
    for _ in 0..<20_000 {
      let pattern = (0..<Int.random(in: 0...7, using: &generator)).map { _ in
        letters[Int.random(in: 0...3, using: &generator)]
      }
      var text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        letters[Int.random(in: 0...2, using: &generator)]
      }
      let folding = Int.random(in: 0...text.count, using: &generator)
      for index in 0..<folding { text[index] = NormalURL.lowered(text[index]) }
      // Slow: each letter of the front may be met in either case.
      func fits(_ pattern: ArraySlice<UInt8>, _ at: Int) -> Bool {
        guard let first = pattern.first else { return at == text.count }
        if first == UInt8(ascii: "*") { return (at...text.count).contains { fits(pattern.dropFirst(), $0) } }
        guard at < text.count else { return false }
        let wanted = at < folding ? NormalURL.lowered(first) : first
        return text[at] == wanted && fits(pattern.dropFirst(), at + 1)
      }
      #expect(Glob(pattern).matches(text, folding: folding) == fits(pattern[...], 0))
    }
  }

  @Test func isLinear() {
    // A matcher that goes back at each star would not come back at all.
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 200_000)
    let stars = Array((String(repeating: "*a", count: 50) + "*b").utf8)
    #expect(Glob(stars).matches(text) == false)
    let long = Array(("*" + String(repeating: "a", count: 1_000) + "b*").utf8)
    #expect(Glob(long).matches(text) == false)
  }

  @Test func searchAgreesWithTheSlowOne() {
    var generator = SeededGenerator(5)
    for _ in 0..<5_000 {
      let needle = (0..<Int.random(in: 0...5, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator)
      }
      let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator) }
      let expected = (0...text.count).first { text[$0...].starts(with: needle) }
      #expect(text.withUnsafeBufferPointer { ByteSearch(needle).first(in: $0, from: 0, to: text.count) } == expected)
    }
  }

  @Test(arguments: ["", "b", "ab", "cab", "abcabcab", "abd"])
  func aSearchStaysBetweenItsOffsets(_ needle: String) {
    let text = Array("abcabcab".utf8)
    for start in 0...text.count {
      for end in start...text.count {
        let expected = (start...end).first { text[$0..<end].starts(with: needle.utf8) }
        let found = text.withUnsafeBufferPointer { ByteSearch(Array(needle.utf8)).first(in: $0, from: start, to: end) }
        #expect(found == expected, "\(start) \(end)")
      }
    }
  }

  /// Letter case counts, but in the part of a text that is said to know none.
  @Test func letterCaseCountsUnlessItIsSaidNotTo() {
    for (pattern, text) in [("Ab", "ab"), ("A*", "ab"), ("*A", "ba"), ("*A*", "bab"), ("x*A*y", "xbaby")] {
      #expect(!Glob(pattern.utf8).matches(text) && !Glob(pattern.utf8).matches(Array(text.utf8)))
      #expect(Glob(pattern.utf8).matches(Array(text.utf8), folding: text.utf8.count))
      #expect(Glob(pattern.utf8).matches(text.uppercased()) == (pattern == "Ab" ? false : !pattern.contains("x")))
    }
    #expect(
      Glob("AbC".utf8).matches(Array("abC".utf8), folding: 1)
        && !Glob("ABC".utf8).matches(Array("abC".utf8), folding: 1))
    #expect(Glob("a".utf8).literal == [0x61] && Glob("".utf8).literal == [] && Glob("a*".utf8).literal == nil)
  }
}
