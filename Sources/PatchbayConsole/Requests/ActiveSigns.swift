import PatchbayInspect
import PatchbayStubs

/// The faults and holds that the person has on, to be shown beside the requests that the next ones like them meet.
struct ActiveSigns {
  private var signs: [RequestPattern: (sign: String, role: ThemeRole)] = [:]

  init(_ stubs: StubsState) {
    for entry in stubs.board.entries where entry.stub.enabled && !stubs.isUsedUp(entry.stub) {
      let stub = entry.stub
      guard signs[stub.when] == nil else { continue }
      if case .hold = stub.then {
        signs[stub.when] = ("‖", .held)
      } else if NamedFault.all.contains(where: { $0.action == stub.then }) {
        signs[stub.when] = ("✗", .failure)
      }
    }
  }

  /// The sign for a request; nil where nothing is on for it.
  func sign(for summary: ExchangeSummary) -> (sign: String, role: ThemeRole)? {
    guard !signs.isEmpty else { return nil }
    for reach in [FaultScope.Reach.endpoint, .ids, .host, .process, .everything] {
      if let pattern = FaultScope(reach: reach).pattern(from: summary), let sign = signs[pattern] { return sign }
    }
    return nil
  }
}

extension StubsState {
  /// Whether it has taken as many requests as it was made for.
  func isUsedUp(_ stub: Stub) -> Bool { stub.times.map { (hits[stub.name]?.hits ?? 0) >= $0 } ?? false }
}
