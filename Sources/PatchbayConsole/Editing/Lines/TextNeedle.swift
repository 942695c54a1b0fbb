/// A text that is looked for; letter case counts only if it has capitals, and only A to Z are folded.
struct TextNeedle: Sendable {
  private let wanted: [UInt8]
  private let exactCase: Bool

  init(_ text: String) {
    exactCase = text.contains(where: \.isUppercase)
    wanted = exactCase ? Array(text.utf8) : text.utf8.map(TextNeedle.folded)
  }

  var isEmpty: Bool { wanted.isEmpty }

  /// Where it stands, as ranges of UTF-8 offsets that do not overlap and, unless parts of a `Character` are wanted too,
  /// begin and end at borders of those.
  func ranges(in text: String, parts: Bool = false) -> [Range<Int>] {
    guard let first = wanted.first, text.utf8.count >= wanted.count else { return [] }
    let other = exactCase || !(0x61...0x7A).contains(first) ? first : first & 0xDF
    var text = text
    var unsure = false
    var found = text.withUTF8 { bytes in
      var found: [Range<Int>] = []
      var start = 0
      while start + wanted.count <= bytes.count {
        guard bytes[start] == first || bytes[start] == other, fits(bytes, at: start) else {
          start += 1
          continue
        }
        let end = start + wanted.count
        if !CharacterBorder.isSure(bytes, at: start) || !CharacterBorder.isSure(bytes, at: end) { unsure = true }
        found.append(start..<end)
        start = end
      }
      return found
    }
    if unsure, !parts { found.removeAll { !text.isBorder($0.lowerBound) || !text.isBorder($0.upperBound) } }
    return found
  }

  private func fits(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    for place in 1..<wanted.count where byte(bytes[start + place]) != wanted[place] { return false }
    return true
  }

  private func byte(_ byte: UInt8) -> UInt8 { exactCase ? byte : TextNeedle.folded(byte) }

  private static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
