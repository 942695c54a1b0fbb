import PatchbayStubs

/// How many visible exchanges there are in each run of ids, so that a position is found without counting rows.
struct RunIndex: Sendable {
  static let span: Int64 = 1_024

  /// In rising order of `run`.
  private var runs: [Run] = []
  private(set) var total = 0
  /// No exchange has a higher id.
  private(set) var highest: Int64 = 0

  private struct Run {
    var run: Int64
    var visible: Int
  }

  /// Where a position lies: `offset` visible rows below the highest id of a run.
  struct Place: Equatable, Sendable {
    var highest: Int64
    var offset: Int
  }

  static func run(of id: Int64) -> Int64 { id / span }

  mutating func note(id: Int64) { highest = max(highest, id) }

  mutating func add(_ count: Int, run: Int64) {
    total += count
    if let last = runs.last, last.run == run {
      runs[runs.count - 1].visible += count
      return
    }
    let index = firstIndex(atLeast: run)
    if index < runs.count, runs[index].run == run {
      runs[index].visible += count
    } else {
      runs.insert(Run(run: run, visible: count), at: index)
    }
  }

  mutating func removeAll() {
    runs = []
    total = 0
  }

  /// - Parameter position: 0 is the newest.
  func place(of position: Int) -> Place? {
    guard position >= 0, position < total else { return nil }
    var rest = position
    for run in runs.reversed() {
      if rest < run.visible { return Place(highest: (run.run + 1) * Self.span - 1, offset: rest) }
      rest -= run.visible
    }
    return nil
  }

  /// How many visible exchanges the runs after this one have.
  func count(afterRun run: Int64) -> Int {
    var count = 0
    for entry in runs.reversed() {
      if entry.run <= run { break }
      count += entry.visible
    }
    return count
  }

  /// Ranges of ids that have something in them, newest first, each with about that many exchanges.
  func slices(of size: Int, first: Int) -> [ClosedRange<Int64>] {
    var slices: [ClosedRange<Int64>] = []
    var upper: Int64?
    var count = 0
    var wanted = first
    for run in runs.reversed() where run.visible > 0 {
      if upper == nil { upper = (run.run + 1) * Self.span - 1 }
      count += run.visible
      if count >= wanted, let high = upper {
        slices.append(run.run * Self.span...high)
        upper = nil
        count = 0
        wanted = size
      }
    }
    if let upper, let lowest = runs.first(where: { $0.visible > 0 }) { slices.append(lowest.run * Self.span...upper) }
    return slices
  }

  private func firstIndex(atLeast run: Int64) -> Int { runs.partitioningIndex { $0.run >= run } }
}
