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
  package internal(set) var bytes: [UInt8] = []
  private let pieceLimit: Int

  package init() { pieceLimit = Wire.pieceLimit }

  /// - Parameter pieceLimit: Payloads longer than this, in bytes, travel in several frames; at most `Wire.pieceLimit`.
  package init(pieceLimit: Int) { self.pieceLimit = min(max(1, pieceLimit), Wire.pieceLimit) }

  /// Appends one message, as several frames where it is longer than the limit of a piece.
  package mutating func append(_ message: some WireMessage) { encode(message) }

  /// The same, compiled for what hooks say, which may be thousands of messages a second.
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

  static let headSize = 6

  mutating func writeHead(at place: Int, kind: UInt16, count: Int) {
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
