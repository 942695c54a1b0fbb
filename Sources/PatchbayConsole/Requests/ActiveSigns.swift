import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The faults and holds that the person has on, to be shown beside the requests that the next ones like them meet.
struct ActiveSigns {
  private typealias Sign = (stub: Stub, sign: String, role: ThemeRole)

  private var signs: [RequestPattern: [Sign]] = [:]
  private let hits: StubHits

  init(_ stubs: StubsState) {
    hits = stubs.hits
    for stub in stubs.board.entries.map(\.stub) where stub.enabled {
      if case .hold = stub.then {
        signs[stub.when, default: []].append((stub, "‖", .held))
      } else if FaultPreset.of(stub.then) != nil {
        signs[stub.when, default: []].append((stub, "✗", .failure))
      }
    }
  }

  /// The sign for a request; nil where nothing is on for the next one like it in its process.
  func sign(for summary: ExchangeSummary) -> (sign: String, role: ThemeRole)? {
    guard !signs.isEmpty else { return nil }
    for reach in FaultScope.Reach.allCases where reach != .held {
      guard let pattern = FaultScope(reach: reach).pattern(from: summary) else { continue }
      let sign = signs[pattern]?.first { !hits.isUsedUp($0.stub, in: summary.process) }
      if let sign { return (sign.sign, sign.role) }
    }
    return nil
  }
}

extension ConsoleState {
  /// Whether a stub has taken as many requests as it was made for: in the process of a request, or in all that are linked.
  func isUsedUp(_ stub: Stub, for summary: ExchangeSummary?) -> Bool {
    if let summary { return stubs.hits.isUsedUp(stub, in: summary.process) }
    let linked = processes.links.filter { $0.ended == nil }
    return !linked.isEmpty && linked.allSatisfy { stubs.hits.isUsedUp(stub, in: $0.process) }
  }
}
