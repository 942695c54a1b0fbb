import PatchbayInspect

/// The summaries that were needed last; the oldest leave when it is full.
struct SummaryCache: Sendable {
  let capacity: Int
  private var values: [Int64: ExchangeSummary] = [:]
  /// The ids in the order in which they came, as a ring.
  private var ring: [Int64] = []
  private var next = 0

  init(capacity: Int = 4_096) {
    self.capacity = max(1, capacity)
  }

  var count: Int { values.count }

  subscript(_ id: Int64) -> ExchangeSummary? { values[id] }

  mutating func put(_ summary: ExchangeSummary) {
    guard values.updateValue(summary, forKey: summary.id) == nil else { return }
    if ring.count < capacity {
      ring.append(summary.id)
    } else {
      values[ring[next]] = nil
      ring[next] = summary.id
      next = (next + 1) % capacity
    }
  }

  /// Takes the newer summary of an exchange that is here; others are left out.
  mutating func refresh(_ summary: ExchangeSummary) {
    guard let place = values.index(forKey: summary.id) else { return }
    values.values[place] = summary
  }

  mutating func change(_ id: Int64, _ body: (inout ExchangeSummary) -> Void) {
    guard let place = values.index(forKey: id) else { return }
    body(&values.values[place])
  }
}
