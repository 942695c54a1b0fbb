/// Runs of four bytes, letter case ignored: what literal parts of patterns are looked for by, all in one pass.
struct Grams: Sendable {
  static let width = 4

  /// A bit for each gram that some stub needs, by its hash.
  private var bits = [UInt64](repeating: 0, count: 1_024)
  private(set) var isEmpty = true

  mutating func insert(_ gram: UInt32) {
    let hash = Self.hash(gram)
    bits[hash >> 6] |= 1 << UInt64(hash & 63)
    isEmpty = false
  }

  private static func hash(_ gram: UInt32) -> Int { Int((gram &* 0x9E37_79B1) >> 16) }

  /// The grams of the text that may be needed.
  func visit(_ text: UnsafeBufferPointer<UInt8>, _ body: (UInt32) -> Void) {
    guard text.count >= Self.width, !isEmpty else { return }
    bits.withUnsafeBufferPointer { bits in
      var gram: UInt32 = 0
      for index in 0..<text.count {
        gram = gram << 8 | UInt32(NormalURL.lowered(text[index]))
        let hash = Self.hash(gram)
        if bits[hash >> 6] >> UInt64(hash & 63) & 1 == 1, index >= Self.width - 1 { body(gram) }
      }
    }
  }

  /// The grams of a literal part: of a long one those at both ends.
  static func all(in literal: [UInt8]) -> [UInt32] {
    let starts = 0..<max(literal.count - width + 1, 0)
    let chosen = starts.count > 64 ? Array(starts.prefix(32)) + Array(starts.suffix(32)) : Array(starts)
    return chosen.map { start in
      literal[start..<start + width].reduce(0) { $0 << 8 | UInt32(NormalURL.lowered($1)) }
    }
  }
}
