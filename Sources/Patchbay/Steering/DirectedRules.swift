import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules in force: the console's stubs, then those in code that the console neither has switched off nor replaced
/// by one of the same name.
struct DirectedRules: HookRules {
  private let rules: Lazy<CompiledRules>
  private let counters: SharedCounters
  private let strictness: CodeStubs.Strictness
  private let notices: @Sendable (String) -> Void

  init(
    _ push: StubPush, code: CodeStubs, counters: SharedCounters, notices: @escaping @Sendable (String) -> Void
  ) {
    rules = Lazy { CompiledRules(push, code: code, counters: counters) }
    self.counters = counters
    self.notices = notices
    strictness = code.strictness
  }

  /// Compiles the stubs now, away from any request. Without it the first request does, so that a test which declares
  /// a thousand stubs one by one compiles them once.
  func prepare() { _ = rules.value }

  var looksAtBodies: Bool { rules.value.looksAtBodies }

  func needsBody(_ facts: RequestFacts) -> Bool {
    let rules = rules.value
    return !rules.code.isEmpty || !rules.templated.isEmpty || rules.matcher.needsBody(facts)
  }

  func decide(_ query: RuleQuery, from position: Int) -> RuleMatch? {
    let scope = query.scope
    let rules = rules.value
    // Asked beforehand: the harness's own code may not run under the counters' lock.
    let present = rules.asking.filter { $0.scope == nil || $0.scope == scope }
    let refused = Set(present.filter { $0.accepts?(query.requestWithBody) == false }.map(\.stub.name))
    let decision = counters.with { counters in
      rules.matcher.decide(
        query.facts, from: Decision.Cursor(token: position), counters: &counters,
        allows: { stub in
          guard let code = rules.code[stub.name]?.code else { return true }
          return (code.scope == nil || code.scope == scope) && !refused.contains(stub.name)
        })
    }
    for notice in decision.notices { notices(notice) }
    return match(decision, query, rules) ?? strict(query, scope)
  }

  func decideByURL(_ url: String, method: String) -> RuleShortcut {
    guard strictness.isEmpty, let plan = rules.value.planner?.plan(url: url, method: method) else { return .unknown }
    if plan.isEmpty { return .unmatched }
    guard let match = counters.with({ plan.take(&$0) }) else { return .unmatched }
    return .matched(RuleMatch(name: match.name, by: .stub, what: .action(match.action), next: 0))
  }

  private func match(_ decision: Decision, _ query: RuleQuery, _ rules: CompiledRules) -> RuleMatch? {
    let holdsResponse = decision.responseHold != nil
    switch decision.step {
    case .hold(let holder, let next):
      return RuleMatch(
        name: holder.stub ?? "", by: .stub, what: .action(.hold(holdsResponse ? .both : .request)),
        next: next.token)
    case .answer(let match):
      let name = match.stub.name
      let own = rules.code[name].flatMap { $0.asksCode ? $0.code : nil }
      let by: Exchange.Answerer = own == nil ? .stub : .code
      let what: RuleMatch.What
      if match.action == .code {
        what = own?.answer.map { .closure($0) } ?? .action(.pass(PassChanges()))
      } else if rules.templated.contains(name) {
        what = .action(match.action.rendered(in: TemplateContext(query.facts, count: match.hit)))
      } else {
        what = .action(match.action)
      }
      return RuleMatch(name: name, by: by, what: what, next: 0, holdsResponse: holdsResponse)
    case .unmatched:
      guard let holder = decision.responseHold?.stub else { return nil }
      return RuleMatch(
        name: holder, by: .stub, what: .action(.pass(PassChanges())), next: 0, holdsResponse: true)
    }
  }

  private func strict(_ query: RuleQuery, _ scope: SessionScope.Mark?) -> RuleMatch? {
    guard strictness.applies(to: scope) else { return nil }
    let error = PatchbayError.unstubbed(method: query.facts.method, url: query.facts.url)
    return RuleMatch(name: "strict", by: .code, what: .closure { _ in throw error }, next: 0)
  }
}

extension RuleQuery {
  /// The request with the body of an upload in it, for code of the harness.
  fileprivate var requestWithBody: URLRequest {
    guard request.httpBody == nil, let body = facts.body else { return request }
    var request = request
    request.httpBody = body
    return request
  }
}
