import NIOCore
import NIOHTTP1

/// Gathers one request, asks the API for the answer, and writes its pieces at their times.
final class DemoServerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let api = DemoAPI()
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
    case .body(let buffer):
      body += buffer.readableBytesView
    case .end:
      guard let head else { return }
      let answer = api.answer(method: head.method, uri: head.uri, headers: head.headers, body: body)
      self.head = nil
      body = []
      write(answer, to: head, context: context)
    }
  }

  private func write(_ answer: DemoAnswer, to request: HTTPRequestHead, context: ChannelHandlerContext) {
    let channel = context.channel
    let sized = answer.headers.contains { $0.name == "Content-Length" }
    let head = HTTPResponseHead(
      version: request.version, status: answer.status,
      headers: HTTPHeaders(answer.headers.map { ($0.name, $0.value) }))
    var at = TimeAmount.zero
    for (index, piece) in answer.pieces.enumerated() {
      at = at + TimeAmount(piece.after)
      let isLast = index == answer.pieces.count - 1
      channel.eventLoop.scheduleTask(in: at) {
        guard channel.isActive else { return }
        if index == 0 { channel.write(HTTPServerResponsePart.head(head), promise: nil) }
        if !piece.bytes.isEmpty {
          channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: piece.bytes))), promise: nil)
        }
        guard isLast else { return channel.flush() }
        let done = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !sized || !request.isKeepAlive { done.whenComplete { _ in channel.close(promise: nil) } }
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
