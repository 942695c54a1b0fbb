import PatchbayStubs
import PatchbayWire

/// The stubs of one process, compiled, with what stands behind them in the harness's code. A class, because each request
/// takes hold of it.
final class CompiledRules: Sendable {
  let matcher: StubMatcher
  /// Stubs that the harness's code stands behind, by their names.
  let code: [String: PlacedStub]
  /// Stubs in code that ask a predicate.
  let asking: [CodeStub]
  let templated: Set<String>
  let looksAtBodies: Bool
  /// What URL and method alone tell, where what stubs say is all that counts: none is the code's, and none fills in
  /// templates.
  let planner: MatchPlanner?

  init(_ push: StubPush, code: CodeStubs, counters: SharedCounters) {
    let placed = PlacedStub.all(push, code: code)
    let all = placed.map(\.stub)
    matcher = counters.compile(StubSet(revision: push.set.revision, stubs: all))
    let coded = placed.filter { $0.code != nil }
    let asked = coded.filter(\.asksCode).compactMap(\.code)
    self.code = Dictionary(coded.map { ($0.stub.name, $0) }, uniquingKeysWith: { first, _ in first })
    asking = asked.filter { $0.accepts != nil }
    templated = Set(all.filter { $0.then.hasTemplates }.map(\.name))
    planner = coded.isEmpty && templated.isEmpty ? matcher.planner : nil
    looksAtBodies =
      asked.contains { $0.answer != nil } || !asking.isEmpty || !templated.isEmpty
      || all.contains { $0.when.body != nil }
  }
}
