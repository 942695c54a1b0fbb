import PatchbayInspect

@testable import PatchbayConsole

extension [ExchangeSummary] {
  /// The summaries as the list shows them in this order; what is equal stays in the order of arrival.
  func sorted(by order: SortOrder) -> [ExchangeSummary] {
    sorted { left, right in
      let result = order.compare(left, right)
      if result == 0 { return left.id < right.id }
      return order.descending ? result > 0 : result < 0
    }
  }
}

extension SortOrder {
  /// Below 0, 0 or above it, by the column alone, rising.
  func compare(_ left: ExchangeSummary, _ right: ExchangeSummary) -> Int {
    func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int { one < other ? -1 : one == other ? 0 : 1 }
    switch column {
    case .number: return sign(left.id, right.id)
    case .startedAt, .timeline: return sign(left.startedAt, right.startedAt)
    case .process: return sign(left.process.name, right.process.name)
    case .method: return sign(left.method, right.method)
    case .status: return sign(left.status ?? 1_000, right.status ?? 1_000)
    case .host: return sign(left.host, right.host)
    case .path: return sign(left.path, right.path)
    case .type: return sign(left.contentKind.label, right.contentKind.label)
    case .size: return sign(left.size, right.size)
    case .duration: return sign(left.duration ?? .max, right.duration ?? .max)
    case .by: return sign(left.stub ?? "", right.stub ?? "")
    }
  }
}
