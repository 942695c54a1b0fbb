import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// `count:` in the filters of checks.
@Suite(.bounded) struct CountedFilterTests {
  private func exchange(_ method: String, _ url: String, _ status: Int = 200) -> Exchange {
    var exchange = Exchange(
      id: 1, process: HarnessProcess(name: "demo", pid: 1), startedAt: .now,
      request: RecordedRequest(method: method, url: url))
    exchange.phase = .ended
    exchange.response = RecordedResponse(status: status)
    return exchange
  }

  @Test(
    arguments: [
      ("count:3", [0: false, 2: false, 3: true, 4: false]), ("count:>=2 host:a", [1: false, 2: true, 99: true]),
      ("host:a count:1..3", [0: false, 1: true, 3: true, 4: false]), ("count:0", [0: true, 1: false]),
      ("count:<2", [0: true, 1: true, 2: false]), ("count:<=2", [0: true, 2: true, 3: false]),
      ("count:>2", [2: false, 3: true]), ("count:=1", [0: false, 1: true]), ("host:a", [0: false, 1: true, 9: true]),
      ("(host:a | host:b) count:2", [2: true, 3: false]), ("COUNT:2", [2: true, 1: false]),
    ] as [(String, [Int64: Bool])])
  func saysHowMany(_ text: String, _ numbers: [Int64: Bool]) throws {
    let filter = try CountedFilter(parsing: text)
    for (number, fits) in numbers { #expect(filter.fits(number) == fits, "\(text) \(number)") }
    #expect(filter.text == text)
  }

  @Test func theRestIsTheFilter() throws {
    let filter = try CountedFilter(parsing: "method:GET count:2 path:/x")
    #expect(filter.filter.matches(exchange("GET", "http://a/x")))
    #expect(!filter.filter.matches(exchange("PUT", "http://a/x")))
    #expect(try CountedFilter(parsing: "count:2").filter.isEmpty)
    let quoted = try CountedFilter(parsing: "\"count:2\"")
    #expect(quoted.count == nil && quoted.filter.matches(exchange("GET", "http://a/?count:2")))
  }

  @Test(arguments: [
    ("count:x", 6), ("count:", 0), ("count:1,2", 0), ("count:1 count:2", 8), ("-count:1", 1), ("(count:1 a)", 1),
    ("a | b count:1", 6), ("count:1 a | b", 0), ("host:a hots:b", 7), ("count:5..2", 6), ("count:-1", 6),
  ]) func whatIsWrongHasItsPlace(_ text: String, _ column: Int) throws {
    do throws(FilterError) {
      _ = try CountedFilter(parsing: text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.range.lowerBound == column, "\(error)")
    }
  }

  @Test func elsewhereThereIsNoCount() {
    for text in ["count:3", "host:a count:>=2", "Count:1"] {
      #expect(throws: FilterError.self) { try Filter(parsing: text) }
    }
  }

  @Test func missesSayWhatDoesNotHold() throws {
    let filter = try CountedFilter(parsing: "method:PUT -status:5xx (path:/x | path:/y) count:1")
    let miss = try #require(filter.miss(exchange("GET", "http://a/x", 503)))
    #expect(miss.failing == ["method:PUT", "-status:5xx"] && miss.holding == 1)
    #expect(try CountedFilter(parsing: "a | b").miss(exchange("GET", "http://a/")) == nil)
  }
}
