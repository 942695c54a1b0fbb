import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Filters as trees: how they are read, what they say where a part cannot be said, and how they are joined.
@Suite(.bounded) struct FilterTreeTests {
  private static func word(_ text: String) -> FilterExpression {
    .term(.text(.url, (try? FilterText(text)).map { [$0] } ?? []))
  }

  private static let (a, b, c, d) = (word("a"), word("b"), word("c"), word("d"))

  @Test(
    arguments: [
      ("", .and([])), ("  ", .and([])), ("a", a), ("a b", .and([a, b])), ("a|b", .or([a, b])),
      ("a | b | c", .or([a, b, c])),
      ("a b | c d", .or([.and([a, b]), .and([c, d])])), ("(a | b) c", .and([.or([a, b]), c])), ("((a))", a),
      ("-a", .not(a)), ("!a", .not(a)), ("--a", a), ("-!-a", .not(a)), ("- a", .not(a)),
      ("-(a b)", .not(.and([a, b]))),
      ("-a b", .and([.not(a), b])), ("a -b", .and([a, .not(b)])), ("-(a)|b", .or([.not(a), b])),
      ("(a)(b)", .and([a, b])),
      ("\"a\"b", word("ab")), ("a(b)c", word("a(b)c")), ("(a(b)c)", word("a(b)c")), ("a-b", word("a-b")),
      ("\"-a\"", word("-a")), ("\"a|b\"", word("a|b")), ("a\tb\nc", .and([a, b, c])), ("http://x", word("http://x")),
      ("localhost:80", word("localhost:80")), ("x-y:z", word("x-y:z")), ("1:2", word("1:2")), (":a", word(":a")),
      ("é:a", word("é:a")), ("host", word("host")),
    ] as [(String, FilterExpression)])
  func isReadAsATree(_ text: String, _ tree: FilterExpression) throws {
    let filter = try Filter(parsing: text)
    #expect(filter.expression == tree)
    #expect(filter.text == text && filter.description == text && filter.isEmpty == (tree == .and([])))
  }

  @Test(arguments: [
    ("(a", 0..<1, "this parenthesis is not closed"), ("a (b (c", 5..<6, "this parenthesis is not closed"),
    ("a)", 1..<2, "this parenthesis closes nothing"), ("(a))", 3..<4, "this parenthesis closes nothing"),
    (")", 0..<1, "something to look for is missing here"), ("a | ", 4..<4, "something to look for is missing here"),
    ("(a | )", 5..<6, "something to look for is missing here"), ("|", 0..<1, "something to look for is missing here"),
    ("a -", 2..<3, "\"not\" needs something to negate"), ("-|a", 0..<1, "\"not\" needs something to negate"),
    ("(-)", 1..<2, "\"not\" needs something to negate"), ("--", 1..<2, "\"not\" needs something to negate"),
    ("a \"b", 2..<4, "this quote is not closed"), ("a\"b\\\"", 1..<5, "this quote is not closed"),
    ("\"", 0..<1, "this quote is not closed"),
  ])
  func whatDoesNotCloseIsNamed(_ text: String, _ range: Range<Int>, _ message: String) {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: text) }
    #expect(error == FilterError(message, at: range))
    #expect(
      error?.description == "The filter cannot be read at column \(range.lowerBound + 1): \(message)")
  }

  @Test func groupsNestUpTo64Deep() throws {
    for (depth, fits) in [(64, true), (65, false)] {
      let text = String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
      if fits {
        #expect(try Filter(parsing: text).expression == Self.a)
      } else {
        let error = #expect(throws: FilterError.self) { try Filter(parsing: text) }
        #expect(error == FilterError("groups are nested too deeply", at: 64..<65))
      }
    }
    // Beside one another they are not within one another.
    _ = try Filter(parsing: String(repeating: "(a)", count: 100))
  }

  @Test func aSuggestionIsPartOfTheSentence() {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: "a hots:b") }
    #expect(error == FilterError("unknown key \"hots\"", at: 2..<6, suggestion: "host"))
    #expect(
      error?.description == "The filter cannot be read at column 3: unknown key \"hots\"; did you mean \"host\"?")
    let unlike = #expect(throws: FilterError.self) { try Filter(parsing: "qqqqqqqq:b") }
    #expect(unlike == FilterError("unknown key \"qqqqqqqq\"", at: 0..<8))
  }

  /// `a` holds, `b` does not, of `c` nothing can be said.
  @Test(
    arguments: [
      ("a", true), ("b", false), ("c", nil), ("-a", false), ("-b", true), ("-c", nil), ("a a", true), ("a b", false),
      ("c b", false), ("b c", false), ("a c", nil), ("c a", nil), ("c c", nil), ("a|b", true), ("b|b", false),
      ("c|a", true),
      ("a|c", true), ("b|c", nil), ("c|b", nil), ("-(c b)", true), ("-(c|a)", false), ("(c|a) (c|b)", nil), ("", true),
      ("b|c|a", true), ("c a b", false),
    ] as [(String, Bool?)])
  func whatCannotBeSaidLeavesOpenOnlyWhatDependsOnIt(_ text: String, _ expected: Bool?) throws {
    let said = try Filter(parsing: text).expression.evaluated { term in
      switch FilterExpression.term(term) {
      case Self.a: true
      case Self.b: false
      default: nil
      }
    }
    #expect(said == expected)
  }

  @Test(arguments: [
    ("a", true), ("b", false), ("-a", true), ("b a", true), ("b c", false), ("b|-(c a)", true), ("", false),
  ])
  func isLookedThroughForATerm(_ text: String, _ expected: Bool) throws {
    #expect(try Filter(parsing: text).expression.contains { .term($0) == Self.a } == expected)
  }

  @Test(arguments: [
    ("", "x", "x", "x"), ("   ", "x", "x", "x"), ("a", "x", "a x", "x a"), ("a b", "x", "a b x", "x a b"),
    ("a | b", "x", "(a | b) x", "x (a | b)"), ("(a | b)", "x", "((a | b)) x", "x ((a | b))"),
    ("a | b c", "-x", "(a | b c) -x", "-x (a | b c)"), ("-(a | b)", "x", "-(a | b) x", "x -(a | b)"),
    // What cannot be read is not taken along.
    ("(a", "x", "x", "x"),
  ])
  func oneMoreConditionIsJoined(_ text: String, _ term: String, _ behind: String, _ before: String) throws {
    #expect(Filter.text(text, and: term) == behind)
    #expect(Filter.text(text, and: term, isFirst: true) == before)
    _ = try Filter(parsing: behind)
  }

  @Test(arguments: [
    ("", "run:last"), ("(", "run:last"), ("a", "run:last a"), ("a | b", "run:last (a | b)"), ("run:2", "run:2"),
    ("a | -(run:last b)", "a | -(run:last b)"), ("tag:run", "run:last tag:run"), ("\"run:2\"", "run:last \"run:2\""),
  ])
  func aFilterIsOfTheLastRunUnlessItSpeaksOfRuns(_ text: String, _ expected: String) {
    #expect(Filter.ofLastRun(and: text) == expected)
  }

  @Test func everythingFitsAndNeedsNothing() {
    #expect(Filter.everything.isEmpty && Filter.everything.text.isEmpty && !Filter.everything.needsBodies)
    #expect(Filter.everything.matches(.sample()) && Filter.everything.matches(Exchange.sample().summary) == true)
    #expect(Filter.lastRun == "run:last")
  }
}
