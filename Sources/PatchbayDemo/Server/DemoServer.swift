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
