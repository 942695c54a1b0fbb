import PatchbayStubs
import PatchbayWire

/// Who sends a request again.
public enum ReplayRoute: Hashable, Sendable {
  /// The hook in that process.
  case harness(LinkInfo)
  /// The console itself, because the process has gone; stubs do not apply.
  case console
}

extension ConsoleServer {
  /// Sends a request again: from inside the process that it came from, else from another one with the same name, else
  /// from the console itself. The new exchange comes as any other does, with `replayOf`.
  /// - Parameters:
  ///   - request: As it was, or edited.
  ///   - exchange: The one that is repeated, if any.
  ///   - process: Where it came from; nil sends it from the console.
  public func replay(
    _ request: RecordedRequest, of exchange: Int64?, in process: HarnessProcess?
  ) throws(ServerError) -> ReplayRoute {
    guard !request.truncated else {
      throw .badRequest(
        "Its body was recorded only in part, so it cannot be sent again as it was: give it another body, or record more "
          + "with --body-limit.")
    }
    let (token, link) = core.change { state -> (UInt64, LinkInfo?) in
      let token = state.nextToken
      state.nextToken += 1
      if let exchange { state.gatherer.expectReplay(token: token, of: exchange) }
      let infos = state.linkInfos.filter { $0.degree == .full }
      let link = infos.last { $0.process == process } ?? infos.last { $0.process.name == process?.name }
      return (token, link)
    }
    if let link {
      try core.send(.replay(Replay(token: token, request: request)), to: link.id)
      return .harness(link)
    }
    try core.replayHere(request, token: token)
    if let process {
      core.notice("\(process.name) \(process.pid) has gone, so the console sent the request again by itself.")
    }
    return .console
  }
}

extension ServerCore {
  fileprivate func replayHere(_ request: RecordedRequest, token: UInt64) throws(ServerError) {
    let (key, revision) = state.withLock { state in
      defer { state.nextOwnKey += 1 }
      return (state.nextOwnKey, state.keeper.board.revision)
    }
    try OwnSender.send(
      request, key: key, token: token, revision: revision, bodyLimit: configuration.limits.body
    ) { [weak self] update in
      self?.change { _ = $0.gatherer.receive(update, from: .console) }
    }
  }
}
