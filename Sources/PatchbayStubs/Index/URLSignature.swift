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
