/// Ids of shared texts, a bit each.
struct TextIDs: Sendable {
  private var words: [UInt64] = []

  init(_ ids: [Int64]) {
    guard let highest = ids.max(), highest >= 0 else { return }
    words = [UInt64](repeating: 0, count: Int(highest >> 6) + 1)
    for id in ids where id >= 0 { words[Int(id >> 6)] |= 1 << UInt64(id & 63) }
  }

  /// `PackNumbers.null` is none of them.
  func contains(_ id: Int64) -> Bool {
    guard id >= 0, id >> 6 < words.count else { return false }
    return words[Int(id >> 6)] >> UInt64(id & 63) & 1 == 1
  }
}
