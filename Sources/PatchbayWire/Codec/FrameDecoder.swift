/// Turns the bytes of a link into messages. Does no I/O: the caller feeds what it has read, in pieces of any size, and
/// asks for the next message until more bytes are needed.
///
/// ```swift
/// decoder.feed(bytes)
/// while true {
///   switch decoder.next() {
///   case .message(let message): handle(message)
///   case .skipped: continue
///   case .needMore: return
///   case .broken(let error): close(because: error.description)
///   }
/// }
/// ```
package struct FrameDecoder<Message: WireMessage>: Sendable {
  package enum Outcome {
    case message(Message)
    /// A frame of a kind that this build does not know.
    case skipped(kind: UInt16)
    /// All whole frames have been handed out.
    case needMore
    /// The bytes are not frames. The decoder stays broken.
    case broken(WireError)
  }

  private var buffer: [UInt8] = []
  private var position = 0
  private var pieces: [UInt8] = []
  private var broken: WireError?
  private let messageLimit: Int

  package init() { self.init(messageLimit: Wire.messageLimit) }

  init(messageLimit: Int) { self.messageLimit = messageLimit }

  /// Takes in the next bytes of the link; a broken decoder forgets them.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    guard broken == nil else { return }
    if position > 0 && (position == buffer.count || position > 1 << 16) {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next message; call it until it says `needMore` or `broken`.
  package mutating func next() -> Outcome { decode() }

  fileprivate mutating func decode() -> Outcome {
    if let broken { return .broken(broken) }
    do throws(WireError) {
      while let frame = try nextFrame() {
        if frame.kind == MessageKind.part {
          try keep(frame.payload)
          continue
        }
        return try message(of: frame)
      }
      return .needMore
    } catch {
      broken = error
      buffer = []
      pieces = []
      position = 0
      return .broken(error)
    }
  }

  private typealias Frame = (kind: UInt16, payload: Range<Int>)

  private mutating func nextFrame() throws(WireError) -> Frame? {
    guard buffer.count - position >= 4 else { return nil }
    var length = 0
    for byte in buffer[position..<position + 4] { length = length << 8 | Int(byte) }
    guard length >= 2, length <= Wire.frameLimit else { throw .frameLength(length) }
    guard buffer.count - position - 4 >= length else { return nil }
    let start = position + 4
    position = start + length
    return (UInt16(buffer[start]) << 8 | UInt16(buffer[start + 1]), start + 2..<start + length)
  }

  private mutating func keep(_ payload: Range<Int>) throws(WireError) {
    let count = pieces.count + payload.count
    guard count <= messageLimit else { throw .messageLength(count) }
    pieces.append(contentsOf: buffer[payload])
  }

  private mutating func message(of frame: Frame) throws(WireError) -> Outcome {
    guard pieces.isEmpty else {
      try keep(frame.payload)
      let whole = pieces
      pieces = []
      return try Self.outcome(kind: frame.kind, whole[...])
    }
    return try Self.outcome(kind: frame.kind, buffer[frame.payload])
  }

  private static func outcome(kind: UInt16, _ payload: ArraySlice<UInt8>) throws(WireError) -> Outcome {
    let read = payload.withUnsafeBytes { bytes in
      Result { () throws(WireError) in try Message.read(kind: kind, payload: bytes) }
    }
    return try read.get().map(Outcome.message) ?? .skipped(kind: kind)
  }
}

extension FrameDecoder where Message == HookMessage {
  /// The next message of a hook. Not generic, so compiled for them: they may be thousands a second.
  package mutating func next() -> Outcome { decode() }
}

extension FrameDecoder.Outcome: Equatable where Message: Equatable {}
