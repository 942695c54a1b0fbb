import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What sets, escapes and groups take, against the engine of Foundation.
@Suite(.bounded) struct RegexWholeTests {
  private static let scalars: [Unicode.Scalar] =
    (1...0x250).compactMap { Unicode.Scalar($0) } + "\u{2028}\u{2029}\u{3000}あ漢😀ǅʰ\u{301}\u{20E3}٣Ⅷ€∑".unicodeScalars

  /// Which scalars a pattern for one finds, as ranges.
  private static func taken(_ takes: (String) throws -> Bool) rethrows -> [String] {
    try scalars.filter { try takes(String($0)) }.map { String($0.value, radix: 16) }
  }

  @Test(arguments: [
    "[a-c]", "[^a-c]", "[]a]", "[^]a]", "[a-]", "[-a]", "[a\\-c]", "[\\]x]", "[a[0-3]z]", "[\\n-\\r]", "[\\x41-\\x43]",
    "[\\u0041\\x{42}]", "\\n", "\\r", "\\t", "\\f", "\\a", "\\e", "\\x41", "\\u0042",
    "\\x{1F600}", "\\.", "\\[", "\\/", "\\-", "\\p{Lu}", "\\P{Lu}", "\\p{Ll}", "\\p{Lt}", "\\p{Lm}", "\\p{Lo}",
    "\\p{M}",
    "\\p{N}", "\\p{Nd}", "\\p{P}", "\\p{S}", "\\p{Sc}", "\\p{Z}", "\\p{Cc}", "[\\p{Lu}0]", "[^\\p{Lu}0]", "(?i)[a-c]",
    "(?i)k",
    "(?i)\\x41", "[a-z]", "(?s).",
  ])
  func setsAreThoseOfFoundation(_ pattern: String) throws {
    let ours = try PatternRegex("^(?:\(pattern))\\z")
    let theirs = try NSRegularExpression(pattern: "^(?:\(pattern))\\z")
    let expected = Self.taken { text in
      theirs.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
    #expect(!expected.isEmpty)
    #expect(Self.taken { ours.search($0) == .found } == expected)
  }

  private static func numbers(_ text: String) -> String {
    text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
  }

  private static let own: [(pattern: String, taken: String)] = [
    ("[[:alpha:]]", numbers("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")),
    ("[[:digit:]]", numbers("0123456789")),
    ("[[:xdigit:]]", numbers("0123456789ABCDEFabcdef")), ("\\pM", "301 20e3"), ("\\h", "9 20 a0"),
    ("\\v", "a b c d 85 2028 2029"), ("\\R", "a b c d 85 2028 2029"), ("[\\b]", "8"), ("\\0", ""),
    ("[[:space:]]", "9 a b c d 20"), ("[[:upper:]&]", numbers("&ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    ("[[:lower:]]", numbers("abcdefghijklmnopqrstuvwxyz")),
    ("[[:alnum:]]", numbers("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")),
    ("[[:punct:]]", numbers("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
  ]

  @Test func setsOfOurOwn() throws {
    for (pattern, expected) in Self.own {
      let regex = try PatternRegex("^(?:\(pattern))\\z")
      #expect(Self.taken { regex.search($0) == .found }.joined(separator: " ") == expected, "\(pattern)")
    }
  }

  @Test(arguments: [
    ("[a", "a `[` is not closed"), ("[", "a `[` is not closed"), ("[a-", "a `[` is not closed"),
    ("[b-a]", "the range `b-a` is the wrong way round"),
    ("[a-\\d]", "a range ends in a class such as \\d"), ("[a&&b]", "the intersection of sets, `&&`, is not supported"),
    ("\\", "a `\\` stands at the end"), ("\\1", "a back reference, `\\1`, is not supported"),
    ("\\9", "a back reference, `\\9`, is not supported"),
    ("\\k<a>", "a back reference, `\\k`, is not supported"), ("\\y", "`\\y` is not known"),
    ("\\C", "`\\C` is not known"),
    ("\\xZZ", "`ZZ` is not the number of a character"), ("\\uD800", "`D800` is not the number of a character"),
    ("\\x{110000}", "`110000` is not the number of a character"), ("[[:alpha]]", "`[:` is not closed with `:]`"),
    ("[[:word:]]", "`[:word:]` is not known"), ("\\p{L", "`\\p{` is not closed"),
    ("\\p{Han}", "`\\p{Han}` is not supported"),
    ("\\pX", "`\\p{X}` is not supported"),
    (
      String(repeating: "[", count: 21) + "a" + String(repeating: "]", count: 21),
      "its sets are nested deeper than 20 levels"
    ),
  ])
  func refused(_ pattern: String, _ reason: String) {
    let error = #expect(throws: StubError.self) { _ = try PatternRegex(pattern) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "(a{2,3})(a*)", "(a{2,3}?)(a*)", "(a{2,})(a*)", "(a{2,}?)(a*)", "(a{0,2})(a*)", "(a{0,2}?)(a*)", "(a{3})(a*)",
    "(a?)(a??)(a*)",
    "(a*?)(a*)$", "(a+?)$", "(?:(a)|(b)|(c))+", "(ab|a)(bc|c)?", "(a|ab|abc)(.*)", "(abc|ab|a)(.*)", "((a)(b)?)+",
    "^(.)(.)(.)$",
    "(.+)-(.+)", "(.+?)-(.+)", "(\\w+)\\W(\\w+)$", "\\b(b\\w*)\\b", "\\B(c)", "(?m)^(b.*)$", "(a)|(b)", "(z)?(.)",
    "(?<one>a+)(?<two>b+)",
    "()(a)", "(a{0})(.)", "(?:a|b){2,3}(c?)", "(?i)(AB)(C)?", "(\\d{1,2}?)(\\d*)", "(a(b(c)?)?)", "\\A(.*)\\z",
    "(.*)\\Z",
  ])
  func groupsAreThoseOfFoundation(_ pattern: String) throws {
    let ours = try PatternRegex(pattern).groups
    let theirs = try NSRegularExpression(pattern: pattern)
    for text in [
      "a", "aa", "aaa", "aaaaa", "abc", "ab", "abab", "aabb", "a-b-c", "a\nbc\nd", "cab bcd", "12345", "", "zabc",
      "abc\n", "acbca",
    ] {
      let found = theirs.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
      let expected = found.map { found in
        (0..<found.numberOfRanges).map { Range(found.range(at: $0), in: text).map { String(text[$0]) } }
      }
      #expect(ours.match(Array(text.utf8))?.texts == expected, "\(pattern) in \(text.debugDescription)")
    }
  }

  @Test func groupsAreToldByNumberAndName() throws {
    let match = try #require(try PatternRegex("(?<one>a)(b)?(?<two>c)").groups.match(Array("xac".utf8)))
    #expect(
      ["0", "1", "2", "3", "4", "-1", "one", "two", "three"].map { match[$0] } == [
        "ac", "a", nil, "c", nil, nil, "a", "c", nil,
      ])
  }

  @Test func groupsStopAtTheirBudget() throws {
    let groups = try PatternRegex("(a+)(b)").groups
    let text = Array((String(repeating: "a", count: 50) + "b").utf8)
    #expect(groups.match(text)?.texts.last == "b")
    #expect(groups.match(text, budget: 20) == nil)
  }
}
