import PatchbayHistory
import PatchbayWire

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
