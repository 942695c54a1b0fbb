import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// Each member of a line, and what becomes of it when it is read.
@Suite(.bounded) struct JSONLinesMemberTests {
  private typealias Change = @Sendable (inout Exchange) -> Void

  private static func bare(_ change: Change = { _ in }) -> Exchange {
    var exchange = Exchange(
      id: 0, process: HarnessProcess(name: "", pid: 0), startedAt: Timestamp(microseconds: 0),
      request: RecordedRequest(method: "GET", url: "u"))
    change(&exchange)
    return exchange
  }

  private static func answered(_ change: Change = { _ in }) -> Exchange {
    bare {
      $0.response = RecordedResponse(status: 200)
      change(&$0)
    }
  }

  private static let members: [(String, Exchange)] = [
    ("", bare()), (#""id":7"#, bare { $0.id = 7 }), (#""id":"7""#, bare()), (#""id":-3"#, bare { $0.id = -3 }),
    (#""process":{"name":"app","pid":9}"#, bare { $0.process = HarnessProcess(name: "app", pid: 9) }),
    (#""process":{"pid":99999999999}"#, bare { $0.process = HarnessProcess(name: "", pid: .max) }),
    (#""process":"app 9""#, bare()), (#""method":"PUT""#, bare { $0.request.method = "PUT" }), (#""method":7"#, bare()),
    (
      #""startedAt":"2026-01-31T12:30:00.007Z""#, bare { $0.startedAt = Timestamp(microseconds: 1_769_862_600_007_000) }
    ),
    // What is a duration elsewhere is no moment here.
    (#""startedAt":"10m""#, bare()), (#""startedAt":"x""#, bare()), (#""startedAt":7"#, bare()),
    (
      #""requestHeaders":[["A","1"],["B"],["C","2","3"],["D",4],[5,"x"],"E",["A",""]]"#,
      bare { $0.request.headers = [HeaderField("A", "1"), HeaderField("A", "")] }
    ),
    (#""requestHeaders":{"A":"1"}"#, bare()), (#""requestBody":"ö""#, bare { $0.request.body = Data("ö".utf8) }),
    (#""requestBody":"""#, bare { $0.request.body = Data() }), (#""requestBody":null"#, bare()),
    (#""requestBody":7"#, bare()),
    (#""requestBody":{"base64":"AP8="}"#, bare { $0.request.body = Data([0, 255]) }),
    (#""requestTruncated":true"#, bare { $0.request.truncated = true }), (#""requestTruncated":1"#, bare()),
    (#""by":"person""#, bare { $0.by = .person }), (#""by":"nobody""#, bare()),
    (#""stub":"x""#, bare { $0.stub = "x" }),
    (
      #""outcome":"failed""#,
      bare {
        $0.outcome = .failed
        $0.phase = .ended
      }
    ),
    (#""outcome":"odd""#, bare()), (#""observed":true"#, bare { $0.phase = .ended }), (#""observed":false"#, bare()),
    (#""status":200"#, answered()), (#""status":null"#, bare()), (#""status":"200""#, bare()),
    (
      #""status":204,"responseHeaders":[["A","b"]],"responseBody":"x","responseTruncated":true"#,
      bare {
        $0.response = RecordedResponse(
          status: 204, headers: [HeaderField("A", "b")], body: Data("x".utf8), truncated: true)
      }
    ),
    (#""responseHeaders":[["A","b"]],"responseBody":"x","responseTruncated":true"#, bare()),
    (
      #""error":{"domain":"d","code":-3,"name":"timedOut"}"#,
      bare { $0.error = RecordedError(domain: "d", code: -3, name: "timedOut") }
    ),
    (#""error":{"domain":"d"}"#, bare { $0.error = RecordedError(domain: "d", code: 0) }),
    (#""error":{"code":3}"#, bare()),
    (#""error":null"#, bare()),
    (
      #""redirects":[{"status":302,"url":"/a","headers":[["Location","/b"]],"target":"/c"},{}]"#,
      bare {
        $0.redirects = [
          RedirectHop(status: 302, url: "/a", headers: [HeaderField("Location", "/b")], target: "/c"),
          RedirectHop(status: 0, url: ""),
        ]
      }
    ),
    (#""redirects":{}"#, bare()),
    (
      #""sent":{"method":"PUT","url":"v","headers":[["A","b"]],"body":"x"}"#,
      bare {
        $0.sent = RecordedRequest(method: "PUT", url: "v", headers: [HeaderField("A", "b")], body: Data("x".utf8))
      }
    ),
    (#""sent":{"url":"v"}"#, bare { $0.sent = RecordedRequest(method: "GET", url: "v") }),
    (#""sent":{"method":"PUT"}"#, bare()),
    (#""run":1"#, bare { $0.run = 1 }), (#""run":0"#, bare()), (#""run":-1"#, bare()), (#""run":null"#, bare()),
    (#""run":9007199254740993"#, bare { $0.run = 1 << 53 }),
    (#""tags":["a","b","a",7,"c d"]"#, bare { $0.tags = ["a", "b", "c", "d"] }), (#""tags":"a""#, bare()),
    (#""note":" n ""#, bare { $0.note = "n" }), (#""note":" ""#, bare()),
    (#""durationMs":34"#, bare { $0.timing.end = 34_000 }), (#""durationMs":0"#, bare { $0.timing.end = 0 }),
    (#""durationMs":1.2345"#, bare { $0.timing.end = 1_235 }), (#""durationMs":-1"#, bare { $0.timing.end = 0 }),
    (#""durationMs":1e15"#, bare()), (#""durationMs":-1e15"#, bare()),
    (#""durationMs":9e14"#, bare { $0.timing.end = 1 << 53 }),
    (#""durationMs":"34""#, bare()), (#""heldMs":2"#, bare { $0.timing.held = 2_000 }), (#""heldMs":null"#, bare()),
    (#""bytesSent":5"#, bare { $0.bytesSent = 5 }), (#""bytesSent":-5"#, bare()),
    (#""bytesReceived":9223372036854775807"#, bare { $0.bytesReceived = 1 << 53 }), (#""bytesReceived":"5""#, bare()),
    (#""unheard":[1]"#, bare()),
  ]

  @Test(arguments: members.indices) func isReadAsItIs(_ place: Int) throws {
    let (member, expected) = Self.members[place]
    let line = #"{"url":"u"\#(member.isEmpty ? "" : ",")\#(member)}"#
    #expect(try JSONLines.exchange(Data(line.utf8)) == expected, "\(member)")
  }

  @Test(arguments: [
    ("{}", "The line has no \"url\"."), (#"{"url":7}"#, "The line has no \"url\"."), ("[]", "The line has no \"url\"."),
    (#"{"url":"u","requestBody":{"base64":"*"}}"#, "A body of the line is no base64."),
    (#"{"url":"u","requestBody":{}}"#, "A body of the line is no base64."),
    (#"{"url":"u","status":200,"responseBody":{"base64":7}}"#, "A body of the line is no base64."),
    (#"{"url":"u","sent":{"url":"v","body":{"x":1}}}"#, "A body of the line is no base64."),
  ])
  func whatCannotBeReadSaysWhy(_ line: String, _ sentence: String) {
    let error = #expect(throws: FormatError.self) { try JSONLines.exchange(Data(line.utf8)) }
    #expect(error?.description == sentence)
  }

  @Test func aLineThatIsNoJSONSaysWhere() {
    let error = #expect(throws: FormatError.self) { try JSONLines.exchange(Data("{\"url\":".utf8)) }
    #expect(error?.description.hasPrefix("The line is no JSON: ") == true && error?.description.hasSuffix(".") == true)
  }

  /// Milliseconds are rounded, and half of one counts.
  @Test(arguments: [(0, 0), (499, 0), (500, 1), (1_499, 1), (1_500, 2), (34_000, 34)] as [(Int64, Int)])
  func timesAreMilliseconds(_ microseconds: Int64, _ milliseconds: Int) {
    let line = JSONLines.value(Self.bare { $0.timing = Timing(end: microseconds, held: microseconds) })
    #expect(line["durationMs"]?.integer == milliseconds && line["heldMs"]?.integer == milliseconds)
  }

  /// The schema names the members that a line has, in their order, and each is required.
  @Test func theSchemaIsThatOfALine() throws {
    guard case .object(let members) = JSONLines.value(Self.answered()) else { return #expect(Bool(false), "no object") }
    #expect(members.map(\.name) == JSONLines.members.map(\.name))
    let schema = try JSONValue(parsing: Data(JSONLines.jsonSchema.utf8))
    #expect(schema["required"] == .array(JSONLines.members.map { .string($0.name) }))
    for member in JSONLines.members {
      #expect(member.schema["description"]?.text?.hasSuffix(".") == true, "\(member.name)")
    }
    try expectRecorded(JSONLines.jsonSchema, "../Whole/schema.txt")
  }

  // MARK: Many lines

  @Test func blankLinesCountNothingAndBadOnesAreNumbered() throws {
    var reader = JSONLinesReader()
    #expect(reader.read(Data("\n \t\r\n{\"url\":\"a\"}\n\n{\"url\":\"b\"".utf8)).map(\.request.url) == ["a"])
    #expect(reader.count == 1 && reader.bad.isEmpty)
    #expect(reader.read(Data("}\n{}\nx".utf8)).map(\.request.url) == ["b"])
    #expect(try reader.finish().isEmpty)
    #expect(reader.count == 4 && reader.bad.map(\.index) == [6, 7] && reader.bad.allSatisfy { $0.kind == "line" })
    #expect(reader.bad[0].description == "line 6: The line has no \"url\".")
    #expect(BadEntry(index: 2, reason: "why").description == "entry 2: why")
  }

  @Test(arguments: [
    ("", "Nothing of it is an exchange (no line)."), ("\n\n", "Nothing of it is an exchange (no line)."),
    ("{}", "Nothing of it is an exchange (line 1: The line has no \"url\".)."),
    ("\n{}\n[]\n", "Nothing of it is an exchange (line 2: The line has no \"url\".)."),
  ])
  func aFileWithoutAnyIsRefused(_ text: String, _ sentence: String) {
    var reader = JSONLinesReader()
    _ = reader.read(Data(text.utf8))
    let error = #expect(throws: StubError.self) { try reader.finish() }
    #expect(error?.description == sentence)
  }

  @Test func aMarkAtTheBeginningIsNoPartOfTheFirstLine() throws {
    for text in ["\u{FEFF}{\"url\":\"a\"}\n", "\u{FEFF}\n{\"url\":\"a\"}", "{\"url\":\"a\"}"] {
      var reader = JSONLinesReader()
      let found = reader.read(Data(text.utf8))
      #expect((found + (try reader.finish())).map(\.request.url) == ["a"] && reader.count == 1 && reader.bad.isEmpty)
    }
  }
}
