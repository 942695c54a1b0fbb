import NIOCore
import NIOPosix
import PatchbayTestSupport

@testable import PatchbayServer

/// A controller that sends what it likes.
final class RawController: Sendable {
  private let state = SeenLock<(lines: [String], isClosed: Bool)>(([], false))
  private let connection = SeenLock<(any Channel)?>(nil)

  private init() {}

  static func connect(_ path: String, reads: Bool = true) async throws -> RawController {
    let controller = RawController()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reads)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let reader = LineReader(
            { line in controller.state.withLock { $0.lines.append(String(decoding: line, as: UTF8.self)) } },
            closed: { controller.state.withLock { $0.isClosed = true } })
          try channel.pipeline.syncOperations.addHandler(reader)
        }
      }
      .connect(unixDomainSocketPath: path).get()
    controller.connection.withLock { $0 = channel }
    return controller
  }

  private var channel: (any Channel)? { connection.withLock { $0 } }

  func read() async throws { try await channel?.setOption(.autoRead, value: true).get() }

  func send(_ text: String) { channel?.writeAndFlush(ByteBuffer(string: text), promise: nil) }

  func close() async { try? await channel?.close().get() }

  var lines: [String] { state.withLock { $0.lines } }
  var isClosed: Bool { state.withLock { $0.isClosed } }
}
