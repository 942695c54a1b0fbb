import Dispatch
import PatchbayConsole
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayWire
import Synchronization

/// Brings what other threads have for the screen to the main queue: what the server tells, and the output of the command.
/// All that has come takes one turn of the loop, so that a flood costs one turn a frame.
final class LiveFeed: Sendable {
  private struct Target: Sendable {
    weak var runtime: (any ScreenHost)?
    var output: CommandOutput?
    /// A turn of the loop is under way that will fetch what comes now.
    var isScheduled = false
  }

  private let mailbox = Mutex(LiveMailbox())
  private let target = Mutex(Target())

  /// From now on what the server tells is kept for the screen.
  func subscribe(to events: EventBroadcaster) {
    events.subscribe { [self] events in
      mailbox.withLock { mailbox in
        for event in events { mailbox.add(event) }
      }
      wake()
    }
  }

  /// From now on the screen gets it, what has come before too.
  @MainActor
  func connect(_ runtime: any ScreenHost, output: CommandOutput) {
    target.withLock { target in
      target.runtime = runtime
      target.output = output
    }
    wake()
  }

  /// From now on changes are judged by this filter, under that token.
  func judge(by filter: Filter, query: Int) { mailbox.withLock { $0.judge(by: filter, query: query) } }

  /// From now on the changes of that exchange come whole.
  func watch(_ id: Int64?) { mailbox.withLock { $0.watch(id) } }

  /// There is something to be fetched. From any thread.
  func wake() {
    let starts = target.withLock { target in
      defer { target.isScheduled = true }
      return !target.isScheduled
    }
    guard starts else { return }
    DispatchQueue.main.async { [self] in MainActor.assumeIsolated { fetch() } }
  }

  @MainActor
  private func fetch() {
    let target = target.withLock { target in
      target.isScheduled = false
      return target
    }
    guard let runtime = target.runtime else { return }
    runtime.send((target.output?.drain() ?? []) + mailbox.withLock { $0.drain() })
  }
}

/// The screen's mailbox: what the server has told since the screen's last turn, with the newest word on each exchange and
/// each link only. It grows until the main queue has a turn, and not beyond that.
struct LiveMailbox {
  private var query = 0
  private var filter = Filter.everything
  private var highest: Int64 = 0
  /// The newest word on each exchange, and their order.
  private var changes: [Int64: ExchangeChange] = [:]
  private var order: [Int64] = []
  /// What comes as it came, in order.
  private var others: [ConsoleEvent] = []
  private var links: [LinkInfo] = []
  private var linksChanged = false
  private var counts: [HarnessProcess: Int] = [:]
  private var watched: Int64?
  private var watchedExchange: Exchange?

  mutating func judge(by filter: Filter, query: Int) {
    closeGroup()
    self.filter = filter
    self.query = query
  }

  mutating func watch(_ id: Int64?) {
    watched = id
    watchedExchange = nil
  }

  mutating func add(_ event: ServerEvent) {
    switch event {
    case .exchanges(let exchanges):
      for exchange in exchanges { add(exchange) }
    case .linked(let info), .linkChanged(let info):
      if let place = links.firstIndex(where: { $0.id == info.id }) { links[place] = info } else { links.append(info) }
      linksChanged = true
    case .unlinked(let info):
      if let place = links.firstIndex(where: { $0.id == info.id }) { links[place] = info }
      let gone = links.indices.filter { links[$0].unlinkedAt != nil }
      if gone.count > 100, let oldest = gone.first { counts[links.remove(at: oldest).process] = nil }
      linksChanged = true
    case .board(let board, let author):
      others.append(.board(board, by: author.isAnother ? "\(author)" : nil))
    case .switches(let unmatched, let holdAll, _):
      others.append(.switches(unmatched: unmatched, holdAll: holdAll))
    case .progress(let process, let changed):
      others.append(.progress(process, changed))
    case .scenarios(let process, let moved):
      others.append(.scenarios(process, moved))
    case .notice(let process, let text):
      let name = process.map { "\($0.name) \($0.pid): " } ?? ""
      others.append(.notice(Notice(.warning, name + text)))
    }
  }

  private mutating func add(_ exchange: Exchange) {
    if changes[exchange.id] == nil { order.append(exchange.id) }
    if exchange.id > highest {
      highest = exchange.id
      counts[exchange.process, default: 0] += 1
      linksChanged = true
    }
    changes[exchange.id] = ExchangeChange(ExchangeSummary(exchange), matches: filter.matches(exchange))
    if exchange.id == watched { watchedExchange = exchange }
  }

  /// What was judged by the filter in force goes out under its token.
  private mutating func closeGroup() {
    guard !order.isEmpty else { return }
    others.append(.exchanges(order.compactMap { changes[$0] }, query: query))
    order = []
    changes = [:]
  }

  /// What has come since the last call, in an order that makes sense to the screen.
  mutating func drain() -> [ConsoleEvent] {
    closeGroup()
    var events = others
    if let exchange = watchedExchange { events.append(.exchange(exchange.id, exchange)) }
    if linksChanged { events.insert(.links(links.map { row(for: $0) }), at: 0) }
    others = []
    watchedExchange = nil
    linksChanged = false
    return events
  }

  private func row(for info: LinkInfo) -> LinkRow {
    LinkRow(
      instance: info.instance, process: info.process, executable: info.executable, entry: info.entry,
      since: info.startedAt, ended: info.unlinkedAt, revision: info.revision, degree: info.degree, shed: info.missing,
      exchanges: counts[info.process] ?? 0, parent: info.parent, restarts: info.restarts,
      isThrottled: info.isThrottled, isStalled: info.isStalled)
  }
}

extension Author {
  /// Whether somebody else than this screen and its own files did it; of files there is a notice already.
  fileprivate var isAnother: Bool {
    switch self {
    case .person, .file, .console: false
    case .controller, .process: true
    }
  }
}
