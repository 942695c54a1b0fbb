import Foundation

/// A moment on the clock that never jumps.
struct MonotonicTime: Sendable {
  private let nanoseconds: Int64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  func microseconds(to later: MonotonicTime) -> Int64 {
    (later.nanoseconds - nanoseconds) / 1_000
  }
}
