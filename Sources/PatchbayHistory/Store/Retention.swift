/// How much history is kept. The oldest goes first; marked exchanges stay.
package struct Retention: Hashable, Sendable {
  /// Exchanges at most.
  package var count: Int
  /// Bytes of the file at most.
  package var bytes: Int64

  package init(count: Int = 1_000_000, bytes: Int64 = 8 << 30) {
    self.count = max(1, count)
    self.bytes = max(1 << 20, bytes)
  }

  /// For a history in memory.
  package static let memory = Retention(count: 1_000_000, bytes: 96 << 20)
}
