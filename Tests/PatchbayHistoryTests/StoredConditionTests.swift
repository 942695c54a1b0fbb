import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// A filter in terms of the columns, before it is asked.
@Suite(.bounded) struct StoredConditionTests {
  @Test func bodiesAndWhatIsTooManyAreNotInSegments() throws {
    let patterns = [try FilterText("x")]
    let body = StoredCondition.body(.request, patterns)
    let set = StoredCondition.isSet(.stub)
    let known: [StoredCondition] = [
      .within(.status, [1...2]), set, .hasBits(.flags, 1), .digits(.pid, patterns), .url(.path, patterns),
      .text(.stub, SharedTexts(function: "f", patterns: [], ids: [])), .header(patterns), .marked([]),
      .remarked(.tag, patterns, [7]), .not(set), .all([]), .all([body, set]), .any([]), .any([set, .marked([])]),
    ]
    let unknown: [StoredCondition] = [
      body, .body(.response, patterns), .marked(nil), .remarked(.note, patterns, nil), .not(body), .all([body]),
      .any([set, body]), .all([body, .marked(nil)]),
    ]
    for condition in known { #expect(condition.isKnownToSegments, "\(condition)") }
    for condition in unknown { #expect(!condition.isKnownToSegments, "\(condition)") }
  }

  /// Numbers and shared texts, numbers as text, URLs, headers, bodies; what costs the same stays in its order.
  @Test(
    arguments: [
      (
        "reqbody:b header:h path:/p process:1 status:200 run:9",
        ["status", "", "process|pid", "path", "header", "request"]
      ),
      (
        "-reqbody:b (resbody:c | header:h) body:d path:/a -path:/b query:q",
        ["path", "-path", "query", "-request", "header|response", "response|request"]
      ),
    ] as [(String, [String])])
  func whatIsCheapToSayStandsFirst(_ text: String, _ expected: [String]) throws {
    let filter = try Filter(parsing: text)
    let condition = try HistoryDatabase().readNow {
      try StoredCondition(filter, now: Timestamp.now, TextLookup($0, session: 0))
    }
    guard case .all(let parts) = condition else {
      Issue.record("\(condition)")
      return
    }
    #expect(parts.map { Self.name($0) } == expected)
  }

  private static func name(_ condition: StoredCondition) -> String {
    switch condition {
    case .within(let column, _): "\(column)"
    case .text(let column, _): "\(column)"
    case .digits(let column, _): "\(column)"
    case .url(let field, _): "\(field)"
    case .header: "header"
    case .body(let side, _): "\(side)"
    case .not(let inner): "-" + name(inner)
    case .any(let inner): inner.map { name($0) }.joined(separator: "|")
    default: "other"
    }
  }

  /// Up to 100,000 are carried about; where there are more, each row is asked.
  @Test func marksAndRemarksAreKnownUnlessTheyAreTooMany() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...9).map { .sample(id: $0) })
    try await store.buildSegments()
    _ = try await store.apply(.mark([3, 5]))
    _ = try await store.apply(.remark([4: Remark(tags: ["x", "y"]), 6: Remark(note: "x"), 7: Remark(tags: ["yx"])]))
    let exactly = [try FilterText("x*")]
    func marked() throws -> [Int64]? { try store.database.readNow { try TextLookup($0, session: 0).marked() } }
    func remarked(_ field: FilterField) throws -> [Int64]? {
      try store.database.readNow { try TextLookup($0, session: 0).remarked(field, exactly) }
    }
    #expect(try marked() == [3, 5])
    #expect(try remarked(.tag) == [4])
    #expect(try remarked(.note) == [6])
    try store.database.write {
      try $0.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 100098)
          INSERT INTO mark SELECT i FROM n
          """)
    }
    #expect(try marked()?.count == 100_000)
    _ = try await store.apply(.mark([8]))
    #expect(try marked() == nil)
    for (text, expected) in [("marked:yes", [8, 5, 3]), ("marked:no", [9, 7, 6, 4, 2, 1])] as [(String, [Int64])] {
      var found: [Int64] = []
      for try await batch in store.search(try Filter(parsing: text)) { found += batch.ids }
      #expect(found == expected, "\(text)")
    }
    await store.close()
  }
}
