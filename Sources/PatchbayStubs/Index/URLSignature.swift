/// Which pairs of neighbouring bytes a URL holds, as 256 bits. A stub's literal parts need certain bits, so that one
/// look tells of nearly every stub for other URLs that it cannot match: a thousand of them cost a microsecond or two.
struct URLSignature: Sendable {
  private(set) var bits = SIMD4<UInt64>()

  init() {}

  /// Covers every other.
  static let all: URLSignature = {
    var signature = URLSignature()
    signature.bits = SIMD4(repeating: .max)
    return signature
  }()

  /// What is in all of them.
  init(common all: [URLSignature]) {
    guard var bits = all.first?.bits else { return }
    for one in all.dropFirst() { bits &= one.bits }
    self.bits = bits
  }

  /// What a text must hold for the matcher to fit.
  ///
  /// - Parameter runs: what it must hold for a glob or an expression to fit.
  init(_ matcher: TextMatcher, runs: (TextMatcher) -> [[UInt8]]) {
    self.init()
    switch matcher {
    case .any(let parts): insert(URLSignature(common: parts.map { URLSignature($0, runs: runs) }))
    case .all(let parts): for part in parts { insert(URLSignature(part, runs: runs)) }
    case .not: break
    default: for run in runs(matcher) { insert(run) }
    }
  }

  mutating func insert(_ other: URLSignature) { bits |= other.bits }

  init(_ text: [UInt8]) {
    text.withUnsafeBufferPointer { insert($0) }
  }

  /// Adds all pairs of the bytes, letter case ignored.
  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var previous = bytes.first.map({ NormalURL.lowered($0) }) else { return }
    for byte in bytes.dropFirst() {
      let small = NormalURL.lowered(byte)
      let pair = UInt32(previous) << 8 | UInt32(small)
      let hash = (pair &* 0x9E37_79B1) >> 24
      let lane = SIMD4<UInt64>(0, 1, 2, 3) .== SIMD4(repeating: UInt64(hash >> 6))
      bits.replace(with: bits | SIMD4(repeating: 1 << UInt64(hash & 63)), where: lane)
      previous = small
    }
  }

  mutating func insert(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { insert($0) }
  }

  /// Whether the other has every bit of this one.
  @inline(__always)
  func isCovered(by other: URLSignature) -> Bool {
    let missing = bits & ~other.bits
    return missing[0] | missing[1] | missing[2] | missing[3] == 0
  }
}

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
