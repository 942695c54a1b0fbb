import Foundation
import NIOCore
import NIOPosix
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire

/// The hook's end of a link, made of the codec and a socket.
final class FakeHook: Sendable {
  private struct State {
    var messages: [ConsoleMessage] = []
    var isClosed = false
    var acknowledges = true
  }

  private let state = SeenLock(State())
  private let connection = SeenLock<(any Channel)?>(nil)

  private init() {}

  var channel: any Channel {
    guard let channel = connection.withLock({ $0 }) else { preconditionFailure("not connected") }
    return channel
  }

  /// Connects without saying anything. One that does not read leaves everything in the socket.
  static func connect(_ path: String, acknowledges: Bool = true, reads: Bool = true) async throws -> FakeHook {
    let hook = FakeHook()
    hook.state.withLock { $0.acknowledges = acknowledges }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reads)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(hook: hook))
        }
      }
      .connect(unixDomainSocketPath: path).get()
    hook.connection.withLock { $0 = channel }
    return hook
  }

  /// Connects and says hello.
  static func link(
    _ path: String, name: String = "demo", pid: Int32 = getpid(), instance: UInt64 = .random(in: 1 ... .max),
    executable: String? = nil, acknowledges: Bool = true, reads: Bool = true
  ) async throws -> FakeHook {
    let hook = try await connect(path, acknowledges: acknowledges, reads: reads)
    hook.send(
      .hello(
        Hello(
          process: HarnessProcess(name: name, pid: pid), executable: executable ?? "/bin/\(name)", parent: 1,
          entry: .attach, instance: instance, startedAt: .now)))
    return hook
  }

  func send(_ messages: HookMessage...) { send(messages) }

  func send(_ messages: [HookMessage]) {
    var encoder = FrameEncoder()
    for message in messages { encoder.append(message) }
    send(bytes: encoder.bytes)
  }

  func send(bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  /// Sends and returns when the system has taken the bytes.
  func sendAndWait(_ messages: [HookMessage]) async throws {
    var encoder = FrameEncoder()
    for message in messages { encoder.append(message) }
    try await channel.writeAndFlush(ByteBuffer(bytes: encoder.bytes)).get()
  }

  func close() async { try? await channel.close().get() }

  var messages: [ConsoleMessage] { state.withLock { $0.messages } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  var pushes: [StubPush] {
    messages.compactMap { if case .stubs(let push) = $0 { push } else { nil } }
  }

  var verdicts: [Verdict] {
    messages.compactMap { if case .verdict(let verdict) = $0 { verdict } else { nil } }
  }

  /// How many requests it was to send again.
  var replays: Int { messages.count { if case .replay = $0 { true } else { false } } }

  var refusals: [String] {
    messages.compactMap { if case .refused(let sentence) = $0 { sentence } else { nil } }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let hook: FakeHook
    private var decoder = FrameDecoder<ConsoleMessage>()

    init(hook: FakeHook) { self.hook = hook }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      decoder.feed(unwrapInboundIn(data).readableBytesView)
      while case .message(let message) = decoder.next() {
        let acknowledges = hook.state.withLock {
          $0.messages.append(message)
          return $0.acknowledges
        }
        guard acknowledges, case .stubs(let push) = message else { continue }
        var encoder = FrameEncoder()
        encoder.append(HookMessage.applied(revision: push.set.revision))
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: encoder.bytes)), promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { hook.state.withLock { $0.isClosed = true } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
