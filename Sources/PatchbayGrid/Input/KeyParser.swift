/// Turns the bytes that a terminal sends into events. Pure: bytes in, events out, split anywhere.
///
/// Invalid bytes are dropped and never swallow the keys after them; unknown sequences are dropped whole, so that
/// their letters do not fire keys. An ESC may be the key or the beginning of more: while `needsTimeout` is true the
/// caller waits for 25 ms and then calls `flush()`.
package struct KeyParser: Sendable {
  /// Pasted bytes kept at most; a longer paste arrives in pieces.
  private static let pasteLimit = 64 << 20
  /// Bytes of a sequence kept at most before it is given up.
  private static let sequenceLimit = 4096

  private var pending: [UInt8] = []
  private var answers: [TerminalAnswer] = []
  private var paste: PasteBuffer?

  package init() {}

  /// Whether what is pending is an ESC key unless more comes within 25 ms. Not so inside a character or a paste.
  package var needsTimeout: Bool {
    guard paste == nil, pending.first == 0x1B else { return false }
    switch pending.last {
    case _ where pending.count == 1: return true
    case 0x1B where pending.count == 2: return true
    default: return SequenceParser.isAmbiguousOpening(pending)
    }
  }

  /// Takes what was read and returns the events that are complete.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
    var events: [InputEvent] = []
    var input = pending
    pending.removeAll(keepingCapacity: true)
    input.append(contentsOf: bytes)
    var index = 0
    while index < input.count {
      if paste != nil {
        index = readPaste(input, from: index, into: &events)
        continue
      }
      switch SequenceParser.next(input[index...]) {
      case .event(let event, let length):
        events.append(event)
        index += length
      case .pasteBegins(let length):
        paste = PasteBuffer()
        index += length
      case .answer(let answer, let length):
        answers.append(answer)
        index += length
      case .ignored(let length):
        index += max(1, length)
      case .incomplete:
        guard input.count - index <= Self.sequenceLimit else {
          index = input.count
          continue
        }
        pending = Array(input[index...])
        return events
      }
    }
    return events
  }

  /// What the terminal has answered since the last time; no keys come of it.
  package mutating func takeAnswers() -> [TerminalAnswer] {
    defer { answers = [] }
    return answers
  }

  /// Nothing came within 25 ms: a pending ESC is the key, ESC and a character is alt with it, the rest is dropped.
  package mutating func flush() -> [InputEvent] {
    guard needsTimeout else { return [] }
    let bytes = pending
    pending.removeAll(keepingCapacity: true)
    switch bytes.count {
    case 1: return [.key(.escape)]
    case 2 where bytes[1] == 0x1B: return [.key(.escape), .key(.escape)]
    case 2: return [.key(Key(Character(Unicode.Scalar(bytes[1])), .alt))]
    default: return []
    }
  }

  private mutating func readPaste(_ input: [UInt8], from index: Int, into events: inout [InputEvent]) -> Int {
    var buffer = paste.take() ?? PasteBuffer()
    let (next, ended) = buffer.append(input[index...])
    if ended || buffer.count > Self.pasteLimit { events.append(.paste(buffer.text)) }
    if !ended { paste = buffer.count > Self.pasteLimit ? PasteBuffer() : buffer }
    return next
  }
}

/// The bytes of a bracketed paste up to its end mark, which may be split anywhere.
private struct PasteBuffer: Sendable {
  private static let end: [UInt8] = Array("\u{1B}[201~".utf8)
  private var bytes: [UInt8] = []

  var count: Int { bytes.count }

  /// The pasted text; CR and CR LF, as terminals send line ends, become LF, invalid UTF-8 becomes U+FFFD.
  var text: String {
    var unified: [UInt8] = []
    unified.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
      unified.append(byte == 0x0D ? 0x0A : byte)
    }
    return String(decoding: unified, as: UTF8.self)
  }

  /// Takes input up to the end mark; returns the index after what was taken and whether the mark was there.
  mutating func append(_ input: ArraySlice<UInt8>) -> (next: Int, ended: Bool) {
    var searched = max(0, bytes.count - Self.end.count + 1)
    let before = bytes.count
    bytes.append(contentsOf: input)
    while let escape = bytes[searched...].firstIndex(of: 0x1B) {
      if bytes[escape...].starts(with: Self.end) {
        let next = input.startIndex + escape + Self.end.count - before
        bytes.removeSubrange(escape...)
        return (next, true)
      }
      searched = escape + 1
    }
    return (input.endIndex, false)
  }
}
