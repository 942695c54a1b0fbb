/// Which runs have packs, and which wait for one. A value: its owner guards it.
struct PackPlan: Sendable {
  private var packed: Set<Int64>
  private var waiting: Set<Int64>
  private var building: Set<Int64> = []
  var isScheduled = false
  /// Packs are only a help: where they cannot be written, this session goes on without.
  var isOff = false

  init(packed: Set<Int64> = [], waiting: Set<Int64> = []) {
    self.packed = packed
    self.waiting = waiting
  }

  func isPacked(_ run: Int64) -> Bool { packed.contains(run) }

  func hasWork(below newest: Int64) -> Bool { !isOff && waiting.contains { $0 < newest } }

  /// Rows of these runs were written or removed: what packs they had are gone.
  ///
  /// - Parameter again: they are to be packed again.
  mutating func touch(_ runs: Set<Int64>, again: Bool) {
    packed.subtract(runs)
    building.subtract(runs)
    if again { waiting.formUnion(runs) } else { waiting.subtract(runs) }
  }

  /// The newest that waits and is not the newest of all.
  mutating func next(below newest: Int64) -> Int64? {
    guard !isOff, let run = waiting.lazy.filter({ $0 < newest }).max() else { return nil }
    waiting.remove(run)
    building.insert(run)
    return run
  }

  /// Whether nothing has touched the run since it was taken.
  mutating func finish(_ run: Int64) -> Bool {
    guard building.remove(run) != nil else { return false }
    packed.insert(run)
    return true
  }
}
