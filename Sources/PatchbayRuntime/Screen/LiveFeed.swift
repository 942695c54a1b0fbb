import Dispatch
import PatchbayConsole
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayWire
import Synchronization

/// Carries what the server says to the main queue: gathered, so that a flood costs one turn of the loop a frame.
final class LiveFeed: Sendable {
  fileprivate struct Inbox {
    var query = 0
    var filter = Filter.everything
    var highest: Int64 = 0
    /// The newest word on each exchange since the last turn, and their order.
    var changes: [Int64: ExchangeChange] = [:]
    var order: [Int64] = []
    var others: [ConsoleEvent] = []
    var links: [LinkInfo] = []
    var linksChanged = false
    var counts: [HarnessProcess: Int] = [:]
    var watched: Int64?
    var watchedExchange: Exchange?
    var isScheduled = false
  }

  private let inbox = Mutex(Inbox())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: called once when there is something to `drain()`, from any thread.
  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  /// From now on changes are judged by this filter, under that token.
  func judge(by filter: Filter, query: Int) {
    inbox.withLock { inbox in
      inbox.closeGroup()
      inbox.filter = filter
      inbox.query = query
    }
  }

  /// From now on the changes of that exchange come whole.
  func watch(_ id: Int64?) {
    inbox.withLock { inbox in
      inbox.watched = id
      inbox.watchedExchange = nil
    }
  }

  /// Called on the server's delivery queue.
  func take(_ event: ServerEvent) {
    let mustWake = inbox.withLock { inbox in
      inbox.take(event)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if mustWake { wake() }
  }

  /// What has come since the last call, in an order that makes sense to the screen.
  func drain() -> [ConsoleEvent] {
    inbox.withLock { $0.drain() }
  }
}

extension LiveFeed.Inbox {
  fileprivate mutating func take(_ event: ServerEvent) {
    switch event {
    case .exchanges(let exchanges):
      for exchange in exchanges { take(exchange) }
    case .linked(let info), .linkChanged(let info):
      if let place = links.firstIndex(where: { $0.id == info.id }) { links[place] = info } else { links.append(info) }
      linksChanged = true
    case .unlinked(let info):
      if let place = links.firstIndex(where: { $0.id == info.id }) { links[place] = info }
      let gone = links.indices.filter { links[$0].unlinkedAt != nil }
      if gone.count > 100, let oldest = gone.first { links.remove(at: oldest) }
      linksChanged = true
    case .board(let board, let author):
      others.append(.board(board, by: author.isAnother ? "\(author)" : nil))
    case .switches(let unmatched, let holdAll, _):
      others.append(.switches(unmatched: unmatched, holdAll: holdAll))
    case .progress(let process, let changed):
      others.append(.progress(process, changed))
    case .notice(let process, let text):
      let name = process.map { "\($0.name) \($0.pid): " } ?? ""
      others.append(.notice(Notice(.warning, name + text)))
    }
  }

  private mutating func take(_ exchange: Exchange) {
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
  fileprivate mutating func closeGroup() {
    guard !order.isEmpty else { return }
    others.append(.exchanges(order.compactMap { changes[$0] }, query: query))
    order = []
    changes = [:]
  }

  fileprivate mutating func drain() -> [ConsoleEvent] {
    isScheduled = false
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
      since: info.startedAt, ended: info.unlinkedAt, revision: info.revision, degree: info.degree, shed: info.shed,
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
