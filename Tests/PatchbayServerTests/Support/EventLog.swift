import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire

@testable import PatchbayServer

/// A subscriber that remembers.
final class EventLog: Sendable {
  private struct State {
    var events: [ServerEvent] = []
    var exchanges: [Int64: Exchange] = [:]
  }

  private let state = SeenLock(State())

  func received(_ event: ServerEvent) {
    state.withLock { state in
      state.events.append(event)
      if case .exchanges(let list) = event { for exchange in list { state.exchanges[exchange.id] = exchange } }
    }
  }

  var events: [ServerEvent] { state.withLock { $0.events } }
  /// The newest value of each, by id.
  var exchanges: [Exchange] { state.withLock { $0.exchanges.values.sorted { $0.id < $1.id } } }

  /// How many exchanges there are.
  var count: Int { state.withLock { $0.exchanges.count } }

  var linked: [LinkInfo] { events.compactMap { if case .linked(let info) = $0 { info } else { nil } } }
  var unlinked: [LinkInfo] { events.compactMap { if case .unlinked(let info) = $0 { info } else { nil } } }
  var notices: [String] { events.compactMap { if case .notice(_, let text) = $0 { text } else { nil } } }
  var boards: [(board: StubBoard, by: Author)] {
    events.compactMap { if case .board(let board, let author) = $0 { (board, author) } else { nil } }
  }
  var moves: [(process: HarnessProcess, states: [ScenarioState])] {
    events.compactMap { if case .scenarios(let process, let moved) = $0 { (process, moved) } else { nil } }
  }
  var counted: [(process: HarnessProcess, list: [StubProgress])] {
    events.compactMap { if case .progress(let process, let list) = $0 { (process, list) } else { nil } }
  }
  var changed: [LinkInfo] { events.compactMap { if case .linkChanged(let info) = $0 { info } else { nil } } }
}
