/// A run of ASCII characters that every match holds: where it is not in a text, nothing else needs to be tried.
///
/// Letter case does not count here, so that it lets through a little more than it could.
package struct RegexPrefilter: Sendable {
  private let run: [UInt8]
  /// The place in the run of the byte that is met least often.
  private let rare: Int

  /// Longer runs are cut, which bounds what comparing costs.
  private static let longest = 24

  /// The longest of the runs; nil where there is none.
  init?(_ runs: [[UInt8]]) {
    guard let longest = runs.max(by: { $0.count < $1.count }) else { return nil }
    let run = longest.prefix(Self.longest).map { Self.folded($0) }
    self.run = run
    rare = run.indices.min { Self.commonness(run[$0]) < Self.commonness(run[$1]) } ?? 0
  }

  func mayHold(_ text: UnsafeBufferPointer<UInt8>) -> Bool { place(in: text, from: 0) != nil }

  /// Where the run stands first, at or after `start`.
  package func place(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard text.count - start >= run.count, let base = text.baseAddress else { return nil }
    return run.withUnsafeBufferPointer { run in
      let byte = run[rare]
      let last = text.count - run.count
      // Setting one bit makes small letters of capitals; of others it makes more bytes alike, never fewer.
      let wanted = SIMD16<UInt8>(repeating: byte | 0x20)
      let bit = SIMD16<UInt8>(repeating: 0x20)
      let raw = UnsafeRawPointer(base)
      var start = start
      while start + rare + 16 <= text.count {
        let hits = (raw.loadUnaligned(fromByteOffset: start + rare, as: SIMD16<UInt8>.self) | bit) .== wanted
        let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
        if words[0] | words[1] != 0 {
          for lane in 0..<16 where hits[lane] && start + lane <= last && stands(run, text, at: start + lane) {
            return start + lane
          }
        }
        start += 16
      }
      while start <= last {
        if text[start + rare] | 0x20 == byte | 0x20, stands(run, text, at: start) { return start }
        start += 1
      }
      return nil
    }
  }

  private func stands(
    _ run: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Bool {
    for index in 0..<run.count where Self.folded(text[start + index]) != run[index] { return false }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// How often a byte is met in URLs and JSON, roughly.
  private static func commonness(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "e"), UInt8(ascii: "a"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: " "): 4
    case UInt8(ascii: "t"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: ":"): 3
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "l"), UInt8(ascii: "p"), UInt8(ascii: "0"): 2
    default: 1
    }
  }
}
