import Synchronization

/// The stubs that fit one URL and method, in order, where nothing else of a request counts.
public struct MatchPlan: Sendable {
  private let stubs: [CompiledStub]

  /// - Returns: nil where URL and method do not tell everything.
  init?(
    _ url: String, _ method: String, process: String, pid: Int32?, _ index: StubIndex, _ compiled: [CompiledStub]
  ) {
    let request = MatchedRequest(RequestFacts(method: method, url: url, process: process, pid: pid), body: { nil })
    var fitting: [CompiledStub] = []
    var isKnown = true
    _ = index.candidates(for: request, from: 0) { position in
      let entry = compiled[position]
      if let failure = entry.pattern.firstFailure(request) {
        isKnown = !failure.overBudget
        return !isKnown
      }
      guard entry.steps.allSatisfy(\.isOwnAnswer) else {
        isKnown = false
        return true
      }
      fitting.append(entry)
      return entry.counting.takesAll
    }
    guard isKnown else { return nil }
    stubs = fitting
  }

  /// No stub fits.
  public var isEmpty: Bool { stubs.isEmpty }

  /// The first stub that takes a request now, with the counters moved on accordingly.
  public func take(_ counters: inout StubCounters) -> (name: String, action: Action)? {
    for entry in stubs {
      if case .taken(_, let step) = counters.count(entry) { return (entry.stub.name, entry.action(step: step)) }
    }
    return nil
  }
}

/// The plans made last, of one set of stubs. Programs ask for the same URLs again and again.
final class MatchPlanCache: Sendable {
  private struct Entry {
    var url: String
    var method: String
    var plan: MatchPlan?
  }

  private static let size = 64
  /// Longer ones are not kept, which bounds the memory.
  private static let longest = 512

  private let entries = Mutex<[Entry?]>(Array(repeating: nil, count: size))

  func plan(_ url: String, _ method: String, make: () -> MatchPlan?) -> MatchPlan? {
    guard url.utf8.count + method.utf8.count <= Self.longest else { return make() }
    let place = Int(truncatingIfNeeded: UInt(bitPattern: url.hashValue) % UInt(Self.size))
    let known = entries.withLock { entries -> MatchPlan?? in
      guard let entry = entries[place], entry.url.utf8.elementsEqual(url.utf8), entry.method == method else {
        return nil
      }
      return .some(entry.plan)
    }
    if let known { return known }
    let made = make()
    entries.withLock { $0[place] = Entry(url: url, method: method, plan: made) }
    return made
  }
}

extension Action {
  /// Neither a hold, after which the search goes on, nor code's to say.
  fileprivate var isOwnAnswer: Bool {
    switch self {
    case .respond, .fail, .pass: true
    case .hold, .code, .sequence: false
    }
  }
}

extension StubCounters.Fields {
  /// Each request that fits is taken.
  fileprivate var takesAll: Bool { skip <= 0 && chance == nil && times == nil }
}
