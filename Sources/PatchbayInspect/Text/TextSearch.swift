/// Looks for one text in UTF-8 bytes, at the speed of memory where it can.
///
/// A place for a match is found by two bytes of the text at fixed distances, each in at most two cases, sixteen
/// places at a time; then it is compared scalar by scalar.
struct TextSearch: Hashable, Sendable {
  let isCaseSensitive: Bool
  /// The scalars looked for, folded unless case counts.
  private let scalars: [UInt32]
  private let first: Anchor
  private let second: Anchor
  /// The first scalar has cases of different lengths, so that no byte of it has a fixed place.
  private let isIrregular: Bool
  private let minimum: Int

  private struct Anchor: Hashable {
    var offset = 0
    var one: UInt8 = 0
    var other: UInt8 = 0
  }

  init(_ text: String, isCaseSensitive: Bool) {
    self.isCaseSensitive = isCaseSensitive
    scalars = text.unicodeScalars.map { isCaseSensitive ? $0.value : CaseFolding.fold($0.value) }
    var anchors: [Anchor] = []
    var offset = 0
    var isFixed = true
    var minimum = 0
    for scalar in scalars {
      let forms = (isCaseSensitive ? [scalar] : CaseFolding.variants(of: scalar)).map(Self.encoded)
      let length = forms[0].count
      minimum += forms.map(\.count).min() ?? length
      guard isFixed else { continue }
      guard forms.allSatisfy({ $0.count == length }) else {
        isFixed = false
        continue
      }
      let last = Set(forms.map { $0[length - 1] }).sorted()
      if last.count <= 2 {
        anchors.append(Anchor(offset: offset + length - 1, one: last[0], other: last[last.count - 1]))
      }
      offset += length
    }
    self.minimum = minimum
    isIrregular = anchors.isEmpty
    // The rarer bytes make the better anchors; JSON's and URLs' commonest ones are avoided where there is a choice.
    let best = anchors.sorted { Self.commonness($0.one) < Self.commonness($1.one) }
    first = best.first ?? Anchor()
    second = best.count > 1 ? best[1] : first
  }

  var isEmpty: Bool { scalars.isEmpty }
  /// In scalars.
  var length: Int { scalars.count }

  /// Where the text stands first, at or after `start`.
  func find(in bytes: Bytes, from start: Int = 0) -> Range<Int>? {
    guard !scalars.isEmpty else { return start..<start }
    if isIrregular { return findSlowly(in: bytes, from: start) }
    guard let base = bytes.baseAddress, bytes.count - start >= minimum else { return nil }
    let reach = max(first.offset, second.offset)
    var index = start
    let raw = UnsafeRawPointer(base)
    let (one, other) = (SIMD16<UInt8>(repeating: first.one), SIMD16<UInt8>(repeating: first.other))
    let (two, twin) = (SIMD16<UInt8>(repeating: second.one), SIMD16<UInt8>(repeating: second.other))
    while index + reach + 16 <= bytes.count {
      let left = raw.loadUnaligned(fromByteOffset: index + first.offset, as: SIMD16<UInt8>.self)
      let right = raw.loadUnaligned(fromByteOffset: index + second.offset, as: SIMD16<UInt8>.self)
      let hits = ((left .== one) .| (left .== other)) .& ((right .== two) .| (right .== twin))
      let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
      if words[0] | words[1] != 0 {
        for lane in 0..<16 where hits[lane] {
          if let end = match(bytes, at: index + lane) { return index + lane..<end }
        }
      }
      index += 16
    }
    while index + reach < bytes.count {
      let left = bytes[index + first.offset]
      if left == first.one || left == first.other, let end = match(bytes, at: index) { return index..<end }
      index += 1
    }
    return nil
  }

  /// The end of the text where it stands at `index`.
  func match(_ bytes: Bytes, at index: Int) -> Int? {
    var place = index
    for scalar in scalars {
      guard place < bytes.count else { return nil }
      let read = ScalarRead(bytes, at: place, end: bytes.count)
      guard (isCaseSensitive ? read.scalar : CaseFolding.fold(read.scalar)) == scalar else { return nil }
      place += read.length
    }
    return place
  }

  /// The start of the text where it ends at the end of the bytes.
  func matchAtEnd(of bytes: Bytes) -> Int? {
    var place = bytes.count
    for _ in scalars {
      guard place > 0 else { return nil }
      place -= 1
      var steps = 0
      while place > 0, steps < 3, bytes[place] & 0xC0 == 0x80 {
        place -= 1
        steps += 1
      }
    }
    return match(bytes, at: place) == bytes.count ? place : nil
  }

  private func findSlowly(in bytes: Bytes, from start: Int) -> Range<Int>? {
    var index = start
    while index < bytes.count {
      if let end = match(bytes, at: index) { return index..<end }
      index += ScalarRead(bytes, at: index, end: bytes.count).length
    }
    return nil
  }

  private static func encoded(_ scalar: UInt32) -> [UInt8] {
    Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? [0xFF]
  }

  /// How often a byte is met in text, roughly.
  private static func commonness(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "e"), UInt8(ascii: "E"): 9
    case UInt8(ascii: "a"), UInt8(ascii: "A"), UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: ":"): 8
    case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: ","): 7
    case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "r"), UInt8(ascii: "R"), UInt8(ascii: "/"): 6
    case UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "l"), UInt8(ascii: "L"), UInt8(ascii: "0"): 5
    case UInt8(ascii: "1")...UInt8(ascii: "9"), UInt8(ascii: "d"), UInt8(ascii: "D"): 4
    case 0x61...0x7A, 0x41...0x5A: 3
    case 0x21..<0x80: 2
    default: 1
    }
  }
}
