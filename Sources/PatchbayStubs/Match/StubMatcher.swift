import Foundation

/// A list of stubs, compiled once: patterns made ready and indexed by method, host and what a URL must hold.
/// Matching only reads; what is counted is in `StubCounters`.
///
/// Of a `StubSet` only the stubs count here. To hold everything (`holdAll`), and what becomes of a request that no stub
/// takes (`unmatched`), is up to whoever carries the decision out: the hook.
package struct StubMatcher: Sendable {
  /// Patterns that could not be used, each with its stub; such a stub never matches.
  package let problems: [String]
  let compiled: [CompiledStub]
  private let index: StubIndex
  /// Stubs with templates, by name.
  private let templated: [String: CompiledStub]
  /// What URL and method alone tell; nil where they never tell everything.
  package let planner: MatchPlanner?

  /// Compiles the stubs for one process; without a name, `process` patterns are compared with each request's.
  package init(_ set: StubSet, process: String? = nil, pid: Int32? = nil) {
    self.init(set, process: process, pid: pid, reusing: nil)
  }

  /// - Parameter reusing: an earlier one, of which stubs that are the same are not compiled again.
  package init(_ set: StubSet, process: String?, pid: Int32? = nil, reusing: StubMatcher?) {
    let known = Dictionary(
      (reusing?.compiled ?? []).map { ($0.stub.name, $0) }, uniquingKeysWith: { first, _ in first })
    compiled = set.stubs.map { stub in
      if let same = known[stub.name], same.stub == stub { return same }
      return CompiledStub(stub)
    }
    problems = compiled.flatMap { stub in stub.pattern.problems.map { "stub `\(stub.stub.name)`: \($0)" } }
    templated = Dictionary(
      compiled.lazy.filter { $0.hasTemplates }.map { ($0.stub.name, $0) }, uniquingKeysWith: { first, _ in first })
    index = StubIndex(compiled, process: process, pid: pid)
    let isByURL = compiled.allSatisfy { stub in
      !stub.stub.enabled || stub.pattern.conditions.allSatisfy { $0.isByURL(inProcess: process != nil) }
    }
    planner = isByURL ? MatchPlanner(index, compiled, process: process ?? "", pid: pid) : nil
  }

  /// What fills the templates of the action that a stub gives.
  package func templates(for match: Decision.Match, _ facts: RequestFacts) -> TemplateContext {
    let entry = templated[match.stub]
    return TemplateContext(facts, count: match.hit, seed: entry?.stub.seed, pattern: entry?.pattern, body: nil)
  }

  /// What is to be done with requests for that URL by that method, where nothing else of them counts; nil where it does.
  package func plan(url: String, method: String) -> MatchPlan? {
    planner?.plan(url: url, method: method)
  }

  /// Whether a decision on this request could depend on its body. Where it is false the body need not be read.
  package func needsBody(_ facts: RequestFacts) -> Bool {
    guard index.someNeedBody else { return false }
    let request = MatchedRequest(facts, body: { nil })
    return index.candidates(for: request, from: 0, anyBody: true) { position in
      compiled[position].needsBody && mayFit(request, at: position)
    }
  }

  /// Whether the request could fit the stub that has this place in the list, whatever its body is.
  package func mayFit(_ facts: RequestFacts, at position: Int) -> Bool {
    guard compiled[position].stub.enabled, compiled[position].pattern.problems.isEmpty else { return false }
    return mayFit(MatchedRequest(facts, body: { nil }), at: position)
  }

  private func mayFit(_ request: MatchedRequest, at position: Int) -> Bool {
    compiled[position].pattern.conditions.allSatisfy { $0.needsBody || $0.test(request) == .fits }
  }

  /// Whether the request fits the stub that has this place in the list, which a decision from there would look at.
  /// Counts nothing.
  package func fits(_ facts: RequestFacts, at position: Int, from cursor: Decision.Cursor) -> Bool {
    guard position >= cursor.position, compiled[position].stub.enabled else { return false }
    return compiled[position].pattern.firstFailure(MatchedRequest(facts)) == nil
  }

  /// The first stub that takes the request, with the counters moved on accordingly.
  ///
  /// - Parameters:
  ///   - from: `.start`, or where an earlier decision said to go on after a hold.
  ///   - body: called at most once, when a pattern looks at the body; nil takes `facts.body`.
  ///   - allows: stubs to leave out, such as those of another session.
  package func decide(
    _ facts: RequestFacts, from: Decision.Cursor = .start, counters: inout StubCounters,
    body: (() -> Data?)? = nil, allows: ((Stub) -> Bool)? = nil
  ) -> Decision {
    var decision = Decision(.unmatched)
    let request = MatchedRequest(facts, body: body)
    _ = index.candidates(for: request, from: from.position) { position in
      decide(position, request, from, &counters, &decision, allows)
    }
    return decision
  }

  /// Whether the search ends with this stub.
  private func decide(
    _ position: Int, _ request: MatchedRequest, _ from: Decision.Cursor, _ counters: inout StubCounters,
    _ decision: inout Decision, _ allows: ((Stub) -> Bool)?
  ) -> Bool {
    let entry = compiled[position]
    if let failure = entry.pattern.firstFailure(request) {
      if failure.overBudget { decision.notices.append(Explanation.budgetNotice(entry.stub)) }
      return false
    }
    if let allows, !allows(entry.stub) { return false }
    guard case .taken(let hit, let step) = counters.count(entry) else { return false }
    let action = entry.action(step: step)
    if case .hold(let point) = action {
      if point.holdsResponse, decision.responseHold == nil { decision.responseHold = entry.stub.name }
      guard point.holdsRequest, !from.held else { return false }
      decision.step = .hold(stub: entry.stub.name, next: Decision.Cursor(position: position + 1, held: true))
      return true
    }
    decision.step = .answer(Decision.Match(stub: entry.stub.name, action: action, hit: hit, step: step))
    return true
  }
}
