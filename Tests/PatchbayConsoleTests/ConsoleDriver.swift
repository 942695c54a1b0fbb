import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

@testable import PatchbayConsole

/// A console under test, with a runtime in memory that does its effects at once.
struct ConsoleDriver {
  var state: ConsoleState
  var now = Timestamp(microseconds: 1_700_000_000_000_000)
  /// Everything that is recorded.
  var exchanges: [Exchange] = []
  var board = StubBoard(revision: 1)
  /// What the runtime was asked for and is not part of the model here, oldest first.
  var effects: [ConsoleEffect] = []
  var query = ExchangeQuery(token: 0)
  var watched: Int64?
  var deleted: Set<Int64> = []

  init(
    width: Int = 120, height: Int = 36, setup: ConsoleSetup = ConsoleSetup(mode: .listen, socket: "/run/p.sock"),
    keys: KeyMap = KeyMap(), view: ViewSettings = ViewSettings(), start: Bool = true
  ) {
    state = ConsoleState(
      size: Size(width: width, height: height), now: now, setup: setup, keys: keys, view: view)
    if start { perform(state.start()) }
  }

  mutating func send(_ event: ConsoleEvent) { perform(state.update(event, at: now)) }

  /// What a component would want of the root.
  mutating func perform(_ outcome: Outcome) {
    state.perform(outcome)
    send(.tick)
  }

  /// A box as if it had been worked with.
  mutating func replaceTop(with box: any Box) { state.perform(.replace(box)) }

  /// Where the parts of the requests stand.
  var layout: Layout { state.requests.layout(in: state.context.body, state.context) }
  var columns: ColumnLayout { state.requests.columns(layout, state.context) }

  /// As if the column's edge were dragged, or the keys of the columns' menu pressed so often.
  mutating func setWidth(of column: RequestColumn, to width: Int) {
    let now = columns.places.first { $0.column == column }?.width ?? 0
    perform(.requests(.changeColumn(column, .resize(by: width - now), selected: 0)))
  }

  /// Keys by name, separated by spaces.
  mutating func press(_ keys: String) {
    for name in keys.split(separator: " ") {
      guard let key = Key(parsing: name) else { fatalError("no key \(name)") }
      send(.input(.key(key)))
    }
  }

  mutating func type(_ text: String) {
    for character in text { send(.input(.key(Key(character)))) }
  }

  /// Records exchanges and tells of them as the live feed would.
  mutating func add(_ more: [Exchange]) {
    for exchange in more {
      if let place = exchanges.firstIndex(where: { $0.id == exchange.id }) {
        exchanges[place] = exchange
      } else {
        exchanges.append(exchange)
      }
    }
    let changes = more.map { ExchangeChange($0.summary, matches: matches($0)) }
    send(.exchanges(changes, query: query.token))
    for exchange in more where exchange.id == watched { send(.exchange(exchange.id, exchange)) }
  }

  func matches(_ exchange: Exchange) -> Bool {
    guard let filter = try? Filter(parsing: query.filter) else { return false }
    return filter.matches(exchange, now: now) && exchange.id > query.after && !deleted.contains(exchange.id)
  }

  var lines: [String] { state.draw().grid.lines }
  var screen: String { state.draw().grid.text }

  func shows(_ text: String) -> Bool { screen.contains(text) }

  private mutating func perform(_ asked: [ConsoleEffect]) {
    for effect in asked { perform(effect) }
  }

  private mutating func perform(_ effect: ConsoleEffect) {
    effects.append(effect)
    switch effect {
    case .runQuery(let asked):
      query = asked
      let found = exchanges.filter(matches)
      let ids =
        asked.sort.isArrival ? found.map(\.id).reversed() : found.map(\.summary).sorted(by: asked.sort).map(\.id)
      send(.ids(IDBatch(token: asked.token, ids: Array(ids))))
    case .loadSummaries(let ids):
      let wanted = Set(ids)
      send(.summaries(exchanges.filter { wanted.contains($0.id) }.map(\.summary)))
    case .watchExchange(let id):
      watched = id
      if let id { send(.exchange(id, exchanges.first { $0.id == id })) }
    case .loadRetries(let id):
      guard let this = exchanges.first(where: { $0.id == id }) else { return }
      let same = exchanges.filter { $0.request.method == this.request.method && $0.request.url == this.request.url }
      send(.retries(id, same.map(\.summary)))
    case .fetch(let ids, let purpose):
      send(.fetched(ids.compactMap { id in exchanges.first { $0.id == id } }, for: purpose))
    case .fetchWithPrevious(let id, .answerHeld):
      let this = exchanges.filter { $0.id == id }
      let answer = exchanges.last {
        $0.id < id && $0.by == .network && $0.response != nil && $0.summary.isSameEndpoint(as: this[0].summary)
      }
      send(.fetched((answer.map { [$0] } ?? []) + this, for: .answerHeld))
    case .fetchWithPrevious(let id, let purpose):
      guard let this = exchanges.first(where: { $0.id == id }),
        let previous = exchanges.last(where: { $0.id < id && $0.summary.isSameEndpoint(as: this.summary) })
      else { return send(.notice(Notice(.info, "Nothing earlier of this endpoint is recorded."))) }
      send(.fetched([previous, this], for: purpose))
    case .compare(let pair, let purpose):
      send(.compared(ComparePage(pair[0], pair[1]), pair, for: purpose))
    case .editStubs(let edits):
      for edit in edits { if let changed = try? board.apply(edit) { board = changed } }
      send(.board(board, by: nil))
    case .setDeleted(let ids, let on):
      if on { deleted.formUnion(ids) } else { deleted.subtract(ids) }
    case .setRemarks(let remarks):
      for (id, remark) in remarks {
        guard let place = exchanges.firstIndex(where: { $0.id == id }) else { continue }
        exchanges[place].tags = remark.tags
        exchanges[place].note = remark.note
      }
    case .setUnmatched(let unmatched): send(.switches(unmatched: unmatched, holdAll: nil))
    case .loadStubDetail(let stub, _):
      let fit = exchanges.filter { $0.stub == stub.name }.map(\.summary)
      let then = StubWords.action(stub.then)
      send(
        .stubDetail(
          StubDetail(
            stub: stub, yaml: "- name: \(stub.name)\n  then: \(then)\n",
            last: Array(fit.reversed().prefix(StubDetail.lastCount)))))
    case .setHoldAll(let point): send(.switches(unmatched: .pass, holdAll: point))
    case .preview(let token, let pattern):
      let matcher = StubMatcher(StubSet(stubs: [Stub(name: "p", when: pattern, then: .pass(PassChanges()))]))
      let fitting = exchanges.filter { matcher.explain($0.facts).first?.matches == true }
      send(
        .preview(
          token: token,
          PreviewResult(matching: fitting.count, of: exchanges.count, newest: fitting.map(\.id).reversed())))
    default: break
    }
  }
}

extension ConsoleState {
  var tab: Tab { tabs.shown }
  var requests: RequestsTab { tabs.requests }
  var stubs: StubsTab { tabs.stubs }
  var traffic: TrafficTab { tabs.traffic }
  var processes: ProcessesTab { tabs.processes }
  var output: OutputTab { tabs.output }
}

extension Exchange {
  var facts: RequestFacts {
    RequestFacts(
      method: request.method, url: request.url, headers: request.headers, body: request.body, process: process.name)
  }

  /// An exchange for tests.
  static func make(
    _ id: Int64, _ method: String = "GET", _ url: String = "https://api.example.com/v1/users?page=2",
    status: Int? = 200, headers: [HeaderField] = [HeaderField("Content-Type", "application/json")],
    body: String? = "{\"ok\":true}", error: RecordedError? = nil, stub: String? = nil, phase: Phase = .ended,
    took: Int64 = 34_000, process: String = "demo"
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: process, pid: 4121),
      startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + id * 1_000),
      request: RecordedRequest(
        method: method, url: url,
        headers: [HeaderField("Accept", "application/json"), HeaderField("User-Agent", "demo/1.0")],
        body: method == "GET" ? nil : Data("{\"name\":\"花子\"}".utf8)))
    exchange.phase = phase
    exchange.stub = stub
    exchange.by = stub == nil ? .network : .stub
    if let status, phase != .waiting, phase != .heldRequest, error == nil {
      exchange.response = RecordedResponse(status: status, headers: headers, body: body.map { Data($0.utf8) })
      exchange.timing.head = took / 2
    }
    exchange.error = error
    if phase == .ended {
      exchange.outcome = error == nil ? .responded : .failed
      exchange.timing.end = took
      exchange.bytesReceived = Int64(body?.utf8.count ?? 0)
    }
    return exchange
  }
}
