/// Writes scalars one by one, with signs in the place of those that must not be sent.
struct SafeTextCleaner {
  private let keepsLineEnds: Bool
  /// Columns between tab stops; 0 makes each tab one space.
  private let tabWidth: Int
  private var output = String.UnicodeScalarView()
  private var column = 0
  /// The last scalar with a cell of its own; 0 after a line end or a sign.
  private var base: UInt32 = 0
  private var pendingReturn = false

  init(keepsLineEnds: Bool, tabWidth: Int) {
    self.keepsLineEnds = keepsLineEnds
    self.tabWidth = tabWidth
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    if pendingReturn {
      pendingReturn = false
      if scalar != "\n" { show(0x0D) }
    }
    if scalar == "\r", keepsLineEnds {
      pendingReturn = true
      return
    }
    let value = scalar.value
    switch ScalarClass(value) {
    case .narrow, .unknown: emit(scalar, width: 1)
    case .wide: emit(scalar, width: 2)
    case .mark: output.append(scalar)
    case .hidden: if isNeeded(value) { output.append(scalar) } else { show(value) }
    case .control: appendControl(value)
    }
  }

  mutating func finished() -> String {
    if pendingReturn { show(0x0D) }
    pendingReturn = false
    return String(output)
  }

  private mutating func appendControl(_ value: UInt32) {
    if value == 0x09 {
      let blanks = tabWidth == 0 ? 1 : tabWidth - column % tabWidth
      for _ in 0..<blanks { emit(" ", width: 1) }
    } else if value == 0x0A, keepsLineEnds {
      output.append("\n")
      column = 0
      base = 0
    } else {
      show(value)
    }
  }

  private mutating func emit(_ scalar: Unicode.Scalar, width: Int) {
    output.append(scalar)
    column += width
    base = scalar.value
  }

  private mutating func show(_ value: UInt32) {
    if let picture = SafeText.picture(value).flatMap(Unicode.Scalar.init) {
      emit(picture, width: 1)
    } else {
      let digits = String(value, radix: 16, uppercase: true)
      let sign = "‹U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "›"
      for scalar in sign.unicodeScalars { emit(scalar, width: 1) }
    }
    base = 0
  }

  /// Whether a hidden scalar belongs to the writing before it: joiners in scripts and pictures, selectors after what
  /// has variants, skin tones.
  private func isNeeded(_ value: UInt32) -> Bool {
    switch value {
    case 0x200C, 0x200D: base >= 0x600 || ScalarClass.isPictographic(base)
    case 0xFE00...0xFE0F:
      base >= 0xA0 || base >= 0x30 && base <= 0x39 || base == 0x23 || base == 0x2A
    case 0xE0100...0xE01EF: base >= 0x3400
    case 0x180B...0x180F: base >= 0x1800 && base < 0x18B0 && value != 0x180E
    case 0x1F3FB...0x1F3FF: true
    default: false
    }
  }
}
