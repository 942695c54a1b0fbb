import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct StubSchemaTests {
  @Test func roundTrips() throws {
    var random = RandomStubs(1)
    for number in 0..<500 {
      let stub = random.stub("stub \(number)")
      let text = stub.json.compact
      let back = try Stub(json: JSONValue(parsing: text))
      #expect(back == stub, "\(text)")
      if back != stub { break }
    }
  }

  private func mistakes(_ json: String) throws -> [String] {
    StubSchema.document(try DocumentNode(parsingJSON: Array(json.utf8))).mistakes.map(\.description)
  }

  @Test(arguments: [
    #"{"name":"a","them":{"hold":"request"}}"#, #"{"nam":"a","then":{"hold":"request"}}"#,
    #"{"name":"a","then":{"respond":{"delay":{"form":"1s","to":"2s"}}}}"#,
    #"{"name":"a","then":{"respond":{"dribble":{"pices":3,"over":"1s"}}}}"#,
    #"{"name":"a","then":{"respond":{"events":[{"dtaa":"x"}]}}}"#,
    #"{"name":"a","then":{"pass":{"response":{"replace":{"fnid":"x","with":"y"}}}}}"#,
    #"{"name":"a","then":{"fail":{"eror":"timedOut"}}}"#, #"{"name":"a","then":{"respnd":{}}}"#,
    #"{"name":"a","when":{"path":{"mathces":"x"}},"then":{"hold":"request"}}"#,
    #"{"name":"a","scenario":{"nam":"x","in":"y"},"then":{"hold":"request"}}"#,
    #"{"name":"a","scenario":{"name":"x","inn":"y"},"then":{"hold":"request"}}"#,
  ])
  func aMisspeltKeyIsOneMistake(_ stub: String) throws {
    let found = try mistakes(#"{"patchbay":1,"stubs":[\#(stub)]}"#)
    #expect(found.count == 1 && found[0].contains("unknown key `"), "\(found)")
  }

  @Test func saysAllMistakesWithTheirPlaces() throws {
    let found = try mistakes(
      """
      { "patchbay": 1,
        "stubs": [
          { "name": "a", "then": { "respnd": { "status": 200 } } },
          { "name": "b", "then": { "respond": { "status": 999, "headers": { "A B": "x" } } } },
          { "name": "c", "enabled": "yes", "then": { "fail": "timeOut" } },
          { "name": "d", "when": { "path": { "matches": "(" } }, "then": { "pass": { "delay": "3 weeks" } } },
          { "name": "e", "then": { "respond": { "body": "{{request.qery.id}}" } } },
          { "name": "a", "then": { "hold": "request" } },
          { "name": "e", "then": { "sequence": [] } },
          { "then": { "hold": "request" }, "chance": 2 }
        ] }
      """)
    #expect(found.count == 13, "\(found)")
    #expect(found.first { $0.hasPrefix("3:30: unknown key `respnd`") }?.contains("did you mean `respond`?") == true)
    #expect(found.contains { $0.hasPrefix("4:53: `status` must be a whole number, 100 to 599, not the number 999") })
    #expect(found.contains { $0.contains("`A B` is no name of a header") })
    #expect(found.contains { $0.contains("`timeOut` is neither") && $0.contains("did you mean `timedOut`?") })
    #expect(found.contains { $0.hasPrefix("6:51: the regular expression cannot be used: a `(` is not closed") })
    #expect(found.contains { $0.contains("`delay` must be a duration such as 300ms") })
    #expect(found.contains { $0.contains("`{{request.qery.id}}` is not known; did you mean `request.query.NAME`?") })
    #expect(found.contains { $0.contains("`sequence` must be a list") })
    #expect(found.contains { $0.contains("needs a `name`") })
  }

  @Test func namesMustBeUnique() throws {
    let found = try mistakes(
      #"{"patchbay":1,"stubs":[{"name":"a","then":{"hold":"both"}},{"name":"a","then":{"hold":"both"}}]}"#)
    #expect(found == ["1:68: the name `a` is taken by another stub (line 1)"])
  }

  @Test func wantsAVersion() throws {
    #expect(try mistakes(#"{"stubs":[]}"#) == ["1:1: the first line must be `patchbay: 1`"])
    #expect(try mistakes(#"{"patchbay":2}"#) == ["1:13: this Patchbay reads version 1 of stub files, not the number 2"])
    #expect(try mistakes(#"{"patchbay":1}"#) == [])
  }

  @Test(arguments: [
    ("300ms", Duration.milliseconds(300)), ("2s", .seconds(2)), ("1.5s", .milliseconds(1_500)), ("1m30s", .seconds(90)),
    ("1 h", .seconds(3_600)), ("2d", .seconds(172_800)), ("0.25ms", .microseconds(250)), ("0s", .zero),
  ])
  func durations(_ text: String, _ expected: Duration) {
    #expect(DurationText.parse(text) == expected)
    #expect(DurationText.parse(DurationText.print(expected)) == expected)
  }

  @Test(arguments: ["", "5", "ms", "-1s", "1x", "1.s", "9999999999999999999999s", "1001d", "1e3s", "٣s"])
  func noDurations(_ text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test(arguments: [
    ("20kB", 20_000), ("1KiB", 1_024), ("5 MiB", 5 << 20), ("7", 7), ("1.5kB", 1_500), ("2GB", 2_000_000_000),
    ("0B", 0),
  ])
  func sizes(_ text: String, _ expected: Int) {
    #expect(SizeText.parse(text) == expected)
    #expect(SizeText.parse(SizeText.print(expected)) == expected)
  }

  @Test(arguments: ["", "kB", "-1B", "1.5B", "1 XB", "99999999999999999999GB"])
  func noSizes(_ text: String) {
    #expect(SizeText.parse(text) == nil)
  }

  /// Each stub with the files of its own bodies, the document with all, those of stubs with mistakes too.
  @Test func filesAreThoseOfTheirStub() throws {
    let text = """
      {"patchbay":1,"stubs":[
      {"name":"a","then":{"sequence":[{"respond":{"file":"one"}},{"respond":{"folder":"two"}}]}},
      {"name":"b","then":{"pass":{"request":{"file":"three"}}}},
      {"name":"c","then":{"respond":{"file":"four"}},"skip":-1},
      {"name":"d","then":{"hold":"both"}},
      {"name":"e","then":{"fail":{"error":"timedOut","after":{"file":"five"}}}}]}
      """
    let document = StubSchema.document(try DocumentNode(parsingJSON: Array(text.utf8)))
    #expect(document.stubs.map { $0.files.map(\.path) } == [["one", "two"], ["three"], [], ["five"]])
    #expect(document.files.map(\.path) == ["one", "two", "three", "four", "five"])
    #expect(document.files.map(\.isFolder) == [false, true, false, false, false])
    #expect(document.mistakes.count == 1 && document.stubs.map(\.stub.name) == ["a", "b", "d", "e"])
  }

  /// Code is no action of a file, nor of a stub that somebody types; a program that declares it says so.
  @Test func codeStandsOnlyWhereItIsAllowed() throws {
    let node = try DocumentNode(parsingJSON: Array(#"{"name":"a","then":{"code":{}}}"#.utf8))
    #expect(throws: StubError.self) { try StubSchema.stub(node) }
    #expect(try StubSchema.stub(node, allowsCode: true) == Stub(name: "a", then: .code))
  }
}
