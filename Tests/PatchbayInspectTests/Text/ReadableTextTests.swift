import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Counts, sizes and times as people read them, on both sides of where they are rounded.
@Suite(.bounded) struct QuantityTests {
  @Test(
    arguments: [
      (0, "0"), (-1, "-1"), (999, "999"), (1_000, "1,000"), (-100, "-100"), (-999, "-999"), (-1_000, "-1,000"),
      (999_999, "999,999"), (1_000_000, "1,000,000"), (-999_999, "-999,999"), (-1_000_000, "-1,000,000"),
    ] as [(Int64, String)])
  func counts(_ number: Int64, _ text: String) {
    #expect(Quantity.count(number) == text)
  }

  @Test(
    arguments: [
      (999, "999 B"), (1_000, "1 kB"), (999_499, "999 kB"), (999_500, "1 MB"), (999_499_999, "999 MB"),
      (999_500_000, "1 GB"), (999_499_999_999, "999 GB"), (999_500_000_000, "1 TB"), (99_949, "99.9 kB"),
      (99_950, "100 kB"),
    ] as [(Int64, String)])
  func sizes(_ bytes: Int64, _ text: String) {
    #expect(Quantity.bytes(bytes) == text)
  }

  @Test(
    arguments: [
      (0, "0 ms"), (1, "<1 ms"), (999, "<1 ms"), (1_000, "1 ms"), (1_499, "1 ms"), (1_500, "2 ms"),
      (999_499, "999 ms"), (999_500, "1 s"), (59_949_999, "59.9 s"), (59_950_000, "1m 00s"), (60_499_999, "1m 00s"),
      (60_500_000, "1m 01s"), (69_000_000, "1m 09s"), (70_000_000, "1m 10s"), (119_500_000, "2m 00s"),
    ] as [(Int64, String)])
  func durations(_ microseconds: Int64, _ text: String) {
    #expect(Quantity.duration(microseconds) == text)
  }
}

/// An exchange as one line.
@Suite(.bounded) struct OneLineTests {
  @Test(
    arguments: [
      (.network, nil, "network"), (.network, "s", "network, through s"), (.stub, "s", "stub s"), (.stub, nil, "stub"),
      (.code, "s", "code s"), (.code, nil, "code"), (.person, nil, "person"), (.person, "s", "person s"),
      (.cache, nil, "cache"),
    ] as [(Exchange.Answerer, String?, String)])
  func saysWhoAnswered(_ by: Exchange.Answerer, _ stub: String?, _ words: String) {
    let line = OneLine.text(Exchange.sample(by: by, stub: stub).summary)
    #expect(line.hasSuffix("  11 B  34 ms  \(words)"), "\(line)")
  }

  @Test func saysHowFarItHasCome() {
    func result(_ change: (inout ExchangeSummary) -> Void) -> String {
      var row = Exchange.sample().summary
      change(&row)
      return OneLine.result(row)
    }
    func failed(_ error: ExchangeSummary.Failure?) -> String {
      result {
        $0.outcome = .failed
        $0.error = error
      }
    }
    #expect(result { _ in } == "200" && result { $0.status = nil } == "—")
    #expect(result { $0.outcome = .cancelled } == "cancelled" && result { $0.outcome = .abandoned } == "abandoned")
    #expect(failed(nil) == "failed" && failed(ExchangeSummary.Failure(domain: "d", code: -3)) == "d -3")
    #expect(failed(ExchangeSummary.Failure(domain: "d", code: -3, name: "timedOut")) == "timedOut")
    func open(_ phase: Exchange.Phase, _ status: Int?) -> String {
      result { ($0.outcome, $0.phase, $0.status) = (nil, phase, status) }
    }
    #expect(open(.heldRequest, nil) == "held" && open(.heldResponse, 200) == "held")
    #expect(open(.ended, nil) == "observed" && open(.waiting, nil) == "waiting" && open(.receiving, 200) == "200")
  }
}
