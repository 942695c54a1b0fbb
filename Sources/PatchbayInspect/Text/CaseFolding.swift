/// Simple case folding: one scalar for one scalar, as text is compared when letter case does not count.
enum CaseFolding {
  /// The scalar that stands for all cases of this one.
  static func fold(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
    guard pages[Int(min(scalar >> 8, 0x1FF))] else { return scalar }
    return folds[scalar] ?? scalar
  }

  /// All scalars that fold to this folded one, itself included.
  static func variants(of folded: UInt32) -> [UInt32] {
    if folded < 0x80 { return folded &- 0x61 < 26 ? [folded, folded & ~0x20] : [folded] }
    return [folded] + (unfolds[folded] ?? [])
  }

  private static let folds: [UInt32: UInt32] = {
    var folds: [UInt32: UInt32] = [0x3C2: 0x3C3]
    for range in casedRanges {
      for value in range {
        guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenLowercased else { continue }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        // ASCII letters have no cases outside of ASCII here, so that the search for them stays one for bytes.
        if lower.count == 1, let only = lower.first, only.value >= 0x80 { folds[value] = only.value }
      }
    }
    return folds
  }()

  private static let unfolds: [UInt32: [UInt32]] = {
    var result: [UInt32: [UInt32]] = [:]
    for (from, to) in folds { result[to, default: []].append(from) }
    return result
  }()

  private static let pages: [Bool] = {
    var pages = [Bool](repeating: false, count: 0x200)
    for value in folds.keys { pages[Int(min(value >> 8, 0x1FF))] = true }
    return pages
  }()

  private static let casedRanges: [ClosedRange<UInt32>] = [
    0x80...0x587, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1E00...0x1FFF, 0x2100...0x218F,
    0x24B0...0x24EF, 0x2C00...0x2DFF, 0xA640...0xA7FF, 0xAB30...0xABBF, 0xFF21...0xFF5A, 0x10400...0x1044F,
    0x104B0...0x104FF, 0x10570...0x105BF, 0x10C80...0x10CFF, 0x118A0...0x118DF, 0x16E40...0x16E7F, 0x1E900...0x1E943,
  ]
}
