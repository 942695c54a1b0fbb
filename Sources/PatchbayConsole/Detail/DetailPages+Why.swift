import PatchbayGrid
import PatchbayStubs
import PatchbayWire

extension DetailPages {
  /// Each stub of the revision that was in force, and why it did or did not match.
  static func why(of exchange: Exchange, stubs: StubsSnapshot) -> [PageLine] {
    let then = stubs.board(revision: exchange.revision)
    let used = then ?? stubs.board
    var lines: [PageLine] = [answer(exchange), PageLine([])]
    if exchange.revision != stubs.board.revision {
      let text =
        exchange.wasBeforeStubs
        ? "Its stubs did not arrive within 5 s; this is how those in force now (revision \(used.revision)) see it."
        : then == nil
          ? "The stubs of revision \(exchange.revision) are no longer known; this is how those in force now (revision \(used.revision)) see it."
          : "The stubs as they were then (revision \(exchange.revision); now \(stubs.board.revision))."
      lines += [PageLine(text, .warning), PageLine([])]
    }
    guard !used.entries.isEmpty else { return lines + [PageLine("There were no stubs.", .dim)] }
    if used.isPaused { lines += [PageLine("All stubs except those in code were off then.", .warning), PageLine([])] }
    let facts = RequestFacts(
      method: exchange.request.method, url: exchange.request.url, headers: exchange.request.headers,
      body: exchange.request.body, process: exchange.process.name, pid: exchange.process.pid)
    var asked = used.stubsInForce
    let width = min(28, used.entries.map { textWidth(PercentText.shown($0.stub.name)) }.max() ?? 0)
    var counters = StubCounters(salt: 0)
    // Which states scenarios were in is not recorded; the stub that answered tells it of its own.
    if let scenario = used.entries.first(where: { $0.stub.name == exchange.stub })?.stub.scenario,
      let state = scenario.state
    {
      counters.setState(of: scenario.name, to: state)
    }
    // Nor how many had passed before: the stub that answered had let its first ones past, and its chance was taken.
    if let place = asked.firstIndex(where: { $0.name == exchange.stub }) {
      (asked[place].skip, asked[place].chance) = (0, nil)
    }
    var leftOut: [String: String] = [:]
    func explain() -> [Explanation] {
      StubMatcher(StubSet(revision: used.revision, stubs: asked)).explain(facts, counters: counters)
    }
    var explanations = explain()
    // How many each had taken by then is not recorded either; one that did not answer has left this request out.
    while leftOut.count < 20, let first = explanations.first(where: { $0.verdict == .answers }),
      let place = asked.firstIndex(where: { $0.name == first.stub }),
      let reason = reasonForLeaving(exchange, by: asked[place])
    {
      leftOut[first.stub] = reason
      asked[place].enabled = false
      explanations = explain()
    }
    for explanation in explanations {
      if let reason = leftOut[explanation.stub] {
        lines.append(
          PageLine([
            .init("· ", .warning), .init(padded(PercentText.shown(explanation.stub), toWidth: width) + "  ", .warning),
            .init(reason, .text),
          ]))
        continue
      }
      let (sign, role) = look(explanation.verdict)
      lines.append(
        PageLine([
          .init("\(sign) ", role), .init(padded(PercentText.shown(explanation.stub), toWidth: width) + "  ", role),
          .init(PercentText.shown(explanation.reason), explanation.matches ? .text : .dim),
        ]))
    }
    return lines
  }

  /// Why a stub that matches did not answer, where it is known that it did not: its limits are all that can have been.
  private static func reasonForLeaving(_ exchange: Exchange, by stub: Stub) -> String? {
    guard exchange.phase == .ended, !exchange.isObserved, !exchange.wasBeforeStubs, exchange.sent == nil,
      exchange.by != .person, exchange.stub != stub.name
    else { return nil }
    var limits: [String] = []
    if let times = stub.times { limits.append("had taken its \(Wording.count(times, "request"))") }
    if stub.skip > 0 { limits.append("lets the first \(Wording.count(stub.skip)) past") }
    if let chance = stub.chance { limits.append("its chance is \(Wording.percent(chance))") }
    return limits.isEmpty ? nil : "matches, but not this one: \(limits.joined(separator: ", or "))"
  }

  private static func answer(_ exchange: Exchange) -> PageLine {
    let stub = PercentText.shown(exchange.stub ?? "")
    switch exchange.by {
    case .network where exchange.stub != nil: return PageLine("From the network, changed by ◆ \(stub).", .stub)
    case .network where exchange.summary.isEditedByPerson:
      return PageLine("From the network, to the request as you edited it; no stub answered.", .stub)
    case .network where exchange.isObserved: return PageLine("Only observed: no stub was asked.", .text)
    case .network where exchange.wasBeforeStubs:
      return PageLine("From the network: its stubs were not there yet.", .warning)
    case .network: return PageLine("From the network: no stub answered.", .text)
    case .stub: return PageLine("By the stub ◆ \(stub).", .stub)
    case .code: return PageLine("By a stub in the program's code, ◇ \(stub).", .stub)
    case .person: return PageLine("By you: it was held and answered here.", .stub)
    case .console where exchange.wasBeforeStubs:
      return PageLine("By the console: its stubs were not there yet, and unmatched requests fail.", .warning)
    case .cache: return PageLine("From the program's URLCache: nothing went to the network.", .text)
    case .console: return PageLine("By the console: no stub matched, and unmatched requests fail.", .warning)
    }
  }

  private static func look(_ verdict: Explanation.Verdict) -> (String, ThemeRole) {
    switch verdict {
    case .answers: ("◆", .good)
    case .holds: ("‖", .held)
    case .shadowed: ("·", .warning)
    case .skips, .unlucky, .usedUp, .otherState: ("·", .warning)
    case .differs, .disabled: ("✗", .dim)
    }
  }
}
