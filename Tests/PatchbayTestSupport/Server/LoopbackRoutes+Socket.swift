extension LoopbackRoutes {
  /// A WebSocket (RFC 6455) that sends back what it is sent, message by message; with the name `close` it closes after
  /// the first, with `drop` it breaks off there.
  func webSocket(_ answer: ServerAnswer, _ name: String) {
    answer.head(
      101,
      [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept(answer.request)),
      ])
    var input: [UInt8] = []
    func take(_ count: Int) -> [UInt8]? {
      while input.count < count {
        let more = answer.socket.read(atMost: 4_096)
        if more.isEmpty { return nil }
        input += more
      }
      defer { input.removeFirst(count) }
      return Array(input.prefix(count))
    }
    while let start = take(2) {
      var length = Int(start[1] & 0x7f)
      if length == 126 { length = take(2).map { Int($0[0]) << 8 | Int($0[1]) } ?? 0 }
      guard let mask = take(4), let masked = take(length) else { return }
      let message = masked.enumerated().map { $1 ^ mask[$0 % 4] }
      let isClose = start[0] & 0x0f == 8
      if name == "drop" { return answer.drop() }
      if name == "close" || isClose {
        let code: [UInt8] = isClose ? message : [0x03, 0xe9]
        answer.raw([0x88, UInt8(code.count)] + code)
        return answer.drop()
      }
      guard message.count < 126, answer.raw([start[0], UInt8(message.count)] + message) else { return }
    }
  }

  /// Clients under test do not look at it.
  private func accept(_ request: ReceivedRequest) -> String { request.header("Sec-WebSocket-Key") ?? "" }
}
