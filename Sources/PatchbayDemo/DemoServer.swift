import NIOCore
import NIOHTTP1
import NIOPosix

/// The demo's HTTP server on loopback. It lives in the console's process and ends with it.
package final class DemoServer: Sendable {
  /// The port that the system chose.
  package let port: Int
  private let channel: any Channel

  private init(channel: any Channel, port: Int) {
    self.channel = channel
    self.port = port
  }

  /// Listens on 127.0.0.1 at a free port.
  ///
  /// - Throws: what the system says when no port can be bound.
  package static func start() async throws -> DemoServer {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
          try channel.pipeline.syncOperations.addHandler(DemoServerHandler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return DemoServer(channel: channel, port: channel.localAddress?.port ?? 0)
  }

  package func stop() async {
    try? await channel.close()
  }
}

/// Gathers one request, asks the API for the answer, and writes its pieces at their times.
private final class DemoServerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let api = DemoAPI()
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
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
