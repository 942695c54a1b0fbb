import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension HistoryQuery {
  /// How many of the newest 10,000 recorded requests a pattern fits.
  func preview(_ pattern: RequestPattern) async throws -> PreviewResult {
    let matcher = PatternMatcher(pattern)
    let looked = try await history.ids(from: 0, count: 10_000)
    var newest: [Int64] = []
    var matching = 0
    for start in stride(from: 0, to: looked.count, by: 500) {
      try Task.checkCancellation()
      let ids = Array(looked[start..<min(looked.count, start + 500)])
      for exchange in try await history.exchanges(ids: ids, bodies: pattern.body != nil) {
        guard matcher.fits(RequestFacts(exchange)) else { continue }
        matching += 1
        if newest.count < 200 { newest.append(exchange.id) }
      }
    }
    return PreviewResult(matching: matching, of: looked.count, newest: newest)
  }
}

/// One pattern alone, compiled.
struct PatternMatcher {
  private let matcher: StubMatcher

  init(_ pattern: RequestPattern) {
    matcher = StubMatcher(StubSet(stubs: [Stub(name: "preview", when: pattern, then: .pass(PassChanges()))]))
  }

  func fits(_ facts: RequestFacts) -> Bool {
    matcher.explain(facts).first?.matches == true
  }
}

extension RequestFacts {
  init(_ exchange: Exchange) {
    self.init(
      method: exchange.request.method, url: exchange.request.url, headers: exchange.request.headers,
      body: exchange.request.body, process: exchange.process.name, pid: exchange.process.pid)
  }
}
