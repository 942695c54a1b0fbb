import Foundation
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// Checks, what they say when they are broken, and their report.
@Suite(.bounded) struct ExpectationsTests {
  private func exchange(_ id: Int64, _ method: String, _ url: String, _ status: Int = 200, stub: String? = nil)
    -> Exchange
  {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "demo", pid: 1), startedAt: .now,
      request: RecordedRequest(method: method, url: url))
    exchange.phase = .ended
    exchange.response = RecordedResponse(status: status)
    exchange.stub = stub
    return exchange
  }

  private func results(
    expect: [String] = [], forbid: [String] = [], stubs: [Stub]? = nil, _ exchanges: [Exchange],
    hits: [StubProgress] = []
  ) throws -> [Expectations.Result] {
    let checks = try Expectations(expect: expect, forbid: forbid, stubsUsed: stubs != nil, withSecrets: false)
    for exchange in exchanges { checks.received(.exchanges([exchange])) }
    checks.received(.progress(HarnessProcess(name: "demo", pid: 1), hits))
    let entries = (stubs ?? []).map { StubBoard.Entry(stub: $0, origin: .console) }
    return checks.results(StubBoard(revision: 1, entries: entries))
  }

  private var traffic: [Exchange] {
    [
      exchange(3, "GET", "http://a/users?token=secret", 200), exchange(2, "PUT", "http://a/users/1", 503),
      exchange(1, "GET", "http://b/health", 200),
    ]
  }

  @Test(arguments: [
    ("host:a count:2", nil), ("host:a", nil), ("host:c count:0", nil),
    ("host:c", "no exchange fits --expect 'host:c'."),
    ("host:c count:2", "no exchange fits --expect 'host:c count:2'."),
    ("host:a count:3", "2 exchanges fit --expect 'host:a count:3', which asks for 3."),
    ("host:a count:1", "2 exchanges fit --expect 'host:a count:1', which asks for 1."),
    ("host:b count:>=2", "1 exchange fits --expect 'host:b count:>=2', which asks for >=2."),
  ]) func expectations(_ filter: String, _ complaint: String?) throws {
    #expect(try results(expect: [filter], traffic).map(\.complaint) == [complaint])
  }

  /// Where no condition holds, what looks most like it is named: a slip of the keys is found so.
  @Test(arguments: [
    ("path:/v1/mee", ["GET http://a/v1/me 200", "GET http://a/v1/you 200"]),
    ("*/v1/yu", ["GET http://a/v1/you 200", "GET http://a/v1/me 200"]),
    ("host:api.exmple.com", ["GET http://api.example.com/ 200"]), ("path:/nothing", []), ("status:503", []),
    ("-path:*", []),
  ]) func likeMisses(_ filter: String, _ near: [String]) throws {
    let traffic = [
      exchange(1, "GET", "http://a/v1/you"), exchange(2, "GET", "http://a/v1/me"),
      exchange(3, "GET", "http://api.example.com/"),
    ]
    let found = try results(expect: [filter], traffic)
    #expect(found[0].details == near.map { "nearest: \($0), but not \(filter)" })
  }

  @Test(arguments: [
    ("host:c", nil), ("host:a count:3", nil), ("host:a count:>=3", nil),
    ("method:PUT", "PUT http://a/users/1 fits --forbid 'method:PUT'."),
    ("host:a count:>1", "2 exchanges fit --forbid 'host:a count:>1', which forbids >1."),
    ("host:c count:0", "0 exchanges fit --forbid 'host:c count:0', which forbids 0."),
  ]) func prohibitions(_ filter: String, _ complaint: String?) throws {
    #expect(try results(forbid: [filter], traffic).map(\.complaint) == [complaint])
  }

  @Test func theNearestMissesAreSaid() throws {
    let result = try results(expect: ["host:a method:POST path:/users"], traffic)[0]
    #expect(
      result.details == [
        "nearest: GET http://a/users?token=*** 200, but not method:POST",
        "nearest: PUT http://a/users/1 503, but not method:POST",
      ])
    #expect(try results(expect: ["host:z"], traffic)[0].details.isEmpty)
    let many = try results(expect: ["host:a count:1"], traffic)[0].details
    #expect(many == ["fits: GET http://a/users?token=*** 200", "fits: PUT http://a/users/1 503"])
  }

  @Test func stubsThatTookNothingAreNamed() throws {
    func stub(_ name: String, _ url: String, enabled: Bool = true) -> Stub {
      Stub(name: name, enabled: enabled, when: .get(url), then: .respond(CannedResponse()))
    }
    let stubs = [
      stub("named", "*/users*"), stub("counted", "*/other"), stub("off", "*", enabled: false),
      stub("late", "*/users?token*"), stub("none", "http://a/none"),
    ]
    let found = try results(
      stubs: stubs, traffic + [exchange(9, "GET", "http://a/users?x", stub: "named")],
      hits: [StubProgress(name: "counted", hits: 2), StubProgress(name: "late", hits: 0)])
    #expect(found.map(\.subject) == ["named", "counted", "late", "none"])
    #expect(found.map { $0.complaint == nil } == [true, true, false, false])
    #expect(found[2].complaint == "the stub `late` took no request (--expect-stubs-used).")
    #expect(found[2].details == ["nearest: GET http://a/users?token=*** 200, but matches, but `named` comes before it"])
    #expect(found[3].details.first?.contains("is not `http://a/none`") == true)
  }

  @Test(arguments: [(0, false), (1, true)] as [(UInt64, Bool)])
  func oneRequestIsEnoughForAStub(_ hits: UInt64, _ isUsed: Bool) throws {
    let stub = Stub(name: "a", when: .get("*/a"), then: .respond(CannedResponse()))
    let found = try results(stubs: [stub], [], hits: [StubProgress(name: "a", hits: hits)])
    #expect(found.map { $0.complaint == nil } == [isUsed])
  }

  @Test func aWrongFilterIsWrongUsage() throws {
    let error = try #require(throws: RuntimeError.self) { try results(expect: ["host:a count:x"], []) }
    #expect(error.isUsage && error.description.hasPrefix("--expect “host:a count:x” cannot be read at column 14:"))
  }

  @Test func theReportIsJUnit() throws {
    let results = try results(expect: ["host:a", "host:\"<&\u{1b}>\""], forbid: ["method:PUT"], traffic)
    let report = JUnitReport(
      results: results, name: "patchbay checks", startedAt: Date(timeIntervalSince1970: 0), seconds: 1.5)
    let document = try XMLShape(report.text)
    #expect(document.elements == ["testsuites", "testsuite", "testcase", "testcase", "failure", "testcase", "failure"])
    #expect(document.attributes[0]["tests"] == "3" && document.attributes[0]["failures"] == "2")
    #expect(document.attributes[1]["timestamp"] == "1970-01-01T00:00:00Z" && document.attributes[1]["time"] == "1.500")
    #expect(document.attributes[3]["name"] == "--expect host:\"<&\u{FFFD}>\"")
    #expect(document.attributes[6]["message"] == "PUT http://a/users/1 fits --forbid 'method:PUT'.")
  }
}

extension RequestPattern {
  fileprivate static func get(_ url: String) -> RequestPattern { RequestPattern(methods: ["GET"], url: .glob(url)) }
}

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of a document, in order, as a real parser has them.
private final class XMLShape: NSObject, XMLParserDelegate {
  private(set) var elements: [String] = []
  private(set) var attributes: [[String: String]] = []

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw CocoaError(.propertyListReadCorrupt) }
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
    attributes attributeDict: [String: String]
  ) {
    elements.append(elementName)
    attributes.append(attributeDict)
  }
}
