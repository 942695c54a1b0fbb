import PatchbayInspect
import PatchbayWire

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
