import Foundation

/// For long work beside the program that is looked at. On few processors a thread of the console that wakes and works for
/// milliseconds keeps the program's own threads from running. So for a while after it began the work calls
/// `sched_yield` now and then, which costs next to nothing where no thread waits for a processor. After that while it
/// yields no more, so that on a busy machine the console's work gets done too.
///
/// Used by one thread, while one piece of work lasts. It is here because this is the lowest target that all of its users
/// (server, history, recording) have in common.
package struct YieldBudget {
  private var next: UInt64
  private let last: UInt64

  /// How long it works before others are let through, in nanoseconds.
  private static let turn: UInt64 = 50_000

  /// - Parameter milliseconds: For so long from now on others go first.
  package init(milliseconds: UInt64) {
    let now = Self.now
    next = now + Self.turn
    last = now + milliseconds * 1_000_000
  }

  /// To be called after each small part of the work. Returns whether others could run meanwhile.
  @discardableResult
  package mutating func step() -> Bool {
    let now = Self.now
    guard now >= next else { return false }
    guard now < last else {
      next = .max
      return false
    }
    sched_yield()
    next = Self.now + Self.turn
    return true
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
