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

  private let server: ConsoleServer
  private let user: uid_t
  private var buffer: [UInt8] = []
  /// How far the buffer has no line end.
  private var searched = 0
  private var session: ControlSession?
  private var waiting = 0

  init(server: ConsoleServer, user: uid_t) {
    self.server = server
    self.user = user
  }

  func channelActive(context: ChannelHandlerContext) {
    server.core.opened(context.channel)
    guard PeerCheck.user(of: context.channel) == user else {
      server.core.notice("A process of another user tried to control the console and was refused.")
      context.close(promise: nil)
      return
    }
    session = ControlSession(server: server, channel: context.channel)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let session else { return }
    buffer.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    var start = 0
    while let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = buffer[start..<end]
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        waiting += 1
        session.submit(Array(line))
      }
      start = end + 1
      searched = start
    }
    buffer.removeSubrange(..<start)
    searched = buffer.count
    guard buffer.count > server.configuration.limits.controlLine else { return }
    buffer = []
    searched = 0
    self.session = nil
    session.end(because: "The line is longer than \(server.configuration.limits.controlLine) bytes.")
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if waiting < Self.waitingLimit { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ControlSession.Answered else { return context.fireUserInboundEventTriggered(event) }
    waiting -= 1
    if waiting == Self.waitingLimit - 1 { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    session?.close()
    session = nil
    server.core.closed(context.channel)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
