import Foundation
import NIOCore
import PatchbayWire

extension ServerCore {
  func setSettings(
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

  func setSettings(_ change: @Sendable (inout HookSettings) -> Void) {
    let ids = self.change { state in
      change(&state.settings)
      return Array(state.links.keys)
    }
    for id in ids { try? setSettings(of: id, change) }
  }

  /// A connection to either socket has begun.
  func opened(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = channel } }

  func closed(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = nil } }

  /// Whether a link has sent what was not read yet, or has gone and its end was not seen yet.
  func hasUnread() async -> Bool {
    let (channels, pids) = state.withLock { state in
      (Array(state.channels.values), state.links.values.map(\.info.process.pid))
    }
    if pids.contains(where: { kill($0, 0) != 0 && errno == ESRCH }) { return true }
    for channel in channels {
      let unread = try? await channel.eventLoop.submit { PeerCheck.unread(of: channel) }.get()
      if unread ?? 0 > 0 { return true }
    }
    return false
  }

  /// Closes every connection and returns when all are.
  func closeAll() async {
    let channels = state.withLock { Array($0.channels.values) }
    for channel in channels { channel.close(promise: nil) }
    for channel in channels { try? await channel.closeFuture.get() }
    // Handlers hear of the end after the future: one turn later they have.
    for channel in channels { _ = try? await channel.eventLoop.submit {}.get() }
  }
}
