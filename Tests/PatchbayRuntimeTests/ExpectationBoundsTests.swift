import Foundation
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// How much of what was seen the checks of a run name.
@Suite(.bounded) struct ExpectationBoundsTests {
  private func exchange(
    _ id: Int64, _ url: String, _ change: (inout Exchange) -> Void = { _ in }
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "demo", pid: 1), startedAt: Timestamp(microseconds: id),
      request: RecordedRequest(method: "GET", url: url))
    exchange.phase = .ended
    exchange.response = RecordedResponse(status: 200)
    change(&exchange)
    return exchange
  }

  private func results(
    expect: [String] = [], forbid: [String] = [], secrets: Bool = false, _ exchanges: [Exchange]
  ) throws -> [Expectations.Result] {
    let checks = try Expectations(expect: expect, forbid: forbid, stubsUsed: false, withSecrets: secrets)
    checks.received(.exchanges(exchanges))
    return checks.results(StubBoard())
  }

  @Test(
    arguments: [
      (1, ["fits: GET http://a/1 200"]),
      (3, ["fits: GET http://a/1 200", "fits: GET http://a/2 200", "fits: GET http://a/3 200"]),
      (4, ["fits: GET http://a/1 200", "fits: GET http://a/2 200", "fits: GET http://a/3 200", "and 1 more"]),
      (9, ["fits: GET http://a/1 200", "fits: GET http://a/2 200", "fits: GET http://a/3 200", "and 6 more"]),
    ] as [(Int64, [String])])
  func threeThatFitAreNamed(_ count: Int64, _ details: [String]) throws {
    let traffic = (1...count).map { exchange($0, "http://a/\($0)") }
    #expect(try results(expect: ["host:a count:0"], traffic)[0].details == details)
    #expect(try results(forbid: ["host:a"], traffic)[0].details == (count > 1 ? details : []))
  }

  @Test func onlyWhatHasEndedCounts() throws {
    let traffic = Exchange.Phase.allCases.map { phase in exchange(1, "http://a/") { $0.phase = phase } }
    #expect(try results(expect: ["host:a count:1"], traffic)[0].complaint == nil)
    #expect(try results(forbid: ["host:a count:2"], traffic)[0].complaint == nil)
  }

  @Test(
    arguments: [
      ("count:2", 1, false), ("count:2", 2, true), ("count:2", 3, false), ("count:>=2", 1, false),
      ("count:>=2", 2, true),
      ("count:>2", 2, false), ("count:>2", 3, true), ("count:<2", 1, true), ("count:<2", 2, false),
      ("count:<=2", 2, true),
      ("count:<=2", 3, false), ("count:1..3", 0, false), ("count:1..3", 1, true), ("count:1..3", 3, true),
      ("count:1..3", 4, false), ("count:0", 0, true), ("count:0", 1, false), ("", 0, false), ("", 1, true),
      ("", 9, true),
    ] as [(String, Int, Bool)])
  func countsAtTheirBounds(_ count: String, _ seen: Int, _ fits: Bool) throws {
    let traffic = (0..<seen).map { exchange(Int64($0 + 1), "http://a/") } + [exchange(100, "http://b/")]
    let met = try results(expect: ["host:a \(count)"], traffic)[0].complaint
    let kept = try results(forbid: ["host:a \(count)"], traffic)[0].complaint
    #expect((met == nil) == fits, "\(met ?? "")")
    #expect((kept == nil) == !fits, "\(kept ?? "")")
  }

  @Test func theNearestThreeMissesAreNamedEachOnce() throws {
    let traffic =
      [exchange(1, "http://a/x"), exchange(2, "http://a/x"), exchange(3, "http://b/y")]
      + (4...8).map { exchange($0, "http://a/\($0)") }
    let details = try results(expect: ["host:a status:500"], traffic)[0].details
    #expect(
      details == [
        "nearest: GET http://a/x 200, but not status:500", "nearest: GET http://a/4 200, but not status:500",
        "nearest: GET http://a/5 200, but not status:500",
      ])
    let near = try results(expect: ["host:a status:200 method:PUT path:/8"], traffic)[0].details
    #expect(near.first == "nearest: GET http://a/8 200, but not method:PUT")
    #expect(near.count == 3)
  }

  @Test func howARequestEndedIsNamed() throws {
    func line(_ change: (inout Exchange) -> Void) throws -> String {
      try results(forbid: ["host:a count:>0"], [exchange(1, "http://a/"), exchange(2, "http://a/?token=s", change)])[0]
        .details[1]
    }
    #expect(try line { _ in } == "fits: GET http://a/?token=*** 200")
    #expect(try line { $0.response = nil } == "fits: GET http://a/?token=***")
    #expect(
      try line {
        $0.response = nil
        $0.error = RecordedError(domain: "D", code: 7)
      } == "fits: GET http://a/?token=*** D 7")
    #expect(
      try line {
        $0.response = nil
        $0.error = RecordedError(domain: "D", code: 7, name: "timedOut")
      } == "fits: GET http://a/?token=*** timedOut")
    let secret = try results(forbid: ["host:a"], secrets: true, [exchange(2, "http://a/?token=s")])[0].complaint
    #expect(secret == "GET http://a/?token=s fits --forbid 'host:a'.")
  }

  @Test func resultsStandInTheOrderOfTheOptions() throws {
    let found = try results(expect: ["host:a", "host:b"], forbid: ["host:c", "host:d"], [])
    #expect(found.map(\.option) == ["--expect", "--expect", "--forbid", "--forbid"])
    #expect(found.map(\.subject) == ["host:a", "host:b", "host:c", "host:d"])
  }
}
