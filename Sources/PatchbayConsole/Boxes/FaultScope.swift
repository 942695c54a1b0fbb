import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// For which requests a fault is, in the fault menu.
struct FaultScope: Sendable, Equatable {
  enum Reach: String, Sendable, CaseIterable {
    case endpoint = "this endpoint"
    /// Its path with any other ids in it too.
    case ids = "this endpoint, any id"
    case host = "this host"
    case process = "this process"
    /// Every process of its name, those to come too.
    case program = "this program"
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

  mutating func nextReach(from summary: ExchangeSummary?) {
    guard reach != .held else { return }
    let hasIDs = summary.map { PatternChoices.segmentPath(StubProposal.endpoint($0.request).path) != nil } ?? false
    let all: [Reach] =
      summary == nil ? [.everything] : [.endpoint] + (hasIDs ? [.ids] : []) + [.host, .process, .program, .everything]
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

  /// Such as `this endpoint · the next 3 of each process · a share of 50 %`.
  var sentence: String {
    if reach == .held { return reach.rawValue }
    return ([reach.rawValue, times == nil ? "all of them" : nil].compactMap { $0 } + limits).joined(separator: " · ")
  }

  /// Such as `the next 3 of each process`, `a share of 50 %`; empty where all are meant.
  private var limits: [String] {
    let each = reach == .process ? "" : " of each process"
    return [
      times.map { ($0 == 1 ? "the next one" : "the next \($0)") + each },
      chance.map { "a share of \(Wording.percent($0))" },
    ].compactMap { $0 }
  }

  /// Such as `GET /v1/users, the next 3 of each process`.
  func words(from summary: ExchangeSummary?) -> String {
    ([place(from: summary)] + limits).joined(separator: ", ")
  }

  /// The requests that it means, seen from one; nil where it needs a request and there is none.
  func pattern(from summary: ExchangeSummary?) -> RequestPattern? {
    if reach == .everything { return RequestPattern() }
    guard let summary else { return nil }
    switch reach {
    case .endpoint: return StubProposal.pattern(of: summary)
    case .ids: return PatternChoices(ids: .segment).pattern(of: summary.request)
    case .host: return RequestPattern(host: .glob(summary.host), port: StubProposal.port(of: summary.url))
    case .process: return RequestPattern(process: .glob("\(summary.process.name) \(summary.process.pid)"))
    case .program: return RequestPattern(process: .glob(summary.process.name))
    case .everything, .held: return nil
    }
  }

  /// What the reach is called in a stub's name.
  func place(from summary: ExchangeSummary?) -> String {
    guard let summary, reach != .everything else { return "everything" }
    switch reach {
    case .host: return summary.host
    case .process: return "\(summary.process.name) \(summary.process.pid)"
    case .program: return "every \(summary.process.name)"
    default: return StubProposal.name(of: summary.request, ids: reach == .ids ? .segment : .exact)
    }
  }
}

extension ExchangeSummary {
  /// What a list knows of the request.
  fileprivate var request: RecordedRequest { RecordedRequest(method: method, url: url) }
}
