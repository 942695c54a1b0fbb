import Foundation
import PatchbayWire

/// Puts the updates of several links together into exchanges. A pure value: updates in, changed exchanges out.
///
/// On the path of everything that links report: an update costs two look-ups by key and copies no body.
package struct ExchangeAssembler: Sendable {
  /// What an update was.
  package enum Outcome: Hashable, Sendable {
    /// Part of the exchange with that id.
    case applied(Int64)
    /// Of an exchange that is not known; nothing was done.
    case unexplained
  }

  /// What an update names an exchange by: a number is unique on its link only.
  private struct LinkKey: Hashable {
    var link: LinkID
    var key: UInt64
  }

  private let limits: ServerLimits
  private var nextID: Int64
  private let newID: (@Sendable () -> Int64)?
  private let run: Int64?
  private var processes: [LinkID: HarnessProcess] = [:]
  private var open: [LinkKey: OpenExchange] = [:]
  private var keys: [Int64: LinkKey] = [:]
  /// By link, the open ones by rising id; keys that have ended since stay until they are met.
  private(set) var order: [LinkID: OpenKeys] = [:]
  /// What the open exchanges take, and what there was no room for.
  var memories: OpenMemories
  /// Held ones that were given up since the last call of `takeReleases`.
  private var releases: [(link: LinkID, key: UInt64)] = []
  private var changed: [LinkKey] = []
  private var ended: [Exchange] = []
  private var behind: Set<LinkKey> = []
  private var heldKeys: Set<LinkKey> = []
  private var replays: [UInt64: Int64] = [:]

  /// - Parameters:
  ///   - newID: gives the ids; without it they rise by one from the first.
  ///   - run: to which all of them belong.
  package init(
    firstID: Int64 = 1, newID: (@Sendable () -> Int64)? = nil, run: Int64? = nil, limits: ServerLimits = ServerLimits()
  ) {
    self.limits = limits
    self.newID = newID
    self.run = run
    memories = OpenMemories(limits: limits)
    nextID = firstID
  }

  package mutating func link(_ link: LinkID, process: HarnessProcess) {
    processes[link] = process
    order[link] = OpenKeys()
  }

  /// Gives up what that link has left open: `abandoned`.
  package mutating func unlink(_ link: LinkID, now: Timestamp = .now) {
    for key in order.removeValue(forKey: link)?.all ?? [] { abandon(LinkKey(link: link, key: key), now: now) }
    processes[link] = nil
    memories.forget(link)
  }

  /// Says that the request which comes with that token repeats an exchange.
  package mutating func expectReplay(token: UInt64, of exchange: Int64) {
    if replays.count >= 10_000 { replays.removeAll() }
    replays[token] = exchange
  }

  /// - Parameter isObserved: The hook only looks on (`HookSettings.Degree.observe`), so nothing more will be heard of
  ///   an exchange after its start: it counts as ended, with no outcome.
  @discardableResult
  package mutating func received(
    _ update: ExchangeUpdate, from link: LinkID, now: Timestamp = .now, isObserved: Bool = false
  ) -> Outcome {
    guard let process = processes[link] else { return .unexplained }
    let key = LinkKey(link: link, key: update.key)
    var known = open.removeValue(forKey: key)
    let isNew = known == nil
    // A head begins the response anew.
    let kept = update.head == nil ? known?.responseBytes ?? 0 : 0
    // What has ended when it comes does not stay.
    let isWhole = isNew && update.end != nil
    var bodyRoom = isWhole ? Int.max : memories.bodyRoom(for: link) + (known?.responseBytes ?? 0) - kept
    let fitted = update.fitted(facts: limits.facts - (known?.taken.facts ?? 0), bodies: bodyRoom)
    let update = fitted?.update ?? update
    var entry: OpenExchange
    // The only one that has it: its body would else be copied whole for each piece.
    if let taken = known.take() {
      entry = taken
    } else {
      guard let start = update.start else { return .unexplained }
      entry = begin(start, process: process)
      bodyRoom -= entry.bodyBytes
    }
    if let fitted { cut(fitted.leftOut, of: link, &entry) }
    if isObserved, isNew, update.end == nil {
      entry.endObserved()
      ended.append(entry.exchange)
      return .applied(entry.exchange.id)
    }
    if let data = update.data, data.count > bodyRoom, kept + data.count <= limits.body {
      cut(data.count - max(0, bodyRoom), of: link, &entry)
    }
    let hasEnded = entry.apply(update, now: now, room: min(limits.body - kept, bodyRoom))
    noteHold(of: key, entry)
    if hasEnded {
      finish(key, entry, isNew: isNew)
    } else {
      keep(key, entry, isNew: isNew, addsFacts: update.addsFacts, now: now)
    }
    return .applied(entry.exchange.id)
  }

  private mutating func begin(_ start: ExchangeUpdate.Start, process: HarnessProcess) -> OpenExchange {
    let id = newID?() ?? nextID
    nextID = id + 1
    var builder = ExchangeBuilder(id: id, process: process, start: start)
    builder.exchange.run = run
    if let token = start.replay { builder.exchange.replayOf = replays.removeValue(forKey: token) }
    return OpenExchange(builder)
  }

  private mutating func cut(_ bytes: Int, of link: LinkID, _ entry: inout OpenExchange) {
    memories.cut(of: link, Shed(bodies: entry.isCut ? 0 : 1, bytes: UInt64(bytes)))
    entry.isCut = true
  }

  private mutating func finish(_ key: LinkKey, _ entry: OpenExchange, isNew: Bool) {
    ended.append(entry.exchange)
    guard !isNew else { return }
    memories.ended(of: key.link, entry.taken)
    keys[entry.exchange.id] = nil
    behind.remove(key)
    order[key.link]?.ended()
    tidy(key.link)
  }

  private mutating func tidy(_ link: LinkID) {
    guard var keys = order[link], keys.isStale else { return }
    order[link] = nil
    keys.compact { open[LinkKey(link: link, key: $0)] != nil }
    order[link] = keys
  }

  private mutating func keep(
    _ key: LinkKey, _ entry: OpenExchange, isNew: Bool, addsFacts: Bool, now: Timestamp
  ) {
    var entry = entry
    let before = entry.taken
    if addsFacts { entry.taken.facts = entry.exchange.factBytes }
    entry.taken.bodies = entry.bodyBytes
    memories.change(of: key.link, from: before, to: entry.taken)
    if !entry.isChanged {
      entry.isChanged = true
      changed.append(key)
    }
    open[key] = entry
    if isNew {
      keys[entry.exchange.id] = key
      order[key.link]?.append(key.key)
      if order[key.link]?.count ?? 0 > limits.openExchanges { giveUpOldest(of: key.link, now: now) }
    }
    while let link = memories.overfull, giveUpOldest(of: link, now: now) {}
  }

  /// Ends the oldest exchange of that link as abandoned, for there is no room for all of them. Returns false where there
  /// is none.
  @discardableResult
  private mutating func giveUpOldest(of link: LinkID, now: Timestamp) -> Bool {
    guard let oldest = popOldest(of: link) else { return false }
    memories.cut(of: link, Shed(exchanges: 1))
    // Nobody could decide about it any more.
    if open[oldest]?.heldSince != nil { releases.append((link, oldest.key)) }
    abandon(oldest, now: now)
    order[link]?.ended()
    tidy(link)
    return true
  }

  private mutating func popOldest(of link: LinkID) -> LinkKey? {
    while let key = order[link]?.popFirst() {
      if open[LinkKey(link: link, key: key)] != nil { return LinkKey(link: link, key: key) }
    }
    return nil
  }

  private mutating func abandon(_ key: LinkKey, now: Timestamp) {
    guard var entry = open.removeValue(forKey: key) else { return }
    entry.abandon(now: now)
    memories.ended(of: key.link, entry.taken)
    keys[entry.exchange.id] = nil
    behind.remove(key)
    noteHold(of: key, entry)
    ended.append(entry.exchange)
  }

  /// The keys of held exchanges that were given up since the last call: they are to go on as they are.
  mutating func takeReleases() -> [(link: LinkID, key: UInt64)] {
    defer { releases = [] }
    return releases
  }
}

extension ExchangeAssembler {
  /// Whether something waits to be drained.
  package var hasChanges: Bool { !changed.isEmpty || !ended.isEmpty }

  /// The exchanges that changed since the last call, by rising id, each once, however often they changed.
  package mutating func drainChanged(now: Timestamp = .now) -> [Exchange] {
    var result = ended
    ended.removeAll(keepingCapacity: result.count < 4_096)
    for key in changed {
      guard var entry = open.removeValue(forKey: key) else { continue }
      entry.isChanged = false
      if entry.isSnapshotDue(now: now) || entry.heldSince != nil { entry.updateSnapshot(now: now) }
      if entry.bodyIsBehind { behind.insert(key) } else { behind.remove(key) }
      open[key] = entry
      result.append(entry.exchange)
    }
    changed.removeAll(keepingCapacity: changed.count < 4_096)
    // Those that have ended come in order, unless one took longer than a later one.
    let isInOrder = result.indices.dropFirst().allSatisfy { result[$0 - 1].id < result[$0].id }
    return isInOrder ? result : result.sorted { $0.id < $1.id }
  }

  /// When bodies that grew since they were last told should be told again; nil where there are none.
  package var nextSnapshot: Timestamp? { behind.compactMap { open[$0]?.snapshotDueAt }.min() }

  /// Makes bodies that are due count as changed.
  package mutating func wakeSnapshots(now: Timestamp = .now) {
    for key in behind {
      guard let entry = open[key], !entry.isChanged, entry.isSnapshotDue(now: now) else { continue }
      open[key]?.isChanged = true
      changed.append(key)
    }
  }
}

extension ExchangeAssembler {
  private mutating func noteHold(of key: LinkKey, _ entry: OpenExchange) {
    if entry.heldSince == nil { heldKeys.remove(key) } else { heldKeys.insert(key) }
  }

  /// What waits for a verdict, by rising id.
  package var held: [HeldExchange] {
    heldKeys.compactMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }.sorted { $0.id < $1.id }
  }

  /// The exchange with that id where it waits for a verdict.
  package func held(_ id: Int64) -> HeldExchange? {
    keys[id].flatMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }
  }

  private func heldExchange(_ entry: OpenExchange, link: LinkID) -> HeldExchange? {
    guard let since = entry.heldSince, !entry.isDecided else { return nil }
    var entry = entry
    entry.updateSnapshot(now: since)
    return HeldExchange(
      exchange: entry.exchange, stage: entry.exchange.phase == .heldResponse ? .response : .request, link: link,
      since: since)
  }

  /// Notes that a verdict is on its way. Returns the link and its key for the exchange; nil where it is not held.
  package mutating func decide(_ id: Int64) -> (link: LinkID, key: UInt64)? {
    guard let key = keys[id], let entry = open[key], entry.heldSince != nil, !entry.isDecided else { return nil }
    open[key]?.isDecided = true
    return (key.link, key.key)
  }
}
