import CLaunch
import Foundation
import PatchbaySystem

/// A program that is started beside the console: it has neither our terminal nor our life nor our descriptors, prints
/// nowhere, and has its signals as a shell would give them. Foundation's `Process` hands on the mask of the thread that
/// starts it, and those of Dispatch and of tasks block nearly all: such a child does not even end by SIGTERM.
struct BackgroundProgram: Sendable {
  private let process: pid_t

  /// Starts it in a group of its own, so that an interrupted command does not take it along; nil where that fails.
  ///
  /// - Parameter input: its standard input; /dev/null where there is none.
  static func start(_ path: String, _ arguments: [String], input: Int32? = nil) -> BackgroundProgram? {
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    guard launch_spawn_beside(&process, path, argv, envp, [input ?? -1, -1, -1], 1) == 0 else { return nil }
    return BackgroundProgram(process: process)
  }

  /// Waits for its end for at most that many seconds, then ends it. Returns whether it ended with 0.
  func succeeds(within seconds: Double) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachWithoutSignals { continuation.resume(returning: hasSucceeded(within: seconds)) }
    }
  }

  /// It runs as long as it likes.
  func leave() {
    let process = process
    Thread.detachWithoutSignals {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
  }

  private func hasSucceeded(within seconds: Double) -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status == 0 }
      if ended < 0, errno != EINTR { return false }
      guard ContinuousClock.now < limit else { break }
      usleep(2_000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return false
  }
}
