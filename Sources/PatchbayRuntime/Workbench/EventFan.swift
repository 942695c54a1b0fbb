import PatchbayServer
import Synchronization

/// Hands each event of the server to all who listen, in the order in which they began to.
final class EventFan: Sendable {
  private let listeners = Mutex<[ServerSink]>([])

  func add(_ listener: @escaping ServerSink) {
    listeners.withLock { $0.append(listener) }
  }

  /// Called by the server on its delivery queue, one event after the other.
  func deliver(_ event: ServerEvent) {
    for listener in listeners.withLock({ $0 }) { listener(event) }
  }
}
