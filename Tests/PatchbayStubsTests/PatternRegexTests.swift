import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct PatternRegexTests {
  private static let patterns: [(String, String, Bool)] = [
    ("^/v1/users/[0-9]+$", "/v1/users/42", true), ("^/v1/users/[0-9]+$", "/v1/users/x", false),
    ("^/v[12]/", "/v2/a", true), ("a|b|^$", "", true), ("a|b|^$", "c", false), ("(?i)HELLO", "say hello", true),
    ("(?i:h)ELLO", "hELLO", true), ("(?i:h)ELLO", "hello", false), ("a(?i)b|c", "aC", true), ("a(?i)b", "aB", true),
    ("\\d{3}-\\d{4}", "call 555-1234 now", true), ("^\\d{3,}$", "12", false), ("^x{0}y$", "y", true),
    ("^(ab){2,3}$", "ababab", true), ("^(ab){2,3}$", "abababab", false), ("a{,3}", "a{,3}", true),
    ("colou?r", "color", true),
    ("^.$", "日", true), ("^.$", "\n", false), ("(?s)^.$", "\n", true), ("^..$", "👩", false), ("[^/]+/x", "a/x", true),
    ("\\bcat\\b", "a cat sat", true), ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true),
    ("(?m)^b$", "a\nb\nc", true),
    ("^b$", "a\nb\nc", false), ("a$", "a\n", true), ("a\\z", "a\n", false), ("\\Aa", "ba", false),
    ("[\\w.-]+@\\w+", "x <a.b-c@d>", true),
    ("[[:digit:]]+", "a1", true), ("^[a-z&&x]$", "a", false), ("\\p{Lu}", "straßE", true), ("^\\p{L}+$", "日本語", true),
    ("\\u65e5\\x{672C}", "日本", true), ("[\\]\\-x]", "-", true), ("[]a]", "]", true), ("^[^]a]$", "b", true),
    ("(?<year>\\d{4})-(?P<m>\\d\\d)", "2026-11", true), ("a(?#note)b", "ab", true), ("\\Qa.b\\E+", "a.bb", true),
    ("(a*)*b", "aaab", true), ("(|a)+", "", true), ("(?:)", "x", true), ("x*", "", true), ("\\.json$", "a.json", true),
    ("ä", "Ä", false), ("(?i)ä", "Ä", true), ("(?i)[a-c]+$", "xABC", true), ("^a+?b", "aaab", true),
    ("\\s", "\u{3000}", true),
    ("^\\S+$", "a b", false), ("{", "{", true), ("a{x}", "a{x}", true),
  ]

  @Test(arguments: patterns) func finds(_ pattern: String, _ text: String, _ expected: Bool) throws {
    if pattern.contains("&&") {
      #expect(throws: StubError.self) { try PatternRegex(pattern) }
      return
    }
    #expect(try PatternRegex(pattern).search(text) == (expected ? .found : .notFound))
  }

  @Test(arguments: [
    "(", ")", "[", "a**", "*a", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "\\k<a>", "a++", "(?>a)", "[z-a]", "\\",
    "a{2,1}",
    "a{1001}", "(?x)a", "\\p{Han}", "(a{1000}){1000}", "\\y", "(?i", "[[:nope:]]", "\\x{110000}", "^*", "[a-\\d]",
  ])
  func refuses(_ pattern: String) {
    do throws(StubError) {
      _ = try PatternRegex(pattern)
      Issue.record("`\(pattern)` was taken")
    } catch {
      #expect(error.message.hasPrefix("the regular expression cannot be used: "))
    }
  }

  @Test func deepGroupsAreRefused() {
    #expect(throws: StubError.self) { try PatternRegex(String(repeating: "(", count: 100_000)) }
    #expect(throws: StubError.self) { try PatternRegex(String(repeating: "[", count: 100_000)) }
  }

  @Test func manySetsBesideEachOtherAreNotDeep() throws {
    let regex = try PatternRegex("^[" + String(repeating: "[a-c]", count: 100) + "]+$")
    #expect(regex.search("abc") == .found && regex.search("abd") == .notFound)
    let nested = String(repeating: "[", count: 20) + "a" + String(repeating: "]", count: 20)
    #expect(try PatternRegex(nested).search("a") == .found)
    #expect(throws: StubError.self) { try PatternRegex("[\(nested)]") }
  }

  @Test func agreesWithFoundation() throws {
    var generator = SeededGenerator(9)
    let atoms = [
      "a", "b", ".", "[ab]", "[^a]", "(a|b)", "(?:ab)", "a?", "b*", "(ab)+", "^", "$", "\\b", "a{2}", "(a|)", "b+?",
      "(a*b)*",
    ]
    for _ in 0..<3_000 {
      let pattern = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        atoms.randomElement(using: &generator) ?? ""
      }.joined()
      let text = String(
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in "ab ".randomElement(using: &generator) ?? "a" })
      let theirs = try NSRegularExpression(pattern: pattern)
      let expected = theirs.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
      #expect(try PatternRegex(pattern).search(text) == (expected ? .found : .notFound), "/\(pattern)/ on \"\(text)\"")
    }
  }

  @Test func explosiveOnesEndInTime() throws {
    let text = String(repeating: "a", count: 5_000) + "!"
    let clock = ContinuousClock()
    // A matcher that goes back needs longer than the universe has.
    let patterns = try ["^(a+)+$", "(a|aa)+$", "(x+x+)+y"].map { try PatternRegex($0) }
    let time = clock.measure {
      for regex in patterns { #expect(regex.search(text) == .notFound) }
    }
    #expect(time < .seconds(5))
  }

  /// A search for this on letters in no order has a thread for nearly each place of the expression.
  private static let exploding = "a[ab]{900}c"

  private static func letters(_ count: Int) -> String {
    var generator = SeededGenerator(3)
    return String(
      decoding: (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) }, as: UTF8.self)
  }

  @Test func spentBudgetsAreNoMatchAndAreSaid() throws {
    let pattern = Self.exploding
    let body = Self.letters(60_000)
    #expect(try PatternRegex(pattern).search(body) == .overBudget)
    let stub = Stub(
      name: "slow", when: RequestPattern(body: BodyPattern(matches: pattern)), then: .respond(CannedResponse()))
    let matcher = StubMatcher(StubSet(stubs: [stub, Stub(name: "next", then: .hold(.response))]))
    var counters = StubCounters(salt: 1)
    let facts = RequestFacts(method: "POST", url: "http://a.example/", body: Data(body.utf8))
    let decision = matcher.decide(facts, counters: &counters)
    #expect(decision.step == .unmatched)
    #expect(decision.responseHold == "next")
    #expect(decision.notices.count == 1)
    #expect(decision.notices[0].contains("`slow`"))
    guard case .differs(let reason) = matcher.explain(facts)[0].verdict else {
      Issue.record("it matched")
      return
    }
    #expect(reason.hasPrefix("the regular expression took too many steps"))
  }

  @Test func bytesThatAreNoTextAreMetToo() throws {
    let regex = try PatternRegex("a.b$")
    #expect(regex.search([0x61, 0xFF, 0x62]) == .found)
    #expect(regex.search([0xE3, 0x81, 0x61, 0xC0, 0x62]) == .found)
    #expect(try PatternRegex("^\u{FFFD}$").search([0xE3]) == .found)
  }

  @Test func anyPatternIsTakenOrRefused() {
    var generator = SeededGenerator(10)
    let pieces = Array("()[]{}|*+?^$\\.-:=!<>#&,01adwPpQEixus日").map { String($0) }
    for _ in 0..<5_000 {
      let pattern = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      guard let regex = try? PatternRegex(pattern) else { continue }
      #expect(regex.search("aad 01 日-x") != .overBudget)
    }
  }

  /// All the ways to run an expression give one answer.
  @Test func statesAgreeWithThreads() throws {
    var generator = SeededGenerator(11)
    let atoms = [
      "a", "b", ".", "[ab]", "[^a]", "(a|b)", "ab", "a?", "b*", "(ab)+", "^", "$", "\\b", "\\B", "a{2}", "(a|)", "b+?",
      "(a*b)*", "\\A", "\\z", "\\Z", "(?m)", "(?s)", "(?i)", "\\n", "\\r", "é",
      "[à-ü]", "\\w", "\\W", "日本", "\u{FFFD}",
      "\\s", "(?:b.){3}", "x|", "|a",
    ]
    let pieces: [[UInt8]] = ["a", "b", "ab", "A", " ", "\n", "\r", "\r\n", "é", "É", "日", "日本", "ı", "K"].map {
      Array($0.utf8)
    }
    let broken: [[UInt8]] = [[0xFF], [0xC3], [0xE3, 0x81], [0xF0, 0x9F], [0xED, 0xA0, 0x80]]
    var found = 0
    for _ in 0..<1_500 {
      let pattern = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        atoms.randomElement(using: &generator) ?? ""
      }.joined()
      guard let regex = try? PatternRegex(pattern) else { continue }
      var parser = RegexParser(pattern)
      let threads = RegexMatcher(try RegexProgram(try parser.parse()), runsThreads: true)
      for _ in 0..<6 {
        let text = (0..<Int.random(in: 0...12, using: &generator)).flatMap { _ in
          (pieces + (Bool.random(using: &generator) ? broken : [])).randomElement(using: &generator) ?? []
        }
        let expected = text.withUnsafeBufferPointer { threads.search($0, budget: 1_000_000) }
        #expect(regex.search(text) == expected, "/\(pattern)/ on \(text)")
        if expected == .found { found += 1 }
      }
    }
    #expect(found > 1_800)
  }

  @Test func tooManyStatesAreForgottenOrLeft() throws {
    var parser = RegexParser("a[ab]{12}c")
    let program = try RegexProgram(try parser.parse())
    let matcher = RegexMatcher(program)
    var text = Array(Self.letters(50_000).utf8)
    #expect(text.withUnsafeBufferPointer { matcher.search($0, budget: 10_000_000) } == .notFound)
    #expect(matcher.runsThreads)
    text += Array("abbbbbbbbbbbbc".utf8)
    #expect(text.withUnsafeBufferPointer { matcher.search($0, budget: 10_000_000) } == .found)
    #expect(text.withUnsafeBufferPointer { RegexMatcher(program).search($0, budget: 10_000_000) } == .found)
    #expect(text.withUnsafeBufferPointer { RegexMatcher(program).search($0, budget: 10_000) } == .overBudget)
    // Texts that come back to what is known keep the states although they were too many once.
    let patient = RegexMatcher(program)
    for _ in 0..<100 {
      #expect(
        Array(repeating: 0x62, count: 50_000).withUnsafeBufferPointer {
          patient.search($0, budget: 10_000) == .notFound
        })
    }
    for round in 0..<40 {
      let piece = Array(text[(round * 1_000)..<(round * 1_000 + 1_000)])
      #expect(piece.withUnsafeBufferPointer { patient.search($0, budget: 10_000_000) } == .notFound)
    }
    #expect(text.withUnsafeBufferPointer { patient.search($0, budget: 10_000_000) } == .found)
  }

  @Test func whatIsInEveryMatchIsKnown() throws {
    #expect(try PatternRegex("(?i)I").search("ı") == .found)
    #expect(try PatternRegex("(?i)bI").search("xbı") == .found)
    for text in ["", "tok", "Token", "a token", "x-TOKEN-y", String(repeating: "x", count: 40) + "token7"] {
      let expected = text.lowercased().contains("token")
      #expect(try PatternRegex("(?i)to\\x6ben").search(text) == (expected ? .found : .notFound))
      #expect(try PatternRegex("toke[n]\\d?").search(text) == (text.contains("token") ? .found : .notFound))
    }
  }

  /// The classes of POSIX, letter by letter as C's `<ctype.h>` has them in its own locale, and nothing beyond ASCII.
  @Test(arguments: ["alpha", "digit", "alnum", "upper", "lower", "xdigit", "space", "punct"])
  func posixClasses(_ name: String) throws {
    let regex = try PatternRegex("^[[:\(name):]]$")
    let isMember: (Int32) -> Int32 =
      switch name {
      case "alpha": isalpha
      case "digit": isdigit
      case "alnum": isalnum
      case "upper": isupper
      case "lower": islower
      case "xdigit": isxdigit
      case "space": isspace
      default: ispunct
      }
    for value in UInt8(0)...0xFF {
      let expected = value < 0x80 && isMember(Int32(value)) != 0
      let result = regex.search(String(Unicode.Scalar(value)))
      #expect(result == (expected ? .found : .notFound), "[:\(name):] and U+\(String(value, radix: 16))")
    }
  }
}
