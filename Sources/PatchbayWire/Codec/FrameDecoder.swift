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
  /// The message under way was given up: what comes of it is skipped.
  private var isGivingUp = false
  /// The frame that is being skipped, and how many of its bytes have not come.
  private var skipped: (kind: UInt16, left: Int)?
  private let messageLimit: Int

  /// A larger buffer is given back once it is empty: who sent one large frame may send small ones for ever.
  private static var keptCapacity: Int { 1 << 18 }

  package init() { self.init(messageLimit: Wire.messageLimit) }

  init(messageLimit: Int) { self.messageLimit = messageLimit }

  /// Takes in the next bytes of the link; a broken decoder forgets them.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    guard broken == nil else { return }
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
      position = 0
    } else if position > 1 << 16 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// How many bytes the last message had.
  package private(set) var lastMessageBytes = 0

  /// How many bytes wait for the rest of their message.
  package var unfinishedBytes: Int { buffer.count - position + pieces.count }

  /// Forgets the message that has begun, once `next` has said `needMore`. Its rest is skipped as it comes and takes no
  /// memory, with `skipped` at its end; the messages after it are read as ever.
  package mutating func giveUpMessage() {
    guard unfinishedBytes > 0 else { return }
    isGivingUp = true
    pieces = []
    // What has come of its frame.
    _ = try? skipMessage()
    if position == buffer.count {
      buffer = []
      position = 0
    }
  }

  /// The next message; call it until it says `needMore` or `broken`.
  package mutating func next() -> Outcome { decode() }

  fileprivate mutating func decode() -> Outcome {
    if let broken { return .broken(broken) }
    do throws(WireError) {
      if isGivingUp { return try skipMessage().map { .skipped(kind: $0) } ?? .needMore }
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
    guard let length = try nextLength(), buffer.count - position - 4 >= length else { return nil }
    let start = position + 4
    position = start + length
    return (kind(at: start), start + 2..<start + length)
  }

  /// How long the next frame is, behind its length; nil where that has not come.
  private func nextLength() throws(WireError) -> Int? {
    guard buffer.count - position >= 4 else { return nil }
    var length = 0
    for byte in buffer[position..<position + 4] { length = length << 8 | Int(byte) }
    guard length >= 2, length <= Wire.frameLimit else { throw .frameLength(length) }
    return length
  }

  private func kind(at place: Int) -> UInt16 { UInt16(buffer[place]) << 8 | UInt16(buffer[place + 1]) }

  /// Skips what has come of the message that was given up. Returns its kind when that was all of it.
  private mutating func skipMessage() throws(WireError) -> UInt16? {
    while true {
      if let (kind, left) = skipped {
        let count = min(left, buffer.count - position)
        position += count
        skipped = (kind, left - count)
        guard count == left else { return nil }
        skipped = nil
        guard kind == MessageKind.part else {
          isGivingUp = false
          return kind
        }
      }
      guard let length = try nextLength(), buffer.count - position >= 6 else { return nil }
      skipped = (kind(at: position + 4), length - 2)
      position += 6
    }
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
      lastMessageBytes = whole.count
      return try Self.outcome(kind: frame.kind, whole[...])
    }
    lastMessageBytes = frame.payload.count
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
