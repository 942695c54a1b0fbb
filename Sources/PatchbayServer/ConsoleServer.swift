import Foundation
import NIOCore
import NIOPosix
import PatchbayStubs
import PatchbayWire
import Synchronization

/// The console's side of the links: the harness socket, the control socket beside it, and what is known through them.
/// All methods may be called from any thread; those that are not `async` return at once, but for changes of stubs whose
/// bodies lie in files (see `edit`). Once started it must be stopped, and after that it cannot be started again.
///
/// What is known is one value, `ServerState`, behind one lock. Nothing that may take long, and no foreign code, runs
/// under it: each link needs it to be read.
package final class ConsoleServer: Sendable {
  package let configuration: ServerConfiguration
  /// What happens, for all who want to know. What was there before a subscription began is not told again.
  package let events: EventBroadcaster
  let state: Mutex<ServerState>
  let bodies: StubBodies
  let delegate: (any ControlDelegate)?
  /// Called with each board before the links are told of it.
  let boardObserver = Mutex<(@Sendable (StubBoard) -> Void)?>(nil)
  private let runtime = Mutex<Runtime?>(nil)
  /// One thread for all links, and one for controllers, which get their answers however busy the links are. They sleep
  /// when nothing happens, and never end: answers that are still being made when a server stops must find a loop to fail
  /// on.
  private static let links = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private static let controllers = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// The user that peers must be; another one in tests.
  private let user: uid_t

  /// - Parameters:
  ///   - delegate: What controllers need of the rest of the console; without it they cannot ask for exchanges.
  ///   - masking: What the subscribers of `events` get instead of each exchange.
  package convenience init(
    configuration: ServerConfiguration, delegate: (any ControlDelegate)? = nil,
    masking: (@Sendable (Exchange) -> Exchange)? = nil
  ) {
    self.init(configuration: configuration, delegate: delegate, masking: masking, user: geteuid())
  }

  init(
    configuration: ServerConfiguration, delegate: (any ControlDelegate)?, masking: (@Sendable (Exchange) -> Exchange)?,
    user: uid_t, bodies: StubBodies = StubBodies()
  ) {
    self.configuration = configuration
    self.delegate = delegate
    self.user = user
    self.bodies = bodies
    state = Mutex(ServerState(configuration))
    events = EventBroadcaster(masking: masking)
    events.attach(self)
  }

  /// Binds the sockets and begins to accept. Throws `ServerError`: a path too long, a folder missing or not writable,
  /// another console on the socket. The folder must exist; a socket file left by a killed console is taken over.
  package func start() async throws {
    try UnixAddress.check(configuration.socket)
    if let control = configuration.controlSocket { try UnixAddress.check(control) }
    let lock = try SocketLock(socket: configuration.socket)
    var runtime = Runtime(lock: lock)
    do {
      let harness = try OwnedSocket(path: configuration.socket)
      runtime.sockets.append(harness)
      try await listen(
        on: harness, Self.links, leavesDescriptors: true, runtime: &runtime, children: linkInitializer())
      if let path = configuration.controlSocket {
        let control = try OwnedSocket(path: path)
        runtime.sockets.append(control)
        try await listen(
          on: control, Self.controllers, leavesDescriptors: false, runtime: &runtime, children: controlInitializer())
      }
      let started = runtime
      self.runtime.withLock { $0 = started }
    } catch {
      await runtime.end()
      throw error
    }
  }

  private func listen(
    on socket: OwnedSocket, _ group: MultiThreadedEventLoopGroup, leavesDescriptors: Bool, runtime: inout Runtime,
    children: @escaping @Sendable (any Channel) throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptGate(server: self, leavesSome: leavesDescriptors))
        }
      }
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
    let unfinished = UnfinishedMessages(limit: configuration.limits.unfinished)
    let users = peer.map { Set([$0, configuration.otherUser ?? $0]) }
    return { [self] channel in
      try channel.pipeline.syncOperations.addHandler(
        LinkHandler(server: self, pushes: pushes, unfinished: unfinished, users: users))
    }
  }

  private func controlInitializer() -> @Sendable (any Channel) throws -> Void {
    let user = peer
    return { [self] channel in
      try channel.pipeline.syncOperations.addHandler(ControlHandler(server: self, user: user))
    }
  }

  /// The user that peers must be; nil is any.
  private var peer: uid_t? { configuration.trustsPeers ? nil : user }

  /// Reads what hooks have already sent, at most for that long: what a process said right before it ended is in.
  ///
  /// - Parameter running: How long links are read whose processes all run. One that sends without end is not waited for: a
  ///   console is to obey SIGTERM within a second.
  package func settle(within time: Duration = .milliseconds(500), running: Duration? = nil) async {
    let clock = ContinuousClock()
    let began = clock.now
    while let unread = await unread() {
      let passed = began.duration(to: clock.now)
      guard passed < (unread == .ofEnded ? time : running ?? time) else { break }
      try? await Task.sleep(for: .milliseconds(2))
    }
    await events.flush()
  }

  /// Stops listening, reads what was already sent or gathered, closes all links (hooks release what they hold), removes the
  /// sockets, and returns when the subscribers have had everything. What had not ended is then `abandoned`.
  package func stop() async {
    guard var runtime = self.runtime.withLock({ $0.take() }) else { return }
    await runtime.stopListening()
    if state.withLock({ !$0.links.isEmpty }) { try? await Task.sleep(for: configuration.gathering) }
    await settle(running: .milliseconds(150))
    await closeAll()
    // What the console sends by itself has no connection that ends.
    state.withLock { $0.assembler.unlink(.console) }
    await events.stop()
    state.withLock { $0.acknowledgements.expireAll() }
    await runtime.end()
  }

  /// The sockets while the server runs.
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

  private enum Unread { case ofEnded, ofRunning }

  /// Whether a link has sent what was not read yet, or has gone and its end was not seen yet. Asked of the socket: the number
  /// of a process that sees others, as in a container, says nothing here.
  private func unread() async -> Unread? {
    var unread: Unread?
    for channel in state.withLock({ Array($0.channels.values) }) {
      let backlog = try? await channel.eventLoop.submit { PeerCheck.backlog(of: channel) }.get()
      if backlog?.hasEnded == true { return .ofEnded }
      if backlog?.unread ?? 0 > 0 { unread = .ofRunning }
    }
    return unread
  }

  /// Closes every connection and returns when all are.
  private func closeAll() async {
    let channels = state.withLock { Array($0.channels.values) }
    for channel in channels { channel.close(promise: nil) }
    for channel in channels { try? await channel.closeFuture.get() }
    // Handlers hear of the end after the future: one turn later they have.
    for channel in channels { _ = try? await channel.eventLoop.submit {}.get() }
  }

  /// Changes what is known, then has the subscribers told.
  func change<Result>(
    _ change: (inout sending ServerState) throws -> sending Result
  ) rethrows -> sending Result {
    let (result, hasPending) = try state.withLock { state in (try change(&state), state.hasPending) }
    if hasPending { events.signal() }
    return result
  }

  /// A sentence for the person; nil is the console itself.
  func notice(_ text: String, of process: HarnessProcess? = nil) {
    change { $0.pending.notice(text, of: process) }
  }

  func signal(_ signal: LinkSignal, to channels: [any Channel]) {
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(signal) }
  }

  /// Runs that on the connections' thread after a while, however busy subscribers are meanwhile; it must be brief.
  func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    Self.controllers.next().scheduleTask(in: .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000), work)
  }

  /// What is to be told now, and when bodies should be looked at again.
  func nextBatch() -> (events: [ServerEvent], wakesAt: Timestamp?) {
    state.withLock { state in (state.nextBatch(now: .now), state.assembler.nextSnapshot) }
  }

  /// The subscribers have the batch: links that had sent too much are read again. Returns whether there were any.
  func delivered() -> Bool {
    let resumed = state.withLock { state in state.delivered().compactMap { state.links[$0]?.channel } }
    signal(.resume, to: resumed)
    return !resumed.isEmpty
  }
}

extension LinkID {
  /// Stands for the console's own requests.
  static let console = LinkID(0)
}

extension HarnessProcess {
  /// The console, where it sends requests by itself.
  static let console = HarnessProcess(name: "patchbay", pid: getpid())
}
