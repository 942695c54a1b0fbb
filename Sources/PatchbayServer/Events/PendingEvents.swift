import PatchbayStubs
import PatchbayWire

/// What the subscribers have not been told yet, coalesced; exchanges are kept by the assembler.
struct PendingEvents {
  private var linked: [LinkInfo] = []
  private var boards: [(board: StubBoard, by: Author)] = []
  private var switches: (unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?, by: Author)?
  private var changed: Set<LinkID> = []
  private var progress: [HarnessProcess: [String: StubProgress]] = [:]
  private var scenarios: [HarnessProcess: [String: ScenarioState]] = [:]
  private var notices: [(process: HarnessProcess?, text: String)] = []
  private var unlinked: [LinkInfo] = []

  mutating func linked(_ info: LinkInfo) { linked.append(info) }
  mutating func changed(_ link: LinkID) { changed.insert(link) }
  mutating func unlinked(_ info: LinkInfo) {
    changed.remove(info.id)
    unlinked.append(info)
  }

  /// Several changes by one author in a row come as the last of them.
  mutating func board(_ board: StubBoard, by author: Author) {
    if boards.last?.by == author { boards.removeLast() }
    boards.append((board, author))
  }

  mutating func switches(_ unmatched: StubSet.Unmatched, _ holdAll: Action.HoldPoint?, by author: Author) {
    switches = (unmatched, holdAll, author)
  }

  mutating func progress(_ list: [StubProgress], of process: HarnessProcess) {
    for item in list { progress[process, default: [:]][item.name] = item }
  }

  mutating func scenarios(_ list: [ScenarioState], of process: HarnessProcess) {
    for item in list { scenarios[process, default: [:]][item.name] = item }
  }

  mutating func notice(_ text: String, of process: HarnessProcess?) { notices.append((process, text)) }

  var isEmpty: Bool {
    linked.isEmpty && boards.isEmpty && switches == nil && changed.isEmpty && progress.isEmpty && notices.isEmpty
      && scenarios.isEmpty && unlinked.isEmpty
  }

  /// The batch, in an order on which subscribers may rely.
  func events(exchanges: [Exchange], link: (LinkID) -> LinkInfo?) -> [ServerEvent] {
    var events: [ServerEvent] = linked.map { .linked($0) }
    events += boards.map { .board($0.board, by: $0.by) }
    if let switches {
      events.append(.switches(unmatched: switches.unmatched, holdAll: switches.holdAll, by: switches.by))
    }
    events += changed.sorted().compactMap { link($0).map { .linkChanged($0) } }
    if !exchanges.isEmpty { events.append(.exchanges(exchanges)) }
    for (process, items) in progress.sorted(by: { $0.key.pid < $1.key.pid }) {
      events.append(.progress(process, items.values.sorted { $0.name < $1.name }))
    }
    for (process, items) in scenarios.sorted(by: { $0.key.pid < $1.key.pid }) {
      events.append(.scenarios(process, items.values.sorted { $0.name < $1.name }))
    }
    events += notices.map { .notice($0.process, $0.text) }
    events += unlinked.map { .unlinked($0) }
    return events
  }
}
