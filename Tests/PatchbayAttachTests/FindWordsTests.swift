import CAttach
import PatchbayTestSupport
import Testing

/// What goes through a program's memory: it finds all words that are wanted, and none that only look like them.
@Suite(.bounded) struct FindWordsTests {
  private func found(_ wanted: [UInt64], in bytes: [UInt8], stride: Int, room: Int = 10_000) -> [UInt64] {
    var places = [UInt64](repeating: .max, count: room)
    let count = attach_find_words(bytes, bytes.count, stride, wanted, wanted.count, &places, room)
    return Array(places[..<count])
  }

  private func expected(_ wanted: Set<UInt64>, in bytes: [UInt8], stride: Int) -> [UInt64] {
    Swift.stride(from: 0, through: bytes.count - 8, by: stride).filter { place in
      wanted.contains((0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * $1) })
    }.map(UInt64.init)
  }

  @Test(arguments: [8, 16]) func allOfThemAndNothingElse(_ stride: Int) {
    var random = SeededGenerator(UInt64(stride))
    for count in [1, 2, 7, 64] {
      // As classes lie: at multiples of eight, near each other and far.
      let wanted = (0..<count).map { _ in
        (0x5500_0000_0000 + UInt64.random(in: 0..<1 << 16, using: &random) << 32) | 8
          * UInt64.random(in: 0..<1 << 20, using: &random)
      }
      var bytes: [UInt8] = []
      for _ in 0..<4_000 {
        var word = wanted.randomElement(using: &random)!
        switch Int.random(in: 0..<6, using: &random) {
        case 0: break
        case 1: word &+= 512  // as like them as can be told without looking
        case 2: word &-= 8
        case 3: word = wanted.min()! &- 1
        case 4: word = wanted.max()! &+ 1
        default: word = UInt64.random(in: 0...UInt64.max, using: &random)
        }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
      }
      bytes += [1, 2, 3, 4, 5, 6, 7]
      let all = expected(Set(wanted), in: bytes, stride: stride)
      #expect(all.count > 100)
      #expect(found(wanted, in: bytes, stride: stride) == all)
      #expect(found(wanted, in: bytes, stride: stride, room: 50) == Array(all.prefix(50)))
    }
  }

  @Test(arguments: [0, 7, 8, 9, 15, 16]) func atTheEndsOfAPiece(_ size: Int) {
    let bytes = Array(repeating: UInt8(0x40), count: size)
    #expect(found([0x4040_4040_4040_4040], in: bytes, stride: 8) == (size < 8 ? [] : size < 16 ? [0] : [0, 8]))
  }
}
