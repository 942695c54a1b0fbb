import Foundation

/// Decompresses gzip (RFC 1952), zlib (RFC 1950) and raw deflate (RFC 1951), so that a stub may carry a recorded body
/// as it was sent. Small rather than fast: libz is not among the libraries that the hook may bring into a program.
struct Inflate {
  /// Bytes: the most that a console reads from the file of a body.
  static let limit = 64 << 20

  private let input: [UInt8]
  private var position: Int
  private var buffer: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// The decompressed bytes, or nil where the data is not what the coding says (RFC 9110 §8.4.1): a body that was
  /// recorded decoded still has the field, and many a text could be read as raw deflate.
  ///
  /// - Parameter limit: What would be longer is nil too, so that a small body cannot fill the program's memory.
  static func decoded(_ data: Data, coding: String, limit: Int = limit) -> Data? {
    let bytes = [UInt8](data)
    guard let start = bodyStart(bytes, coding) else { return nil }
    var inflate = Inflate(input: bytes, position: start)
    guard inflate.run(limit: limit), inflate.output.count <= limit, start > 0 || inflate.position == bytes.count else {
      return nil
    }
    return Data(inflate.output)
  }

  private init(input: [UInt8], position: Int) {
    self.input = input
    self.position = position
  }

  private static func bodyStart(_ bytes: [UInt8], _ coding: String) -> Int? {
    guard bytes.count >= 2 else { return nil }
    if bytes[0] == 0x1f, bytes[1] == 0x8b { return gzipBody(bytes) }
    guard coding == "deflate" else { return nil }
    let isZlib = bytes[0] & 0x0f == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    return isZlib ? 2 : 0
  }

  private static func gzipBody(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 10, bytes[2] == 8 else { return nil }
    let flags = bytes[3]
    var position = 10
    if flags & 4 != 0 {
      guard position + 2 <= bytes.count else { return nil }
      position += 2 + Int(bytes[position]) + Int(bytes[position + 1]) << 8
    }
    for flag in [UInt8(8), 16] where flags & flag != 0 {
      guard position < bytes.count, let end = bytes[position...].firstIndex(of: 0) else { return nil }
      position = end + 1
    }
    if flags & 2 != 0 { position += 2 }
    return position < bytes.count ? position : nil
  }

  private mutating func run(limit: Int) -> Bool {
    while output.count <= limit {
      guard let last = bits(1), let kind = bits(2) else { return false }
      let isGood =
        switch kind {
        case 0: stored()
        case 1: compressed(Self.fixedLengths, Self.fixedDistances, limit: limit)
        case 2: dynamic(limit: limit)
        default: false
        }
      guard isGood else { return false }
      if last == 1 { return true }
    }
    return false
  }

  private mutating func bits(_ count: Int) -> Int? {
    while bitCount < count {
      guard position < input.count else { return nil }
      buffer |= UInt32(input[position]) << UInt32(bitCount)
      position += 1
      bitCount += 8
    }
    let value = Int(buffer & ((1 << UInt32(count)) - 1))
    buffer >>= UInt32(count)
    bitCount -= count
    return value
  }

  private mutating func stored() -> Bool {
    buffer = 0
    bitCount = 0
    guard position + 4 <= input.count else { return false }
    let length = Int(input[position]) | Int(input[position + 1]) << 8
    position += 4
    guard position + length <= input.count else { return false }
    output += input[position..<position + length]
    position += length
    return true
  }

  private mutating func dynamic(limit: Int) -> Bool {
    guard let literals = bits(5), let distances = bits(5), let codes = bits(4) else { return false }
    var lengths = [Int](repeating: 0, count: 19)
    for index in 0..<codes + 4 {
      guard let length = bits(3) else { return false }
      lengths[Self.order[index]] = length
    }
    let table = HuffmanTable(lengths)
    var all: [Int] = []
    while all.count < literals + 257 + distances + 1 {
      guard let symbol = symbol(table) else { return false }
      switch symbol {
      case 0..<16: all.append(symbol)
      case 16:
        guard let last = all.last, let more = bits(2) else { return false }
        all += [Int](repeating: last, count: more + 3)
      default:
        guard let more = bits(symbol == 17 ? 3 : 7) else { return false }
        all += [Int](repeating: 0, count: more + (symbol == 17 ? 3 : 11))
      }
    }
    let split = literals + 257
    return compressed(HuffmanTable(Array(all[..<split])), HuffmanTable(Array(all[split...])), limit: limit)
  }

  private mutating func compressed(_ literals: HuffmanTable, _ distances: HuffmanTable, limit: Int) -> Bool {
    while output.count <= limit {
      guard let symbol = symbol(literals) else { return false }
      if symbol < 256 {
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return true }
      guard symbol < 286, let extra = bits(Self.lengthBits[symbol - 257]), let code = self.symbol(distances), code < 30,
        let more = bits(Self.distanceBits[code])
      else { return false }
      let distance = Self.distanceBase[code] + more
      guard distance <= output.count else { return false }
      for _ in 0..<Self.lengthBase[symbol - 257] + extra { output.append(output[output.count - distance]) }
    }
    return false
  }

  private mutating func symbol(_ table: HuffmanTable) -> Int? {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      guard let bit = bits(1) else { return nil }
      code |= bit
      let count = table.counts[length]
      if code - count < first { return table.symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return nil
  }

  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]
  private static let fixedLengths = HuffmanTable(
    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
      + [Int](repeating: 8, count: 8))
  private static let fixedDistances = HuffmanTable([Int](repeating: 5, count: 30))
}

/// A canonical Huffman code (RFC 1951 §3.2.2).
private struct HuffmanTable {
  var counts = [Int](repeating: 0, count: 16)
  var symbols: [Int]

  init(_ lengths: [Int]) {
    for length in lengths { counts[length] += 1 }
    var offsets = [Int](repeating: 0, count: 16)
    for length in 1..<15 { offsets[length + 1] = offsets[length] + counts[length] }
    symbols = [Int](repeating: 0, count: lengths.count)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[offsets[length]] = symbol
      offsets[length] += 1
    }
  }
}
