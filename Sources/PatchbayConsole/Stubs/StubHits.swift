import PatchbayStubs
import PatchbayWire

/// How often each stub was met. Each process counts for itself: `times` and `skip` are meant for each of them.
struct StubHits: Sendable, Equatable {
  private var parts: [String: [HarnessProcess: StubProgress]] = [:]
  /// Over all processes; the next step of a sequence is that of the process that spoke last.
  private var totals: [String: StubProgress] = [:]

  subscript(_ name: String) -> StubProgress? { totals[name] }

  mutating func add(_ progress: StubProgress, of process: HarnessProcess) {
    parts[progress.name, default: [:]][process] = progress
    let all = parts[progress.name, default: [:]].values
    totals[progress.name] = StubProgress(
      name: progress.name, hits: all.reduce(0) { NumberLimits.count($0 + $1.hits) },
      nextStep: progress.nextStep ?? all.lazy.compactMap(\.nextStep).first)
  }

  /// A stub that is made anew begins at zero.
  mutating func forget(_ name: String) {
    parts[name] = nil
    totals[name] = nil
  }

  /// Forgets those that are not among these.
  mutating func keep(_ names: [String]) {
    guard !totals.isEmpty else { return }
    let known = Set(names)
    for name in totals.keys where !known.contains(name) { forget(name) }
  }

  /// Whether each process that met the stub has had as many as it was made for.
  func isUsedUp(_ stub: Stub) -> Bool {
    guard let times = stub.times, let met = parts[stub.name], !met.isEmpty else { return false }
    return met.values.allSatisfy { $0.hits >= UInt64(max(times, 0)) }
  }

  /// Whether a process has had as many requests taken as the stub was made for.
  func isUsedUp(_ stub: Stub, in process: HarnessProcess) -> Bool {
    guard let times = stub.times else { return false }
    return parts[stub.name]?[process].map { $0.hits >= UInt64(max(times, 0)) } ?? false
  }
}
