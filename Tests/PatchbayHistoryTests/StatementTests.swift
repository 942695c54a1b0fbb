import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// Statements without GRDB's boxes.
@Suite(.bounded) struct RawStatementTests {
  private let database: HistoryDatabase

  init() throws {
    database = try HistoryDatabase()
    try database.write { try $0.execute(sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") }
  }

  @Test func aStepThatFailedLeavesTheStatementReady() throws {
    try database.write { database in
      let add = try RawStatement(database, "INSERT INTO thing (name) VALUES (?) RETURNING id")
      add.bind(1, "a")
      #expect(try add.step())
      add.reset()
      add.bind(1, "a")
      #expect(throws: DatabaseError.self) { try add.step() }
      add.bind(1, "b")
      #expect(try add.step())
      add.reset()
      #expect(try String.fetchAll(database, sql: "SELECT name FROM thing ORDER BY id") == ["a", "b"])
    }
  }

  @Test func aRunThatFailedLeavesTheStatementReady() throws {
    try database.write { database in
      let add = try RawStatement(database, "INSERT INTO thing (name) VALUES (?)", isLongLived: true)
      add.bind(1, "a")
      try add.run()
      #expect(throws: DatabaseError.self) { try add.run() }
      add.bind(1, "b")
      try add.run()
      #expect(try String.fetchAll(database, sql: "SELECT name FROM thing ORDER BY id") == ["a", "b"])
    }
  }

  @Test func whatIsNothingAndWhatIsEmptyAreToldApart() throws {
    try database.readNow { database in
      let row = try RawStatement(database, "SELECT NULL, '', x'', 7, 'ö', x'00ff', 0")
      #expect(try row.step())
      #expect(row.optionalInt(0) == nil && row.optionalInt(3) == 7 && row.optionalInt(6) == 0 && row.int(0) == 0)
      #expect(row.optionalText(0) == nil && row.optionalText(1) == "" && row.optionalText(4) == "ö")
      #expect(row.text(0) == "" && row.text(4) == "ö")
      #expect(row.data(0) == nil && row.data(2) == Data() && row.data(5) == Data([0, 255]))
      #expect(row.bytes(0).isEmpty && row.bytes(2).isEmpty && Array(row.bytes(5)) == [0, 255])
      #expect(try !row.step())
    }
  }

  @Test func emptyTextsAndBytesAreBoundAsThemselves() throws {
    try database.readNow { database in
      let types = try RawStatement(database, "SELECT typeof(?), typeof(?), typeof(?)")
      types.bind(1, "")
      types.bind(2, "x")
      types.bind(3, Int64(3))
      types.bind(2, nil as String?)
      types.bind(3, nil as Int64?)
      #expect(try types.step())
      #expect([types.text(0), types.text(1), types.text(2)] == ["text", "null", "null"])
    }
  }

  /// One that the connection keeps begins anew, with nothing bound.
  @Test func oneThatWasGivenBackRemembersNothing() throws {
    try database.readNow { database in
      let sql = "SELECT ? + 1 UNION ALL SELECT 9"
      let first = try RawStatement(keptBy: database, sql)
      first.bind(1, Int64(4))
      #expect(try first.step() && first.int(0) == 5)
      first.finish()
      let second = try RawStatement(keptBy: database, sql)
      #expect(try second.step() && second.optionalInt(0) == nil)
      #expect(try second.step() && second.int(0) == 9)
    }
  }

  @Test(arguments: [false, true]) func oneThatIsFinishedAnswersWithAnError(_ isKept: Bool) throws {
    try database.readNow { database in
      let statement = try isKept ? RawStatement(keptBy: database, "SELECT 1") : RawStatement(database, "SELECT 1")
      statement.finish()
      statement.finish()
      #expect(throws: DatabaseError.self) { try statement.step() }
      #expect(throws: DatabaseError.self) { try statement.run() }
    }
  }
}

/// The filter's patterns as SQL functions: 0 or 1, never NULL.
@Suite(.bounded) struct FilterFunctionTests {
  @Test(
    arguments: [
      ("filter_text(?, 'bab')", 1), ("filter_text(?, 'b')", 0), ("filter_text(?, NULL)", 0),
      ("filter_words(?, 'b a')", 1), ("filter_words(?, '')", 0), ("filter_words(?, NULL)", 0),
      ("filter_operation(?, '/b#a')", 1), ("filter_operation(?, '/a#b')", 0), ("filter_operation(?, '/a')", 0),
      ("filter_operation(?, NULL)", 0), ("filter_url(?, 'http://a/')", 1), ("filter_url(?, NULL)", 0),
      ("filter_host(?, 'a:80')", 1), ("filter_host(?, 'b')", 0), ("filter_host(?, NULL)", 0),
      // A header field of the request, of the response, and no more than where a redirect led.
      ("filter_headers(?, x'01010104613A206200')", 1), ("filter_headers(?, x'0100010104613A2062')", 1),
      ("filter_headers(?, x'01010104623A206200')", 0), ("filter_headers(?, x'0100000161')", 0),
      ("filter_headers(?, NULL)", 0), ("filter_body(?, 0, 'a')", 1), ("filter_body(?, 0, x'62')", 0),
      ("filter_body(?, 255, 'a')", 1), ("filter_body(?, 0, x'')", 0), ("filter_body(?, 0, NULL)", 0),
    ] as [(String, Int64)])
  func sayYesOrNo(_ call: String, _ expected: Int64) throws {
    let function = FilterFunction(.url, [try FilterText("a")])
    let found = try HistoryDatabase().readNow { database -> Int64? in
      let statement = try RawStatement(database, "SELECT " + call)
      statement.bind(1, function)
      return try statement.step() ? statement.optionalInt(0) : nil
    }
    withExtendedLifetime(function) {}
    #expect(found == expected)
  }

  /// As when somebody calls them by hand.
  @Test(arguments: [
    "filter_text('a', 'a')", "filter_words('a', 'a')", "filter_operation('a', '#a')", "filter_url('a', 'a')",
    "filter_host('a', 'a')", "filter_headers('a', 'a')", "filter_body('a', 0, 'a')",
  ])
  func sayNoWithoutPatterns(_ call: String) throws {
    let found = try HistoryDatabase().readNow { try Int.fetchOne($0, sql: "SELECT " + call) }
    #expect(found == 0)
  }
}
