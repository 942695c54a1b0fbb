import Foundation
import PatchbayWire

/// Turns the updates of several links into exchanges. A pure value: updates in, changed exchanges out.
public struct ExchangeGatherer: Sendable {
  /// What an update was.
  public enum Outcome: Hashable, Sendable {
    /// Part of the exchange with that id.
    case taken(Int64)
    /// Of an exchange that is not known; nothing was done.
    case unexplained
  }

  struct Key: Hashable {
    var link: LinkID
    var key: UInt64
  }

  let limits: ServerLimits
  private var nextID: Int64
  private var processes: [LinkID: HarnessProcess] = [:]
  var open: [Key: OpenExchange] = [:]
  var keys: [Int64: Key] = [:]
  /// By link, the open ones by rising id; keys that have ended since stay until they are met.
  private var order: [LinkID: OpenOrder] = [:]
  private var bodyBytes = 0
  var changed: [Key] = []
  var ended: [Exchange] = []
  var behind: Set<Key> = []
  var heldKeys: Set<Key> = []
  private var replays: [UInt64: Int64] = [:]

  public init(firstID: Int64 = 1, limits: ServerLimits = ServerLimits()) {
    self.limits = limits
    nextID = firstID
  }

  public mutating func link(_ link: LinkID, process: HarnessProcess) {
    processes[link] = process
    order[link] = OpenOrder()
  }

  /// Gives up what that link has left open: `abandoned`.
  public mutating func unlink(_ link: LinkID, now: Timestamp = .now) {
    for key in order.removeValue(forKey: link)?.all ?? [] { abandon(Key(link: link, key: key), now: now) }
    processes[link] = nil
  }

  /// Says that the request which comes with that token repeats an exchange.
  public mutating func expectReplay(token: UInt64, of exchange: Int64) {
    if replays.count >= 10_000 { replays.removeAll() }
    replays[token] = exchange
  }

  /// - Parameter isObserved: The hook only looks on (`HookSettings.Degree.observe`), so nothing more will be heard of
  ///   an exchange after its start: it counts as ended, with no outcome.
  @discardableResult
  public mutating func receive(
    _ update: ExchangeUpdate, from link: LinkID, now: Timestamp = .now, isObserved: Bool = false
  ) -> Outcome {
    guard let process = processes[link] else { return .unexplained }
    let key = Key(link: link, key: update.key)
    var entry: OpenExchange
    let isNew: Bool
    if let known = open.removeValue(forKey: key) {
      entry = known
      isNew = false
    } else if let start = update.start {
      entry = OpenExchange(begin(start, process: process))
      isNew = true
    } else {
      return .unexplained
    }
    if isObserved, isNew, update.end == nil {
      entry.endObserved()
      ended.append(entry.exchange)
      return .taken(entry.exchange.id)
    }
    let before = isNew ? 0 : entry.bodyBytes
    let kept = update.head == nil ? entry.responseBytes : 0
    let room = min(limits.body - kept, limits.openBodies - bodyBytes + entry.responseBytes - kept)
    let hasEnded = entry.apply(update, now: now, room: room)
    noteHold(of: key, entry)
    if hasEnded {
      finish(key, entry, isNew: isNew, bodyBefore: before)
    } else {
      keep(key, entry, isNew: isNew, bodyBefore: before, now: now)
    }
    return .taken(entry.exchange.id)
  }

  private mutating func begin(_ start: ExchangeUpdate.Start, process: HarnessProcess) -> ExchangeBuilder {
    var builder = ExchangeBuilder(id: nextID, process: process, start: start)
    nextID += 1
    if let body = start.request.body, body.count > limits.openBodies - bodyBytes {
      builder.exchange.request.body = nil
      builder.exchange.request.truncated = true
    }
    if let token = start.replay { builder.exchange.replayOf = replays.removeValue(forKey: token) }
    return builder
  }

  private mutating func finish(_ key: Key, _ entry: OpenExchange, isNew: Bool, bodyBefore: Int) {
    bodyBytes -= bodyBefore
    ended.append(entry.exchange)
    guard !isNew else { return }
    keys[entry.exchange.id] = nil
    behind.remove(key)
    order[key.link]?.ended()
    tidy(key.link)
  }

  private mutating func tidy(_ link: LinkID) {
    guard var keys = order[link], keys.isStale else { return }
    order[link] = nil
    keys.compact { open[Key(link: link, key: $0)] != nil }
    order[link] = keys
  }

  private mutating func keep(_ key: Key, _ entry: OpenExchange, isNew: Bool, bodyBefore: Int, now: Timestamp) {
    var entry = entry
    bodyBytes += entry.bodyBytes - bodyBefore
    if !entry.isChanged {
      entry.isChanged = true
      changed.append(key)
    }
    open[key] = entry
    guard isNew else { return }
    keys[entry.exchange.id] = key
    order[key.link]?.append(key.key)
    if order[key.link]?.count ?? 0 > limits.openExchanges, let oldest = takeOldest(of: key.link) {
      abandon(oldest, now: now)
      order[key.link]?.ended()
    }
  }

  private mutating func takeOldest(of link: LinkID) -> Key? {
    while let key = order[link]?.popFirst() {
      if open[Key(link: link, key: key)] != nil { return Key(link: link, key: key) }
    }
    return nil
  }

  private mutating func abandon(_ key: Key, now: Timestamp) {
    guard var entry = open.removeValue(forKey: key) else { return }
    entry.abandon(now: now)
    bodyBytes -= entry.bodyBytes
    keys[entry.exchange.id] = nil
    behind.remove(key)
    noteHold(of: key, entry)
    ended.append(entry.exchange)
  }
}
