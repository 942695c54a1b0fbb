/// A set of rows of one run, a bit each; a sequence in rising order.
struct PackBits: Equatable, Sendable, Sequence {
  private var words = SIMD16<UInt64>()

  static let none = PackBits()

  /// The rows from 0 up to that number.
  init(first count: Int = 0) {
    for word in 0..<16 {
      let rest = Swift.min(64, Swift.max(0, count - word * 64))
      words[word] = rest == 64 ? .max : (1 << UInt64(rest)) - 1
    }
  }

  private init(_ words: SIMD16<UInt64>) { self.words = words }

  var isEmpty: Bool { words == SIMD16() }

  var count: Int { words.indices.reduce(0) { $0 + words[$1].nonzeroBitCount } }

  subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

  /// 64 rows at once.
  mutating func setWord(_ index: Int, _ word: UInt64) { words[index] = word }

  mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  static func & (left: PackBits, right: PackBits) -> PackBits { PackBits(left.words & right.words) }
  static func | (left: PackBits, right: PackBits) -> PackBits { PackBits(left.words | right.words) }
  static func - (left: PackBits, right: PackBits) -> PackBits { PackBits(left.words & ~right.words) }

  func makeIterator() -> Iterator { Iterator(words) }

  struct Iterator: IteratorProtocol {
    private let words: SIMD16<UInt64>
    private var word = 0
    private var rest: UInt64

    init(_ words: SIMD16<UInt64>) {
      self.words = words
      rest = words[0]
    }

    mutating func next() -> Int? {
      while rest == 0 {
        word += 1
        guard word < 16 else { return nil }
        rest = words[word]
      }
      defer { rest &= rest - 1 }
      return word << 6 | rest.trailingZeroBitCount
    }
  }
}
