import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire

/// One hook's connection, on the event loop. Decodes what comes in and writes what the core has for it, one message
/// at a time, so that what a slow reader has not taken yet is as new as can be.
final class LinkHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// A connection that has not said hello by then is closed.
  private static let helloTime = TimeAmount.seconds(10)

  private let core: ServerCore
  private let pushes: SharedPushes
  /// Whom the peer must be; nil takes everyone.
  private let user: uid_t?
  private var decoder = FrameDecoder<HookMessage>()
  private var link: LinkID?
  private var isWriting = false
  private var isPaused = false
  private var isClosing = false
  private var helloTimer: Scheduled<Void>?
  private var reason: String?

  init(core: ServerCore, pushes: SharedPushes, user: uid_t?) {
    self.core = core
    self.pushes = pushes
    self.user = user
  }

  func channelActive(context: ChannelHandlerContext) {
    core.opened(context.channel)
    if let user, PeerCheck.user(of: context.channel) != user {
      refuse("A process of another user tried to link and was refused.", context: context)
      return
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    helloTimer = context.eventLoop.scheduleTask(in: Self.helloTime) {
      let (handler, context) = bound.value
      handler.refuse("The connection said no hello within 10 s.", context: context)
    }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    let buffer = unwrapInboundIn(data)
    decoder.feed(buffer.readableBytesView)
    take(bytes: buffer.readableBytes, context: context)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !isPaused { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    helloTimer?.cancel()
    if let link { core.unlink(link, reason: reason) }
    link = nil
    core.closed(context.channel)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event as? LinkSignal {
    case .send: write(context: context)
    case .resume:
      guard isPaused else { return }
      isPaused = false
      context.read()
    case .refuse(let sentence): refuse(sentence, context: context)
    case nil: context.fireUserInboundEventTriggered(event)
    }
  }

  private func take(bytes: Int, context: ChannelHandlerContext) {
    var messages: [HookMessage] = []
    var problem: WireError?
    var budget = YieldBudget(milliseconds: 10)
    reading: while true {
      switch decoder.next() {
      case .message(let message):
        if link == nil {
          guard greet(message, context: context) else { return }
        } else {
          messages.append(message)
          budget.step()
        }
      case .skipped: continue
      case .needMore: break reading
      case .broken(let error):
        problem = error
        break reading
      }
    }
    if let link, !core.receive(messages, bytes: bytes, from: link) { isPaused = true }
    if let problem { refuse(problem.description, context: context) }
  }

  /// Returns whether the link may go on.
  private func greet(_ message: HookMessage, context: ChannelHandlerContext) -> Bool {
    helloTimer?.cancel()
    helloTimer = nil
    guard case .hello(let hello) = message else {
      refuse("The connection began with something else than a hello: it is not a Patchbay hook.", context: context)
      return false
    }
    guard Wire.speaks(hello.version) else {
      refuse(WireError.otherVersion(hello.version).description, of: hello.process, context: context)
      return false
    }
    link = core.link(hello, channel: context.channel)
    write(context: context)
    return true
  }

  /// Says why to both sides, then closes.
  private func refuse(_ sentence: String, of process: HarnessProcess? = nil, context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    if link == nil { core.notice(sentence, of: process) } else { reason = sentence }
    var encoder = FrameEncoder()
    encoder.append(ConsoleMessage.refused(sentence))
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: encoder.bytes)))
      .whenComplete { _ in channel.close(promise: nil) }
    // A peer that does not read would keep the connection for ever.
    context.eventLoop.scheduleTask(in: .milliseconds(500)) { channel.close(promise: nil) }
  }

  private func write(context: ChannelHandlerContext) {
    guard !isWriting, !isClosing, let link, let next = core.outgoing(for: link) else { return }
    isWriting = true
    let bytes = pushes.bytes(of: next)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { result in
      let (handler, context) = bound.value
      handler.isWriting = false
      if case .success = result { handler.write(context: context) }
    }
  }
}
