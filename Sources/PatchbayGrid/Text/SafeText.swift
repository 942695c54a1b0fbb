/// Hostile text made fit to be shown: what would steer a terminal, or hide from the reader, becomes a visible sign.
///
/// Text from the network or from a harness goes through here wherever it is printed. A grid never sends controls
/// either, but it leaves hidden scalars out in silence; here they are shown.
package enum SafeText {
  /// The text as one line: controls as their pictures (`␛`, `␊`, `␡`), hidden, bidi and C1 scalars as `‹U+202E›`,
  /// a tab as a space. Joiners and selectors stay where scripts and emoji need them.
  package static func line(_ text: some StringProtocol) -> String {
    withUTF8(text) { bytes in
      if isHarmless(bytes) { return String(text) }
      var cleaner = SafeTextCleaner(keepsLineEnds: false, tabWidth: 0)
      cleaner.append(bytes)
      return cleaner.finished()
    }
  }

  /// The text with its line ends kept (CR LF becomes LF), tabs as spaces up to the next multiple of `tabWidth`
  /// columns, everything else as `line(_:)` shows it.
  package static func lines(_ text: some StringProtocol, tabWidth: Int = 8) -> String {
    withUTF8(text) { bytes in
      if isHarmless(bytes) { return String(text) }
      var cleaner = SafeTextCleaner(keepsLineEnds: true, tabWidth: max(1, tabWidth))
      cleaner.append(bytes)
      return cleaner.finished()
    }
  }

  /// The picture of a C0 control or DEL; nil for other scalars.
  static func picture(_ scalar: UInt32) -> UInt32? {
    scalar < 0x20 ? 0x2400 + scalar : scalar == 0x7F ? 0x2421 : nil
  }

  private static func isHarmless(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    TextMeasure.isPrintableASCII(bytes)
  }
}

/// Copies text scalar by scalar, with signs in the place of those that must not be sent.
private struct SafeTextCleaner {
  private let keepsLineEnds: Bool
  /// Columns between tab stops; 0 makes each tab one space.
  private let tabWidth: Int
  private var output: [UInt8] = []
  private var column = 0
  /// The last scalar with a cell of its own; 0 after a line end or a sign.
  private var base: UInt32 = 0

  init(keepsLineEnds: Bool, tabWidth: Int) {
    self.keepsLineEnds = keepsLineEnds
    self.tabWidth = tabWidth
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    output.reserveCapacity(output.count + bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x20, byte < 0x7F {
        output.append(byte)
        column += 1
        base = UInt32(byte)
        index += 1
        continue
      }
      let (scalar, length) = UTF8Bytes.decode(bytes, at: index)
      index += length
      if scalar == 0x0D, keepsLineEnds, index < bytes.count, bytes[index] == 0x0A { continue }
      append(scalar, bytes[(index - length)..<index])
    }
  }

  func finished() -> String {
    String(decoding: output, as: UTF8.self)
  }

  private mutating func append(_ scalar: UInt32, _ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    switch ScalarClass(scalar) {
    case .narrow, .unknown, .wide:
      output.append(contentsOf: bytes)
      column += ScalarClass(scalar) == .wide ? 2 : 1
      base = scalar
    case .mark: output.append(contentsOf: bytes)
    case .hidden: if isNeeded(scalar) { output.append(contentsOf: bytes) } else { show(scalar) }
    case .control: appendControl(scalar)
    }
  }

  private mutating func appendControl(_ scalar: UInt32) {
    if scalar == 0x09 {
      let blanks = tabWidth == 0 ? 1 : tabWidth - column % tabWidth
      output.append(contentsOf: repeatElement(0x20, count: blanks))
      column += blanks
    } else if scalar == 0x0A, keepsLineEnds {
      output.append(0x0A)
      column = 0
    } else {
      show(scalar)
    }
    base = 0
  }

  private mutating func show(_ scalar: UInt32) {
    if let picture = SafeText.picture(scalar) {
      UTF8Bytes.append(picture, to: &output)
      column += 1
    } else {
      let digits = String(scalar, radix: 16, uppercase: true)
      let sign = "‹U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "›"
      output.append(contentsOf: sign.utf8)
      column += sign.unicodeScalars.count
    }
    base = 0
  }

  /// Whether a hidden scalar belongs to the writing before it: joiners in scripts and pictures, selectors after what
  /// has variants, skin tones.
  private func isNeeded(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x200C, 0x200D: base >= 0x600 || ScalarClass.isPictographic(base)
    case 0xFE00...0xFE0F:
      base >= 0xA0 || base >= 0x30 && base <= 0x39 || base == 0x23 || base == 0x2A
    case 0xE0100...0xE01EF: base >= 0x3400
    case 0x180B...0x180F: base >= 0x1800 && base < 0x18B0 && scalar != 0x180E
    case 0x1F3FB...0x1F3FF: true
    default: false
    }
  }
}
