import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Regular expressions at the edges of their limits, and the parts that run them one by one.
@Suite(.bounded) struct RegexEdgesTests {
  private static func program(_ pattern: String) throws -> RegexProgram {
    var parser = RegexParser(pattern)
    return try RegexProgram(try parser.parse())
  }

  private static func search(
    _ matcher: RegexMatcher, _ text: String, _ budget: Int = 10_000_000
  ) -> PatternRegex.Result {
    Array(text.utf8).withUnsafeBufferPointer { matcher.search($0, budget: budget) }
  }

  private static func nested(_ open: String, _ close: String, _ levels: Int) -> String {
    String(repeating: open, count: levels) + "b" + String(repeating: close, count: levels)
  }

  // MARK: Reading

  @Test(
    arguments: [
      ("\\p", "`\\p{}` is not supported; general categories such as L, Lu or Nd are", 3),
      (
        "\\p{AAAAAAAAAAAAAAAAAAAAA}",
        "`\\p{AAAAAAAAAAAAAAAAAAA…}` is not supported; general categories such as L, Lu or Nd are", 26
      ),
      ("\\x{41", "a `{` after a backslash is not closed", 6), ("\\u{", "a `{` after a backslash is not closed", 4),
      ("\\x{+41}", "`+41` is not the number of a character", 8), ("\\x+4", "`+4` is not the number of a character", 5),
      ("\\x{012345678901}", "`012345678901` is not the number of a character", 17),
      ("\\x{0123456789012}", "`01234567890…` is not the number of a character", 18),
      ("[&", "a `[` is not closed", 3), ("[\\", "a `\\` stands at the end", 2),
    ] as [(String, String, Int)])
  func whatEndsTooSoonIsSaidWithItsPlace(_ pattern: String, _ reason: String, _ place: Int) {
    let error = #expect(throws: StubError.self) { _ = try PatternRegex(pattern) }
    #expect(error?.message == "the regular expression cannot be used: \(reason) (character \(place))")
  }

  /// Only what lies in each other counts, however many stand beside each other.
  @Test func groupsBesideEachOtherAreNotDeep() throws {
    let many = String(repeating: "(a)", count: 60)
    let text = String(repeating: "a", count: 60)
    #expect(try PatternRegex(many).search(text) == .found)
    #expect(try PatternRegex(many + Self.nested("(", ")", 49)).search(text + "b") == .found)
    #expect(throws: StubError.self) { try PatternRegex(many + Self.nested("(", ")", 50)) }
    let sets = String(repeating: "[a]", count: 30)
    #expect(try PatternRegex("^[\(sets)\(Self.nested("[", "]", 19))]$").search("b") == .found)
    #expect(throws: StubError.self) { try PatternRegex("^[\(sets)\(Self.nested("[", "]", 20))]$") }
  }

  /// What is empty has no instructions that could be counted.
  @Test(arguments: ["(((){1000}){1000}){1000}", "(((?:){1000}){1000}){1000}x", "((){1000}|x){1000}"])
  func whatIsEmptyIsNotRepeated(_ pattern: String) throws {
    let regex = try PatternRegex(pattern)
    #expect(regex.search("x") == .found)
    #expect(!RegexSample.texts(pattern, length: 10).isEmpty)
  }

  @Test func aLastBackslashIsQuotedToo() throws {
    #expect(try PatternRegex("\\Qa\\").search("xa\\") == .found && PatternRegex("\\Qa\\").search("xa") == .notFound)
    #expect(try PatternRegex("^[a-a]$").search("a") == .found && PatternRegex("^[a-a]$").search("b") == .notFound)
  }

  @Test func theDotTakesAllButLineEnds() throws {
    let dot = try PatternRegex("^.\\z")
    let scalars: [UInt32] = [9, 10, 11, 12, 13, 14, 0x85, 0x2026, 0x2027, 0x2028, 0x2029, 0x202A]
    let taken = scalars.filter { value in Unicode.Scalar(value).map { dot.search(String($0)) == .found } ?? false }
    #expect(taken == [9, 11, 12, 14, 0x85, 0x2026, 0x2027, 0x202A])
  }

  @Test func theLastOfASCIIIsToldFromTheOthers() throws {
    let all = try PatternRegex("[^\\x7F]")
    #expect(all.search("\u{7F}") == .notFound && all.search("~") == .found && all.search("\u{80}") == .found)
    #expect(try PatternRegex("\\x7F").search("\u{7F}") == .found && PatternRegex("\\x7F").search("~") == .notFound)
    #expect(try PatternRegex("[^\\0]").search("\0") == .notFound && PatternRegex("[^\\0]").search("\u{1}") == .found)
    for (pattern, literals) in [("ab\u{7F}", ["ab\u{7F}"]), ("ab\u{80}", ["ab"])] {
      #expect(try Self.program(pattern).literals.map { String(decoding: $0, as: UTF8.self) } == literals)
      #expect(try PatternRegex(pattern).search("x" + pattern) == .found)
    }
  }

  @Test func anExpressionMayHaveTwentyThousandParts() throws {
    let largest = try PatternRegex("(?:a{999}){20}a{19}")
    #expect(largest.search("a") == .notFound)
    #expect(throws: StubError.self) { try PatternRegex("(?:a{999}){20}a{20}") }
  }

  @Test func aSampleIsCutWithinItsParts() {
    #expect(RegexSample.texts("a(?:bc){1000}", length: 1).map(\.count) == [2_000, 2_000, 2_000])
    #expect(RegexSample.texts("[^\\x00-\\x7E]", length: 1) == ["", "", ""])
  }

  // MARK: Prefilters

  /// The text may end where the memory does, and its run may stand anywhere.
  @Test func aRunIsLookedForInTheTextAlone() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let room = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(room, 2 * page) }
    #expect(mprotect(room + page, page, PROT_NONE) == 0)
    let filter = try #require(RegexPrefilter([Array("ab".utf8)]))
    for length in 2...40 {
      let start = (room + (page - length)).assumingMemoryBound(to: UInt8.self)
      let text = UnsafeMutableBufferPointer(start: start, count: length)
      var wrong: [Int] = []
      for place in 0...(length - 2) {
        text.update(repeating: 0x78)
        text[place] = 0x61
        text[place + 1] = 0x42
        let whole = UnsafeBufferPointer(text)
        let found = [0, place, place + 1].map { filter.place(in: whole, from: $0) }
        if found != [place, place, nil] { wrong.append(place) }
      }
      #expect(wrong == [], "of \(length)")
    }
  }

  // MARK: Scalars beyond ASCII

  /// Each new kind of scalar has a place in the tables while there is room; after that the threads are run.
  @Test func kindsWithoutAPlaceAreFoundByThreads() throws {
    let program = try Self.program("[é☃本★][à☂本★]")
    #expect(try RegexSymbols(program).limit == 9 && RegexSymbols(Self.program("a")).limit == 8)
    let forty = String(decoding: (0..<40).map { UInt16(0x4E00 + $0) }, as: UTF16.self)
    #expect(try RegexSymbols(Self.program(forty)).limit == 67)
    let matcher = RegexMatcher(program)
    for text in ["é", "☃", "à", "☂", "本", "★", "é☃"] { #expect(Self.search(matcher, text) == .notFound) }
    #expect(Self.search(matcher, "é★") == .found && !matcher.runsThreads)
    #expect(Self.search(matcher, "öé★") == .found && matcher.runsThreads)
    #expect(Self.search(matcher, "…ö") == .notFound && Self.search(matcher, "…本★") == .found)
  }

  @Test func moreSetsThanTwoWordsHold() throws {
    let letters = (0..<129).compactMap { Unicode.Scalar(0x4E00 + $0) }.map { String($0) }
    let regex = try PatternRegex("^" + letters.joined() + "$")
    #expect(regex.search(letters.joined()) == .found)
    #expect(regex.search(letters.dropLast().joined() + letters[0]) == .notFound)
  }

  /// Two scalars that are in the same sets differ where one is of a word.
  @Test(arguments: [["…", "é"], ["é", "…"]]) func wordsEndAtSignsBeyondASCII(_ order: [String]) throws {
    let regex = try PatternRegex("\\bx")
    for sign in order { #expect(regex.search(sign + "x") == (sign == "é" ? .notFound : .found)) }
  }

  /// A new scalar costs four steps for each set, whatever its kind; one that was met costs none.
  @Test func aNewScalarCostsStepsForEachSet() throws {
    let symbols = RegexSymbols(try Self.program("[ぁ-ん]日*"))
    var steps = 100
    var left: [Int] = []
    for scalar in ["あ", "い", "あ", "日", "日"] as [Unicode.Scalar] {
      _ = symbols.symbol(of: scalar, &steps)
      left.append(steps)
    }
    #expect(left == [92, 84, 84, 76, 76])
  }

  // MARK: States and threads

  @Test func threadsStandInRisingOrder() throws {
    let threads = RegexThreads(try Self.program("abcdef"))
    for kernel in [[], [4], [2, 1], [5, 1, 3]] as [[Int32]] {
      threads.load(kernel[...])
      #expect(Array(threads.kernel) == kernel)
      #expect(Array(threads.sortedKernel()) == kernel.sorted())
    }
  }

  private static func number(
    _ states: RegexStates, _ kernel: [Int32], _ before: RegexSymbols.Before = .other
  ) -> Int? {
    kernel.withUnsafeBufferPointer { states.number(of: $0, before) }
  }

  @Test func aTableOfStatesHasItsRoomAndIsEmptied() {
    let states = RegexStates(stride: 1_024)
    for place in 0..<64 { #expect(Self.number(states, [Int32(place)]) == place * 1_024) }
    #expect(states.count == 64)
    #expect(Self.number(states, [64]) == nil && Self.number(states, [63], .word) == nil)
    #expect(Self.number(states, [63]) == 63 * 1_024 && Array(states.kernel(63 * 1_024)) == [63])
    states.table[3] = 7
    states.table[65_535] = 7
    // There is no room for the state at the start of a text, which must have one.
    let start = [Int32]().withUnsafeBufferPointer { states.start($0) }
    #expect(start == 0 && states.count == 1 && states.before(0) == .textStart && states.kernel(0).isEmpty)
    #expect(states.table[3] == RegexStates.unknown && states.table[65_535] == RegexStates.unknown)
    #expect(Self.number(states, [63]) == 1_024 && states.before(1_024) == .other)
  }

  @Test func aTableOfStatesHoldsSoManyThreads() {
    let first = RegexStates(stride: 1)
    #expect(Self.number(first, [Int32](repeating: 0, count: 65_537)) == 0, "one state there is always")
    #expect(Self.number(first, []) == nil && first.count == 1)
    let states = RegexStates(stride: 1)
    let half = [Int32](repeating: 1, count: 32_768)
    #expect(Self.number(states, half) == 0 && Self.number(states, half, .word) == 1)
    #expect(Self.number(states, [1]) == nil && Self.number(states, [], .word) == 2)
  }

  /// Once the states are too many they are forgotten, where many bytes had gone by; soon after that they are given up.
  @Test func statesAreForgottenOnceAndThenGivenUp() throws {
    let matcher = RegexMatcher(try Self.program("a[ab]{12}c"))
    var generator = SeededGenerator(3)
    func letters(_ count: Int) -> String {
      String(decoding: (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &generator) }, as: UTF8.self)
    }
    #expect(Self.search(matcher, String(repeating: "b", count: 50_000)) == .notFound)
    #expect(Self.search(matcher, letters(10_000)) == .notFound && !matcher.runsThreads)
    #expect(Self.search(matcher, letters(8_000)) == .notFound && matcher.runsThreads)
  }

  // MARK: Budgets

  /// The smallest budget that is not spent.
  private static func least(_ pattern: String, _ text: String, runsThreads: Bool = false) throws -> Int? {
    let program = try Self.program(pattern)
    return (0...50).first { Self.search(RegexMatcher(program, runsThreads: runsThreads), text, $0) != .overBudget }
  }

  @Test func eachPlaceOfAThreadCostsAStep() throws {
    #expect(try Self.least("a", "b") == 2)
    #expect(try Self.least("a[bc]", "ax") == 4 && Self.least("a[bc]", "ax", runsThreads: true) == 4)
    // Bytes with which no match begins are passed over.
    #expect(try Self.least("a[bc]", String(repeating: "x", count: 1_000), runsThreads: true) == 0)
  }

  /// What one search has learned the next one knows.
  @Test func aSearchIsWarmAfterTheFirst() throws {
    let regex = try PatternRegex("a[bc]")
    #expect(regex.search("ax", budget: 0) == .overBudget)
    #expect(regex.search("ax") == .notFound && regex.search("ax", budget: 0) == .notFound)
    #expect(regex.search("axab") == .found && regex.search("axab", budget: 0) == .found)
  }

  @Test func stepsOfGroupsAreCountedByTheirNumber() throws {
    func least(_ pattern: String) throws -> Int? {
      let groups = try PatternRegex(pattern).groups
      return (1...100).first { groups.match([0x61], budget: $0) != nil }
    }
    #expect(try least("(a)") == 10 && least("(a)()()") == 27)
  }

  // MARK: Groups

  /// With its groups an expression may become larger than it is for a search; then nothing is told of them.
  @Test(
    arguments: [
      ("b|(?:a{1000}){15}", "b", "b"), ("b|(?:(a){1000}){8}", "b", nil), ("(?:(b?){1000}){8}", "", nil),
    ] as [(String, String, String?)])
  func groupsOfTooLargeAnExpressionAreNotTold(_ pattern: String, _ text: String, _ took: String?) throws {
    let regex = try PatternRegex(pattern)
    #expect(regex.search(text) == .found)
    #expect(regex.groups.match(Array(text.utf8))?["0"] == took)
  }

  /// They are told where a search finds something, and nowhere else.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func groupsAreToldWhereASearchFinds(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let atoms = [
      "a", "b", "(a|b)", "^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "(?m)", "b*", "(ab)+", "\\n", "\\r", "\\r?", "x|",
      "é", ".",
    ]
    let pieces = ["a", "b", "ab", "\n", "\r", "\r\n", " ", "é", "…"]
    var found = 0
    for _ in 0..<150 {
      let pattern = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        atoms.randomElement(using: &random) ?? ""
      }.joined()
      guard let regex = try? PatternRegex(pattern) else { continue }
      for _ in 0..<3 {
        let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }.joined()
        let isFound = regex.search(text) == .found
        #expect((regex.groups.match(Array(text.utf8)) != nil) == isFound, "/\(pattern)/ on \(text.debugDescription)")
        if isFound { found += 1 }
      }
    }
    #expect(found > 20)
  }
}
