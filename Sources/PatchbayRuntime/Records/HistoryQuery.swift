import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbayWire

/// Reads of the history that need more than one step.
package struct HistoryQuery: Sendable {
  private let history: HistoryStore

  package init(history: HistoryStore) { self.history = history }

  struct Batch: Sendable {
    var ids: [Int64]
    var isLast: Bool
  }

  /// The ids that fit and are above `after`: newest first as they are found, or sorted at the end.
  func ids(_ filter: Filter, after: Int64, sort: SortOrder) -> AsyncThrowingStream<Batch, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await history.flush()
          guard sort.isArrival else {
            let found = try await history.ids(
              filter, above: after, sortedBy: sort.inHistory, descending: sort.descending)
            continuation.yield(Batch(ids: found, isLast: true))
            FreeMemory.giveBack()
            return continuation.finish()
          }
          for try await batch in history.search(filter) {
            let ids = after > 0 ? batch.ids.filter { $0 > after } : batch.ids
            if !ids.isEmpty { continuation.yield(Batch(ids: ids, isLast: false)) }
            if after > 0, ids.count < batch.ids.count { break }
          }
          try Task.checkCancellation()
          continuation.yield(Batch(ids: [], isLast: true))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The ids of those that fit, oldest first; of the newest ones where there are more than the limit.
  package func ids(_ filter: Filter, limit: Int?) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in history.search(filter) {
      ids += batch.ids
      if let limit, ids.count >= limit { break }
    }
    // A search that is cancelled just ends.
    try Task.checkCancellation()
    return (limit.map { Array(ids.prefix($0)) } ?? ids).reversed()
  }

  /// Whole exchanges that fit, oldest first; the newest ones where there are more than the limit.
  func exchanges(_ filter: Filter, limit: Int? = nil) async throws -> [Exchange] {
    try await history.exchanges(ids: try await ids(filter, limit: limit))
  }
}

extension SortOrder {
  /// This order in the words of the history.
  fileprivate var inHistory: HistoryOrder {
    switch column {
    case .number: .id
    case .startedAt, .timeline: .started
    case .process: .process
    case .method: .method
    case .status: .status
    case .host: .host
    case .path: .path
    case .type: .type
    case .size: .size
    case .duration: .duration
    case .by: .answerer
    }
  }
}

extension HistoryQuery {
  /// So many bytes of bodies are read at once at most, but for one exchange that alone has more.
  private static let bound: Int64 = 16 << 20
  private static let batch = 100

  /// Hands over whole exchanges in that order, a few in memory at a time.
  ///
  /// - Parameter progress: from 0, at once, to 1.
  func each(
    _ ids: [Int64], progress: @Sendable (Double) -> Void = { _ in }, _ body: (Exchange) throws -> Void
  ) async throws {
    progress(0)
    var done = 0
    for start in stride(from: 0, to: ids.count, by: Self.batch) {
      try Task.checkCancellation()
      let chunk = ids[start..<min(ids.count, start + Self.batch)]
      for part in try await parts(Array(chunk)) {
        for exchange in try await history.exchanges(ids: part) {
          try Task.checkCancellation()
          try body(exchange)
        }
        done += part.count
        progress(Double(done) / Double(ids.count))
      }
    }
  }

  private func parts(_ ids: [Int64]) async throws -> [[Int64]] {
    var parts: [[Int64]] = [[]]
    var bytes: Int64 = 0
    for row in try await history.summaries(ids: ids) {
      let size = row.size + row.bytesSent
      if bytes + size > Self.bound, !parts[parts.count - 1].isEmpty {
        parts.append([])
        bytes = 0
      }
      parts[parts.count - 1].append(row.id)
      bytes += size
    }
    return parts
  }
}

extension HistoryQuery {
  /// Exchanges by the same process with the same method and URL, the one itself included, oldest first: at most 20 of
  /// those within 1,000 exchanges and ten minutes of it.
  func retries(of id: Int64) async throws -> [ExchangeSummary] {
    let around = try await history.summaries(ids: Array(max(1, id - 1_000)...(id + 1_000)))
    guard let this = around.first(where: { $0.id == id }) else { return [] }
    let same = around.filter {
      $0.method == this.method && $0.url == this.url && $0.process == this.process
        && abs($0.startedAt.microseconds - this.startedAt.microseconds) < 600_000_000
    }
    let place = same.firstIndex { $0.id == id } ?? 0
    let first = max(0, min(place - 10, same.count - 20))
    return Array(same[first..<min(same.count, first + 20)])
  }
}

extension HistoryQuery {
  /// The last ended exchange before that one of the same endpoint, by whichever process; nil where none is among the
  /// 50,000 before it, which takes a quarter of a second to see.
  func previous(of id: Int64) async throws -> Int64? { try await previous(of: id, within: 50_000) { _ in true } }

  /// The last real answer of its endpoint before that one: of the network, unchanged. Somebody waits for the form that
  /// begins with it, so only the 5,000 before it are looked at.
  func lastAnswer(before id: Int64) async throws -> Int64? {
    try await previous(of: id, within: 5_000) {
      ($0.by == .network || $0.by == .cache) && $0.stub == nil && $0.status != nil && $0.outcome == .responded
    }
  }

  private func previous(
    of id: Int64, within reach: Int64, where fits: (ExchangeSummary) -> Bool
  ) async throws -> Int64? {
    guard let this = try await history.summaries(ids: [id]).first else { return nil }
    var end = id
    let step: Int64 = 500
    while end > max(1, id - reach) {
      try Task.checkCancellation()
      let start = max(1, end - step)
      let rows = try await history.summaries(ids: Array(start..<end))
      if let found = rows.last(where: { $0.phase == .ended && fits($0) && $0.isSameEndpoint(as: this) }) {
        return found.id
      }
      end = start
    }
    return nil
  }
}

extension HistoryQuery {
  /// The sparklines show the last ten minutes, half a minute a column.
  private static let spark: (minutes: Int64, parts: Int) = (10, 20)

  /// What was recorded and fits, counted by endpoint and by host.
  func traffic(_ filter: Filter, now: Timestamp = .now) async throws -> TrafficReport {
    try await history.flush()
    let span = TrafficTable.Span(
      from: Timestamp(microseconds: now.microseconds - Self.spark.minutes * 60_000_000), to: now,
      parts: Self.spark.parts)
    let table = try await history.statistics(filter, span: span)
    return TrafficReport(endpoints: table.endpoints, hosts: table.hosts)
  }
}

extension HistoryQuery {
  /// Of the newest 5,000 that fit, and the slowest of all: at a million of one endpoint that is 60 ms.
  func trafficDetail(_ filter: Filter) async throws -> TrafficDetail {
    try await history.flush()
    let newest = try await ids(filter, limit: 5_000)
    let slowest = try await history.ids(filter, sortedBy: .duration, descending: true).prefix(3)
    return TrafficDetail(
      try await history.summaries(ids: newest), slowest: try await history.summaries(ids: Array(slowest)))
  }
}

extension HistoryQuery {
  /// The last requests that fit, the newest first.
  func newest(_ count: Int, _ filter: Filter) async throws -> [ExchangeSummary] {
    try await history.flush()
    return try await history.summaries(ids: try await ids(filter, limit: count)).sorted { $0.id > $1.id }
  }

  /// How many of the newest 10,000 recorded requests a pattern fits.
  func preview(_ pattern: RequestPattern) async throws -> PreviewResult {
    let matcher = PatternMatcher(pattern)
    let looked = try await history.ids(from: 0, count: 10_000)
    var newest: [Int64] = []
    var matching = 0
    for start in stride(from: 0, to: looked.count, by: 500) {
      try Task.checkCancellation()
      let ids = Array(looked[start..<min(looked.count, start + 500)])
      for exchange in try await history.exchanges(ids: ids, bodies: pattern.asksBody) {
        guard matcher.fits(RequestFacts(exchange)) else { continue }
        matching += 1
        if newest.count < 200 { newest.append(exchange.id) }
      }
    }
    return PreviewResult(matching: matching, of: looked.count, newest: newest)
  }
}

/// One pattern alone, compiled.
private struct PatternMatcher {
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
