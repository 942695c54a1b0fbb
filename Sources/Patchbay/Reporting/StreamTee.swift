import Foundation
import Synchronization

/// Keeps the beginning of what passes through a body stream, and counts all of it.
final class StreamTee: Sendable {
  private struct Seen {
    var start = Data()
    var count = 0
    var isRead = false
  }

  private let seen = Mutex(Seen())
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Notes what one read gave, which is nothing at the end.
  func note(_ bytes: UnsafeBufferPointer<UInt8>) {
    seen.withLock { seen in
      seen.start.append(contentsOf: bytes.prefix(max(0, limit - seen.start.count)))
      seen.count += bytes.count
      seen.isRead = true
    }
  }

  /// Another stream takes the place of the one that was read.
  func restart() { seen.withLock { $0 = Seen() } }

  /// Whether somebody has begun to read.
  var isRead: Bool { seen.withLock { $0.isRead } }

  /// How many bytes have passed so far.
  var count: Int { seen.withLock { $0.count } }

  /// What has passed so far, up to the limit. Of a stream that nobody has begun to read, all is missing.
  func bytes(limit: Int) -> (data: Data, truncated: Bool) {
    seen.withLock { ($0.start.prefix(limit), !$0.isRead || $0.count > min(limit, $0.start.count)) }
  }
}
