import NIOCore
import PatchbayStubs
import PatchbayWire

extension ConsoleServer {
  /// Who is linked now, in the order of linking.
  package var links: [LinkInfo] { state.withLock { $0.linkInfos } }

  /// What is told to hooks that link from now on.
  package var settings: HookSettings { state.withLock { $0.settings } }

  /// Changes how closely one process is looked at.
  package func setDegree(_ degree: HookSettings.Degree, of link: LinkID) throws(ServerError) {
    try setSettings(of: link) { $0.degree = degree }
  }

  /// Changes the settings of one process.
  package func setSettings(
    of id: LinkID, _ change: @Sendable (inout HookSettings) -> Void
  ) throws(ServerError) {
    let settings: HookSettings? = self.change { state in
      guard var info = state.links[id]?.info else { return nil }
      change(&info.settings)
      state.links[id]?.info = info
      state.pending.changed(id)
      return info.settings
    }
    guard let settings else { throw .noSuchLink }
    try send(.settings(settings), to: id)
  }

  /// Changes the settings of all processes, those that link later too.
  package func setSettings(_ change: @Sendable (inout HookSettings) -> Void) {
    let ids = self.change { state in
      change(&state.settings)
      return Array(state.links.keys)
    }
    for id in ids { try? setSettings(of: id, change) }
  }

  /// Ends the links of a process, with a sentence for it. Its hook comes again only if it finds the socket again.
  package func unlink(process: Int32, saying sentence: String) {
    let channels = state.withLock { state in
      state.links.values.filter { $0.info.process.pid == process }.map(\.channel)
    }
    signal(.refuse(sentence), to: channels)
  }

  /// Sends a message to one link, or to all.
  func send(_ message: ConsoleMessage, to id: LinkID?) throws(ServerError) {
    let (found, channels, overfull) = state.withLock { state in
      var channels: [any Channel] = []
      var overfull: [any Channel] = []
      for key in id.map({ [$0] }) ?? Array(state.links.keys) {
        guard var entry = state.links[key] else { continue }
        let fits = entry.enqueue(message, limit: configuration.limits.outgoing)
        state.links[key] = entry
        channels.append(entry.channel)
        if !fits { overfull.append(entry.channel) }
      }
      return (id == nil || !channels.isEmpty, channels, overfull)
    }
    signal(.send, to: channels)
    signal(.refuse("It does not read what the console sends, so its link was closed."), to: overfull)
    if !found { throw .noSuchLink }
  }
}

/// What the handlers of the connections say.
extension ConsoleServer {
  /// How many links that have gone are remembered.
  private static let goneLimit = 200

  /// A connection to either socket has begun.
  func opened(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = channel } }

  func closed(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = nil } }

  /// A hook has said hello. Its welcome and its stubs wait for it from here on.
  func link(_ hello: Hello, channel: any Channel) -> LinkID {
    let (id, replaced) = change { state in
      let id = LinkID(state.nextLink)
      state.nextLink += 1
      var info = LinkInfo(id: id, hello: hello, at: .now, settings: state.settings)
      let twin = state.links.values.first {
        $0.info.instance == hello.instance && $0.info.process.pid == hello.process.pid
      }
      info.isReconnection = twin != nil || state.gone.contains { $0.instance == hello.instance }
      info.restarts =
        Set(
          state.gone.filter { $0.executable == hello.executable && $0.instance != hello.instance }.map(\.instance)
        ).count
      var entry = LinkEntry(info: info, channel: channel)
      entry.wantsStubs = true
      _ = entry.enqueue(.welcome(Welcome(settings: info.settings)), limit: .max)
      state.links[id] = entry
      state.assembler.link(id, process: hello.process)
      if let counted = state.stubProgress.removeValue(forKey: hello.process) {
        state.pending.progress(counted.keys.map { StubProgress(name: $0, hits: 0) }, of: hello.process)
      }
      let moved = state.scenarioStates.removeValue(forKey: hello.process) ?? [:]
      if !moved.isEmpty {
        state.pending.scenarios(
          moved.keys.sorted().map { ScenarioState(name: $0, state: Stub.Scenario.start) }, of: hello.process)
      }
      state.pending.linked(info)
      return (id, twin?.channel)
    }
    if let replaced { signal(.replaced, to: [replaced]) }
    watchStalls()
    return id
  }

  /// What a link said. Returns whether it may be read on; if not, a `resume` signal follows.
  func received(_ messages: [HookMessage], bytes: Int, from id: LinkID) -> Bool {
    let (goOn, channels, releases) = change { state -> (Bool, [any Channel], [(link: LinkID, key: UInt64)]) in
      let now = Timestamp.now
      let revision = state.keeper.board.revision
      for message in messages { state.received(message, from: id, now: now) }
      let releases = state.assembler.takeReleases()
      guard var entry = state.links[id] else { return (true, [], releases) }
      entry.undelivered += bytes
      entry.undeliveredMessages += messages.count
      // What was open and has ended came with few bytes now, and waits in memory all the same.
      state.undelivered += bytes + state.assembler.memories.takeEnded()
      let limits = configuration.limits
      if entry.undelivered > limits.undelivered || entry.undeliveredMessages > limits.undeliveredMessages
        || state.undelivered > limits.undeliveredInAll
      {
        entry.info.isThrottled = true
        state.pending.changed(id)
      }
      state.links[id] = entry
      return (!entry.info.isThrottled, state.keeper.board.revision == revision ? [] : state.pushToAll(), releases)
    }
    signal(.send, to: channels)
    for (link, key) in releases {
      try? send(.verdict(Verdict(key: key, decision: .continue(request: nil, response: nil))), to: link)
    }
    return goOn
  }

  /// A message of that link was left out, because it would have taken too much memory.
  func leftOut(messageOf id: LinkID) {
    change { $0.note(cut: Shed(exchanges: 1), of: id) }
  }

  /// Whether the console keeps stubs in code that came as that many bytes from that link. If not, it says so.
  func mayDeclare(bytes: Int, link id: LinkID) -> Bool {
    change { state in
      guard let entry = state.links[id] else { return false }
      let others = state.links.values.reduce(0) { $0 + $1.declaredBytes } - entry.declaredBytes
      let limits = configuration.limits
      let fits = bytes <= limits.declared && others + bytes <= limits.declaredInAll
      if fits {
        state.links[id]?.declaredBytes = bytes
      } else {
        state.pending.notice(
          "It declares stubs in code of \(bytes >> 20) MiB, more than the console keeps: they are in force and not shown.",
          of: entry.info.process)
      }
      return fits
    }
  }

  /// The connection of that link has ended; the reason is shown where it is not the usual one.
  func unlink(_ id: LinkID, reason: String? = nil) {
    let channels = change { state -> [any Channel] in
      guard let entry = state.links.removeValue(forKey: id) else { return [] }
      let now = Timestamp.now
      state.assembler.unlink(id, now: now)
      state.acknowledgements.answered(id, revision: nil)
      var info = entry.info
      info.unlinkedAt = now
      info.isThrottled = false
      info.isStalled = false
      state.undelivered += state.assembler.memories.takeEnded()
      if let reason { state.pending.notice(reason, of: info.process) }
      state.pending.unlinked(info)
      state.gone.append(info)
      if state.gone.count > Self.goneLimit {
        let process = state.gone.removeFirst().process
        state.stubProgress[process] = nil
        state.scenarioStates[process] = nil
      }
      guard state.keeper.withdraw(link: id) else { return [] }
      state.pending.board(state.keeper.board, by: .process(info.process))
      return state.pushToAll()
    }
    signal(.send, to: channels)
  }

  /// What is to be written to that link next.
  func nextOutgoing(for id: LinkID) -> OutgoingMessage? {
    state.withLock { state in
      guard let next = state.links[id]?.dequeue() else { return nil }
      switch next {
      case .message(let message):
        return .message(message)
      case .stubs:
        let push = state.keeper.push(for: id)
        state.links[id]?.info.pushed = push.set.revision
        return .stubs(push, isShared: !state.keeper.hasOwnPush(id))
      }
    }
  }

  /// Some time after a push, marks the links that have not acknowledged it. No timer runs while all have.
  func watchStalls() {
    let (starts, revision) = state.withLock { state in
      defer { state.watchesStalls = true }
      return (!state.watchesStalls, state.keeper.board.revision)
    }
    guard starts else { return }
    after(.seconds(2)) { [weak self] in
      let isBehind = self?.change { state -> Bool in
        state.watchesStalls = false
        for (id, entry) in state.links where entry.info.revision < revision && !entry.info.isStalled {
          state.links[id]?.info.isStalled = true
          state.pending.changed(id)
        }
        return state.keeper.board.revision > revision
      }
      if isBehind == true { self?.watchStalls() }
    }
  }
}
