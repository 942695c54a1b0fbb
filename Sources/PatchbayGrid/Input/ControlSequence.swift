/// A CSI or SS3 sequence: `ESC [ … final` and `ESC O final`, in the dialects of xterm, rxvt, linux and kitty.
struct ControlSequence {
  /// `<`, `?`, `>` or `=` after the bracket.
  private(set) var marker: UInt8?
  /// The numbers; sub-parameters after a colon stand beside their number. Missing ones are nil.
  private(set) var parameters: [[Int?]] = []
  private(set) var final: UInt8 = 0

  static func parse(_ bytes: ArraySlice<UInt8>) -> SequenceParser.Outcome {
    var index = bytes.startIndex + 2
    guard index < bytes.endIndex else { return .incomplete }
    if bytes[index] == 0x5B { return linuxFunction(bytes) }
    if bytes[index] == 0x4D { return mouseX10(bytes) }
    while index < bytes.endIndex {
      let byte = bytes[index]
      let length = index - bytes.startIndex + 1
      switch byte {
      case 0x24 where isRxvtShift(bytes[(bytes.startIndex + 2)..<index]), 0x40...0x7E:
        let sequence = ControlSequence(bytes[(bytes.startIndex + 2)..<index], final: byte)
        if sequence.final == 0x7E, sequence.number(0) == 200 { return .pasteBegins(length) }
        if sequence.final == 0x63, sequence.marker == 0x3F { return .answer(.done, length) }
        return sequence.event.map { .event($0, length) } ?? .ignored(length)
      case 0x20...0x3F: index += 1
      default: return .ignored(length - 1)
      }
    }
    return .incomplete
  }

  static func parseSS3(_ bytes: ArraySlice<UInt8>) -> SequenceParser.Outcome {
    var index = bytes.startIndex + 2
    while index < bytes.endIndex, bytes[index] >= 0x30, bytes[index] <= 0x39 || bytes[index] == 0x3B { index += 1 }
    guard index < bytes.endIndex else { return .incomplete }
    let length = index - bytes.startIndex
    guard bytes[index] >= 0x20, bytes[index] < 0x7F else {
      return length == 2 ? .event(.key(.alt("O")), 2) : .ignored(length)
    }
    let sequence = ControlSequence(bytes[(bytes.startIndex + 2)..<index], final: bytes[index])
    return KeyTable.ss3(sequence).map { .event(.key($0), length + 1) } ?? .ignored(length + 1)
  }

  func number(_ index: Int, _ sub: Int = 0) -> Int? {
    index < parameters.count && sub < parameters[index].count ? parameters[index][sub] : nil
  }

  private init(_ body: ArraySlice<UInt8>, final: UInt8) {
    self.final = final
    var body = body
    if let first = body.first, first >= 0x3C {
      marker = first
      body = body.dropFirst()
    }
    guard !body.isEmpty else { return }
    for part in body.split(separator: 0x3B, omittingEmptySubsequences: false) {
      parameters.append(
        part.split(separator: 0x3A, omittingEmptySubsequences: false).map {
          Int(String(decoding: $0, as: UTF8.self)).flatMap { (0...0x10_FFFF).contains($0) ? $0 : nil }
        })
    }
  }

  private var event: InputEvent? {
    switch (marker, final) {
    case (0x3C, 0x4D), (0x3C, 0x6D): MouseDecoder.sgr(self)
    case (.some, _): nil
    case (nil, 0x49) where parameters.isEmpty: .focus(true)
    case (nil, 0x4F) where parameters.isEmpty: .focus(false)
    case (nil, 0x4D) where parameters.count == 3: MouseDecoder.urxvt(self)
    default: KeyTable.csi(self).map(InputEvent.key)
    }
  }

  /// rxvt ends shifted keys with `$`, which elsewhere never stands right after one number.
  private static func isRxvtShift(_ body: ArraySlice<UInt8>) -> Bool {
    (1...2).contains(body.count) && body.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  /// The linux console's F1 to F5: `ESC [ [ A`.
  private static func linuxFunction(_ bytes: ArraySlice<UInt8>) -> SequenceParser.Outcome {
    guard bytes.count > 3 else { return .incomplete }
    let letter = bytes[bytes.startIndex + 3]
    guard (0x41...0x45).contains(letter) else { return .ignored(letter >= 0x20 && letter < 0x7F ? 4 : 3) }
    return .event(.key(Key(.function(Int(letter) - 0x40))), 4)
  }

  private static func mouseX10(_ bytes: ArraySlice<UInt8>) -> SequenceParser.Outcome {
    guard bytes.count >= 6 else { return .incomplete }
    let start = bytes.startIndex + 3
    return MouseDecoder.x10(bytes[start], bytes[start + 1], bytes[start + 2])
      .map { .event($0, 6) } ?? .ignored(6)
  }
}

/// Which key a sequence stands for.
private enum KeyTable {
  static func csi(_ sequence: ControlSequence) -> Key? {
    let modifiers = KeyModifiers(parameter: sequence.number(1) ?? 1)
    if sequence.number(1, 1) == 3 { return nil }
    switch sequence.final {
    case 0x7E: return tilde(sequence, modifiers)
    case 0x75: return sequence.number(0).flatMap { unicode($0, modifiers) }
    case 0x5A: return Key(.tab, modifiers.union(.shift))
    case 0x24: return editing[sequence.number(0) ?? 0].map { Key($0, .shift) }
    case 0x5E: return editing[sequence.number(0) ?? 0].map { Key($0, .control) }
    case 0x40: return editing[sequence.number(0) ?? 0].map { Key($0, [.control, .shift]) }
    case 0x61...0x64:
      return sequence.parameters.isEmpty ? letters[sequence.final - 0x20].map { Key($0, .shift) } : nil
    case 0x52 where sequence.number(0) ?? 1 != 1: return nil
    default: return letters[sequence.final].map { Key($0, modifiers) }
    }
  }

  static func ss3(_ sequence: ControlSequence) -> Key? {
    let modifiers = KeyModifiers(parameter: sequence.number(1) ?? sequence.number(0) ?? 1)
    if let code = letters[sequence.final] { return Key(code, modifiers) }
    switch sequence.final {
    case 0x61...0x64: return letters[sequence.final - 0x20].map { Key($0, .control) }
    case 0x4D: return Key(.enter, modifiers)
    case 0x49: return Key(.tab, modifiers)
    case 0x20: return Key(" ", modifiers)
    case 0x58: return Key("=", modifiers)
    case 0x6A...0x79: return Key(Character(Unicode.Scalar(sequence.final - 0x40)), modifiers)
    default: return nil
    }
  }

  private static func tilde(_ sequence: ControlSequence, _ modifiers: KeyModifiers) -> Key? {
    guard let number = sequence.number(0) else { return nil }
    if number == 27 { return sequence.number(2).flatMap { unicode($0, modifiers) } }
    return editing[number].map { Key($0, modifiers) }
  }

  /// CSI u: the key as a code point, or one of kitty's private numbers.
  private static func unicode(_ number: Int, _ modifiers: KeyModifiers) -> Key? {
    switch number {
    case 9: return Key(.tab, modifiers)
    case 10, 13, 57414: return Key(.enter, modifiers)
    case 27: return Key(.escape, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    case 57376...57398: return Key(.function(number - 57363), modifiers)
    case 57399...57408: return Key(Character(Unicode.Scalar(UInt8(number - 57399 + 0x30))), modifiers)
    case 57417...57426: return Key(keypad[number - 57417], modifiers)
    case 0xE000...0xF8FF: return nil
    default: break
    }
    guard number >= 0x20, let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init) else { return nil }
    return ScalarClass(scalar.value) == .control ? nil : Key(Character(scalar), modifiers)
  }

  private static let keypad: [Key.Code] = [
    .left, .right, .up, .down, .pageUp, .pageDown, .home, .end, .insert, .delete,
  ]

  private static let letters: [UInt8: Key.Code] = [
    0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home,
    0x50: .function(1), 0x51: .function(2), 0x52: .function(3), 0x53: .function(4),
  ]

  private static let editing: [Int: Key.Code] = {
    var codes: [Int: Key.Code] = [
      1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
    let functions = [
      11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34,
    ]
    for (index, number) in functions.enumerated() { codes[number] = .function(index + 1) }
    return codes
  }()
}
