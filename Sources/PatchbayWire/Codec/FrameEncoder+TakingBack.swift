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
