import Foundation
import Synchronization

/// The stubs that fit one URL and method, in order, where nothing else of a request counts.
package struct MatchPlan: Sendable {
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
      return entry.counting.takesAll && entry.stub.scenario?.state == nil
    }
    guard isKnown else { return nil }
    stubs = fitting
  }

  /// No stub fits.
  package var isEmpty: Bool { stubs.isEmpty }

  /// The first stub that takes a request now, with the counters moved on accordingly.
  package func count(_ counters: inout StubCounters) -> Decision.Match? {
    for entry in stubs {
      if case .taken(let hit, let step) = counters.count(entry) {
        return Decision.Match(stub: entry.stub.name, action: entry.action(step: step), hit: hit, step: step)
      }
    }
    return nil
  }
}

/// Says by URL and method alone what becomes of a request, where nothing else of it counts. A class, because each request
/// asks it.
package final class MatchPlanner: Sendable {
  private let cache = MatchPlanCache()
  private let index: StubIndex
  private let compiled: [CompiledStub]
  private let process: String
  private let pid: Int32?

  init(_ index: StubIndex, _ compiled: [CompiledStub], process: String, pid: Int32?) {
    self.index = index
    self.compiled = compiled
    self.process = process
    self.pid = pid
  }

  /// What is to be done with requests for that URL by that method, where nothing else of them counts; nil where it does.
  package func plan(url: String, method: String) -> MatchPlan? {
    cache.plan(url, method) { MatchPlan(url, method, process: process, pid: pid, index, compiled) }
  }
}

/// The plans made last, of one set of stubs. Programs ask for the same URLs again and again.
private final class MatchPlanCache: Sendable {
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
      guard let entry = entries[place], entry.url.isSameText(as: url), entry.method == method else { return nil }
      return .some(entry.plan)
    }
    if let known { return known }
    let made = make()
    entries.withLock { $0[place] = Entry(url: url, method: method, plan: made) }
    return made
  }
}

extension String {
  /// Whether both have the same bytes, which `==` does not ask.
  fileprivate func isSameText(as other: String) -> Bool {
    var left = self
    var right = other
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard left.count == right.count, let left = left.baseAddress, let start = right.baseAddress else {
          return false
        }
        return memcmp(left, start, right.count) == 0
      }
    }
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
