import NIOCore
import PatchbayStubs
import PatchbayWire

extension ServerCore {
  /// Sends the verdict for a held exchange; from here on it no longer counts as held.
  func decide(_ id: Int64, _ decision: Verdict.Decision) throws(ServerError) {
    let target: Result<(link: LinkID, key: UInt64), ServerError> = change { state in
      guard let held = state.gatherer.held(id) else { return .failure(.notHeld(id: id)) }
      if let problem = decision.problem(for: held) { return .failure(problem) }
      guard let target = state.gatherer.decide(id) else { return .failure(.notHeld(id: id)) }
      return .success(target)
    }
    let (link, key) = try target.get()
    do throws(ServerError) {
      try send(.verdict(Verdict(key: key, decision: decision)), to: link)
    } catch {
      throw .notHeld(id: id)
    }
  }

  /// Lets everything that is held and fits go on as it is, the oldest first. Returns how many.
  func releaseAll(where fits: (HeldExchange) -> Bool) -> Int {
    let list = state.withLock { $0.gatherer.held }
    var count = 0
    for held in list where fits(held) {
      if (try? decide(held.id, .continue(request: nil, response: nil))) != nil { count += 1 }
    }
    return count
  }
}

extension Verdict.Decision {
  /// Why the decision cannot be meant for what is held there.
  fileprivate func problem(for held: HeldExchange) -> ServerError? {
    guard case .continue(let request, let response) = self else { return nil }
    let isForOtherSide = held.stage == .request ? response != nil : request != nil
    if isForOtherSide { return .notHeldThere(id: held.id, phase: held.stage.rawValue) }
    return nil
  }
}
