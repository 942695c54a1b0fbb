import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What is known of a regular expression before it is run, and the parts that run it.
@Suite(.bounded) struct RegexPartsTests {
  private static func program(_ pattern: String) throws -> RegexProgram {
    var parser = RegexParser(pattern)
    return try RegexProgram(try parser.parse())
  }

  @Test(
    arguments: [
      ("abc", ["abc"]), ("a", []), ("", []), ("ab.cd", ["ab", "cd"]), ("(ab)c", ["abc"]), ("ab|cd", []),
      ("x(ab|cd)yz", ["yz"]), ("ab?cd", ["cd"]), ("abc*de", ["ab", "de"]), ("a(bc)+de", ["bc", "de"]),
      ("ab{2}cd", ["cd"]), ("(?:abc){0}de", ["de"]), ("^ab$", ["ab"]), ("ab\\bcd", ["abcd"]), ("(?i)abK", ["ab"]),
      ("(?i)abc", ["abc"]), ("(?i)saSt", []), ("[a]bc", ["abc"]), ("[ab]cd", ["cd"]), ("a[^b]cd", ["cd"]),
      ("aébc", ["bc"]),
      ("\\Qa.b\\E", ["a.b"]), ("\\x61b", ["ab"]), ("\\dab", ["ab"]), ("[\\d]ab", ["ab"]), ("a(?#x)b", ["ab"]),
    ] as [(String, [String])])
  func literalsAreWhatEveryMatchHolds(_ pattern: String, _ literals: [String]) throws {
    #expect(try Self.program(pattern).literals.map { String(decoding: $0, as: UTF8.self) } == literals)
    #expect(try PatternRegex(pattern).literals.count == literals.count)
    #expect(try PatternRegex(pattern).prefilters.count == min(literals.count, 4))
  }

  @Test(
    arguments: [
      ("^a", true, false), ("a", false, false), ("\\Aa", true, false), ("(^a)", true, false), ("^a|^b", true, false),
      ("^a|b", false, false), ("a^", false, false), ("(?m)^a", false, true), ("", false, false),
      ("(?:^a)?", false, false), ("a$", false, false), ("(?m)a$", false, true), ("a\\b", false, true),
      ("\\Ba", false, true),
      ("a\\z", false, false), ("a\\Z", false, false), ("(^a|^b)c", true, false),
    ] as [(String, Bool, Bool)])
  func whereAMatchCanBeginIsKnown(_ pattern: String, _ anchored: Bool, _ asksNeighbours: Bool) throws {
    let program = try Self.program(pattern)
    #expect(program.anchored == anchored && program.usesNeighbours == asksNeighbours)
  }

  @Test(
    arguments: [
      ("a", "a"), ("ab", "a"), ("a|b", "ab"), ("a?b", "ab"), ("a*b", "ab"), ("a+b", "a"), ("^a", "a"), ("\\bx", "x"),
      ("[a-c]x", "abc"), ("(?i)a", "Aa"), ("a{2,3}", "a"), ("(ab|cd)e", "ac"), ("a*", nil), ("", nil), ("a|", nil),
      ("(?:a?){3}b", "ab"),
    ] as [(String, String?)])
  func theFirstByteOfAMatchIsKnown(_ pattern: String, _ letters: String?) throws {
    let bytes = try Self.program(pattern).firstBytes
    let low = bytes.map { bytes in String(decoding: (0..<128).filter { bytes[$0] }.map { UInt8($0) }, as: UTF8.self) }
    #expect(low == letters)
    // What is beyond ASCII is looked into only when it is met.
    if let bytes { #expect(bytes[128...].allSatisfy { $0 } && bytes.count == 256) }
  }

  @Test func tooLargeAnExpressionIsRefused() throws {
    let error = #expect(throws: StubError.self) { _ = try PatternRegex("(?:a{1000}){21}") }
    #expect(error?.message == "the regular expression cannot be used: it is too large; use smaller counts")
    #expect(try PatternRegex("(?:a{1000}){19}").search("a") == .notFound)
    #expect(try PatternRegex("^a{1000}$").search(String(repeating: "a", count: 1_000)) == .found)
  }

  @Test(
    arguments: [
      ("(", "a `(` is not closed", 2), (")", "a `)` has no `(`", 1),
      ("a**", "`*` follows another quantifier; put the first part in a group", 3),
      ("a*?+", "`+` follows another quantifier; put the first part in a group", 4),
      ("*", "there is nothing before `*` to repeat", 1),
      ("a|+", "there is nothing before `+` to repeat", 3),
      ("^*", "`^`, `$` and `\\b` cannot be repeated", 3),
      ("a++", "possessive quantifiers (`*+`) are not supported; leave the second sign out", 4),
      ("a{2,1}", "in `{2,1}` the first number is the larger", 7), ("a{1001}", "a count over 1000 is not supported", 8),
      ("a{0,1001}", "a count over 1000 is not supported", 10),
      ("a{99999999999999999999}", "a count over 1000 is not supported", 24),
      ("(?=a)", "lookahead, `(?=` and `(?!`, is not supported", 4),
      ("(?!a)", "lookahead, `(?=` and `(?!`, is not supported", 4),
      ("(?>a)", "atomic groups, `(?>`, are not supported; use `(?:`", 4), ("(?#a", "a comment `(?#` is not closed", 5),
      ("(?<=a)", "lookbehind, `(?<=` and `(?<!`, is not supported", 5),
      ("(?<!a)", "lookbehind, `(?<=` and `(?<!`, is not supported", 5),
      ("(?<a", "the name of a group is not closed with `>`", 5),
      ("(?x)", "`(?x` is not supported; of the flags only i, m and s are", 4),
      ("(?i", "a `(` is not closed", 4), ("(a", "a `(` is not closed", 3), ("\\", "a `\\` stands at the end", 1),
      (String(repeating: "(", count: 51), "its groups are nested deeper than 50 levels", 51),
    ] as [(String, String, Int)])
  func whatCannotBeReadIsSaidWithItsPlace(_ pattern: String, _ reason: String, _ place: Int) {
    let error = #expect(throws: StubError.self) { _ = try PatternRegex(pattern) }
    #expect(error?.message == "the regular expression cannot be used: \(reason) (character \(place))")
  }

  @Test(
    arguments: [
      ("a{2}", "aa", "a"), ("a{2,}", "aaaa", "a"), ("^a{0,2}b", "aab", "aaab"), ("a{2,2}b", "aab", "ab"),
      ("a{,2}", "a{,2}", "aa"),
      ("a{x}", "a{x}", "a"), ("a{1", "a{1", "a"), ("a{}", "a{}", "a"),
      ("(?i-s:a)b", "Ab", "AB"), ("(?i)a(?-i)b", "Ab", "AB"), ("(?i:a(?-i)b)c", "Abc", "ABc"),
      ("(?i)(a|b)c", "BC", "D"),
      ("((?i)a)b", "Ab", "AB"), ("(?s:.)", "\n", ""), ("(?s).(?-s).", "\na", "\n\n"), ("(?m:^b)", "a\nb", "ab"),
      ("(?m:a$)b|(?m)c$", "c\nd", "cd"), ("(?u)a", "a", "A"), ("(?U)a", "a", "A"), ("(?im)^A$", "b\na", "ba"),
      ("(?-i)a", "a", "A"),
      ("a\\Qb*\\Ec", "ab*c", "abbc"), ("\\Qb*", "b*", "bb"), ("\\Q\\E", "", nil), ("\\Qa\\\\Eb", "a\\b", "ab"),
      ("(?i)\\Qa\\E", "A", "b"),
      ("(?P<n>a)", "a", "b"), ("(?#note)a", "a", "b"), ("(?:a|b)+c", "abac", "ab"), ("a.c", "a\tc", "a\nc"),
      (".", "\u{85}", "\u{2028}"),
      ("^$", "\n", "a"), ("a$", "a\n", "a\n\n"), ("(?m)a$", "a\r\n", "ab"), ("(?m)^$", "\n", "a"),
    ] as [(String, String, String?)])
  func whatIsTakenAndWhatNot(_ pattern: String, _ taken: String, _ other: String?) throws {
    let regex = try PatternRegex(pattern)
    #expect(regex.search(taken) == .found)
    if let other { #expect(regex.search(other) == .notFound, "\(other)") }
  }

  /// The first of two groups of a name is the one that is asked for.
  @Test func groupsAreNumberedInTheOrderInWhichTheyBegin() throws {
    var parser = RegexParser("(a(?<x>b))(?:c)(?<y>d)(?<x>e)(?i:f)")
    _ = try parser.parse()
    #expect(parser.groupCount == 4 && parser.groupNames == ["x": 2, "y": 3])
    let match = try #require(try PatternRegex("(a(?<x>b))(?:c)(?<y>d)(?<x>e)").groups.match(Array("abcde".utf8)))
    #expect(
      match.texts == ["abcde", "ab", "b", "d", "e"] && match["x"] == "b" && match["4"] == "e" && match["5"] == nil)
  }

  @Test func bytesThatAreNoTextCountOneByOne() {
    func scalar(_ bytes: [UInt8], at start: Int = 0) -> String {
      bytes.withUnsafeBufferPointer {
        let scalar = RegexScalar($0, at: start)
        return "\(String(scalar.scalar.value, radix: 16)) \(scalar.length)"
      }
    }
    let rows: [([UInt8], String)] = [
      ([0x41], "41 1"), ([0x7F], "7f 1"), ([0x80], "fffd 1"), ([0xBF, 0x80], "fffd 1"), ([0xC1, 0xBF], "fffd 1"),
      ([0xC2, 0x80], "80 2"), ([0xDF, 0xBF], "7ff 2"), ([0xC2], "fffd 1"), ([0xC2, 0x41], "fffd 1"),
      ([0xC2, 0xC0], "fffd 1"),
      ([0xE0, 0x9F, 0xBF], "fffd 1"), ([0xE0, 0xA0, 0x80], "800 3"), ([0xEF, 0xBF, 0xBF], "ffff 3"),
      ([0xED, 0xA0, 0x80], "fffd 1"),
      ([0xE1, 0x80], "fffd 1"), ([0xE1, 0x80, 0x41], "fffd 1"), ([0xE1, 0x41, 0x80], "fffd 1"),
      ([0xF0, 0x8F, 0xBF, 0xBF], "fffd 1"),
      ([0xF0, 0x90, 0x80, 0x80], "10000 4"), ([0xF4, 0x8F, 0xBF, 0xBF], "10ffff 4"),
      ([0xF4, 0x90, 0x80, 0x80], "fffd 1"),
      ([0xF5, 0x80, 0x80, 0x80], "fffd 1"), ([0xF0, 0x90, 0x80], "fffd 1"), ([0xFF], "fffd 1"),
    ]
    for (bytes, expected) in rows { #expect(scalar(bytes) == expected, "\(bytes)") }
    #expect(scalar([0x41, 0xC3, 0xA9, 0x42], at: 1) == "e9 2")
    for value in stride(from: UInt32(0x80), to: 0x11_0000, by: 0x101) {
      guard let expected = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(expected).utf8)
      #expect(scalar(bytes) == "\(String(value, radix: 16)) \(bytes.count)")
    }
  }

  @Test func classesOfScalars() {
    func holds(_ kind: ScalarSet.Class, _ text: Unicode.Scalar) -> Bool { kind.contains(text) }
    for value in UInt8(0)..<128 {
      let scalar = Unicode.Scalar(value)
      let letter = isalnum(Int32(value)) != 0 || value == 0x5F
      #expect(holds(.word(true), scalar) == letter && holds(.word(false), scalar) != letter, "\(value)")
      let digit = isdigit(Int32(value)) != 0
      #expect(holds(.digit(true), scalar) == digit && holds(.digit(false), scalar) != digit)
      let space = isspace(Int32(value)) != 0
      #expect(holds(.space(true), scalar) == space && holds(.space(false), scalar) != space)
    }
    for scalar in "éß日\u{301}٣\u{1D7D8}".unicodeScalars { #expect(holds(.word(true), scalar), "\(scalar)") }
    for scalar in "…€²½\u{20E3}".unicodeScalars { #expect(!holds(.word(true), scalar), "\(scalar)") }
    #expect(
      !holds(.digit(true), "٣") && holds(.space(true), "\u{3000}") && holds(.space(true), "\u{85}")
        && !holds(.space(true), "é")
    )
  }

  /// What a set says of ASCII, beside its parts looked at one by one.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func asciiIsWorkedOutAsTheRestIs(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let edges: [UInt32] = [0, 1, 63, 64, 65, 90, 91, 96, 97, 122, 127, 128, 0x212A, 0x10_FFFF]
    for _ in 0..<40 {
      var set = ScalarSet()
      set.ranges = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        let (one, other) = (edges.randomElement(using: &random)!, edges.randomElement(using: &random)!)
        return min(one, other)...max(one, other)
      }
      if Bool.random(using: &random) { set.classes = [.digit(Bool.random(using: &random))] }
      if Bool.random(using: &random) { set.classes.append(.category({ $0 == .uppercaseLetter }, true)) }
      set.negated = Bool.random(using: &random)
      set.folds = Bool.random(using: &random)
      let finished = set.finished()
      for value in UInt8(0)..<128 {
        let own = Unicode.Scalar(value)
        let other = isalpha(Int32(value)) != 0 ? Unicode.Scalar(value ^ 0x20) : own
        let isIn = (set.folds ? [own, other] : [own]).contains { scalar in
          set.ranges.contains { $0.contains(scalar.value) } || set.classes.contains { $0.contains(scalar) }
        }
        #expect(finished.contains(own) == (isIn != set.negated), "\(value) of \(set)")
      }
    }
  }

  // MARK: Prefilters

  /// Where a run stands first, beside a plain search; the texts are longer and shorter than what is looked at in one go.
  @Test(arguments: 1...6 as ClosedRange<UInt64>) func aRunIsFoundWhereItStands(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let letters = Array("abABz/@`[{".utf8)
    for _ in 0..<60 {
      let run = (0..<Int.random(in: 1...5, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
      let text = (0..<Int.random(in: 0...70, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
      let filter = try #require(RegexPrefilter([run]))
      let small = text.map { NormalURL.lowered($0) }
      let places = small.indices.filter { small[$0...].starts(with: run.map { NormalURL.lowered($0) }) }
      for start in [0, 1, 20, text.count] where start <= text.count {
        let expected = places.first { $0 >= start }
        #expect(text.withUnsafeBufferPointer { filter.place(in: $0, from: start) } == expected)
      }
      #expect(text.withUnsafeBufferPointer { filter.mayHold($0) } == !places.isEmpty)
    }
  }

  @Test func theLongestRunIsLookedForAndCut() {
    func holds(_ runs: [String], _ text: String) -> Bool? {
      RegexPrefilter(runs.map { Array($0.utf8) }).map { filter in
        Array(text.utf8).withUnsafeBufferPointer { filter.mayHold($0) }
      }
    }
    #expect(holds([], "x") == nil)
    #expect(holds(["ab", "cde", "fg"], "xcdex") == true && holds(["ab", "cde", "fg"], "abfg") == false)
    let long = String(repeating: "q", count: 24)
    #expect(holds([long + "z"], long) == true && holds([long + "z"], String(long.dropFirst())) == false)
  }

  @Test func theLongestLiteralsComeFirst() throws {
    let regex = try PatternRegex("ab.cdef.ghi.jk.lm.no")
    #expect(regex.prefilters.count == 4)
    let text = Array("xx cdef".utf8)
    #expect(text.withUnsafeBufferPointer { regex.prefilters[0].place(in: $0, from: 0) } == 3)
  }

  // MARK: Samples

  @Test(
    arguments: [
      ("abc", ["abc", "abc", "abc"]), ("a*", ["", "a", "aaa"]), ("a+", ["a", "a", "aaa"]),
      ("a{2}", ["aa", "aa", "aa"]),
      ("a{1,2}", ["a", "a", "aa"]), ("(a|b)?", ["", "a", "a"]), ("^a$", ["a", "a", "a"]), ("[b-d]", ["b", "b", "b"]),
      ("[^a]", ["1", "1", "1"]), ("[^a1A]", ["-", "-", "-"]), ("\\d", ["1", "1", "1"]), ("[é]", ["é", "é", "é"]),
      ("(?i)x", ["x", "x", "x"]),
      ("\\W", ["-", "-", "-"]), ("[%]", ["%", "%", "%"]), ("[[:punct:]]", ["-", "-", "-"]), ("", ["", "", ""]),
      ("(", []),
      ("[^a1A\\-_./:@ ]", ["!", "!", "!"]),
    ] as [(String, [String])])
  func samplesFit(_ pattern: String, _ texts: [String]) throws {
    let found = RegexSample.texts(pattern, length: 3)
    #expect(found == texts)
    if let last = found.last { #expect(try PatternRegex("^(?:\(pattern))$").search(last) == .found) }
  }

  @Test func samplesAreNotWithoutEnd() {
    let found = RegexSample.texts("(?:(?:a{500}){500}){500}|b", length: 5)
    #expect(found.map(\.count) == [2_000, 2_000, 2_000])
    #expect(RegexSample.texts("a*b", length: 1 << 40).map(\.count) == [1, 2, 2_000])
  }

  // MARK: Budgets

  /// A search that has no step left says so, and what is known costs none.
  @Test func aBudgetIsKept() throws {
    let text = Array(String(repeating: "ab", count: 50).utf8)
    let program = try Self.program("(a|b)*c{2,9}d")
    func search(_ matcher: RegexMatcher, _ budget: Int) -> PatternRegex.Result {
      text.withUnsafeBufferPointer { matcher.search($0, budget: budget) }
    }
    let matcher = RegexMatcher(program)
    #expect(
      search(matcher, 3) == .overBudget && search(matcher, 10_000) == .notFound && search(matcher, 1) == .notFound)
    let threads = RegexMatcher(program, runsThreads: true)
    #expect(threads.runsThreads && search(threads, 100) == .overBudget && search(threads, 10_000) == .notFound)
    #expect(search(threads, 100) == .overBudget)
    #expect(PatternRegex.stepBudget == 500_000)
  }

  /// Many sets, and many scalars beyond ASCII, of which each is told apart.
  @Test func manySetsAreToldApart() throws {
    let letters = (0..<90).compactMap { Unicode.Scalar(0x4E00 + $0) }
    let pattern = "^(?:" + letters.enumerated().map { "\($0.element)\($0.offset % 10)" }.joined(separator: "|") + ")+$"
    let regex = try PatternRegex(pattern)
    for (place, letter) in letters.enumerated() {
      #expect(regex.search("\(letter)\(place % 10)") == .found)
      #expect(regex.search("\(letter)\((place + 1) % 10)") == .notFound)
    }
    let all = letters.enumerated().map { "\($0.element)\($0.offset % 10)" }.joined()
    #expect(regex.search(all) == .found && regex.search(all + "x") == .notFound)
    // More kinds of scalars than have a place in the tables.
    let wide = try PatternRegex(
      "^(?:"
        + (0..<40).map { "[\(Unicode.Scalar(0x3042 + $0) ?? "a")-\(Unicode.Scalar(0x3142 + $0) ?? "b")]" }
        .joined(separator: "|") + ")+$")
    for value in UInt32(0x3030)...0x3190 {
      let scalar = Unicode.Scalar(value) ?? "a"
      #expect(wide.search("\(scalar)\(scalar)") == ((0x3042...0x3169).contains(value) ? .found : .notFound), "\(value)")
    }
  }
}

extension RegexPartsTests {
  /// More kinds of scalars than are remembered: each is still told from all others.
  @Test func moreKindsOfScalarsThanAreRemembered() throws {
    let letters = (0..<1_040).compactMap { Unicode.Scalar(0x4E00 + $0) }
    let pieces = letters.enumerated().map { "\($0.element)\($0.offset % 10)" }
    let regex = try PatternRegex("^(?:\(pieces.joined(separator: "|")))+$")
    let budget = 1 << 40
    #expect(regex.search(pieces.joined(), budget: budget) == .found)
    for place in [0, 500, 997, 998, 999, 1_000, 1_001, 1_039] {
      #expect(regex.search(pieces[place] + pieces[1_039 - place], budget: budget) == .found)
      #expect(regex.search("\(letters[place])\((place + 1) % 10)", budget: budget) == .notFound)
    }
  }

  /// What has been worked out for a scalar, also as one of a kind that was known, takes no steps again.
  @Test func aScalarIsWorkedOutOnce() throws {
    let symbols = RegexSymbols(try Self.program("[ぁ-ん]+日"))
    var steps = 1_000
    for scalar in ["あ", "い", "日", "本", "あ", "い", "日", "本"] as [Unicode.Scalar] {
      _ = symbols.symbol(of: scalar, &steps)
    }
    let first = steps
    for scalar in ["本", "日", "い", "あ"] as [Unicode.Scalar] { _ = symbols.symbol(of: scalar, &steps) }
    #expect(first < 1_000 && steps == first)
    var again = 1_000
    let others = RegexSymbols(try Self.program("[ぁ-ん]+日"))
    for scalar in ["あ", "い", "日", "本"] as [Unicode.Scalar] { _ = others.symbol(of: scalar, &again) }
    #expect(again == first)
  }

  @Test func anEmptyExpressionIsFoundEverywhere() throws {
    for pattern in ["", "(?:)", "()", "a{0}", "|"] {
      for text in ["", "a", "\n"] { #expect(try PatternRegex(pattern).search(text) == .found) }
    }
    #expect(try PatternRegex("^$").search("") == .found && PatternRegex("\\b").search("") == .notFound)
  }
}
