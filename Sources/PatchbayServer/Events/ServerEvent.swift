import PatchbayStubs
import PatchbayWire

/// What the server tells the subscribers of its `EventBroadcaster`.
package enum ServerEvent: Sendable {
  case linked(LinkInfo)
  case linkChanged(LinkInfo)
  case unlinked(LinkInfo)
  /// The board after one or more changes by that author. It comes before any exchange that the new stubs decided.
  case board(StubBoard, by: Author)
  /// Settings of the whole stub set, when they change.
  case switches(unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?, by: Author)
  /// New and changed exchanges as whole values by rising id; one that changed several times comes once.
  case exchanges([Exchange])
  /// How far the stubs of that process are; only those that changed.
  case progress(HarnessProcess, [StubProgress])
  /// The states that scenarios have come to in that process; only those that moved.
  case scenarios(HarnessProcess, [ScenarioState])
  /// A sentence for the person; nil is the console itself.
  case notice(HarnessProcess?, String)
}

/// An exchange that waits for a verdict.
package struct HeldExchange: Hashable, Sendable, Identifiable {
  package enum Stage: String, Hashable, Sendable, CaseIterable {
    case request
    case response
  }

  package var exchange: Exchange
  package var stage: Stage
  package var link: LinkID
  /// When the console learnt of the hold.
  package var since: Timestamp

  package var id: Int64 { exchange.id }
}

/// Who changed something.
package enum Author: Hashable, Sendable {
  /// The person at this console.
  case person
  /// A controller, by the name that it gave.
  case controller(String)
  /// A stub file that was read or read again, by its path.
  case file(String)
  /// A linked process: its stubs in code.
  case process(HarnessProcess)
  /// The console by itself.
  case console
}

extension Author: CustomStringConvertible {
  package var description: String {
    switch self {
    case .person: "you"
    case .controller(let name): name
    case .file(let path): path
    case .process(let process): "\(process.name) \(process.pid)"
    case .console: "patchbay"
    }
  }
}
