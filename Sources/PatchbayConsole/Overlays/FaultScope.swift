import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// For which requests a fault is, in the fault menu.
struct FaultScope: Sendable, Equatable {
  enum Reach: String, Sendable, CaseIterable {
    case endpoint = "this endpoint"
    case host = "this host"
    case process = "this process"
    case everything = "every request"
    /// Not a stub: only the held request that is selected.
    case held = "this held request"
  }

  var reach: Reach
  /// Only the next so many; nil is all.
  var times: Int?
  /// A share of them; nil is all.
  var chance: Double?

  static let endpoint = FaultScope(reach: .endpoint)
  static let everything = FaultScope(reach: .everything)
  static let held = FaultScope(reach: .held)

  private static let counts: [Int?] = [nil, 1, 2, 3, 5, 10, 20, 50, 100]
  private static let shares: [Double?] = [nil, 0.5, 0.25, 0.1, 0.05]

  mutating func nextReach(hasRequest: Bool) {
    guard reach != .held else { return }
    let all: [Reach] = hasRequest ? [.endpoint, .host, .process, .everything] : [.everything]
    reach = all[((all.firstIndex(of: reach) ?? 0) + 1) % all.count]
  }

  mutating func changeCount(by step: Int) {
    let place = FaultScope.counts.firstIndex { $0 == times } ?? 0
    times = FaultScope.counts[max(0, min(FaultScope.counts.count - 1, place + step))]
  }

  mutating func nextShare() {
    let place = FaultScope.shares.firstIndex { $0 == chance } ?? 0
    chance = FaultScope.shares[(place + 1) % FaultScope.shares.count]
  }

  /// Such as `this endpoint · the next 3 · 50 %`.
  var sentence: String {
    var parts = [reach.rawValue]
    if reach == .held { return parts[0] }
    parts.append(times.map { $0 == 1 ? "the next one" : "the next \($0)" } ?? "all of them")
    if let chance { parts.append("a share of \(Wording.percent(chance))") }
    return parts.joined(separator: " · ")
  }

  /// The requests that it means, seen from one; nil where it needs a request and there is none.
  func pattern(from summary: ExchangeSummary?) -> RequestPattern? {
    if reach == .everything { return RequestPattern() }
    guard let summary else { return nil }
    switch reach {
    case .endpoint: return StubProposal.pattern(of: summary)
    case .host: return RequestPattern(host: .glob(summary.host))
    case .process: return RequestPattern(process: .glob(summary.process.name))
    case .everything, .held: return nil
    }
  }

  /// What the reach is called in a stub's name.
  func place(from summary: ExchangeSummary?) -> String {
    guard let summary, reach != .everything else { return "everything" }
    switch reach {
    case .host: return summary.host
    case .process: return summary.process.name
    default: return StubProposal.name(of: RecordedRequest(method: summary.method, url: summary.url))
    }
  }
}
