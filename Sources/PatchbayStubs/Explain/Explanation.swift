/// Why a stub takes a request, or why not.
package struct Explanation: Hashable, Sendable {
  package var stub: String
  package var verdict: Verdict
  /// What goes out in the place of the request, where the stub answers and changes it: `PUT http://127.0.0.1/x`.
  package var sent: String?

  package enum Verdict: Hashable, Sendable {
    /// The first that matches: it answers.
    case answers
    /// It matches and stops the request (or its response) for the person; the list goes on after it.
    case holds
    /// It matches too, but that earlier stub answers.
    case shadowed(by: String)
    /// The first condition that does not hold: a sentence with both values.
    case differs(String)
    case disabled
    /// It matches, but lets so many requests past first.
    case skips(left: UInt64)
    /// It matches, and its chance leaves this one out.
    case unlucky
    /// It matches, but has taken its number of requests.
    case usedUp(times: Int)
    /// It matches, but its scenario is in another state.
    case otherState(of: Stub.Scenario, is: String)
  }

  package init(stub: String, verdict: Verdict) {
    self.stub = stub
    self.verdict = verdict
  }

  /// Whether the pattern fits the request.
  package var matches: Bool {
    switch verdict {
    case .differs, .disabled: false
    default: true
    }
  }

  /// One line, such as "path: `/v1/users` is not `/v2/*`".
  package var reason: String {
    switch verdict {
    case .answers: "matches, and answers" + (sent.map { "; it is sent as \($0)" } ?? "")
    case .holds: "matches, and holds"
    case .shadowed(let by): "matches, but `\(by)` comes before it"
    case .differs(let sentence): sentence
    case .disabled: "switched off"
    case .skips(let left): left == 1 ? "skip: lets this request past" : "skip: lets \(left) more requests past"
    case .unlucky: "chance: leaves this request out"
    case .usedUp(let times): "times: used up after \(times)"
    case .otherState(let scenario, let state):
      "scenario `\(scenario.name)`: answers in `\(scenario.state ?? state)`, not in `\(state)`"
    }
  }

  static func budgetNotice(_ stub: Stub) -> String {
    "Stub `\(stub.name)`: a regular expression took more than \(PatternRegex.stepBudget) steps on a request "
      + "and counts as not matching; make it simpler."
  }
}

extension StubMatcher {
  /// For each stub, in order: whether it would take the request, and why not. Nothing is counted.
  package func explain(_ facts: RequestFacts, counters: StubCounters = StubCounters(salt: 0)) -> [Explanation] {
    let request = MatchedRequest(facts)
    var winner: String?
    return compiled.map { entry in
      var explanation = Explanation(stub: entry.stub.name, verdict: verdict(entry, request, counters, &winner))
      if explanation.verdict == .answers, case .taken(let hit, let step) = counters.peek(entry) {
        let action = entry.action(step: step)
        let match = Decision.Match(stub: entry.stub.name, action: action, hit: hit, step: step)
        explanation.sent = action.sent(facts, templates(for: match, facts))
      }
      return explanation
    }
  }

  private func verdict(
    _ entry: CompiledStub, _ request: MatchedRequest, _ counters: StubCounters, _ winner: inout String?
  ) -> Explanation.Verdict {
    guard entry.stub.enabled else { return .disabled }
    if let problem = entry.pattern.problems.first { return .differs(problem) }
    if let failure = entry.pattern.firstFailure(request) {
      let over = failure.overBudget ? "the regular expression took too many steps; " : ""
      return .differs(over + failure.condition.difference(from: request, in: entry.stub.when))
    }
    let turn = counters.peek(entry)
    if let winner {
      if case .otherState = turn {} else { return .shadowed(by: winner) }
    }
    switch turn {
    case .skipped(let left): return .skips(left: left)
    case .unlucky: return .unlucky
    case .usedUp: return .usedUp(times: entry.stub.times ?? 0)
    case .otherState(let state):
      return .otherState(of: entry.stub.scenario ?? Stub.Scenario(""), is: state)
    case .taken(_, let step):
      if case .hold = entry.action(step: step) { return .holds }
      winner = entry.stub.name
      return .answers
    }
  }
}

extension Action {
  /// Method and URL of what goes out in the place of the request; nil where it goes out as it is.
  fileprivate func sent(_ facts: RequestFacts, _ templates: TemplateContext) -> String? {
    guard case .pass(let changes) = self, changes.rewritesRequest else { return nil }
    let asked = RequestParts(method: facts.method, url: facts.url, headers: facts.headers)
    var notices: [String] = []
    let filled = changes.filled(in: templates)
    do throws(StubError) {
      let parts = try filled.apply(to: asked, body: facts.body, notices: &notices)
      return parts.method == asked.method && parts.url == asked.url ? nil : "\(parts.method) \(parts.url)"
    } catch { return "nothing, since \(error.message)" }
  }
}
