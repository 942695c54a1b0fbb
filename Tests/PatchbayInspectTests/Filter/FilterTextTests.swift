import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// One pattern against one text.
@Suite(.bounded) struct FilterTextTests {
  private static let texts: [(String, [String], [String])] = [
    // A substring; letter case counts where the pattern has a capital.
    ("b", ["b", "abc", "B"], ["", "a"]), ("B", ["B", "aBc"], ["b", ""]), ("", ["", "a"], []), ("ǅ", ["ǅ"], ["ǆ", "Ǆ"]),
    ("é", ["É", "é"], ["e"]), ("É", ["É"], ["é"]), ("日", ["日本"], ["本"]),
    // Stars: anchored at both ends.
    ("*", ["", "a", "日"], []), ("a*", ["a", "ab", "A"], ["ba", ""]), ("*a", ["a", "ba"], ["ab", ""]),
    ("a*b", ["ab", "axb", "aab", "axbxb"], ["a", "b", "abx", "xab"]), ("*a*", ["a", "bab"], ["b", ""]),
    ("a*a", ["aa", "aba"], ["a"]), ("a*b*c", ["abc", "axbxc", "abbc"], ["acb", "ac", "abcx"]),
    ("ab*ba", ["abba", "abxba"], ["aba"]), ("**", ["", "a"], []), ("a**b", ["ab", "axb"], ["a"]),
    ("*b*c*", ["bc", "abc", "bxc"], ["cb", "b"]), ("a*bb*b", ["abbb", "axbbxb"], ["abb"]),
    ("A*b", ["Ab", "Axb"], ["ab", "AB"]), ("日*本", ["日本", "日x本"], ["日", "本日"]),
    // A backslash makes a star, or itself, plain; before other signs it stands for itself.
    ("a\\*", ["a*", "xa*y"], ["a", "ab"]), ("\\**", ["*", "*a"], ["a", ""]), ("a\\\\", ["a\\"], ["a"]),
    ("\\x", ["\\x"], ["x"]),
    ("a\\", ["a\\", "a\\b"], ["a"]), ("\\\\*", ["\\", "\\a"], ["a\\"]), ("\\", ["\\"], [""]),
    // A regular expression, found anywhere; letters behind a backslash are no capitals.
    ("~b", ["abc", "B"], ["a"]), ("~^b$", ["b", "B"], ["ab", "bc"]), ("~B", ["B"], ["b"]),
    ("~\\S\\D", ["ab", "AB"], ["11", "a"]),
    ("~\\\\B", ["\\B"], ["\\b"]), ("~", ["", "a"], []), ("~a|b", ["b"], ["c"]), ("~é", ["É"], ["e"]), ("~a\\", [], []),
  ]

  @Test(arguments: texts)
  func fitsSomeAndNotOthers(_ source: String, _ fitting: [String], _ others: [String]) throws {
    guard let pattern = try? FilterText(source) else { return #expect(source == "~a\\") }
    for pattern in [pattern, pattern.unshared()] {
      for text in fitting { #expect(pattern.matches(text), "\(source) fits \(text)") }
      for text in others { #expect(!pattern.matches(text), "\(source) does not fit \(text)") }
      #expect(pattern.source == source && pattern.unshared() == pattern)
    }
  }

  @Test(arguments: [
    ("get", ["get", "GET", "Get"], ["gets", "ge", ""]), ("GET", ["get"], ["xget"]), ("P*", ["POST", "p"], ["", "xp"]),
    ("*", ["", "a"], []), ("", [""], ["a"]), ("~a", ["~A"], ["a"]), ("a\\*", ["A*"], ["ab"]),
  ])
  func exactlyIsTheWholeText(_ source: String, _ fitting: [String], _ others: [String]) {
    let pattern = FilterText.exactly(source)
    for pattern in [pattern, pattern.unshared()] {
      for text in fitting { #expect(pattern.matches(text), "\(source) fits \(text)") }
      for text in others { #expect(!pattern.matches(text), "\(source) does not fit \(text)") }
      #expect(pattern == FilterText.exactly(source) && pattern.hashValue == FilterText.exactly(source).hashValue)
      #expect(!pattern.isEmpty)
    }
  }

  @Test func areTheSameByTheirTextAndKind() throws {
    let texts = try [FilterText("a"), FilterText("b"), FilterText("~a"), FilterText("A"), .exactly("a"), .exactly("A")]
    #expect(Set(texts).count == texts.count && Set(texts + texts.map { $0.unshared() }).count == texts.count)
    #expect(
      try FilterText("").isEmpty && !FilterText("a").isEmpty && !FilterText("*").isEmpty && !FilterText("~").isEmpty)
    let (one, two) = try (FilterRegex("a", ignoresCase: true), FilterRegex("a", ignoresCase: false))
    let (same, other) = try (FilterRegex("a", ignoresCase: true), FilterRegex("b", ignoresCase: true))
    #expect(one != two && one == same && one != other && Set([one, two, same]).count == 2)
  }

  /// The place in the sentence is one of what was written, with or without a capital in it.
  @Test(arguments: [("(", 2), ("ab(", 4), ("A(", 3), ("[", 2), ("a)", 2)])
  func mistakesInRegularExpressionsHaveTheirPlace(_ pattern: String, _ place: Int) {
    let problem = #expect(throws: FilterRegex.Problem.self) { try FilterText("~" + pattern) }
    #expect(problem?.message.contains("(character \(place))") == true, "\(problem?.message ?? "")")
  }

  /// Before the parts of many texts are compared one by one, the whole is asked.
  @Test(arguments: [
    ("b", "abc", true), ("x", "abc", false), ("a*c", "c a", true), ("a*x", "abc", false), ("*", "", true),
    ("", "", true),
    ("~b+", "abc", true), ("~xy", "abc", false), ("~.", "", true), ("~ab.*cd", "cd ab", true), ("~ab.*cd", "ab", false),
  ])
  func mayFitAPart(_ source: String, _ text: String, _ expected: Bool) throws {
    var text = text
    let pattern = try FilterText(source)
    #expect(text.withUTF8 { pattern.mayMatch(partOf: $0) } == expected)
    let exact = FilterText.exactly("b")
    #expect("abc".utf8.withContiguousStorageIfAvailable { exact.mayMatch(partOf: $0) } == true)
    #expect("xyz".utf8.withContiguousStorageIfAvailable { exact.mayMatch(partOf: $0) } == false)
  }

  @Test(arguments: [
    ("b", "abcb", [1, 3]), ("B", "abcB", [3]), ("ab*cde*f", "xcdex cde", [1, 6]), ("a*b", "ba", [1]),
    ("*b", "xxb", [2]),
    ("~bc", "abcxbc", [1, 4]), ("~bc.*xy", "abc", []), ("~bc.*xy", "xybcxy", [0, 2, 4]),
  ])
  func somethingOfItStandsInEveryTextThatFits(_ source: String, _ text: String, _ places: [Int]) throws {
    var text = text
    let literal = try #require(try FilterText(source).requiredLiteral)
    let found = text.withUTF8 { bytes in
      var found: [Int] = []
      var from = 0
      while let place = literal.place(in: bytes, from: from) {
        found.append(place)
        from = place + 1
      }
      return found
    }
    if source.hasPrefix("~bc.*xy") {
      // Which of the two is looked for is its own affair; where one of them is missing nothing is found.
      #expect(found.isEmpty == places.isEmpty && found.allSatisfy { places.contains($0) })
    } else {
      #expect(found == places)
    }
  }

  @Test(arguments: ["", "*", "**", "~", "~.", "~a|b*"]) func nothingNeedStandInEveryText(_ source: String) throws {
    #expect(try FilterText(source).requiredLiteral == nil)
  }

  @Test func anExactTextHasItself() throws {
    #expect(FilterText.exactly("").requiredLiteral == nil)
    let literal = try #require(FilterText.exactly("Get").requiredLiteral)
    #expect("a gEt".utf8.withContiguousStorageIfAvailable { literal.place(in: $0, from: 0) } == 2)
  }

  /// In JSON and in URLs other letters may stand as escapes, in capitals and in small letters.
  @Test(arguments: [
    ("é", #"caf\u00e9"#, true), ("é", #"caf\u00E9"#, true), ("é", "caf%C3%A9", true), ("é", "caf%c3%a9", true),
    ("É", "caf%C3%89", true),
    ("É", "caf%c3%89", true), ("É", #"caf\u00C9"#, true), ("É", #"caf\u00c9"#, true), ("É", #"CAF\u00e9"#, false),
    ("😀", #"\ud83d\ude00"#, true),
    ("😀", #"\uD83D\uDE00"#, true), ("😀", "%F0%9F%98%80", true), ("aé b", #"xa\u00e9 b"#, true),
    ("é*", #"\u00e9"#, false),
    ("~é", #"\u00e9"#, false), ("e", #"\u0065"#, false), ("é", "e", false), ("é", #"\u00e"#, false),
    ("Aé", #"A\u00e9"#, true),
    ("Aé", #"a\u00e9"#, false),
  ])
  func isFoundAsAnEscape(_ source: String, _ body: String, _ fits: Bool) throws {
    let patterns = [try FilterText(source)]
    #expect(FilterMatching.body(Data(body.utf8), nil, patterns) == fits)
  }
}
