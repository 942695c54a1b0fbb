import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Regular expressions against the plainest matcher there is: one that tries everything and goes back.
@Suite(.bounded) struct RegexOracleTests {
  private struct Oracle {
    let text: [Unicode.Scalar]

    func finds(_ node: RegexNode) -> Bool { (0...text.count).contains { reaches(node, $0) { _ in true } } }

    /// Whether what is left can be matched from a place at which the node can end.
    private func reaches(_ node: RegexNode, _ at: Int, _ rest: (Int) -> Bool) -> Bool {
      switch node {
      case .empty: rest(at)
      case .set(let set): at < text.count && set.contains(text[at]) && rest(at + 1)
      case .concat(let parts): reaches(parts[...], at, rest)
      case .either(let branches): branches.contains { reaches($0, at, rest) }
      case .assert(let assertion): holds(assertion, at) && rest(at)
      case .group(let inner, _): reaches(inner, at, rest)
      case .counted(let inner, let min, let max, _): repeats(inner, min, max, at, rest)
      }
    }

    private func reaches(_ parts: ArraySlice<RegexNode>, _ at: Int, _ rest: (Int) -> Bool) -> Bool {
      guard let first = parts.first else { return rest(at) }
      return reaches(first, at) { reaches(parts.dropFirst(), $0, rest) }
    }

    private func repeats(_ node: RegexNode, _ min: Int, _ max: Int?, _ at: Int, _ rest: (Int) -> Bool) -> Bool {
      if min > 0 { return reaches(node, at) { repeats(node, min - 1, max.map { $0 - 1 }, $0, rest) } }
      if rest(at) { return true }
      guard max ?? 1 > 0 else { return false }
      // A round that takes nothing leads nowhere new.
      return reaches(node, at) { $0 > at && repeats(node, 0, max.map { $0 - 1 }, $0, rest) }
    }

    private func holds(_ assertion: RegexNode.Assertion, _ at: Int) -> Bool {
      let before = at > 0 ? text[at - 1] : nil
      let after = at < text.count ? text[at] : nil
      let isEdge = (before.map(ScalarSet.Class.isWord) ?? false) != (after.map(ScalarSet.Class.isWord) ?? false)
      switch assertion {
      case .textStart: return at == 0
      case .textEnd: return after == nil
      case .lastLineEnd: return after == nil || (after == "\n" && at == text.count - 1)
      case .lineStart: return before == nil || before == "\n"
      case .lineEnd: return after == nil || (after == "\n") || (after == "\r" && before != "\r")
      case .wordEdge: return isEdge
      case .notWordEdge: return !isEdge
      }
    }
  }

  private static let atoms = [
    "a", "b", "K", "s", ".", "[ab]", "[^a]", "[à-ü]", "[^\\x00-\\x7f]", "(a|b)", "(ab|日本|)", "a?", "b*", "(ab)+", "^",
    "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "a{2}", "(?:a|日){1,3}", "b+?", "(a*b)*", "(?i)", "(?-i)", "(?m)", "(?s)",
    "(?i:É)", "é", "ß", "\\w", "\\W", "\\d", "\\s", "\\p{Lu}", "\\P{L}", "\\n", "\\r", "日", "x|", "|a", "token",
  ]
  private static let pieces = [
    "a", "b", "ab", "A", "B", "k", "K", "\u{212A}", "s", "\u{17F}", "é", "É", "ß", "ẞ", "ı", "İ", "日", "日本", "7", "_",
    " ", "\n", "\r", "\r\n", "\u{2028}", "\u{301}", "👩‍👧", "token", "TOKEN", "\u{FFFD}", "\0",
  ]

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func agreesWithOneThatGoesBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var (asked, found) = (0, 0)
    for _ in 0..<500 {
      let pattern = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Self.atoms.randomElement(using: &generator) ?? ""
      }.joined()
      guard let regex = try? PatternRegex(pattern) else { continue }
      var parser = RegexParser(pattern)
      let node = try parser.parse()
      for _ in 0..<5 {
        let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
        let expected = Oracle(text: Array(text.unicodeScalars)).finds(node)
        let result = regex.search(text)
        #expect(result == (expected ? .found : .notFound), "/\(pattern)/ on \(text.debugDescription)")
        asked += 1
        if expected { found += 1 }
      }
    }
    #expect(asked > 1_500 && found > 500 && found < asked - 200, "\(found) of \(asked)")
  }

  /// One expression at work on all cores gives each its own answer.
  @Test func manyThreadsSearchAtOnce() async throws {
    let regex = try PatternRegex("(?i)/orders/[0-9]{3,5}(\\?|$)")
    let wrong = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<8 {
        group.addTask {
          (0..<1_000).count { round in
            let number = round * 7 + worker
            let expected = (100...99_999).contains(number)
            return regex.search("https://a.example/Orders/\(number)?日=\(round)") != (expected ? .found : .notFound)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  /// So many states are met that the table is emptied; what begins after that begins anew.
  @Test func aTableThatWasEmptiedIsNotBelieved() throws {
    let pattern = "^(a|b)*a(a|b){14}$"
    let regex = try PatternRegex(pattern)
    var parser = RegexParser(pattern)
    let node = try parser.parse()
    var generator = SeededGenerator(5)
    func letters(_ count: Int) -> String {
      String((0..<count).map { _ in Bool.random(using: &generator) ? "a" : "b" })
    }
    // A long way through few states first: else the search would give the table up, not empty it.
    #expect(regex.search(String(repeating: "b", count: 200_000)) == .notFound)
    for _ in 0..<60 {
      _ = regex.search(letters(200))
      for _ in 0..<6 {
        let text = letters(Int.random(in: 13...18, using: &generator))
        let expected = Oracle(text: Array(text.unicodeScalars)).finds(node)
        #expect(regex.search(text) == (expected ? .found : .notFound), "\(text)")
      }
    }
  }
}
