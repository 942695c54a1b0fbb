import PatchbayStubs
import PatchbayWire

/// Who sends a request again.
package enum ReplayRoute: Hashable, Sendable {
  /// The hook in that process.
  case harness(LinkInfo)
  /// The console itself, because the process has gone; stubs do not apply.
  case console
}

/// What a person or a controller does with one exchange.
extension ConsoleServer {
  /// What waits for a verdict, by rising id.
  package var held: [HeldExchange] { state.withLock { $0.assembler.held } }

  /// The exchange with that id where it waits for a verdict.
  func held(_ id: Int64) -> HeldExchange? { state.withLock { $0.assembler.held(id) } }

  /// Decides for one held exchange, by its id; from here on it no longer counts as held. Throws where it is not held (any
  /// more), or is held at the other side than the edits are for; exactly one decision for each hold gets through.
  package func decide(_ id: Int64, _ decision: Verdict.Decision) throws(ServerError) {
    let target: Result<(link: LinkID, key: UInt64), ServerError> = change { state in
      guard let held = state.assembler.held(id) else { return .failure(.notHeld(id: id)) }
      if let problem = decision.problem(for: held) { return .failure(problem) }
      guard let target = state.assembler.decide(id) else { return .failure(.notHeld(id: id)) }
      return .success(target)
    }
    let (link, key) = try target.get()
    do throws(ServerError) {
      try send(.verdict(Verdict(key: key, decision: decision)), to: link)
    } catch {
      throw .notHeld(id: id)
    }
  }

  /// Lets all held exchanges that fit go on as they are, the oldest first. Returns how many.
  @discardableResult
  package func releaseAll(where fits: (HeldExchange) -> Bool = { _ in true }) -> Int {
    var count = 0
    for held in held where fits(held) {
      if (try? decide(held.id, .continue(request: nil, response: nil))) != nil { count += 1 }
    }
    return count
  }

  /// Sends a request again: from inside the process that it came from, else from another one with the same name, else
  /// from the console itself. The new exchange comes as any other does, with `replayOf`.
  /// - Parameters:
  ///   - request: As it was, or edited.
  ///   - exchange: The one that is repeated, if any.
  ///   - process: Where it came from; nil sends it from the console.
  package func replay(
    _ request: RecordedRequest, of exchange: Int64?, in process: HarnessProcess?
  ) throws(ServerError) -> ReplayRoute {
    guard !request.truncated else {
      throw .badRequest(
        "Its body was recorded only in part, so it cannot be sent again as it was: give it another body, or record more "
          + "with --body-limit.")
    }
    let (token, link) = change { state -> (UInt64, LinkInfo?) in
      let token = state.nextToken
      state.nextToken += 1
      if let exchange { state.assembler.expectReplay(token: token, of: exchange) }
      let infos = state.linkInfos.filter { $0.degree == .full }
      let link = infos.last { $0.process == process } ?? infos.last { $0.process.name == process?.name }
      return (token, link)
    }
    if let link {
      try send(.replay(Replay(token: token, request: request)), to: link.id)
      return .harness(link)
    }
    try replayHere(request, token: token)
    if let process {
      notice("\(process.name) \(process.pid) has gone, so the console sent the request again by itself.")
    }
    return .console
  }

  private func replayHere(_ request: RecordedRequest, token: UInt64) throws(ServerError) {
    let (key, revision) = state.withLock { state in
      defer { state.nextOwnKey += 1 }
      return (state.nextOwnKey, state.keeper.board.revision)
    }
    try ReplaySender.send(
      request, key: key, token: token, revision: revision, bodyLimit: configuration.limits.body
    ) { [weak self] update in
      self?.change { _ = $0.assembler.received(update, from: .console) }
    }
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
