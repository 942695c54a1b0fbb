/// Turns messages into the bytes of frames. Does no I/O: the caller sends `bytes` and then calls `removeAll`.
///
/// ```swift
/// var encoder = FrameEncoder()
/// encoder.append(HookMessage.applied(revision: 7))
/// send(encoder.bytes)
/// encoder.removeAll()
/// ```
package struct FrameEncoder: Sendable {
  /// The frames of everything appended since the last `removeAll`.
  package private(set) var bytes: [UInt8] = []
  private let pieceLimit: Int

  package init() { pieceLimit = Wire.pieceLimit }

  /// - Parameter pieceLimit: Payloads longer than this, in bytes, travel in several frames; at most `Wire.pieceLimit`.
  package init(pieceLimit: Int) { self.pieceLimit = min(max(1, pieceLimit), Wire.pieceLimit) }

  /// Appends one message, as several frames where it is longer than the limit of a piece.
  package mutating func append(_ message: some WireMessage) { encode(message) }

  /// Appends one message of a hook. Not generic, so compiled for them: they may be thousands a second.
  package mutating func append(_ message: HookMessage) { encode(message) }

  /// Appends `HookMessage.exchange`, of which there may be thousands a second, without making one.
  package mutating func append(_ update: ExchangeUpdate) {
    encode(MessageKind.exchange) { $0.fields.exchange(update) }
  }

  private mutating func encode(_ message: some WireMessage) {
    encode(message.wireKind) { message.write(to: &$0) }
  }

  private mutating func encode(_ kind: UInt16, _ write: (inout WirePayload) -> Void) {
    let start = bytes.count
    var payload = WirePayload()
    swap(&payload.fields.bytes, &bytes)
    for _ in 0..<Self.headSize { payload.fields.bytes.append(0) }
    write(&payload)
    swap(&payload.fields.bytes, &bytes)
    let count = bytes.count - start - Self.headSize
    if count <= pieceLimit {
      writeHead(at: start, kind: kind, count: count)
    } else {
      cut(from: start, kind: kind)
    }
  }

  /// Forgets what was encoded and keeps the buffer for the next messages, unless it has grown very large.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Wire.pieceLimit)
  }

  private static let headSize = 6

  private mutating func writeHead(at place: Int, kind: UInt16, count: Int) {
    let length = UInt32(count + 2)
    bytes[place] = UInt8(truncatingIfNeeded: length >> 24)
    bytes[place + 1] = UInt8(truncatingIfNeeded: length >> 16)
    bytes[place + 2] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[place + 3] = UInt8(truncatingIfNeeded: length)
    bytes[place + 4] = UInt8(truncatingIfNeeded: kind >> 8)
    bytes[place + 5] = UInt8(truncatingIfNeeded: kind)
  }

  private mutating func cut(from start: Int, kind: UInt16) {
    let payload = Array(bytes[(start + Self.headSize)...])
    bytes.removeSubrange(start...)
    bytes.reserveCapacity(start + payload.count + (payload.count / pieceLimit + 1) * Self.headSize)
    var position = 0
    while position < payload.count {
      let next = min(position + pieceLimit, payload.count)
      let head = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: Self.headSize))
      writeHead(at: head, kind: next == payload.count ? kind : MessageKind.part, count: next - position)
      bytes.append(contentsOf: payload[position..<next])
      position = next
    }
  }
}

extension FrameEncoder {
  /// Takes back the messages of which not all is sent, to be put in other words. What remains is the rest of the frame
  /// that is on its way; a message that ends up without its last frames is given up by one more frame.
  ///
  /// - Parameter sent: How many of `bytes` are sent.
  /// - Returns: The messages, in order; the first one is the one that was given up, if any.
  package mutating func takeBack(after sent: Int) -> [HookMessage] {
    var messageStart = 0
    var place = 0
    while place < sent {
      let (kind, end) = frame(at: place)
      place = end
      if kind != MessageKind.part { messageStart = end }
    }
    let tail = bytes[messageStart...]
    guard !tail.isEmpty else { return [] }
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(tail)
    bytes.removeSubrange(place...)
    if messageStart < place {
      bytes.append(contentsOf: repeatElement(0, count: Self.headSize))
      writeHead(at: place, kind: MessageKind.givenUp, count: 0)
    }
    var messages: [HookMessage] = []
    while true {
      switch decoder.next() {
      case .message(let message): messages.append(message)
      case .skipped: continue
      case .needMore, .broken: return messages
      }
    }
  }

  private func frame(at place: Int) -> (kind: UInt16, end: Int) {
    let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    return (UInt16(bytes[place + 4]) << 8 | UInt16(bytes[place + 5]), place + 4 + length)
  }
}
