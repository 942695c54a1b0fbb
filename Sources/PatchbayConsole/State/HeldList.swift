import PatchbayInspect

/// The exchanges that are held, in the order in which they were stopped.
struct HeldList: Sendable, Equatable {
  private(set) var ids: [Int64] = []
  private var known: Set<Int64> = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }

  func contains(_ id: Int64) -> Bool { known.contains(id) }

  /// Returns whether it is held and was not before.
  mutating func note(_ summary: ExchangeSummary) -> Bool {
    if summary.isHeld {
      guard known.insert(summary.id).inserted else { return false }
      ids.append(summary.id)
      return true
    }
    if known.remove(summary.id) != nil { ids.removeAll { $0 == summary.id } }
    return false
  }
}
