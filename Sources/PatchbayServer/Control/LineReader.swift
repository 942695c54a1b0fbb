import NIOCore

/// Cuts what comes in into lines.
final class LineReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var buffer: [UInt8] = []
  private var searched = 0
  private let line: ([UInt8]) -> Void
  private let closed: () -> Void

  init(_ line: @escaping ([UInt8]) -> Void, closed: @escaping () -> Void) {
    self.line = line
    self.closed = closed
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    buffer.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    var start = 0
    while let end = buffer[searched...].firstIndex(of: 0x0A) {
      line(Array(buffer[start..<end]))
      start = end + 1
      searched = start
    }
    buffer.removeSubrange(..<start)
    searched = buffer.count
  }

  func channelInactive(context: ChannelHandlerContext) {
    closed()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
