import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire

/// One controller's connection, on the event loop: cuts lines and hands them to the session in order.
final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How many lines may wait for their answer before the controller is no longer read.
  private static let waitingLimit = 32
  /// The same in bytes.
  private static let waitingBytesLimit = 16 << 20

  private let server: ConsoleServer
  /// The user that the peer must be; nil is any user.
  private let user: uid_t?
  private var lines = LineCutter()
  private var session: ControlSession?
  private var waiting = 0
  private var waitingBytes = 0

  init(server: ConsoleServer, user: uid_t?) {
    self.server = server
    self.user = user
  }

  func channelActive(context: ChannelHandlerContext) {
    server.opened(context.channel)
    if let user, PeerCheck.user(of: context.channel) != user {
      server.notice("A process of another user tried to control the console and was refused (--trust-peer takes it).")
      context.close(promise: nil)
      return
    }
    session = ControlSession(server: server, channel: context.channel)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let session else { return }
    lines.feed(unwrapInboundIn(data).readableBytesView) { line in
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
      waiting += 1
      waitingBytes += line.count
      session.submit(Array(line))
    }
    guard lines.unended > server.configuration.limits.controlLine else { return }
    lines = LineCutter()
    self.session = nil
    session.end(because: "The line is longer than \(server.configuration.limits.controlLine) bytes.")
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if mayRead { context.read() }
  }

  private var mayRead: Bool { waiting < Self.waitingLimit && waitingBytes < Self.waitingBytesLimit }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let answered = event as? ControlSession.Answered else { return context.fireUserInboundEventTriggered(event) }
    let couldRead = mayRead
    waiting -= 1
    waitingBytes -= answered.bytes
    if mayRead, !couldRead { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    session?.close()
    session = nil
    server.closed(context.channel)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The lines that come in on a connection.
final class LineReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var lines = LineCutter()
  private let line: ([UInt8]) -> Void
  private let closed: () -> Void

  init(_ line: @escaping ([UInt8]) -> Void, closed: @escaping () -> Void) {
    self.line = line
    self.closed = closed
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lines.feed(unwrapInboundIn(data).readableBytesView) { line(Array($0)) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    closed()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Cuts bytes into lines, in whatever pieces they come.
private struct LineCutter {
  private var buffer: [UInt8] = []
  /// How far the buffer has no line end.
  private var searched = 0

  /// How many bytes wait for their line end.
  var unended: Int { buffer.count }

  /// Calls with each line that has come to its end, without the line feed.
  mutating func feed(_ bytes: some Sequence<UInt8>, line: (ArraySlice<UInt8>) -> Void) {
    buffer.append(contentsOf: bytes)
    var start = 0
    while let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      line(buffer[start..<end])
      start = end + 1
      searched = start
    }
    buffer.removeSubrange(..<start)
    searched = buffer.count
  }
}
