/// Reads what stands for one scalar: escapes such as `\d`, and sets in brackets.
struct RegexSetReader: RegexCursor {
  let source: [Unicode.Scalar]
  var at: Int
  private let folds: Bool
  private var depth = 0

  init(_ source: [Unicode.Scalar], at: Int, folds: Bool) {
    self.source = source
    self.at = at
    self.folds = folds
  }

  /// After `[`.
  mutating func set() throws(StubError) -> ScalarSet {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 20 else { throw refuse("its sets are nested deeper than 20 levels") }
    var set = ScalarSet()
    set.folds = folds
    if peek == "^" {
      set.negated = true
      at += 1
    }
    var first = true
    while let scalar = peek {
      if scalar == "]", !first {
        at += 1
        return set.finished()
      }
      first = false
      if scalar == "[" {
        at += 1
        set.classes.append(peek == ":" ? try posix() : .nested([try self.set()]))
        continue
      }
      if scalar == "&", at + 1 < source.count, source[at + 1] == "&" {
        throw refuse("the intersection of sets, `&&`, is not supported")
      }
      let lower = try member()
      guard case .one(let low) = lower else {
        if case .many(let many) = lower { set.classes.append(.nested([many])) }
        continue
      }
      guard peek == "-", at + 1 < source.count, source[at + 1] != "]" else {
        set.ranges.append(low.value...low.value)
        continue
      }
      at += 1
      guard case .one(let high) = try member() else { throw refuse("a range ends in a class such as \\d") }
      guard low <= high else { throw refuse("the range `\(low)-\(high)` is the wrong way round") }
      set.ranges.append(low.value...high.value)
    }
    throw refuse("a `[` is not closed")
  }

  private enum Member {
    case one(Unicode.Scalar)
    case many(ScalarSet)
  }

  private mutating func member() throws(StubError) -> Member {
    guard let scalar = peek else { throw refuse("a `[` is not closed") }
    guard scalar == "\\" else {
      at += 1
      return .one(scalar)
    }
    if at + 1 < source.count, source[at + 1] == "b" {
      at += 2
      return .one("\u{8}")
    }
    let set = try escape()
    if set.classes.isEmpty, !set.negated, set.ranges.count == 1, let range = set.ranges.first, range.count == 1,
      let scalar = Unicode.Scalar(range.lowerBound)
    {
      return .one(scalar)
    }
    return .many(set.finished())
  }

  /// At a `\`.
  mutating func escape() throws(StubError) -> ScalarSet {
    guard at + 1 < source.count else { throw refuse("a `\\` stands at the end") }
    let letter = source[at + 1]
    at += 2
    switch letter {
    case "d", "D": return classed(.digit(letter == "d"))
    case "w", "W": return classed(.word(letter == "w"))
    case "s", "S": return classed(.space(letter == "s"))
    case "p", "P": return classed(try category(letter == "p"))
    case "h": return among([9...9, 0x20...0x20, 0xA0...0xA0])
    case "R", "v": return among([10...13, 0x85...0x85, 0x2028...0x2029])
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "f": return .scalar("\u{C}")
    case "a": return .scalar("\u{7}")
    case "e": return .scalar("\u{1B}")
    case "0": return .scalar("\0")
    case "x": return .scalar(try hex(2), folds: folds)
    case "u": return .scalar(try hex(4), folds: folds)
    case "1"..."9": throw refuse("a back reference, `\\\(letter)`, is not supported")
    case "k": throw refuse("a back reference, `\\k`, is not supported")
    case "a"..."z", "A"..."Z": throw refuse("`\\\(letter)` is not known")
    default: return .scalar(letter, folds: folds)
    }
  }

  private func classed(_ kind: ScalarSet.Class) -> ScalarSet {
    var set = ScalarSet()
    set.classes = [kind]
    return set.finished()
  }

  private func among(_ ranges: [ClosedRange<UInt32>]) -> ScalarSet {
    var set = ScalarSet()
    set.ranges = ranges
    return set.finished()
  }

  /// `\x41`, `\x{1F600}`, `\u0041`, `\u{41}`.
  private mutating func hex(_ digits: Int) throws(StubError) -> Unicode.Scalar {
    var text = ""
    if peek == "{" {
      at += 1
      while let next = peek, next != "}" {
        text.unicodeScalars.append(next)
        at += 1
      }
      guard take("}") else { throw refuse("a `{` after a backslash is not closed") }
    } else {
      while text.unicodeScalars.count < digits, let next = peek {
        text.unicodeScalars.append(next)
        at += 1
      }
    }
    // A sign would be taken, too.
    guard text.unicodeScalars.first != "+", let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value)
    else {
      throw refuse("`\(text.shortened(to: 12))` is not the number of a character")
    }
    return scalar
  }

  /// `[:alpha:]` of POSIX, after the first `[`.
  private mutating func posix() throws(StubError) -> ScalarSet.Class {
    at += 1
    let name = word(until: ":")
    guard take(":"), take("]") else { throw refuse("`[:` is not closed with `:]`") }
    let ranges: [ClosedRange<UInt32>]
    switch name {
    case "alpha": ranges = [0x41...0x5A, 0x61...0x7A]
    case "digit": ranges = [0x30...0x39]
    case "alnum": ranges = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    case "upper": ranges = [0x41...0x5A]
    case "lower": ranges = [0x61...0x7A]
    case "xdigit": ranges = [0x30...0x39, 0x41...0x46, 0x61...0x66]
    case "space": ranges = [9...13, 0x20...0x20]
    case "punct": ranges = [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]
    default: throw refuse("`[:\(name):]` is not known")
    }
    return .nested([among(ranges)])
  }

  /// `\p{L}`, `\pL`: general categories.
  private mutating func category(_ wanted: Bool) throws(StubError) -> ScalarSet.Class {
    var name: String
    if take("{") {
      name = word(until: "}")
      guard take("}") else { throw refuse("`\\p{` is not closed") }
    } else {
      name = peek.map { String($0) } ?? ""
      at += 1
    }
    guard let test = RegexCategories.test(name) else {
      throw refuse("`\\p{\(name.shortened(to: 20))}` is not supported; general categories such as L, Lu or Nd are")
    }
    return .category(test, wanted)
  }

  private mutating func word(until end: Unicode.Scalar) -> String {
    var text = ""
    while let next = peek, next != end {
      text.unicodeScalars.append(next)
      at += 1
    }
    return text
  }
}

/// The general categories of Unicode by their names in `\p{…}`.
enum RegexCategories {
  static func test(_ name: String) -> (@Sendable (Unicode.GeneralCategory) -> Bool)? {
    let found: Set<Unicode.GeneralCategory>
    switch name {
    case "L", "Letter", "Alphabetic", "Alpha":
      found = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]
    case "Lu", "Uppercase": found = [.uppercaseLetter]
    case "Ll", "Lowercase": found = [.lowercaseLetter]
    case "Lt": found = [.titlecaseLetter]
    case "Lm": found = [.modifierLetter]
    case "Lo": found = [.otherLetter]
    case "M", "Mark": found = [.nonspacingMark, .spacingMark, .enclosingMark]
    case "N", "Number": found = [.decimalNumber, .letterNumber, .otherNumber]
    case "Nd", "Digit": found = [.decimalNumber]
    case "P", "Punctuation":
      found = [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation,
      ]
    case "S", "Symbol": found = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
    case "Sc": found = [.currencySymbol]
    case "Z", "Separator": found = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
    case "C", "Other": found = [.control, .format, .surrogate, .privateUse, .unassigned]
    case "Cc": found = [.control]
    default: return nil
    }
    return { found.contains($0) }
  }
}
