import NIOCore
import PatchbayStubs
import PatchbayWire

extension ServerCore {
  /// How many links that have gone are remembered.
  private static let goneLimit = 200

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
      state.gatherer.link(id, process: hello.process)
      if let counted = state.stubProgress.removeValue(forKey: hello.process) {
        state.pending.progress(counted.keys.map { StubProgress(name: $0, hits: 0) }, of: hello.process)
      }
      state.pending.linked(info)
      return (id, twin?.channel)
    }
    replaced?.close(promise: nil)
    watchStalls()
    return id
  }

  /// Takes what a link said. Returns whether it may be read on; if not, a `resume` signal follows.
  func receive(_ messages: [HookMessage], bytes: Int, from id: LinkID) -> Bool {
    let (goOn, channels) = change { state -> (Bool, [any Channel]) in
      let now = Timestamp.now
      let revision = state.keeper.board.revision
      for message in messages { state.receive(message, from: id, now: now) }
      guard var entry = state.links[id] else { return (true, []) }
      entry.undelivered += bytes
      entry.undeliveredMessages += messages.count
      state.undelivered += bytes
      let limits = configuration.limits
      if entry.undelivered > limits.undelivered || entry.undeliveredMessages > limits.undeliveredMessages
        || state.undelivered > limits.undeliveredInAll
      {
        entry.info.isThrottled = true
        state.pending.changed(id)
      }
      state.links[id] = entry
      return (!entry.info.isThrottled, state.keeper.board.revision == revision ? [] : state.pushToAll())
    }
    signal(.send, to: channels)
    return goOn
  }

  /// The connection of that link has ended; the reason is shown where it is not the usual one.
  func unlink(_ id: LinkID, reason: String? = nil) {
    let channels = change { state -> [any Channel] in
      guard let entry = state.links.removeValue(forKey: id) else { return [] }
      let now = Timestamp.now
      state.gatherer.unlink(id, now: now)
      state.acknowledgements.answered(id, revision: nil)
      var info = entry.info
      info.unlinkedAt = now
      info.isThrottled = false
      info.isStalled = false
      if let reason { state.pending.notice(reason, of: info.process) }
      state.pending.unlinked(info)
      state.gone.append(info)
      if state.gone.count > Self.goneLimit { state.stubProgress[state.gone.removeFirst().process] = nil }
      guard state.keeper.withdraw(link: id) else { return [] }
      state.pending.board(state.keeper.board, by: .process(info.process))
      return state.pushToAll()
    }
    signal(.send, to: channels)
  }

  /// What is to be written to that link next.
  func outgoing(for id: LinkID) -> OutgoingMessage? {
    state.withLock { state in
      guard let next = state.links[id]?.takeOutgoing() else { return nil }
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

/// What is written to a link next.
enum OutgoingMessage: Sendable {
  case message(ConsoleMessage)
  /// The newest stubs; shared where all links without stubs in code get the same bytes.
  case stubs(StubPush, isShared: Bool)
}
