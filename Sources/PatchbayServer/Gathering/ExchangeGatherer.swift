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

  private struct Key: Hashable {
    var link: LinkID
    var key: UInt64
  }

  private let limits: ServerLimits
  private var nextID: Int64
  private var processes: [LinkID: HarnessProcess] = [:]
  private var open: [Key: OpenExchange] = [:]
  private var keys: [Int64: Key] = [:]
  /// By link, the open ones by rising id; keys that have ended since stay until they are met.
  private var order: [LinkID: OpenOrder] = [:]
  private var bodyBytes = 0
  private var changed: [Key] = []
  private var ended: [Exchange] = []
  private var behind: Set<Key> = []
  private var heldKeys: Set<Key> = []
  /// Rises whenever the list of what is held is another.
  private(set) var heldVersion: UInt64 = 0
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

  @discardableResult
  public mutating func receive(_ update: ExchangeUpdate, from link: LinkID, now: Timestamp = .now) -> Outcome {
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
    let before = isNew ? 0 : entry.bodyBytes
    let kept = update.head == nil ? entry.responseBytes : 0
    let room = min(limits.body - kept, limits.openBodies - bodyBytes + entry.responseBytes - kept)
    let hasEnded = entry.apply(update, now: now, room: room)
    noteHold(of: key, entry, isNews: update.held != nil)
    if hasEnded {
      finish(key, entry, isNew: isNew, bodyBefore: before)
    } else {
      keep(key, entry, isNew: isNew, bodyBefore: before, now: now)
    }
    return .taken(entry.exchange.id)
  }

  private mutating func begin(_ start: ExchangeUpdate.Start, process: HarnessProcess) -> Exchange {
    var exchange = Exchange(id: nextID, process: process, startedAt: start.at, request: start.request)
    nextID += 1
    if let body = start.request.body, body.count > limits.openBodies - bodyBytes {
      exchange.request.body = nil
      exchange.request.truncated = true
    }
    exchange.task = start.task
    exchange.revision = start.revision
    if let token = start.replay { exchange.replayOf = replays.removeValue(forKey: token) }
    return exchange
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

  /// Whether something waits to be taken.
  public var hasChanges: Bool { !changed.isEmpty || !ended.isEmpty }

  /// The exchanges that changed since the last call, by rising id, each once.
  public mutating func takeChanged(now: Timestamp = .now) -> [Exchange] {
    var result = ended
    ended.removeAll(keepingCapacity: result.count < 4_096)
    for key in changed {
      guard var entry = open.removeValue(forKey: key) else { continue }
      entry.isChanged = false
      if entry.isSnapshotDue(now: now) || entry.heldSince != nil { entry.takeSnapshot(now: now) }
      if entry.bodyIsBehind { behind.insert(key) } else { behind.remove(key) }
      open[key] = entry
      result.append(entry.exchange)
    }
    changed.removeAll(keepingCapacity: changed.count < 4_096)
    return result.sorted { $0.id < $1.id }
  }

  /// When bodies that grew since they were last taken should be taken again; nil where there are none.
  public var nextSnapshot: Timestamp? { behind.compactMap { open[$0]?.snapshotDueAt }.min() }

  /// Makes bodies that are due count as changed.
  public mutating func wakeSnapshots(now: Timestamp = .now) {
    for key in behind {
      guard let entry = open[key], !entry.isChanged, entry.isSnapshotDue(now: now) else { continue }
      open[key]?.isChanged = true
      changed.append(key)
    }
  }
}

extension ExchangeGatherer {
  private mutating func noteHold(of key: Key, _ entry: OpenExchange, isNews: Bool = false) {
    let isHeld = entry.heldSince != nil
    let wasHeld = isHeld ? !heldKeys.insert(key).inserted : heldKeys.remove(key) != nil
    if isNews || isHeld != wasHeld { heldVersion += 1 }
  }

  /// What waits for a verdict, by rising id.
  public var held: [HeldExchange] {
    heldKeys.compactMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }.sorted { $0.id < $1.id }
  }

  /// The exchange with that id where it waits for a verdict.
  public func held(_ id: Int64) -> HeldExchange? {
    keys[id].flatMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }
  }

  private func heldExchange(_ entry: OpenExchange, link: LinkID) -> HeldExchange? {
    guard let since = entry.heldSince, !entry.isDecided else { return nil }
    var entry = entry
    entry.takeSnapshot(now: since)
    return HeldExchange(
      exchange: entry.exchange, stage: entry.exchange.phase == .heldResponse ? .response : .request, link: link,
      since: since)
  }

  /// Notes that a verdict is on its way. Returns the link and its key for the exchange; nil where it is not held.
  public mutating func decide(_ id: Int64) -> (link: LinkID, key: UInt64)? {
    guard let key = keys[id], let entry = open[key], entry.heldSince != nil, !entry.isDecided else { return nil }
    open[key]?.isDecided = true
    heldVersion += 1
    return (key.link, key.key)
  }

  /// How many exchanges have not ended.
  public var openCount: Int { open.count }

  /// How many have ended and wait to be taken.
  var endedCount: Int { ended.count }
}
