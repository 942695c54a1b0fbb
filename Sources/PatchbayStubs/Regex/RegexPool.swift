import Synchronization

/// The matchers of one regular expression: each search takes one that is free and gives it back warm.
///
/// Never waits: where another thread is at the pool at this moment, or was when this process was forked, the search
/// makes a matcher for itself.
final class RegexPool: Sendable {
  private let program: RegexProgram
  private let isTaken = Atomic(false)
  // Guarded by `isTaken`: touched only by the thread that made it true.
  nonisolated(unsafe) private var free: [RegexMatcher] = []

  /// So many are kept.
  private static let size = 4

  init(_ program: RegexProgram) { self.program = program }

  func search(_ text: UnsafeBufferPointer<UInt8>, budget: Int) -> PatternRegex.Result {
    let matcher = take() ?? RegexMatcher(program)
    let result = matcher.search(text, budget: budget)
    giveBack(matcher)
    return result
  }

  private func take() -> RegexMatcher? {
    guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
    defer { isTaken.store(false, ordering: .releasing) }
    return free.popLast()
  }

  private func giveBack(_ matcher: RegexMatcher) {
    guard !isTaken.exchange(true, ordering: .acquiring) else { return }
    defer { isTaken.store(false, ordering: .releasing) }
    if free.count < Self.size { free.append(matcher) }
  }
}
