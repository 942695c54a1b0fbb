import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// For which requests a fault is, in the fault menu.
struct FaultScope: Sendable, Equatable {
  enum Reach: String, Sendable, CaseIterable {
    /// As everywhere: any ids in its path.
    case endpoint = "this endpoint"
    case host = "this host"
    case process = "this process"
    /// Every process of its name, those to come too.
    case program = "this program"
    case everything = "every request"
    /// The endpoint, with those ids in its path that were asked for.
    case thisID = "only this id"
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

  /// Those that there are for a request, the one to begin with first.
  static func reaches(from summary: ExchangeSummary?) -> [Reach] {
    guard let summary else { return [.everything] }
    let hasIDs = PatternChoices.segmentPath(StubProposal.endpoint(summary.request).path) != nil
    return [.endpoint, .host, .process, .program, .everything] + (hasIDs ? [.thisID] : [])
  }

  mutating func nextReach(by step: Int, from summary: ExchangeSummary?) {
    guard reach != .held else { return }
    let all = FaultScope.reaches(from: summary)
    reach = all[((all.firstIndex(of: reach) ?? 0) + step + all.count) % all.count]
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
    case .thisID: return PatternChoices(ids: .exact).pattern(of: summary.request)
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
    default: return StubProposal.name(of: summary.request, ids: reach == .thisID ? .exact : .segment)
    }
  }
}

extension ExchangeSummary {
  /// What a list knows of the request.
  fileprivate var request: RecordedRequest { RecordedRequest(method: method, url: url) }
}
