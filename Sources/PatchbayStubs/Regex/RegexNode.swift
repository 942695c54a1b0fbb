/// A regular expression as it was read.
indirect enum RegexNode: Sendable {
  case empty
  case set(ScalarSet)
  case concat([RegexNode])
  case either([RegexNode])
  /// `max` nil is without end.
  case counted(RegexNode, min: Int, max: Int?, lazy: Bool)
  /// A group with its number, from 1.
  case group(RegexNode, Int)
  case assert(Assertion)

  enum Assertion: Sendable {
    case textStart
    case textEnd
    /// The end, or just before a line end that closes the text.
    case lastLineEnd
    case lineStart
    case lineEnd
    case wordEdge
    case notWordEdge
  }
}

/// A set of Unicode scalars.
struct ScalarSet: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var classes: [Class] = []
  var negated = false
  /// Letter case does not count.
  var folds = false
  /// The answers for ASCII, made by `finished()`.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  enum Class: Sendable {
    case word(Bool)
    case space(Bool)
    case digit(Bool)
    case category(@Sendable (Unicode.GeneralCategory) -> Bool, Bool)
    /// A set in its own brackets.
    case nested([ScalarSet])
  }

  static func scalar(_ scalar: Unicode.Scalar, folds: Bool = false) -> ScalarSet {
    var set = ScalarSet()
    set.ranges = [scalar.value...scalar.value]
    set.folds = folds
    return set.finished()
  }

  /// The one ASCII character in it (in either case, where case does not count); nil where there are more.
  var onlyASCII: UInt8? {
    guard !negated, classes.isEmpty, ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    // Outside ASCII some letters fold to ASCII ones: the long s, the Kelvin sign, the i without a dot.
    if folds, let scalar = Unicode.Scalar(range.lowerBound), "sSkKI".unicodeScalars.contains(scalar) { return nil }
    return UInt8(exactly: range.lowerBound).flatMap { $0 < 128 ? $0 : nil }
  }

  /// Works out the ASCII part once.
  func finished() -> ScalarSet {
    var copy = self
    var bits: (low: UInt64, high: UInt64) = (0, 0)
    for range in ranges where range.lowerBound < 128 {
      for value in range.lowerBound...min(range.upperBound, 127) { Self.add(value, to: &bits) }
    }
    if !classes.isEmpty {
      for value in UInt8(0)..<128 where classes.contains(where: { $0.contains(Unicode.Scalar(value)) }) {
        Self.add(UInt32(value), to: &bits)
      }
    }
    if folds {
      // What an ASCII letter becomes in the other case is ASCII: 32 places further, or back.
      let letters: UInt64 = 0x07FF_FFFE
      bits.high |= (bits.high & letters) << 32 | (bits.high >> 32 & letters)
    }
    copy.low = negated ? ~bits.low : bits.low
    copy.high = negated ? ~bits.high : bits.high
    return copy
  }

  private static func add(_ value: UInt32, to bits: inout (low: UInt64, high: UInt64)) {
    if value < 64 { bits.low |= 1 << UInt64(value) } else { bits.high |= 1 << UInt64(value - 64) }
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 64 { return low >> UInt64(value) & 1 == 1 }
    if value < 128 { return high >> UInt64(value - 64) & 1 == 1 }
    return slow(scalar)
  }

  private func slow(_ scalar: Unicode.Scalar) -> Bool {
    var found = holds(scalar)
    if !found, folds {
      found = Self.variants(of: scalar).contains { holds($0) }
    }
    return found != negated
  }

  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } || classes.contains { $0.contains(scalar) }
  }

  private static func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].compactMap { text in
      text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
  }
}

extension ScalarSet.Class {
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .word(let wanted): Self.isWord(scalar) == wanted
    case .space(let wanted): scalar.properties.isWhitespace == wanted
    case .digit(let wanted): (0x30...0x39).contains(scalar.value) == wanted
    case .category(let test, let wanted): test(scalar.properties.generalCategory) == wanted
    case .nested(let sets): sets.contains { $0.contains(scalar) }
    }
  }

  /// `\w`: letters, marks and digits of any script, and `_`.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x80 {
      return (0x61...0x7A).contains(value | 0x20) && value >= 0x41 || (0x30...0x39).contains(value) || value == 0x5F
    }
    let properties = scalar.properties
    return properties.isAlphabetic || properties.numericType == .decimal
      || properties.generalCategory == .nonspacingMark
  }
}

/// One scalar of a text; bytes that are not UTF-8 are U+FFFD each.
struct RegexScalar {
  let scalar: Unicode.Scalar
  let length: Int

  init(_ text: UnsafeBufferPointer<UInt8>, at start: Int) {
    let lead = text[start]
    guard lead >= 0x80 else {
      self.init(scalar: Unicode.Scalar(lead), length: 1)
      return
    }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    var isText = lead >= 0xC2 && lead < 0xF5 && start + length <= text.count
    if isText {
      for offset in 1..<length {
        let byte = text[start + offset]
        isText = isText && byte & 0xC0 == 0x80
        value = value << 6 | UInt32(byte & 0x3F)
      }
    }
    guard isText, let scalar = Unicode.Scalar(value), length == 2 || value >= (length == 3 ? 0x800 : 0x10000) else {
      self.init(scalar: "\u{FFFD}", length: 1)
      return
    }
    self.init(scalar: scalar, length: length)
  }

  private init(scalar: Unicode.Scalar, length: Int) {
    self.scalar = scalar
    self.length = length
  }
}
