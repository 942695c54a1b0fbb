import PatchbayStubs
import PatchbayWire

extension ConsoleServer {
  /// Who is linked now, in the order of linking.
  public var links: [LinkInfo] { core.state.withLock { $0.linkInfos } }

  /// What is told to hooks that link from now on.
  public var settings: HookSettings { core.state.withLock { $0.settings } }

  /// Changes how closely one process is looked at.
  public func setDegree(_ degree: HookSettings.Degree, of link: LinkID) throws(ServerError) {
    try core.setSettings(of: link) { $0.degree = degree }
  }

  /// Changes the settings of one process.
  public func setSettings(of link: LinkID, _ change: @Sendable (inout HookSettings) -> Void) throws(ServerError) {
    try core.setSettings(of: link, change)
  }

  /// Changes the settings of all processes, those that link later too.
  public func setSettings(_ change: @Sendable (inout HookSettings) -> Void) {
    core.setSettings(change)
  }
}

extension ConsoleServer {
  /// What waits for a verdict, by rising id.
  public var held: [HeldExchange] { core.state.withLock { $0.gatherer.held } }

  /// Decides for one held exchange, by its id. Throws where it is not held (any more), or is held at the other side
  /// than the edits are for; exactly one decision for each hold gets through.
  public func decide(_ id: Int64, _ decision: Verdict.Decision) throws(ServerError) {
    try core.decide(id, decision)
  }

  /// Lets all held exchanges that fit go on as they are, the oldest first. Returns how many.
  @discardableResult
  public func releaseAll(where fits: (HeldExchange) -> Bool = { _ in true }) -> Int {
    core.releaseAll(where: fits)
  }
}
