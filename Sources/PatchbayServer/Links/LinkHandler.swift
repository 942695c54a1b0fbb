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

  /// What may come before hello has been understood, in bytes.
  private static let helloLimit = 1 << 16
  /// Who keeps the connections' thread busy for longer than that lets the other links have as much time before it is read
  /// on: twenty thousand stubs in one message take half a second.
  private static let turn = TimeAmount.milliseconds(5)
  /// How long a link that was replaced may take to be read to its end.
  private static let farewell = TimeAmount.seconds(1)

  private let server: ConsoleServer
  private let pushes: SharedPushes
  private let unfinished: UnfinishedMessages
  /// The users that the peer may be; nil is any.
  private let users: Set<uid_t>?
  private var decoder = FrameDecoder<HookMessage>()
  /// What `unfinished` was told last.
  private var unfinishedBytes = 0
  private var link: LinkID?
  /// There is something to write, once all that has come was read.
  private var wantsWrite = false
  /// How long the decoding of what was read last took.
  private var busy = TimeAmount.nanoseconds(0)
  private var isWriting = false
  private var isPaused = false
  private var isClosing = false
  private var helloTimer: Scheduled<Void>?
  private var reason: String?

  init(server: ConsoleServer, pushes: SharedPushes, unfinished: UnfinishedMessages, users: Set<uid_t>?) {
    self.server = server
    self.pushes = pushes
    self.unfinished = unfinished
    self.users = users
  }

  func channelActive(context: ChannelHandlerContext) {
    server.opened(context.channel)
    unfinished.opened()
    if let users, PeerCheck.user(of: context.channel).map(users.contains) != true {
      refuse("A process of another user tried to link and was refused (--trust-peer takes it).", context: context)
      return
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let time = server.configuration.limits.helloTime
    helloTimer = context.eventLoop.scheduleTask(in: TimeAmount(time)) {
      let (handler, context) = bound.value
      let seconds = String(format: "%g", time / .seconds(1))
      handler.refuse("The connection said no hello within \(seconds) s.", context: context)
    }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    let buffer = unwrapInboundIn(data)
    let begin = NIODeadline.now()
    decoder.feed(buffer.readableBytesView)
    decode(bytes: buffer.readableBytes, context: context)
    // One that was refused may be closed by now, and what it had waiting taken off already.
    if !isClosing { bound(context) }
    busy = busy + (NIODeadline.now() - begin)
  }

  /// Gives a message up where all links together have too much that has not come to its end.
  private func bound(_ context: ChannelHandlerContext) {
    if link == nil, decoder.unfinishedBytes > Self.helloLimit {
      return refuse("The connection said no hello: it is not a Patchbay hook.", context: context)
    }
    var bytes = decoder.unfinishedBytes
    if !unfinished.changed(from: unfinishedBytes, to: bytes) {
      decoder.giveUpMessage()
      if let link { server.leftOut(messageOf: link) }
      (bytes, unfinishedBytes) = (decoder.unfinishedBytes, bytes)
      _ = unfinished.changed(from: unfinishedBytes, to: bytes)
    }
    unfinishedBytes = bytes
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    defer { busy = .nanoseconds(0) }
    if wantsWrite { write(context: context) }
    guard !isPaused else { return }
    guard busy > Self.turn else { return context.read() }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: min(busy, .milliseconds(250))) {
      let (handler, context) = bound.value
      if !handler.isPaused, !handler.isClosing { context.read() }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    helloTimer?.cancel()
    if let link { server.unlink(link, reason: reason) }
    link = nil
    isClosing = true
    unfinished.closed(bytes: unfinishedBytes)
    decoder = FrameDecoder()
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
    case .replaced:
      // Its process has most likely closed it: what it sent is read to the end, which closes it here.
      isPaused = false
      context.read()
      let channel = context.channel
      context.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
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
        } else if let link, case .codeStubs(let stubs) = message, !stubs.isEmpty,
          !server.mayDeclare(bytes: decoder.lastMessageBytes, link: link)
        {
          continue
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
    // Not before what came with it was read: the other end may have gone.
    wantsWrite = true
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
    wantsWrite = false
    isWriting = true
    // Where the other end has gone, the write fails and the channel is closed with it; what was sent before is still read
    // if somebody waits for it.
    context.read()
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
