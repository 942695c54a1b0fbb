/// What a scalar does to the cells.
enum ScalarClass: UInt8 {
  case narrow = 0
  case wide = 1
  /// Set on the cell before it: combining marks, Hangul vowels and finals.
  case mark = 2
  /// Takes no cell and is not sent: joiners, variation selectors, skin tones, zero width, BOM, bidi controls.
  case hidden = 3
  /// C0, DEL, C1, line and paragraph separators: never sent, shown as a sign.
  case control = 4
  /// Unassigned in the pinned edition: shown as U+FFFD.
  case unknown = 5

  init(_ scalar: UInt32) {
    if scalar < 0x300 {
      self =
        scalar >= 0x20 && scalar < 0x7F || scalar >= 0xA0 && scalar != 0xAD
        ? .narrow : scalar == 0xAD ? .hidden : .control
    } else if scalar >= 0x4E00 && scalar < 0xA000 || scalar >= 0xAC00 && scalar < 0xD7A4
      || scalar >= 0x309B && scalar < 0x3100 || scalar >= 0x3041 && scalar < 0x3097
    {
      self = .wide
    } else {
      self = ScalarClass.search(scalar)
    }
  }

  private static func search(_ scalar: UInt32) -> ScalarClass {
    let key = scalar << 3 | 7
    var low = 0
    var high = WidthTable.transitions.count
    while low < high {
      let middle = (low + high) / 2
      if WidthTable.transitions[middle] <= key { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? .unknown : ScalarClass(rawValue: UInt8(WidthTable.transitions[low - 1] & 7)) ?? .unknown
  }

  /// Roughly Unicode's Extended_Pictographic: what a joiner makes one picture of.
  static func isPictographic(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1F000...0x1FAFF, 0x2190...0x21FF, 0x2300...0x27BF, 0x2900...0x297F, 0x2B00...0x2BFF, 0x3030, 0x303D,
      0x3297, 0x3299, 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139:
      true
    default: false
    }
  }
}
