import Dispatch
import Foundation
import PatchbayWire
import Synchronization

/// The one way from the server to all who want to know what happens: the record, the screen, headless lines, the logs of
/// controllers.
///
/// Events come in batches, one batch after the other, on a queue of its own: at once when it has been quiet, else at most
/// every 4 ms, so that thousands of updates a second cost some hundred batches. It sleeps without a timer when there is
/// nothing to tell. Subscribers get each batch in the order in which they subscribed.
///
/// What a subscriber has not worked off lies in a mailbox of its own, which is bounded and coalesces as it sees fit (the
/// screen keeps the newest word on each exchange, the record its queue of rows, a controller's log what its socket has
/// not taken). Only what must be whole may make others wait, and only when its mailbox is full; links that go on sending
/// then are not read (`ServerLimits.undelivered`), so that nothing is lost and memory stays bounded.
package final class EventBroadcaster: Sendable {
  package typealias Receiver = @Sendable ([ServerEvent]) -> Void

  /// Where a subscriber is called.
  package enum Delivery: Sendable {
    /// On the delivery queue: for what is brief, or has a mailbox of its own.
    case direct
    /// On a queue of the subscriber's own, for what somebody may be slow to read. The others get their events meanwhile;
    /// they wait when it is 16 MiB behind, for none of its events may be lost.
    case queued

    /// For what writes to that descriptor: `queued` on a pipe, a socket and a terminal. On a file nobody is slow to read,
    /// and one thread less competes with the program for the processors.
    package static func writing(to descriptor: Int32) -> Delivery {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return .direct }
      switch status.st_mode & S_IFMT {
      case S_IFREG: return .direct
      case S_IFCHR: return isatty(descriptor) == 1 ? .queued : .direct
      default: return .queued
      }
    }
  }

  /// Names a subscriber.
  package struct Subscription: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Subscriber: Sendable {
    let subscription: Subscription
    let receive: Receiver
    let mailbox: QueuedMailbox?
  }

  private struct Subscribers {
    var last: UInt64 = 0
    var list: [Subscriber] = []
  }

  private struct Schedule {
    var isScheduled = false
    var last = DispatchTime(uptimeNanoseconds: 0)
    var isStopped = false
    /// When bodies are to be looked at again.
    var wakesAt: Timestamp?
  }

  private struct Source { weak var server: ConsoleServer? }

  /// Between two batches, in nanoseconds.
  private static let interval = 4_000_000

  private let queue = DispatchQueue(label: "patchbay.server.events", qos: .userInitiated)
  private let schedule = Mutex(Schedule())
  private let subscribers = Mutex(Subscribers())
  private let source = Mutex(Source())
  private let masking: (@Sendable (Exchange) -> Exchange)?

  /// - Parameter masking: what all subscribers get instead of each exchange; done once a batch.
  init(masking: (@Sendable (Exchange) -> Exchange)?) { self.masking = masking }

  func attach(_ server: ConsoleServer) { source.withLock { $0.server = server } }

  /// From the next batch on, until it is cancelled.
  @discardableResult
  package func subscribe(_ delivery: Delivery = .direct, _ receive: @escaping Receiver) -> Subscription {
    let mailbox = delivery == .queued ? QueuedMailbox(receive) : nil
    return subscribers.withLock { subscribers in
      subscribers.last += 1
      let subscription = Subscription(number: subscribers.last)
      subscribers.list.append(
        Subscriber(subscription: subscription, receive: mailbox?.add ?? receive, mailbox: mailbox))
      return subscription
    }
  }

  /// It gets no batch that begins after this.
  package func cancel(_ subscription: Subscription) {
    subscribers.withLock { $0.list.removeAll { $0.subscription == subscription } }
  }

  var subscriberCount: Int { subscribers.withLock { $0.list.count } }

  /// Something may wait to be delivered.
  func signal() {
    let now = DispatchTime.now()
    let due: DispatchTime? = schedule.withLock { schedule in
      guard !schedule.isScheduled, !schedule.isStopped else { return nil }
      schedule.isScheduled = true
      return max(now, schedule.last + .nanoseconds(Self.interval))
    }
    guard let due else { return }
    if due <= now {
      queue.async { self.deliverScheduled() }
    } else {
      queue.asyncAfter(deadline: due) { self.deliverScheduled() }
    }
  }

  private func deliverScheduled() {
    schedule.withLock {
      $0.isScheduled = false
      $0.last = .now()
    }
    deliver()
  }

  /// One batch; on the queue.
  private func deliver() {
    guard let server = source.withLock({ $0.server }) else { return }
    var (events, wakesAt) = server.nextBatch()
    if !events.isEmpty {
      if let masking { events = events.map { $0.masked(masking) } }
      for subscriber in subscribers.withLock({ $0.list }) { subscriber.receive(events) }
    }
    if server.delivered() { signal() }
    if let wakesAt { wakeUp(at: wakesAt) }
  }

  private func wakeUp(at time: Timestamp) {
    let starts = schedule.withLock { schedule in
      if let planned = schedule.wakesAt, planned <= time { return false }
      schedule.wakesAt = time
      return true
    }
    guard starts else { return }
    let wait = max(1_000, time.microseconds - Timestamp.now.microseconds)
    queue.asyncAfter(deadline: .now() + .microseconds(Int(wait))) { [self] in
      schedule.withLock { if $0.wakesAt == time { $0.wakesAt = nil } }
      signal()
    }
  }

  /// Delivers what is left and returns when all subscribers have worked it off.
  func flush() async {
    await withCheckedContinuation { done in
      queue.async {
        self.deliver()
        done.resume()
      }
    }
    for subscriber in subscribers.withLock({ $0.list }) { await subscriber.mailbox?.flush() }
  }

  /// Delivers what is left, then nothing any more.
  func stop() async {
    schedule.withLock { $0.isStopped = true }
    await flush()
  }
}

/// Batches between the delivery queue and a subscriber that works them off on a queue of its own.
private final class QueuedMailbox: Sendable {
  private struct State {
    var batches: [[ServerEvent]] = []
    /// Of the batches and of the one that is being worked off, in bytes.
    var size = 0
    var isScheduled = false
    var isAwaited = false
  }

  /// In bytes; when it is exceeded the delivery queue waits until half of it is free.
  private static let limit = 16 << 20

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "patchbay.server.subscriber", qos: .userInitiated)
  private let room = DispatchSemaphore(value: 0)
  private let receive: EventBroadcaster.Receiver

  init(_ receive: @escaping EventBroadcaster.Receiver) { self.receive = receive }

  /// Called by the delivery queue only.
  func add(_ batch: [ServerEvent]) {
    let (starts, waits) = state.withLock { state in
      state.batches.append(batch)
      state.size += batch.approximateBytes
      state.isAwaited = state.size > Self.limit
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.isAwaited)
    }
    if starts { queue.async { self.workOff() } }
    if waits { room.wait() }
  }

  private func workOff() {
    while let batch = next() {
      receive(batch)
      let hasRoom = state.withLock { state in
        state.size -= batch.approximateBytes
        guard state.isAwaited, state.size <= Self.limit / 2 else { return false }
        state.isAwaited = false
        return true
      }
      if hasRoom { room.signal() }
    }
  }

  private func next() -> [ServerEvent]? {
    state.withLock { state in
      if state.batches.isEmpty {
        state.isScheduled = false
        return nil
      }
      return state.batches.removeFirst()
    }
  }

  func flush() async {
    await withCheckedContinuation { done in
      queue.async {
        self.workOff()
        done.resume()
      }
    }
  }
}

extension ServerEvent {
  fileprivate func masked(_ masking: (Exchange) -> Exchange) -> ServerEvent {
    guard case .exchanges(let exchanges) = self else { return self }
    return .exchanges(exchanges.map(masking))
  }
}

extension [ServerEvent] {
  /// About what it keeps in memory.
  fileprivate var approximateBytes: Int {
    reduce(0) { size, event in
      guard case .exchanges(let exchanges) = event else { return size + 1_024 }
      return exchanges.reduce(size) { $0 + 1_024 + $1.approximateBytes }
    }
  }
}
