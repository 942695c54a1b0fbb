import NIOCore
import PatchbayStubs
import PatchbayWire

/// Everything that the server knows; guarded by the server's lock.
struct ServerState {
  var keeper: StubKeeper
  var assembler: ExchangeAssembler
  var links: [LinkID: LinkEntry] = [:]
  var pending = PendingEvents()
  var acknowledgements = Acknowledgements()
  /// Links that have gone, the newest last.
  var gone: [LinkInfo] = []
  var settings: HookSettings
  /// What all links sent since the subscribers had the last batch, in bytes.
  var undelivered = 0
  var nextLink: UInt64 = 1
  var nextToken: UInt64 = 1
  /// The key of the next request that the console sends by itself.
  var nextOwnKey: UInt64 = 1
  var watchesStalls = false
  /// All connections to both sockets.
  var channels: [ObjectIdentifier: any Channel] = [:]
  var stubProgress: [HarnessProcess: [String: StubProgress]] = [:]
  /// The states of scenarios by their names, where they moved.
  var scenarioStates: [HarnessProcess: [String: String]] = [:]

  init(_ configuration: ServerConfiguration) {
    keeper = StubKeeper(unmatched: configuration.unmatched, holdAll: configuration.holdAll)
    assembler = ExchangeAssembler(
      firstID: configuration.firstExchangeID, newID: configuration.newExchangeID, run: configuration.run,
      limits: configuration.limits)
    settings = configuration.settings
    assembler.link(.console, process: .console)
  }

  var linkInfos: [LinkInfo] { links.values.map(\.info).sorted { $0.id < $1.id } }

  var hasPending: Bool { !pending.isEmpty || assembler.hasChanges }

  /// One batch of events; empty where there is nothing to tell.
  mutating func nextBatch(now: Timestamp) -> [ServerEvent] {
    assembler.wakeSnapshots(now: now)
    let exchanges = assembler.drainChanged(now: now)
    defer { pending = PendingEvents() }
    return pending.events(exchanges: exchanges) { links[$0]?.info }
  }

  /// What the subscribers have had no longer counts against its link. Returns the links to read again.
  mutating func delivered() -> [LinkID] {
    var resumed: [LinkID] = []
    undelivered = 0
    for (id, entry) in links where entry.undelivered > 0 || entry.info.isThrottled {
      links[id]?.undelivered = 0
      links[id]?.undeliveredMessages = 0
      guard entry.info.isThrottled else { continue }
      links[id]?.info.isThrottled = false
      pending.changed(id)
      resumed.append(id)
    }
    return resumed
  }
}

extension ServerState {
  mutating func received(_ message: HookMessage, from id: LinkID, now: Timestamp) {
    guard let process = links[id]?.info.process else { return }
    switch message {
    case .hello:
      break
    case .applied(let revision):
      applied(revision, by: id)
    case .exchange(let update):
      // A hook that only looks on does not know what kind of task it sees.
      let isObserved = update.start?.task == .unknown && links[id]?.info.settings.observes == true
      let outcome = assembler.received(update, from: id, now: now, isObserved: isObserved)
      if outcome == .unexplained { links[id]?.info.unexplained += 1 }
      if assembler.memories.hasCuts {
        for (link, cut) in assembler.memories.takeCuts() { note(cut: cut, of: link) }
      }
    case .codeStubs(let stubs):
      declare(stubs, link: id, process: process)
    case .progress(let list):
      let known = known(list, of: process)
      pending.progress(known, of: process)
      for item in known { stubProgress[process, default: [:]][item.name] = item }
    case .scenarios(let list):
      // A process may invent names without an end.
      let names = Set(keeper.board.stubs.scenarios.map(\.name))
      let known = list.filter { names.contains($0.name) && $0.state.utf8.count <= 4_096 }
      guard !known.isEmpty else { return }
      for scenario in known { scenarioStates[process, default: [:]][scenario.name] = scenario.state }
      pending.scenarios(known, of: process)
    case .shed(let shed):
      links[id]?.info.shed = shed
      pending.changed(id)
    case .notice(let text):
      pending.notice(String(text.prefix(4_096)), of: process)
    }
  }

  /// Something of what a link sent was left out; the first time it is said.
  mutating func note(cut: Shed, of id: LinkID) {
    guard let info = links[id]?.info else { return }
    if info.cut == Shed() {
      pending.notice(
        "It sends more than the console keeps in memory: what does not fit is left out of the record and counted.",
        of: info.process)
    }
    links[id]?.info.cut += cut
    pending.changed(id)
  }

  private mutating func declare(_ stubs: [Stub], link id: LinkID, process: HarnessProcess) {
    if stubs.count == Wire.stubLimit {
      pending.notice("It declares very many stubs in code: the first \(stubs.count) are shown.", of: process)
    }
    let before = keeper.board.revision
    keeper.declare(stubs, link: id, process: process)
    if keeper.board.revision != before { pending.board(keeper.board, by: .process(process)) }
    pending.changed(id)
  }

  /// Counters of that many stubs are kept for each process whatever they are called; beyond that of stubs on the board
  /// only, for a process may invent names without an end.
  private static let freeNames = (count: 256, bytes: 256)

  private func known(_ list: [StubProgress], of process: HarnessProcess) -> [StubProgress] {
    let kept = stubProgress[process] ?? [:]
    let isFree =
      kept.count + list.count <= Self.freeNames.count && list.allSatisfy { $0.name.utf8.count <= Self.freeNames.bytes }
    if isFree || list.allSatisfy({ kept[$0.name] != nil }) { return list }
    let names = keeper.names
    return list.filter { kept[$0.name] != nil || names.contains($0.name) }
  }

  /// The counters of these stubs begin at zero in every process, before the stubs that come next are in force.
  mutating func countAnew(_ names: Set<String>) {
    let stubs = Set(keeper.board.entries.map(\.stub.name))
    for process in stubProgress.keys {
      stubProgress[process] = stubProgress[process]?.filter { stubs.contains($0.key) && !names.contains($0.key) }
    }
    guard !names.isEmpty else { return }
    let known = keeper.names
    for id in links.keys { links[id]?.countAnew(names, known: known) }
  }

  private mutating func applied(_ revision: UInt64, by id: LinkID) {
    guard var entry = links[id], revision > entry.info.revision else { return }
    entry.info.revision = revision
    if revision >= keeper.board.revision { entry.info.isStalled = false }
    links[id] = entry
    pending.changed(id)
    acknowledgements.answered(id, revision: revision)
  }

  /// Notes that every link is to get the newest stubs. Returns the channels to wake.
  mutating func pushToAll() -> [any Channel] {
    for id in links.keys { links[id]?.wantsStubs = true }
    return links.values.map(\.channel)
  }
}

extension HookSettings {
  /// Whether some requests are only looked at.
  fileprivate var observes: Bool { degree == .observe || hosts.contains { $0.degree == .observe } }
}
