import Foundation
import Synchronization

/// The end of a process by `_exit`, which calls no handlers: where the preload library hears of it, it waits for the last
/// reports as `exit` does. A program may call it in a signal's handler, while any lock is held.
enum ImmediateExit {
  /// The process that has a link, and whose children do not count; 0 while there is none.
  private static let process = Atomic<Int32>(0)
  private static let waiting = Atomic<Bool>(false)
  private static let sent = Atomic<Bool>(false)

  private typealias Register = @convention(c) (@convention(c) () -> Void) -> Void

  static func install() {
    // Each is made by its first use, which may not be in a handler.
    forget()
    sent.store(false, ordering: .relaxed)
    guard !isWaiting, let symbol = dlsym(nil, "patchbay_preload_before_exit") else { return }
    unsafeBitCast(symbol, to: Register.self)({ ImmediateExit.flush() })
  }

  static func watch(_ pid: pid_t) { process.store(pid, ordering: .releasing) }

  static func forget() { process.store(0, ordering: .releasing) }

  /// Somebody waits for what has been reported so far.
  static var isWaiting: Bool { waiting.load(ordering: .acquiring) }

  static func flushed() { sent.store(true, ordering: .releasing) }

  /// Only atomics and system calls.
  private static func flush() {
    guard process.load(ordering: .acquiring) == getpid(), !waiting.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    ProcessHooks.wakeLink()
    let end = now + FlushClock.end
    while !sent.load(ordering: .acquiring), now < end { poll(nil, 0, 1) }
  }

  /// In milliseconds.
  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
