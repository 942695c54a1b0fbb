import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayWire

extension HistoryQuery {
  /// The sparklines show the last ten minutes, half a minute a column.
  private static let spark: (minutes: Int64, parts: Int) = (10, 20)

  /// What was recorded and fits, counted by endpoint and by host.
  func traffic(_ filter: Filter) async throws -> TrafficReport {
    try await history.flush()
    let now = Timestamp.now
    let span = TrafficTable.Span(
      from: Timestamp(microseconds: now.microseconds - Self.spark.minutes * 60_000_000), to: now,
      parts: Self.spark.parts)
    let table = try await history.statistics(filter, span: span)
    return TrafficReport(endpoints: table.endpoints, hosts: table.hosts)
  }
}
