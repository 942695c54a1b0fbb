import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Which stub takes the request, and what that means for it.
extension RequestRun {
  /// Decides for the first time, unless everything is held; reads a stream before, if the answer depends on it.
  func begin() {
    if mustReadStream { readStream { self.beginKnowing() } } else { beginKnowing() }
  }

  private func beginKnowing() {
    if let point = snapshot.holdAll {
      holdsResponse = point.holdsResponse
      if point.holdsRequest { return hold { self.decide(from: 0) } }
    }
    decide(from: 0)
  }

  /// Asks the rules from that place in the list on, and does what they say.
  func decide(from position: Int) {
    if let match = match(current, from: position) { perform(match) } else { unmatched() }
  }

  func match(_ request: RequestSnapshot, from position: Int) -> RuleMatch? {
    guard let rules = snapshot.rules else { return nil }
    if position == 0 {
      switch rules.decideByURL(request.url, method: request.method) {
      case .unknown: break
      case .unmatched: return nil
      case .matched(let match): return match
      }
    }
    let facts = request.facts(of: HookState.shared.process, withBody: rules.looksAtBodies)
    return rules.decide(
      RuleQuery(facts: facts, request: request.request, session: session, scope: scope), from: position)
  }

  func perform(_ match: RuleMatch) {
    holdsResponse = holdsResponse || match.holdsResponse
    let stub = match.name.isEmpty ? nil : match.name
    holdStub = nil
    switch match.what {
    case .closure(let answer): respond(by: answer, match)
    case .action(.respond(let canned)):
      recorder.answered(by: match.by, stub: stub)
      respond(canned, by: match.by)
    case .action(.fail(let fault)):
      recorder.answered(by: match.by, stub: stub)
      fail(fault)
    case .action(.pass(let changes)):
      if match.holdsResponse, changes.isEmpty { holdStub = stub }
      recorder.answered(by: .network, stub: stub)
      send(changes)
    case .action(.hold(let point)):
      holdStub = stub
      holdsResponse = holdsResponse || point.holdsResponse
      guard point.holdsRequest else { return decide(from: match.next) }
      recorder.answered(by: .network, stub: stub)
      hold { self.decide(from: match.next) }
    case .action(.code): unmatched()
    case .action(.sequence(let steps, _)):
      // The rules resolve sequences; the first step is a sane reading of one that they did not.
      guard let first = steps.first else { return unmatched() }
      perform(RuleMatch(name: match.name, by: match.by, what: .action(first), next: match.next))
    }
  }

  private func unmatched() {
    switch snapshot.unmatched {
    case .pass:
      answeredByNetworkAfterAll()
      send(PassChanges())
    case .hold:
      answeredByNetworkAfterAll()
      hold { self.send(PassChanges()) }
    case .fail:
      recorder.answered(by: .console, stub: nil)
      let url = current.request.url
      let what = "\(current.method) \(url?.absoluteString ?? "")"
      let sentence = "No stub matches \(what), and unmatched requests are made to fail; add a stub or let them pass."
      fail(with: FaultError.urlError(.resourceUnavailable, url: url, message: sentence))
    }
  }

  /// A stub has sent the request elsewhere, and there no stub takes it.
  private func answeredByNetworkAfterAll() {
    if hops > 0 { recorder.answered(by: .network, stub: nil) }
  }
}
