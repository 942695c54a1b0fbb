import Synchronization

/// What all links have sent of messages whose end has not come, in bytes. Each link has a buffer of its own, so many links
/// that begin long messages would take as much memory as they like.
final class UnfinishedMessages: Sendable {
  private struct State {
    var bytes = 0
    var links = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func opened() { state.withLock { $0.links += 1 } }

  /// - Parameter bytes: what the link had waiting.
  func closed(bytes: Int) {
    state.withLock { state in
      state.links -= 1
      state.bytes -= bytes
    }
  }

  /// A link has more or less waiting than before. Returns whether it may keep it: a link whose message is longer than its
  /// share gives it up when there is too much in all.
  func changed(from before: Int, to after: Int) -> Bool {
    state.withLock { state in
      state.bytes += after - before
      return state.bytes <= limit || after <= limit / max(1, state.links)
    }
  }
}
