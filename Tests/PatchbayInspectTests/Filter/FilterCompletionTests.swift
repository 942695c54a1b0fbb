import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// What is offered at the cursor of a filter.
@Suite(.bounded) struct FilterCompletionTests {
  private static func texts(_ text: String, cursor: Int? = nil, _ values: [String] = []) -> [String] {
    Filter.completions(text, cursor: cursor ?? text.count) { _ in values }.candidates.map(\.text)
  }

  private static let allKeys = FilterKey.allCases.map { $0.rawValue + ":" }

  /// Where the word begins that the cursor stands in or behind.
  @Test(arguments: [
    ("", 0, 0..<0), ("ho", 2, 0..<2), ("ho", 1, 0..<1), ("ho", 0, 0..<0), ("a ho", 4, 2..<4), ("a\tho", 4, 2..<4),
    ("(ho", 3, 1..<3), ("a)ho", 4, 2..<4), ("a|ho", 4, 2..<4), ("-ho", 3, 1..<3), ("!ho", 3, 1..<3), ("--ho", 4, 2..<4),
    ("a-ho", 4, 0..<4), ("a!ho", 4, 0..<4), ("a -ho", 5, 3..<5), ("\"a b\" ho", 8, 6..<8), ("ho", 99, 0..<2),
    ("ho", -1, 0..<0), ("a ", 2, 2..<2), ("\"\" ho", 5, 3..<5), ("\"a\\\" b\" ho", 10, 8..<10),
  ])
  func aWordBegins(_ text: String, _ cursor: Int, _ range: Range<Int>) {
    #expect(Filter.completions(text, cursor: cursor).range == range)
  }

  @Test func keysAreOfferedByTheirBeginnings() throws {
    #expect(Self.texts("") == Self.allKeys && Self.texts("(") == Self.allKeys && Self.texts("a -") == Self.allKeys)
    #expect(Self.texts("ST") == ["status:", "stub:"] && Self.texts("re") == ["reqbody:", "resbody:"])
    #expect(Self.texts("x") == [] && Self.texts("host") == ["host:"] && Self.texts("hosts") == [])
    #expect(Self.texts("\"") == [] && Self.texts("\"h") == [] && Self.texts("until") == [])
    let host = try #require(Filter.completions("hos", cursor: 3).candidates.first)
    #expect(host == .init(text: "host:", note: "host, or host:port"))
  }

  @Test(arguments: [
    ("marked:", ["yes", "no"], 7..<7), ("marked:n", ["no"], 7..<8), ("-MARKED:Y", ["yes"], 8..<9),
    ("run:", ["last"], 4..<4),
    ("since:", ["1m", "10m", "1h", "1d"], 6..<6), ("until:1", ["1m", "10m", "1h", "1d"], 6..<7),
    // Those that have it elsewhere come behind those that begin with it.
    ("method:T", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], 7..<8), ("by:co", ["code", "console"], 3..<5),
    ("by:e", ["network", "code", "person", "console", "cache"], 3..<4),
    ("status:4", ["4xx", ">=400"], 7..<8), ("is:red", ["redirected"], 3..<6), ("is:ed", Self.statesWithED, 3..<5),
    // Behind the last comma, where the key takes a list.
    ("by:stub,co", ["code", "console"], 8..<10), ("by:stub,", Self.answerers, 8..<8), ("marked:no,y", [], 7..<11),
    ("hots:a", [], 6..<6), ("id:", [], 3..<3), ("x:y:", [], 4..<4),
  ])
  func valuesAreOffered(_ text: String, _ values: [String], _ range: Range<Int>) {
    let completion = Filter.completions(text, cursor: text.count)
    #expect(completion == FilterCompletion(range: range, candidates: values.map { .init(text: $0) }))
  }

  private static let answerers = ["network", "stub", "code", "person", "console", "cache"]
  private static let statesWithED = [
    "failed", "redirected", "truncated", "ended", "responded", "cancelled", "abandoned", "observed", "stubbed",
    "replayed",
  ]

  @Test func knownValuesComeFirstAndOnce() {
    let known = ["b.example", "a b", "B.example", "b.example", "x,y", "say \"hi\"", ""]
    #expect(
      Self.texts("host:", known)
        == ["b.example", "\"a b\"", "B.example", "\"x,y\"", "\"say \\\"hi\\\"\"", "\"\""])
    #expect(Self.texts("host:b", known) == ["b.example", "B.example", "\"a b\""])
    #expect(Self.texts("host:\"a", known) == ["\"a b\"", "b.example", "B.example", "\"say \\\"hi\\\"\""])
    #expect(Self.texts("marked:", ["no", "maybe"]) == ["no", "maybe", "yes"])
    #expect(Filter.completions("host:a stub:", cursor: 12) { [$0.rawValue] }.candidates.map(\.text) == ["stub"])
  }

  @Test(arguments: [
    ("a", "a"), ("", "\"\""), ("a b", "\"a b\""), ("a\tb", "\"a\tb\""), ("(a", "\"(a\""), ("a)", "\"a)\""),
    ("a|b", "\"a|b\""),
    ("a,b", "\"a,b\""), ("a\"b", "\"a\\\"b\""), ("-a", "-a"), ("日本", "日本"), ("a:b", "a:b"),
  ])
  func isQuotedWhereItMustBe(_ value: String, _ quoted: String) throws {
    #expect(Filter.quotedIfNeeded(value) == quoted)
    #expect(try Filter(parsing: "note:\(quoted)").expression == .term(.text(.note, [FilterText(value)])))
  }
}
