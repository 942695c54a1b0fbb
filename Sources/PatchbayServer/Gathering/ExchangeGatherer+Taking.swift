import PatchbayWire

extension ExchangeGatherer {
  /// Whether something waits to be taken.
  public var hasChanges: Bool { !changed.isEmpty || !ended.isEmpty }

  /// The exchanges that changed since the last call, by rising id, each once.
  public mutating func takeChanged(now: Timestamp = .now) -> [Exchange] {
    var result = ended
    ended.removeAll(keepingCapacity: result.count < 4_096)
    for key in changed {
      guard var entry = open.removeValue(forKey: key) else { continue }
      entry.isChanged = false
      if entry.isSnapshotDue(now: now) || entry.heldSince != nil { entry.takeSnapshot(now: now) }
      if entry.bodyIsBehind { behind.insert(key) } else { behind.remove(key) }
      open[key] = entry
      result.append(entry.exchange)
    }
    changed.removeAll(keepingCapacity: changed.count < 4_096)
    // Those that have ended come in order, unless one took longer than a later one.
    let isInOrder = result.indices.dropFirst().allSatisfy { result[$0 - 1].id < result[$0].id }
    return isInOrder ? result : result.sorted { $0.id < $1.id }
  }

  /// When bodies that grew since they were last taken should be taken again; nil where there are none.
  public var nextSnapshot: Timestamp? { behind.compactMap { open[$0]?.snapshotDueAt }.min() }

  /// Makes bodies that are due count as changed.
  public mutating func wakeSnapshots(now: Timestamp = .now) {
    for key in behind {
      guard let entry = open[key], !entry.isChanged, entry.isSnapshotDue(now: now) else { continue }
      open[key]?.isChanged = true
      changed.append(key)
    }
  }
}
