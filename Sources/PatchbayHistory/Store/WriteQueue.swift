import Foundation
import PatchbayWire

/// What waits to be written: the latest state of each exchange, bounded in bytes. A value: its owner guards it.
struct WriteQueue {
  /// Not yet taken, by id.
  private(set) var pending: [Int64: Exchange] = [:]
  /// Taken and not yet committed.
  private(set) var writing: [Int64: Exchange] = [:]
  private(set) var bytes = 0
  private(set) var shedBodies = 0
  private(set) var shedExchanges = 0
  /// The plan that holds; those before it have no effect any more. nil while nothing is planned.
  private(set) var plan: Int?
  private var plans = 0
  private var pace = WritePace()
  /// So much waits that it is written without a pause.
  private var isUrgent = false
  /// Writing failed and is tried again now and then.
  var isFailing = false
  var isClosed = false
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// Above it `record` asks its caller to wait.
  static let bound = 64 << 20

  var isOverBound: Bool { bytes > Self.bound }
  var hasRoom: Bool { bytes <= Self.bound / 2 || isFailing || isClosed }
  subscript(_ id: Int64) -> Exchange? { pending[id] ?? writing[id] }

  mutating func add(_ exchanges: [Exchange], at now: ContinuousClock.Instant = .now) {
    pace.came(exchanges.count, at: now)
    pending.reserveCapacity(pending.count + exchanges.count)
    for exchange in exchanges {
      bytes += exchange.approximateBytes
      if let old = pending.updateValue(exchange, forKey: exchange.id) { bytes -= old.approximateBytes }
    }
    if isFailing, isOverBound { shed() }
  }

  /// A number by which somebody knows whether it is still for him to write, and for how long he waits before that.
  typealias Plan = (number: Int, pause: Duration)

  /// To be asked when something was added, and again when a pause is over.
  ///
  /// - Parameter over: The plan whose pause is over.
  /// - Returns: nil where another plan holds, or nothing is to be written.
  mutating func planned(after over: Int? = nil, at now: ContinuousClock.Instant = .now) -> Plan? {
    guard over == nil || over == plan else { return nil }
    if over != nil { plan = nil }
    let isUrgent = bytes > Self.bound / 2
    guard !isClosed, !isFailing, !pending.isEmpty, plan == nil || isUrgent && !self.isUrgent else { return nil }
    self.isUrgent = isUrgent
    return (nextPlan(), isUrgent ? .zero : pace.pause(at: now))
  }

  private mutating func nextPlan() -> Int {
    plans += 1
    plan = plans
    return plans
  }

  /// The lowest id of what waits.
  var lowest: Int64? { [pending.keys.min(), writing.keys.min()].compactMap(\.self).min() }

  mutating func beginWriting(at now: ContinuousClock.Instant = .now) -> [Exchange] {
    plan = nil
    isUrgent = false
    pace.began(at: now)
    writing = pending
    pending = [:]
    bytes = 0
    // The ids are sorted, which are small.
    return writing.keys.sorted().compactMap { writing[$0] }
  }

  mutating func finish(_ written: ArraySlice<Exchange>) {
    if written.count == writing.count {
      writing = [:]
      return
    }
    for exchange in written { writing[exchange.id] = nil }
  }

  /// What was taken and not written waits again, unless a newer state has come.
  ///
  /// - Returns: The number of the plan to try again.
  mutating func giveBack() -> Int {
    for (id, exchange) in writing where pending[id] == nil {
      pending[id] = exchange
      bytes += exchange.approximateBytes
    }
    writing = [:]
    return nextPlan()
  }

  /// Bodies go first, oldest first, then whole exchanges.
  private mutating func shed() {
    for id in pending.keys.sorted() {
      guard isOverBound else { return }
      guard var exchange = pending[id], exchange.request.body != nil || exchange.response?.body != nil else { continue }
      bytes -= exchange.approximateBytes
      if exchange.request.body?.isEmpty == false { exchange.request.truncated = true }
      if exchange.response?.body?.isEmpty == false { exchange.response?.truncated = true }
      exchange.request.body = nil
      exchange.response?.body = nil
      bytes += exchange.approximateBytes
      pending[id] = exchange
      shedBodies += 1
    }
    for id in pending.keys.sorted() {
      guard isOverBound else { return }
      if let exchange = pending.removeValue(forKey: id) { bytes -= exchange.approximateBytes }
      shedExchanges += 1
    }
  }
}

/// When what waits is written: at once after quiet, else 20 ms after the time before, and while exchanges come thick not
/// until they come more slowly, but at most a second after the first of them came.
///
/// For what writes takes the processor from the program that is looked at. Of 12.5 µs of the console's processor time for
/// an exchange writing takes 8.5; on 2 cores a program that got 16 stubbed responses at a time had 0.81 to 0.94 of the
/// throughput that it has without a console while each batch was written when it came, and 0.95 to 1.0 where it was not
/// written at all.
struct WritePace {
  /// Since it was looked last.
  private var count = 0
  /// When the first of those came that wait.
  private var first: ContinuousClock.Instant?
  /// When it was written or looked last.
  private var last: ContinuousClock.Instant?

  /// So many since the last time, and so many a millisecond, are thick. Hooks send a batch each 28 ms then.
  private static let many = 40
  private static let manyPerMillisecond = 2.0
  private static let interval: Duration = .milliseconds(20)
  private static let thickInterval: Duration = .milliseconds(100)
  private static let longest: Duration = .seconds(1)

  mutating func came(_ count: Int, at now: ContinuousClock.Instant) {
    self.count += count
    if first == nil { first = now }
  }

  mutating func began(at now: ContinuousClock.Instant) {
    (count, first, last) = (0, nil, now)
  }

  /// For how long to wait before it is asked again; zero where it is time to write.
  mutating func pause(at now: ContinuousClock.Instant) -> Duration {
    guard let first, let last, now - first < Self.longest else { return .zero }
    let passed = now - last
    if count >= Self.many, Double(count) >= Self.manyPerMillisecond * (passed / .milliseconds(1)) {
      (count, self.last) = (0, now)
      return Self.thickInterval
    }
    return passed < Self.interval ? Self.interval : .zero
  }
}
