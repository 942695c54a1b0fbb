import PatchbayInspect

/// What is known of all that is recorded, listed or not.
struct RecordedExchanges: Sendable {
  /// How many there are.
  var count = 0
  /// The highest id among them.
  private(set) var newest: Int64 = 0
  /// Some came while it was watched, though none may be left.
  private(set) var hasNew = false
  private(set) var held = HeldList()
  /// Originals of requests that were sent again from here and have not ended.
  private var awaitedReplays: Set<Int64> = []
  private(set) var lastReplay: (original: Int64, replay: Int64)?

  /// A live change of one.
  ///
  /// - Returns: whether it is new, whether it has just been held, and of which request it is the answer that is awaited.
  mutating func received(_ summary: ExchangeSummary) -> (isNew: Bool, isStopped: Bool, endedReplayOf: Int64?) {
    let isNew = summary.id > newest
    if isNew {
      newest = summary.id
      count += 1
      hasNew = true
    }
    return (isNew, held.note(summary), ended(summary))
  }

  /// Of a request that was sent again from here and has ended: the original.
  private mutating func ended(_ summary: ExchangeSummary) -> Int64? {
    guard let original = summary.replayOf, summary.phase == .ended, awaitedReplays.remove(original) != nil else {
      return nil
    }
    lastReplay = (original, summary.id)
    return original
  }

  mutating func awaitReplay(of original: Int64) { awaitedReplays.insert(original) }

  /// One that was recorded before.
  mutating func known(_ summary: ExchangeSummary) {
    newest = max(newest, summary.id)
    _ = held.note(summary)
  }

  mutating func reach(_ id: Int64) { newest = max(newest, id) }

  /// So many more, or fewer.
  mutating func add(_ more: Int) { count = max(0, count + more) }
}

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
