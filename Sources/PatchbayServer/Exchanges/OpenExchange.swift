import Foundation
import PatchbayWire

/// An exchange that has not ended, with what the server alone knows of it.
struct OpenExchange: Sendable {
  private(set) var builder: ExchangeBuilder
  private var snapshotAt = Timestamp(microseconds: 0)
  private(set) var heldSince: Timestamp?
  /// A verdict was sent and the hook has not answered it.
  var isDecided = false
  var isChanged = false
  /// Something of it was left out, and counted.
  var isCut = false
  /// What it was counted with when it was last put away.
  var taken = OpenMemory()

  init(_ builder: ExchangeBuilder) { self.builder = builder }

  var exchange: Exchange { builder.exchange }
  var responseBytes: Int { builder.responseBytes }
  var bodyBytes: Int { builder.bodyBytes }
  var bodyIsBehind: Bool { builder.isBodyBehind }

  /// Applies what became known. Returns whether that ended it.
  mutating func apply(_ update: ExchangeUpdate, now: Timestamp, room: Int) -> Bool {
    if let held = update.held {
      isDecided = false
      heldSince = held == .released ? nil : now
    }
    guard builder.apply(update, room: room) else { return false }
    heldSince = nil
    return true
  }

  /// Ends it because its process has gone.
  mutating func abandon(now: Timestamp) {
    builder.abandon(now: now)
    heldSince = nil
  }

  /// Ends it because nothing more will be heard of it: its hook only looks on.
  mutating func endObserved() { builder.exchange.phase = .ended }

  /// Whether the body has grown so much, or been behind for so long, that copying it once more is worth it: a body that
  /// comes in small pieces would else be copied for each of them.
  func isSnapshotDue(now: Timestamp) -> Bool {
    guard bodyIsBehind else { return false }
    let seen = exchange.response?.body?.count ?? 0
    return seen == 0 || responseBytes - seen >= seen / 4 || now.microseconds >= snapshotDueAt.microseconds
  }

  /// 50 ms after the last one, and the more the larger the body: 2 s from 40 MB on.
  var snapshotDueAt: Timestamp {
    Timestamp(microseconds: snapshotAt.microseconds + max(50_000, min(2_000_000, Int64(responseBytes / 20))))
  }

  mutating func updateSnapshot(now: Timestamp) {
    guard bodyIsBehind else { return }
    builder.updateBody()
    snapshotAt = now
  }
}

/// The keys of one link's open exchanges in the order of their beginning. Keys that have ended stay in the list until
/// they come to its front or the list is mostly made of them.
struct OpenKeys: Sendable {
  private var keys: [UInt64] = []
  private var first = 0
  /// How many have not ended.
  private(set) var count = 0

  mutating func append(_ key: UInt64) {
    keys.append(key)
    count += 1
  }

  mutating func ended() { count -= 1 }

  mutating func popFirst() -> UInt64? {
    guard first < keys.count else { return nil }
    defer { first += 1 }
    return keys[first]
  }

  var all: ArraySlice<UInt64> { keys[first...] }

  /// Whether it is worth dropping those for which `isOpen` is false.
  var isStale: Bool { keys.count > 1_024 && keys.count > 4 * count }

  mutating func compact(where isOpen: (UInt64) -> Bool) {
    keys = keys[first...].filter(isOpen)
    first = 0
  }
}
