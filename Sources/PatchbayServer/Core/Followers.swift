import PatchbayWire
import Synchronization

/// Those who follow the exchanges as they end, besides the sink.
final class Followers: Sendable {
  /// Called on the delivery queue with exchanges that have ended; must not block.
  typealias Follower = @Sendable ([Exchange]) -> Void

  private struct Table {
    var next: UInt64 = 0
    var followers: [UInt64: Follower] = [:]
  }

  private let table = Mutex(Table())

  /// Returns what ends it.
  func add(_ follower: @escaping Follower) -> UInt64 {
    table.withLock { table in
      table.next += 1
      table.followers[table.next] = follower
      return table.next
    }
  }

  func remove(_ id: UInt64) {
    table.withLock { $0.followers[id] = nil }
  }

  var count: Int { table.withLock { $0.followers.count } }

  func deliver(_ events: [ServerEvent]) {
    let followers = table.withLock { Array($0.followers.values) }
    guard !followers.isEmpty else { return }
    for case .exchanges(let exchanges) in events {
      let ended = exchanges.filter { $0.phase == .ended }
      guard !ended.isEmpty else { continue }
      for follower in followers { follower(ended) }
    }
  }
}
