import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct WireMockExportTests {
  private func mappings(_ exchanges: [Exchange]) throws -> [JSONValue] {
    let text = try WireMockExporter().text(exchanges)
    guard case .array(let list)? = try JSONValue(parsing: text)["mappings"] else { return [] }
    return list
  }

  @Test func theSamePathTwiceIsAScenario() throws {
    let list = try mappings([
      RecordedExchange.make(id: 1, "GET", "http://a/list?page=1", answer: Data("one {{x}}".utf8)),
      RecordedExchange.make(id: 2, "GET", "http://a/list?page=1", answer: Data("two".utf8)),
    ])
    #expect(list.map { $0["request"]?["url"]?.text } == ["/list?page=1", "/list?page=1"])
    #expect(list.map { $0["requiredScenarioState"]?.text } == ["Started", "2"])
    #expect(list.map { $0["newScenarioState"]?.text } == ["2", nil])
    #expect(list[0]["scenarioName"] == list[1]["scenarioName"])
    #expect(list.map { $0["response"]?["body"]?.text } == ["one {{x}}", "two"])
    #expect(list.allSatisfy { $0["request"]?["host"] == nil })
  }

  @Test func hostsBodiesAndStarsAreConditionsWhereTheyTellRequestsApart() throws {
    let list = try mappings([
      RecordedExchange.make(id: 1, "GET", "http://a.example/x", answer: Data("a".utf8)),
      RecordedExchange.make(id: 2, "GET", "http://b.example:81/x", answer: Data("b".utf8)),
      RecordedExchange.make(id: 3, "GET", "http://a.example/s*(1)", answer: Data([0, 255])),
    ])
    #expect(list.map { $0["request"]?["host"]?["equalTo"]?.text } == ["a.example", "b.example", nil])
    #expect(list[1]["request"]?["port"]?.integer == 81)
    let pattern = try #require(list[2]["request"]?["urlPattern"]?.text)
    #expect(pattern == #"/s\*\(1\)"# || list[2]["request"]?["url"]?.text == "/s*(1)")
    #expect(list[2]["response"]?["base64Body"]?.text == "AP8=")
  }

  /// Where two hosts were asked for the same each is a condition, with its port where that is a number.
  @Test(
    arguments: [
      ("http://a.example/x", "a.example", nil), ("http://a.example:81/x", "a.example", 81),
      ("http://a.example:81:2/x", "a.example", nil),
      ("http://a.example:/x", "a.example", nil), ("http://[::1]:81/x", nil, nil),
    ] as [(String, String?, Int?)])
  func hostsAreNamedWithTheirPorts(_ url: String, _ host: String?, _ port: Int?) throws {
    let list = try mappings([
      RecordedExchange.make(id: 1, "GET", url, answer: Data("a".utf8)),
      RecordedExchange.make(id: 2, "GET", "http://b.example/x", answer: Data("b".utf8)),
    ])
    #expect(list[0]["request"]?["host"]?["equalTo"]?.text == host && list[0]["request"]?["port"]?.integer == port)
    #expect(list[1]["request"]?["host"]?["equalTo"]?.text == "b.example")
    let alone = try mappings([RecordedExchange.make(id: 1, "GET", url, answer: Data("a".utf8))])
    #expect(alone[0]["request"]?["host"] == nil && alone[0]["request"]?["port"] == nil)
  }

  @Test func aFieldThatComesAgainIsAListOfItsValues() throws {
    let fields = [("A", "1"), ("b", "x"), ("a", "2"), ("A", "3"), ("A", "4")].map { HeaderField($0.0, $0.1) }
    let list = try mappings([RecordedExchange.make(answer: Data("a".utf8), answerHeaders: fields)])
    #expect(list[0]["response"]?["headers"] == ["A": ["1", "2", "3", "4"], "b": "x"])
  }
}
