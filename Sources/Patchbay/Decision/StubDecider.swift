import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stubs in force: those in code, as far as the console has not switched them off or overridden them, then the
/// console's. Asked once for each request, and for each redirect, on the request's path.
///
/// To hold everything, and what becomes of a request that no stub takes, is the snapshot's to say and the request's to do.
final class StubDecider: Sendable {
  /// What the stubs say of one request.
  struct Outcome: Sendable {
    var decision: Decision
    /// Who the answer is told to come from: `.stub`, or `.code` for a stub that the program's code declares.
    var by = Exchange.Answerer.stub
    /// The program's code that answers in the place of the action; a thrown error is what the request fails with.
    var handler: StubHandler?
  }

  private let stubs: Once<CompiledStubs>
  private let counters: SharedCounters
  private let strictness: CodeStubs.Strictness
  private let notices: @Sendable (String) -> Void

  /// - Parameter notices: Called on the request's path with a sentence for the person at the console.
  init(
    _ push: StubPush, code: CodeStubs, counters: SharedCounters, notices: @escaping @Sendable (String) -> Void
  ) {
    stubs = Once { CompiledStubs(push, code: code, counters: counters) }
    self.counters = counters
    self.notices = notices
    strictness = code.strictness
  }

  /// Compiles the stubs now, away from any request. Without it the first request does, so that a test which declares
  /// a thousand stubs one by one compiles them once.
  func prepare() { _ = stubs.value }

  /// Whether a condition looks at bodies; if not, the body of an upload is not read for deciding.
  var looksAtBodies: Bool { stubs.value.looksAtBodies }

  /// Whether the decision on this request, of which all but the body is known, could depend on its body; or what is
  /// answered, by a template or by code.
  ///
  /// - Parameter scope: Of the session that it was made in.
  func needsBody(_ facts: RequestFacts, scope: SessionScope.Mark?) -> Bool {
    let stubs = stubs.value
    return stubs.matcher.needsBody(facts)
      || stubs.seeing.contains { place, code in
        (code.scope == nil || code.scope == scope) && stubs.matcher.mayFit(facts, at: place)
      }
  }

  /// What the stubs say where URL and method tell everything, which is so for most requests; nil where the other facts
  /// count, and ``decide(_:of:scope:from:)`` is to be asked. Counts the hit; never a hold.
  func decide(url: String, method: String) -> Decision.Step? {
    guard strictness.isEmpty, let plan = stubs.value.planner?.plan(url: url, method: method) else { return nil }
    if plan.isEmpty { return .unmatched }
    return counters.with { plan.count(&$0) }.map { .answer($0) } ?? .unmatched
  }

  /// The first stub, from that place in the list on, that takes the request, with its templates filled in. Counts the hit.
  ///
  /// - Parameters:
  ///   - request: As the program made it, for closures in code.
  ///   - scope: Of the session that it was made in, for stubs that belong to one session.
  func decide(
    _ facts: RequestFacts, of request: URLRequest, scope: SessionScope.Mark?, from cursor: Decision.Cursor = .start
  ) -> Outcome {
    let stubs = stubs.value
    // Asked beforehand: the harness's own code may not run under the counters' lock.
    let asked = stubs.asking.isEmpty ? request : request.asSeen(headers: facts.headers, body: facts.body)
    var refused: Set<String> = []
    for (place, code) in stubs.asking where code.scope == nil || code.scope == scope {
      guard stubs.matcher.fits(facts, at: place, from: cursor), code.accepts?(asked) == false else { continue }
      refused.insert(code.stub.name)
    }
    let decision = counters.with { counters in
      stubs.matcher.decide(
        facts, from: cursor, counters: &counters,
        allows: { stub in
          guard let code = stubs.code[stub.name]?.code else { return true }
          return (code.scope == nil || code.scope == scope) && !refused.contains(stub.name)
        })
    }
    for notice in decision.notices { notices(notice) }
    switch decision.step {
    case .hold: return Outcome(decision: decision)
    case .answer(let match): return outcome(decision, match, facts, stubs)
    case .unmatched:
      if strictness.applies(to: scope) { return Self.unstubbed(facts) }
      return Outcome(decision: decision)
    }
  }

  private func outcome(
    _ decision: Decision, _ match: Decision.Match, _ facts: RequestFacts, _ stubs: CompiledStubs
  ) -> Outcome {
    let code = stubs.code[match.stub].flatMap { $0.asksCode ? $0.code : nil }
    var outcome = Outcome(decision: decision, by: code == nil ? .stub : .code)
    var match = match
    if case .code = match.action {
      // Where the code is gone, or is another process's, there is none, and no stub takes the request.
      outcome.handler = code?.answer
    } else if stubs.templated.contains(match.stub) {
      let context = stubs.matcher.templates(for: match, facts)
      match.action = match.action.filled(in: context)
      if let problem = context.problem {
        let sentence = "Stub `\(match.stub)`: \(problem)."
        notices(sentence)
        match.action = .fail(Fault(.custom(domain: "Patchbay", code: 1, message: sentence)))
      }
    }
    outcome.decision.step = .answer(match)
    return outcome
  }

  /// In strict mode a request that no stub takes fails with an error that names it.
  private static func unstubbed(_ facts: RequestFacts) -> Outcome {
    let error = PatchbayError.unstubbed(method: facts.method, url: facts.url)
    return Outcome(
      decision: Decision(.answer(Decision.Match(stub: "strict", action: .code))), by: .code,
      handler: { _ in throw error })
  }
}

extension URLRequest {
  /// As patterns see it, for code of the harness: with the session's header fields and with the body of an upload.
  ///
  /// - Parameters:
  ///   - headers: The request's own, and those that the session adds.
  ///   - body: All that is known of it.
  func asSeen(headers: [HeaderField], body: Data?) -> URLRequest {
    var request = self
    for field in headers where value(forHTTPHeaderField: field.name) == nil {
      request.setValue(field.value, forHTTPHeaderField: field.name)
    }
    if httpBody == nil, let body { request.httpBody = body }
    return request
  }
}

/// The stubs of one process, compiled, with what stands behind them in the harness's code. A class, because each request
/// takes hold of it.
private final class CompiledStubs: Sendable {
  let matcher: StubMatcher
  /// Stubs that the harness's code stands behind, by their names.
  let code: [String: EffectiveStub]
  /// Stubs in code that ask a predicate, with their places in the list.
  let asking: [(place: Int, code: CodeStub)]
  /// Stubs whose code is given the request, with their places in the list.
  let seeing: [(place: Int, code: CodeStub)]
  /// The names of stubs whose templates are filled in for each request.
  let templated: Set<String>
  let looksAtBodies: Bool
  /// What URL and method alone tell; nil where code stands behind a stub, or one has templates.
  let planner: MatchPlanner?

  init(_ push: StubPush, code: CodeStubs, counters: SharedCounters) {
    let stubs = EffectiveStub.all(push, code: code)
    let all = stubs.map(\.stub)
    matcher = counters.compile(StubSet(revision: push.set.revision, stubs: all))
    let coded = stubs.filter { $0.code != nil }
    self.code = Dictionary(coded.map { ($0.stub.name, $0) }, uniquingKeysWith: { first, _ in first })
    seeing = stubs.enumerated().compactMap { place, one in
      guard one.asksCode, let code = one.code, code.answer != nil || code.accepts != nil else { return nil }
      return (place, code)
    }
    asking = seeing.filter { $0.code.accepts != nil }
    templated = Set(all.filter { $0.then.hasTemplates }.map(\.name))
    planner = coded.isEmpty && templated.isEmpty ? matcher.planner : nil
    looksAtBodies =
      !seeing.isEmpty || !templated.isEmpty || all.contains { $0.when.asksBody }
  }
}

extension Action {
  /// The action with its templates filled in for one request.
  fileprivate func filled(in context: TemplateContext) -> Action {
    switch self {
    case .respond(let response): return .respond(response.filled(in: context))
    case .fail(var fault):
      if let partial = fault.after { fault.after?.response = partial.response.filled(in: context) }
      return .fail(fault)
    case .pass(let changes): return .pass(changes.filled(in: context))
    case .hold, .sequence, .code: return self
    }
  }
}

/// A value that is made when it is first asked for, once, by whichever thread comes first.
private final class Once<Value: Sendable>: Sendable {
  private enum State {
    case unmade(@Sendable () -> Value)
    case made(Value)
  }

  private let state: Mutex<State>

  init(_ make: @escaping @Sendable () -> Value) { state = Mutex(.unmade(make)) }

  var value: Value {
    state.withLock { state in
      switch state {
      case .made(let value): return value
      case .unmade(let make):
        let value = make()
        state = .made(value)
        return value
      }
    }
  }
}
