import Foundation
import PatchbayTestSupport
import Synchronization

/// A child process with what it printed, for tests of whole programs.
final class ChildProcess: Sendable {
  private struct State {
    var output = Data()
    var ended = false
    /// Once it has been asked for; nil while it runs.
    var status: Int32?
  }

  private let state = Mutex(State())
  let pid: pid_t

  /// - Parameter product: One of the package's, or the path of another program.
  init(_ product: String, _ arguments: [String], socket: String? = nil, environment: [String: String] = [:]) throws {
    let program = product.hasPrefix("/") ? product : BuiltProduct.path(product)
    var variables = ProcessInfo.processInfo.environment
    variables["PATCHBAY_SOCKET"] = socket ?? "/proc/patchbay/nothing.sock"
    variables.merge(environment) { $1 }
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    let end = writing.fileDescriptor
    pid = try ProgramStart.spawn([program] + arguments, environment: variables) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for stream: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, end, stream) }
    }
    try writing.close()
    Thread.detachNewThread { [self] in
      while let data = try? reading.read(upToCount: 4096), !data.isEmpty { state.withLock { $0.output += data } }
      state.withLock { $0.ended = true }
    }
  }

  deinit {
    guard state.withLock({ $0.status }) == nil else { return }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The last whole line so far.
  var lastLine: String {
    let end = String(decoding: state.withLock { $0.output.suffix(500) }, as: UTF8.self)
    return end.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.map(String.init) ?? ""
  }

  /// Waits until its output has ended (a child of its own may keep it open), and gives the status.
  func wait() -> Int32 {
    while true {
      let status = state.withLock { state -> Int32? in
        guard state.ended else { return nil }
        if state.status == nil { state.status = ProgramStart.status(of: pid) }
        return state.status
      }
      if let status { return status }
      usleep(1000)
    }
  }

  func waits(_ condition: (ChildProcess) -> Bool) -> Bool {
    let deadline = ContinuousClock.now + Patience.usual
    while !condition(self) {
      guard ContinuousClock.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  func signal(_ number: Int32) { kill(pid, number) }
}
