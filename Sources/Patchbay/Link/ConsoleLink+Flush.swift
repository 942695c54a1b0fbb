import Dispatch
import Foundation

/// The end of the process: what has been reported is sent before it.
extension ConsoleLink {
  /// Waits until everything reported so far is in the socket, at most 250 ms. Not on the link's own thread.
  func flush() {
    let clock = FlushClock()
    let begins = state.withLock { state in
      guard state.phase == .linked else { return false }
      if state.flush == nil { state.flush = clock }
      if let thread = state.thread { LinkThread.hurry(thread) }
      return true
    }
    guard begins else { return }
    waker?.wake()
    // The file of the last download may be about to be read.
    HookQueue.settle(before: clock.time(FlushClock.settled))
    let semaphore = DispatchSemaphore(value: 0)
    let isLinked = state.withLock { state in
      guard state.phase == .linked else {
        state.flush = nil
        return false
      }
      state.flushers.append(semaphore)
      return true
    }
    guard isLinked else { return }
    waker?.wake()
    _ = semaphore.wait(timeout: clock.time(FlushClock.end))
  }

  var flushStage: FlushClock.Stage {
    let isWaiting = ImmediateExit.isWaiting
    return state.withLock { state in
      if isWaiting, state.flush == nil { state.flush = FlushClock() }
      return state.flush?.stage ?? .none
    }
  }

  /// Milliseconds until the next stage begins; nil where none does.
  var untilNextFlushStage: Int32? { state.withLock { $0.flush?.untilNext } }

  /// Whether somebody waits for what has been reported so far.
  var isFlushing: Bool { ImmediateExit.isWaiting || state.withLock { !$0.flushers.isEmpty } }

  func flushed() {
    let flushers = state.withLock { state in
      defer { state.flushers = [] }
      if !state.flushers.isEmpty { state.flush = nil }
      return state.flushers
    }
    for flusher in flushers { flusher.signal() }
    if ImmediateExit.isWaiting { ImmediateExit.flushed() }
  }
}
