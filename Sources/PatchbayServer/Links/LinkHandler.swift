import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire
import Synchronization

/// One hook's connection, on the event loop. Decodes what comes in and writes what the server has for it, one message
/// at a time, so that what a slow reader has not taken yet is as new as can be.
final class LinkHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// A connection that has not said hello by then is closed.
  private static let helloTime = TimeAmount.seconds(10)

  private let server: ConsoleServer
  private let pushes: SharedPushes
  /// The user that the peer must be; nil is any user.
  private let user: uid_t?
  private var decoder = FrameDecoder<HookMessage>()
  private var link: LinkID?
  private var isWriting = false
  private var isPaused = false
  private var isClosing = false
  private var helloTimer: Scheduled<Void>?
  private var reason: String?

  init(server: ConsoleServer, pushes: SharedPushes, user: uid_t?) {
    self.server = server
    self.pushes = pushes
    self.user = user
  }

  func channelActive(context: ChannelHandlerContext) {
    server.opened(context.channel)
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
    decode(bytes: buffer.readableBytes, context: context)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !isPaused { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    helloTimer?.cancel()
    if let link { server.unlink(link, reason: reason) }
    link = nil
    server.closed(context.channel)
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

  private func decode(bytes: Int, context: ChannelHandlerContext) {
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
    if let link, !server.received(messages, bytes: bytes, from: link) { isPaused = true }
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
    link = server.link(hello, channel: context.channel)
    write(context: context)
    return true
  }

  /// Says why to both sides, then closes.
  private func refuse(_ sentence: String, of process: HarnessProcess? = nil, context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    if link == nil { server.notice(sentence, of: process) } else { reason = sentence }
    var encoder = FrameEncoder()
    encoder.append(ConsoleMessage.refused(sentence))
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: encoder.bytes)))
      .whenComplete { _ in channel.close(promise: nil) }
    // A peer that does not read would keep the connection for ever.
    context.eventLoop.scheduleTask(in: .milliseconds(500)) { channel.close(promise: nil) }
  }

  private func write(context: ChannelHandlerContext) {
    guard !isWriting, !isClosing, let link, let next = server.nextOutgoing(for: link) else { return }
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

/// The bytes of what links are told; the stubs that many links share are encoded once.
final class SharedPushes: Sendable {
  private let shared = Mutex<(revision: UInt64, bytes: ByteBuffer)?>(nil)

  func bytes(of message: OutgoingMessage) -> ByteBuffer {
    switch message {
    case .message(let message):
      return encode(message)
    case .stubs(let push, let isShared):
      guard isShared else { return encode(.stubs(push)) }
      if let known = shared.withLock({ $0 }), known.revision == push.set.revision { return known.bytes }
      let bytes = encode(.stubs(push))
      shared.withLock { $0 = (push.set.revision, bytes) }
      return bytes
    }
  }

  private func encode(_ message: ConsoleMessage) -> ByteBuffer {
    var encoder = FrameEncoder()
    encoder.append(message)
    return ByteBuffer(bytes: encoder.bytes)
  }
}
