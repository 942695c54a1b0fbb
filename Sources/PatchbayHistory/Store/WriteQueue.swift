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
  var isDrainScheduled = false
  /// Writing failed and is tried again now and then.
  var isFailing = false
  var isClosed = false
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// Above it `record` asks its caller to wait.
  static let bound = 64 << 20

  var isOverBound: Bool { bytes > Self.bound }
  var hasRoom: Bool { bytes <= Self.bound / 2 || isFailing || isClosed }
  subscript(_ id: Int64) -> Exchange? { pending[id] ?? writing[id] }

  mutating func add(_ exchanges: [Exchange]) {
    pending.reserveCapacity(pending.count + exchanges.count)
    for exchange in exchanges {
      bytes += exchange.approximateBytes
      if let old = pending.updateValue(exchange, forKey: exchange.id) { bytes -= old.approximateBytes }
    }
    if isFailing, isOverBound { shed() }
  }

  /// The lowest id of what waits.
  var lowest: Int64? { [pending.keys.min(), writing.keys.min()].compactMap(\.self).min() }

  mutating func beginWriting() -> [Exchange] {
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
  mutating func giveBack() {
    for (id, exchange) in writing where pending[id] == nil {
      pending[id] = exchange
      bytes += exchange.approximateBytes
    }
    writing = [:]
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
