import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// Which request is named beside a stub that took none.
@Suite(.bounded) struct NearestRequestTests {
  private func exchange(
    _ id: Int64, _ method: String, _ url: String, process: String = "demo", header: String? = nil
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: process, pid: 1), startedAt: Timestamp(microseconds: id),
      request: RecordedRequest(method: method, url: url))
    exchange.phase = .ended
    exchange.response = RecordedResponse(status: 200)
    exchange.request.headers = header.map { [HeaderField("H", $0)] } ?? []
    return exchange
  }

  private func details(_ pattern: RequestPattern, _ exchanges: [Exchange]) throws -> [String] {
    let checks = try Expectations(expect: [], forbid: [], stubsUsed: true, withSecrets: false)
    checks.received(.exchanges(exchanges))
    let stub = Stub(name: "wanted", when: pattern, then: .respond(CannedResponse()))
    let results = checks.results(StubBoard(revision: 1, entries: [StubBoard.Entry(stub: stub, origin: .console)]))
    #expect(results.count == 1 && results[0].complaint != nil)
    return results[0].details
  }

  /// Each of these holds one condition more than the one before it, in the order in which a pattern is looked at.
  private func steps(_ first: Int64) -> [Exchange] {
    [
      exchange(first, "PUT", "https://a:8443/p?ok&q=1"),
      exchange(first, "GET", "https://a:8443/p?ok&q=1&other", process: "other"),
      exchange(first, "GET", "http://a:8443/p?ok&q=1"),
      exchange(first, "GET", "https://b:8443/p?ok&q=1"),
      exchange(first, "GET", "https://a:81/p?ok&q=1"),
      exchange(first, "GET", "https://a:8443/r?ok&q=1"),
      exchange(first, "GET", "https://a:8443/p?no&q=1"),
      exchange(first, "GET", "https://a:8443/p?ok"),
      exchange(first, "GET", "https://a:8443/p?ok&q=1"),
      exchange(first, "GET", "https://a:8443/p?ok&q=1&b", header: "1"),
    ]
  }

  @Test(arguments: 0..<9) func theOneOfWhichTheMostHoldsIsNamed(_ step: Int) throws {
    let pattern = RequestPattern(
      methods: ["GET"], url: .glob("*ok*"), scheme: .glob("https"), host: .glob("a"), port: 8_443, path: .glob("/p"),
      query: [RequestPattern.Condition("q", .glob("1"))], headers: [RequestPattern.Condition("H", .glob("1"))],
      body: BodyPattern(equals: "b"), process: .glob("demo"))
    let nearer = steps(1)[step + 1].request
    for (far, near) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
      let found = try details(pattern, [steps(far)[step], steps(near)[step + 1]])
      #expect(found.count == 1)
      #expect(found[0].hasPrefix("nearest: \(nearer.method) \(nearer.url) 200, but "), "\(found)")
    }
  }

  @Test func ofThoseThatAreAsNearTheFirstIsNamed() throws {
    let found = try details(
      RequestPattern(url: .glob("http://a/none")),
      [exchange(5, "GET", "http://a/5"), exchange(3, "GET", "http://a/3"), exchange(4, "GET", "http://a/4")])
    #expect(found == ["nearest: GET http://a/3 200, but url: `http://a/3` is not `http://a/none`"])
    #expect(try details(RequestPattern(url: .glob("http://a/none")), []) == [])
  }

  /// What a run of a million requests keeps for this stays small.
  @Test(arguments: [(499, true), (500, false)]) func onlyTheFirstFiveHundredAreLookedAt(
    _ count: Int64, _ isFound: Bool
  ) throws {
    let others = (1...count).map { exchange($0, "PUT", "http://a/\($0)") }
    let found = try details(
      RequestPattern(methods: ["GET"], url: .glob("http://a/none")), others + [exchange(count + 1, "GET", "http://a/")])
    #expect(found.count == 1)
    let nearest = isFound ? "GET http://a/ 200, but url" : "PUT http://a/1 200, but method"
    #expect(found[0].hasPrefix("nearest: " + nearest), "\(found)")
  }
}
