import Dispatch
import Synchronization

@testable import PatchbayLaunch

/// Starts a command and keeps what it says.
final class CommandRecorder: Sendable {
  private struct State {
    var output: [UInt8] = []
    var ended: [Int32] = []
    var waiting: [(test: @Sendable (String) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let started = Mutex<Command?>(nil)
  var command: Command { started.withLock { $0! } }

  init(
    _ arguments: [ByteString], streams: CommandLaunch.Streams = .terminal(columns: 80, rows: 24),
    environment: ChildEnvironment = .current(), path: String? = nil
  ) throws {
    let path = try path ?? CommandSearch.find(arguments[0].description, searchPath: environment["PATH"])
    let launch = CommandLaunch(path: path, arguments: arguments, environment: environment, streams: streams)
    // Not held by what it holds: a command keeps its descriptors for as long as it is there.
    let command = try Command.start(launch, queue: DispatchQueue(label: "test.command")) { [weak self] in
      self?.receive($0)
    }
    started.withLock { $0 = command }
  }

  convenience init(shell script: String, streams: CommandLaunch.Streams = .terminal(columns: 80, rows: 24)) throws {
    try self.init(["sh", "-c", ByteString(script)], streams: streams)
  }

  var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var ended: [Int32] { state.withLock { $0.ended } }

  /// Waits until the output so far fulfils `test`.
  func output(_ test: @escaping @Sendable (String) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if test(String(decoding: state.output, as: UTF8.self)) { return true }
        state.waiting.append((test, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  func output(containing text: String) async {
    await output { $0.contains(text) }
  }

  /// Waits for the event, and returns all output until then.
  func end() async -> (status: Int32, output: String) {
    while true {
      if let status = ended.first { return (status, output) }
      await Task.yield()
    }
  }

  private func receive(_ event: CommandEvent) {
    let ready = state.withLock { state in
      switch event {
      case .output(let bytes): state.output += bytes
      case .ended(let status): state.ended.append(status)
      }
      let text = String(decoding: state.output, as: UTF8.self)
      let ready = state.waiting.filter { $0.test(text) }
      state.waiting.removeAll { $0.test(text) }
      return ready
    }
    for waiting in ready { waiting.continuation.resume() }
  }
}
