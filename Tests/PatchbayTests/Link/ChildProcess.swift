import Foundation
import PatchbayTestSupport
import Synchronization

/// A child process with what it printed, for tests of whole programs.
final class ChildProcess: Sendable {
  private struct State {
    var output = Data()
    var ended = false
  }

  private let state = Mutex(State())
  private let process = Process()
  let pid: pid_t

  /// - Parameter product: One of the package's, or the path of another program.
  init(_ product: String, _ arguments: [String], socket: String? = nil, environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: product.hasPrefix("/") ? product : BuiltProduct.path(product))
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment
    variables["PATCHBAY_SOCKET"] = socket ?? "/proc/patchbay/nothing.sock"
    variables.merge(environment) { $1 }
    process.environment = variables
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    pid = process.processIdentifier
    let reading = pipe.fileHandleForReading
    Thread.detachNewThread { [self] in
      while let data = try? reading.read(upToCount: 4096), !data.isEmpty { state.withLock { $0.output += data } }
      state.withLock { $0.ended = true }
    }
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
    process.waitUntilExit()
    while !state.withLock({ $0.ended }) { usleep(1000) }
    return process.terminationStatus
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
