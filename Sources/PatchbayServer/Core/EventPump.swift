import Dispatch
import Foundation
import PatchbayWire
import Synchronization

/// Delivers events on a queue of its own: at once when it has been quiet, else at most every few milliseconds, so that
/// thousands of updates a second cost some hundred batches. Sleeps without a timer when there is nothing to tell.
final class EventPump: Sendable {
  /// Between two batches.
  private static let interval = 4_000_000

  private struct Schedule {
    var isScheduled = false
    var last = DispatchTime(uptimeNanoseconds: 0)
    var isStopped = false
    /// When bodies are to be looked at again.
    var wakesAt: Timestamp?
  }

  private let queue = DispatchQueue(label: "patchbay.server.events", qos: .userInitiated)
  private let sink: ServerSink
  private let schedule = Mutex(Schedule())
  private let core = Mutex<WeakCore>(WeakCore())
  /// What controllers follow.
  let followers = Followers()

  private struct WeakCore { weak var core: ServerCore? }

  init(sink: @escaping ServerSink) { self.sink = sink }

  func attach(_ core: ServerCore) { self.core.withLock { $0.core = core } }

  /// Something may wait to be delivered.
  func signal() {
    let now = DispatchTime.now()
    let due: DispatchTime? = schedule.withLock { schedule in
      guard !schedule.isScheduled, !schedule.isStopped else { return nil }
      schedule.isScheduled = true
      return max(now, schedule.last + .nanoseconds(Self.interval))
    }
    guard let due else { return }
    if due <= now { queue.async { self.drain() } } else { queue.asyncAfter(deadline: due) { self.drain() } }
  }

  /// Runs that on the queue after a while.
  func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds)), execute: work)
  }

  private func drain() {
    schedule.withLock {
      $0.isScheduled = false
      $0.last = .now()
    }
    deliver()
  }

  /// One batch; on the queue.
  private func deliver() {
    guard let core = core.withLock({ $0.core }) else { return }
    let (events, wake) = core.state.withLock { state in
      (state.takeBatch(now: .now), state.gatherer.nextSnapshot)
    }
    for event in events { sink(event) }
    followers.deliver(events)
    let resumed = core.state.withLock { state in state.forgive().compactMap { state.links[$0]?.channel } }
    core.signal(.resume, to: resumed)
    if !resumed.isEmpty { signal() }
    if let wake { wakeUp(at: wake) }
  }

  private func wakeUp(at time: Timestamp) {
    let starts = schedule.withLock { schedule in
      if let planned = schedule.wakesAt, planned <= time { return false }
      schedule.wakesAt = time
      return true
    }
    guard starts else { return }
    after(.microseconds(max(1_000, time.microseconds - Timestamp.now.microseconds))) { [self] in
      schedule.withLock { if $0.wakesAt == time { $0.wakesAt = nil } }
      signal()
    }
  }

  /// Delivers what is left and returns when the sink has it.
  func flush() async {
    await withCheckedContinuation { done in
      queue.async {
        self.deliver()
        done.resume()
      }
    }
  }

  /// Delivers what is left, then nothing any more.
  func stop() async {
    schedule.withLock { $0.isStopped = true }
    await flush()
  }
}
