/// Reads one key, character or sequence from the front of some bytes.
enum SequenceParser {
  enum Outcome: Equatable {
    case event(InputEvent, Int)
    case pasteBegins(Int)
    case answer(TerminalAnswer, Int)
    /// Bytes that mean nothing to us.
    case ignored(Int)
    /// More bytes are needed.
    case incomplete
  }

  static func next(_ bytes: ArraySlice<UInt8>) -> Outcome {
    let first = bytes[bytes.startIndex]
    switch first {
    case 0x1B: return escape(bytes)
    case 0x00...0x1F, 0x7F: return .event(.key(control(first)), 1)
    case 0x20...0x7E: return .event(.key(Key(Character(Unicode.Scalar(first)))), 1)
    default: return character(bytes)
    }
  }

  /// ESC and the opening of a sequence may be alt with that character; a string that does not end is no sequence.
  static func isAmbiguousOpening(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 2 else { return true }
    // The beginning of the answer about pictures, which nobody types: its rest is still to come.
    if bytes.count > 2, bytes[1] == 0x5F, bytes[2] == 0x47 { return false }
    if isString(bytes[1]) { return true }
    return bytes.count == 2 && (bytes[1] == 0x5B || bytes[1] == 0x4F)
      || bytes.count == 3 && bytes[1] == 0x1B && (bytes[2] == 0x5B || bytes[2] == 0x4F)
  }

  private static func control(_ byte: UInt8) -> Key {
    switch byte {
    case 0x00: Key(" ", .control)
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    default: .control(Character(Unicode.Scalar(byte + 0x40)))
    }
  }

  private static func escape(_ bytes: ArraySlice<UInt8>) -> Outcome {
    let rest = bytes.dropFirst()
    guard let second = rest.first else { return .incomplete }
    switch second {
    case 0x1B: return doubleEscape(bytes)
    case 0x5B: return ControlSequence.parse(bytes)
    case 0x4F: return ControlSequence.parseSS3(bytes)
    case _ where isString(second): return string(bytes)
    default: break
    }
    switch next(rest) {
    case .event(.key(let key), let length):
      return .event(.key(Key(key.code, key.modifiers.union(.alt))), length + 1)
    case .incomplete: return .incomplete
    case .ignored, .pasteBegins, .answer, .event: return .event(.key(.escape), 1)
    }
  }

  /// ESC before a sequence is alt with its key (rxvt, iTerm); before anything else it is a key of its own.
  private static func doubleEscape(_ bytes: ArraySlice<UInt8>) -> Outcome {
    guard bytes.count > 2 else { return .incomplete }
    let third = bytes[bytes.startIndex + 2]
    guard third == 0x5B || third == 0x4F else { return .event(.key(.escape), 1) }
    switch next(bytes.dropFirst()) {
    case .event(.key(let key), let length) where key != Key("[", .alt):
      return .event(.key(Key(key.code, key.modifiers.union(.alt))), length + 1)
    case .incomplete: return .incomplete
    default: return .event(.key(.escape), 1)
    }
  }

  /// DCS, SOS, OSC, PM, APC: the answers to questions, of which we ask one (`TerminalAnswer.question`).
  private static func isString(_ byte: UInt8) -> Bool {
    byte == 0x50 || byte == 0x58 || byte == 0x5D || byte == 0x5E || byte == 0x5F
  }

  /// A string ends with BEL or ESC \; another control breaks it off and is read for itself.
  private static func string(_ bytes: ArraySlice<UInt8>) -> Outcome {
    for index in bytes.indices.dropFirst(2) {
      let length = index - bytes.startIndex
      switch bytes[index] {
      case 0x07: return .ignored(length + 1)
      case 0x1B:
        guard index + 1 < bytes.endIndex else { return .incomplete }
        guard bytes[index + 1] == 0x5C else { return .ignored(length) }
        let isCommand = bytes[bytes.startIndex + 1] == 0x5F
        let answer = isCommand ? TerminalAnswer(command: bytes[(bytes.startIndex + 2)..<index]) : nil
        return answer.map { .answer($0, length + 2) } ?? .ignored(length + 2)
      case 0x00..<0x20: return .ignored(length)
      default: continue
      }
    }
    return .incomplete
  }

  /// A character beyond ASCII; a byte that cannot belong to one is dropped alone.
  private static func character(_ bytes: ArraySlice<UInt8>) -> Outcome {
    let first = bytes[bytes.startIndex]
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4 else { return .ignored(1) }
    for offset in 1..<length {
      guard offset < bytes.count else { return .incomplete }
      let byte = bytes[bytes.startIndex + offset]
      guard byte & 0xC0 == 0x80 else { return .ignored(offset) }
    }
    let text = String(decoding: bytes.prefix(length), as: UTF8.self)
    guard text.unicodeScalars.count == 1, text != "\u{FFFD}", let character = text.first else {
      return .ignored(length)
    }
    return .event(.key(Key(character)), length)
  }
}
