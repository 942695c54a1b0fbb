import Foundation
import NIOCore
import PatchbaySystem

/// Stands before a listening socket. While descriptors are short nobody is let in, and that is said: who comes waits in
/// the system's queue. Without it a connection that cannot be accepted is tried again at once, for ever, and what the
/// console opens besides (its history, files, a controller's connection) fails.
final class AcceptGate: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// Between two looks whether there is room again.
  private static let interval = TimeAmount.milliseconds(250)
  /// Being shut is not said again for so long after it was.
  private static let quiet = TimeAmount.seconds(30)

  /// The descriptors of the process, as they are asked for.
  struct Count: Sendable {
    var limit: @Sendable () -> Int = { Descriptors.limit }
    /// The number that the next one will have; nil where none is.
    var next: @Sendable () -> Int? = { Descriptors.next }
  }

  private let server: ConsoleServer
  private let descriptors: Count
  /// How many descriptors are left to others.
  private let reserve: Int
  private var isShut = false
  private var saidAt: NIODeadline?

  /// - Parameter leavesSome: descriptors are left for the rest of the console and for controllers.
  init(server: ConsoleServer, leavesSome: Bool, descriptors: Count = Count()) {
    self.server = server
    self.descriptors = descriptors
    let limit = descriptors.limit()
    reserve = leavesSome ? min(16, max(0, limit - (descriptors.next() ?? limit)) / 2) : 0
  }

  var hasRoom: Bool {
    guard let next = descriptors.next() else { return false }
    return next < descriptors.limit() - reserve
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    if !hasRoom { shut(context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch (error as? IOError)?.errnoCode {
    case EMFILE?, ENFILE?, ENOBUFS?, ENOMEM?: shut(context)
    default: context.fireErrorCaught(error)
    }
  }

  private func shut(_ context: ChannelHandlerContext) {
    guard !isShut else { return }
    isShut = true
    // The channel goes on trying otherwise: a read that has failed stays wanted.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    if saidAt.map({ NIODeadline.now() - $0 > Self.quiet }) ?? true {
      saidAt = .now()
      server.notice(
        "Descriptors are short (\(descriptors.limit()) may be open, see ulimit -n): who connects now waits until others go. "
          + "End some programs, or start the console with a higher limit.")
    }
    lookSoon(context)
  }

  private func lookSoon(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.interval) {
      let (gate, context) = bound.value
      guard context.channel.isActive else { return }
      guard gate.hasRoom else { return gate.lookSoon(context) }
      gate.isShut = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
