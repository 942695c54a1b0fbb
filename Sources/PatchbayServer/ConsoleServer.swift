import Foundation
import NIOCore
import NIOPosix
import PatchbayStubs
import PatchbayWire
import Synchronization

/// The console's side of the links: the harness socket, the control socket beside it, and what is known through them.
/// All methods may be called from any thread; those that are not `async` return at once. Once started it must be
/// stopped, and after that it cannot be started again.
public final class ConsoleServer: Sendable {
  public let configuration: ServerConfiguration
  let core: ServerCore
  let delegate: (any ControlDelegate)?
  private let runtime = Mutex<Runtime?>(nil)
  /// One thread for all connections. It sleeps when nothing happens, and never ends: answers that are still being made
  /// when a server stops must find a loop to fail on.
  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// The user that peers must be; another one in tests.
  private let user: uid_t

  /// - Parameters:
  ///   - delegate: What controllers need of the rest of the console; without it they cannot ask for exchanges.
  ///   - sink: Takes the events.
  public convenience init(
    configuration: ServerConfiguration, delegate: (any ControlDelegate)? = nil, sink: @escaping ServerSink
  ) {
    self.init(configuration: configuration, delegate: delegate, user: geteuid(), sink: sink)
  }

  init(
    configuration: ServerConfiguration, delegate: (any ControlDelegate)?, user: uid_t, sink: @escaping ServerSink
  ) {
    self.configuration = configuration
    self.delegate = delegate
    self.user = user
    core = ServerCore(configuration, sink: sink)
  }

  /// Binds the sockets and begins to accept. Throws `ServerError`: a path too long, a folder missing or not writable,
  /// another console on the socket. The folder must exist; a socket file left by a killed console is taken over.
  public func start() async throws {
    try UnixAddress.check(configuration.socket)
    if let control = configuration.controlSocket { try UnixAddress.check(control) }
    let lock = try SocketLock(socket: configuration.socket)
    var runtime = Runtime(lock: lock)
    do {
      let harness = try OwnedSocket(path: configuration.socket)
      runtime.sockets.append(harness)
      try await listen(on: harness, runtime: &runtime, children: linkInitializer())
      if let path = configuration.controlSocket {
        let control = try OwnedSocket(path: path)
        runtime.sockets.append(control)
        try await listen(on: control, runtime: &runtime, children: controlInitializer())
      }
      let started = runtime
      self.runtime.withLock { $0 = started }
    } catch {
      await runtime.end()
      throw error
    }
  }

  private func listen(
    on socket: OwnedSocket, runtime: inout Runtime, children: @escaping @Sendable (any Channel) throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: Self.group)
      .serverChannelOption(.backlog, value: 256)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try children(channel) } }
    do {
      runtime.listeners.append(try await bootstrap.withBoundSocket(socket.descriptor).get())
      // Hooks that watch the folder tried when the file came, which was too early: this wakes them once more.
      chmod(socket.path, 0o600)
    } catch {
      throw ServerError.socket(path: socket.path, action: "listened on", reason: "\(error)")
    }
  }

  private func linkInitializer() -> @Sendable (any Channel) throws -> Void {
    let pushes = SharedPushes()
    let user = configuration.socketNamedByHand ? nil : user
    return { [core] channel in
      try channel.pipeline.syncOperations.addHandler(LinkHandler(core: core, pushes: pushes, user: user))
    }
  }

  private func controlInitializer() -> @Sendable (any Channel) throws -> Void {
    { [self] channel in
      try channel.pipeline.syncOperations.addHandler(ControlHandler(server: self, user: user))
    }
  }

  /// Takes what hooks have already sent, at most for that long: what a process said right before it ended is in.
  public func settle(within time: Duration = .seconds(1)) async {
    let clock = ContinuousClock()
    let end = clock.now + time
    repeat {
      guard await core.hasUnread() else { break }
      try? await Task.sleep(for: .milliseconds(2))
    } while clock.now < end
    await core.pump.flush()
  }

  /// Stops listening, takes what was already sent, closes all links (hooks release what they hold), removes the
  /// sockets, and returns when the sink has had everything. What had not ended is then `abandoned`.
  public func stop() async {
    guard var runtime = self.runtime.withLock({ $0.take() }) else { return }
    await runtime.stopListening()
    await settle()
    await core.closeAll()
    await core.pump.stop()
    core.state.withLock { $0.acknowledgements.giveUpAll() }
    await runtime.end()
  }

  private struct Runtime: Sendable {
    let lock: SocketLock
    var sockets: [OwnedSocket] = []
    var listeners: [any Channel] = []

    mutating func stopListening() async {
      for socket in sockets { socket.unlinkIfOurs() }
      for listener in listeners { try? await listener.close().get() }
      sockets = []
      listeners = []
    }

    mutating func end() async {
      await stopListening()
      lock.release()
    }
  }
}
