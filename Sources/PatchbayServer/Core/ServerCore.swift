import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire
import Synchronization

/// The shell around `ServerState`: takes what links, controllers and the screen want, and sees to it that links are
/// written to and the sink is told. Callable from any thread; never holds its lock while it calls others.
final class ServerCore: Sendable {
  let configuration: ServerConfiguration
  let state: Mutex<ServerState>
  let pump: EventPump
  /// Called with each board before the links are told of it.
  let beforeInForce = Mutex<(@Sendable (StubBoard) -> Void)?>(nil)

  init(_ configuration: ServerConfiguration, sink: @escaping ServerSink) {
    self.configuration = configuration
    state = Mutex(ServerState(configuration))
    pump = EventPump(sink: sink)
    pump.attach(self)
    state.withLock { $0.gatherer.link(.console, process: .console) }
  }

  /// Changes the state, then tells the sink and wakes the links that have something to be written.
  func change<Result>(
    _ change: (inout sending ServerState) throws -> sending Result
  ) rethrows -> sending Result {
    let (result, hasPending) = try state.withLock { state in (try change(&state), state.hasPending) }
    if hasPending { pump.signal() }
    return result
  }

  func notice(_ text: String, of process: HarnessProcess? = nil) {
    change { $0.pending.notice(text, of: process) }
  }

  func signal(_ signal: LinkSignal, to channels: [any Channel]) {
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(signal) }
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
