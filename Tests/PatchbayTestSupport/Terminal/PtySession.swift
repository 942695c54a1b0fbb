import CLaunch
import Dispatch
import Foundation
import Synchronization

/// A real program in a pseudo terminal with an emulated screen: what a person at a terminal does and sees.
///
/// Every wait is for a condition, with a deadline; one that is missed throws an error that prints the screen.
/// The program and all that it started are killed when the session goes.
package final class PtySession: Sendable {
  /// The program's process id; it leads its session and group.
  package let process: pid_t
  /// The terminal's path, such as `/dev/pts/3`.
  package let terminalPath: String

  private let descriptor: OwnedDescriptor
  let state: Mutex<PtyState>
  private let readQueue = DispatchQueue(label: "patchbay.test.pty.read")
  let writeQueue = DispatchQueue(label: "patchbay.test.pty.write")
  let watch: ReadWatch

  /// Starts `command` (an absolute path and its arguments) in a terminal.
  ///
  /// - Parameters:
  ///   - environment: all of the program's variables; `PtySession.environment(_:)` gives usual ones.
  ///   - redirect: files in the place of descriptors 0, 1 or 2, such as `[0: "/dev/null"]`.
  package init(
    _ command: [String], environment: [String: String] = PtySession.environment(), columns: Int = 80, rows: Int = 24,
    folder: String? = nil, redirect: [Int32: String] = [:]
  ) throws {
    let spawned = try PtySpawn(
      command, environment: environment, columns: columns, rows: rows, folder: folder, redirect: redirect)
    process = spawned.process
    terminalPath = spawned.slave
    let descriptor = OwnedDescriptor(spawned.master)
    self.descriptor = descriptor
    state = Mutex(PtyState(screen: VTScreen(columns: columns, rows: rows)))
    watch = try ReadWatch(descriptor)
    let queue = readQueue
    watch.start { [weak self] in queue.sync { self?.drain() ?? false } }
    let child = spawned.process
    Thread.detachNewThread { [weak self] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      self?.ended(ExitStatus(waitStatus: status))
    }
  }

  var master: Int32 { descriptor.number }

  deinit {
    guard state.withLock({ $0.exit == nil }) else { return }
    // What it started may be in sessions of its own.
    let started = Processes.descendants(of: process)
    kill(-process, SIGKILL)
    for process in started { kill(process, SIGKILL) }
  }

  /// A usual environment: xterm with 256 colours, UTF-8, this process's PATH and HOME, and `changes`; nil removes.
  package static func environment(_ changes: [String: String?] = [:]) -> [String: String] {
    let own = ProcessInfo.processInfo.environment
    var result = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "interactive=no,color=no"]
    for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", Leftovers.mark] { result[name] = own[name] }
    for (name, value) in changes { result[name] = value }
    return result
  }

  /// The screen as it is now.
  package var screen: VTScreen { state.withLock { $0.screen } }
  /// Everything that the program wrote to the terminal.
  package var output: [UInt8] { state.withLock { $0.output } }
  /// How the program ended; nil while it runs.
  package var exitStatus: ExitStatus? { state.withLock { $0.exit } }

  /// Waits until the screen is as `condition` wants it and returns it.
  @discardableResult
  package func waitFor(
    _ what: String = "the screen", timeout: Duration = Patience.usual,
    _ condition: @escaping @Sendable (VTScreen) -> Bool
  ) async throws -> VTScreen {
    let found = try await wait(what, timeout) { state in
      condition(state.screen) ? state.screen : nil
    }
    return found
  }

  /// Waits until `text` stands on one row of the screen.
  @discardableResult
  package func waitFor(text: String, timeout: Duration = Patience.usual) async throws -> VTScreen {
    try await waitFor("‘\(text)’", timeout: timeout) { $0.contains(text) }
  }

  /// Waits for the program's end; everything that it wrote is on the screen then.
  @discardableResult
  package func waitForExit(timeout: Duration = Patience.usual) async throws -> ExitStatus {
    try await wait("the end", timeout) { $0.exit }
  }

  private func wait<Value: Sendable>(
    _ what: String, _ timeout: Duration, _ condition: @escaping @Sendable (PtyState) -> Value?
  ) async throws -> Value {
    let waiter = PtyWaiter(what: what, condition: condition)
    let milliseconds = Int(timeout / .milliseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.state.withLock { $0.giveUp(waiter) }
    }
    return try await withCheckedThrowingContinuation { continuation in
      waiter.start(continuation)
      state.withLock { $0.add(waiter) }
    }
  }

  /// Reads all that is there, and whether more may come; runs on the read queue.
  @discardableResult
  private func drain() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(master, &buffer, buffer.count)
      if count > 0 {
        state.withLock { $0.received(buffer[..<count]) }
      } else if count < 0, errno == EINTR {
        continue
      } else {
        let isClosed = count == 0 || errno == EIO
        lookSoon()
        return !isClosed
      }
    }
  }

  /// The frame is whole when nothing more has come for a moment.
  private func lookSoon() {
    let arrival = state.withLock { $0.arrival }
    readQueue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.state.withLock { $0.look(after: arrival) }
    }
  }

  private func ended(_ status: ExitStatus) {
    readQueue.async { [self] in
      drain()
      state.withLock { $0.ended(status) }
    }
  }
}

/// What went wrong with a program in a pseudo terminal, with the screen as it was.
package enum PtyError: Error, CustomStringConvertible {
  case cannotStart(String, errno: Int32)
  case timedOut(waitingFor: String, screen: String)
  case ended(ExitStatus, waitingFor: String, screen: String)
  case unknownKey(String)

  package var description: String {
    switch self {
    case .cannotStart(let path, let errno): "cannot start \(path) in a pty: error \(errno)"
    case .timedOut(let what, let screen): "waited in vain for \(what); the screen:\n\(screen)\(Self.crash(screen))"
    case .ended(let status, let what, let screen):
      "ended (\(status)) while \(what) was awaited; the screen:\n\(screen)\(Self.crash(screen))"
    case .unknownKey(let name): "no key is called \(name)"
    }
  }
}

extension PtyError {
  /// What a crash has written where the sentence about it says: its folder goes with the test.
  private static func crash(_ screen: String) -> String {
    let line = screen.split(separator: "\n", omittingEmptySubsequences: false).joined()
    guard let place = line.range(of: "it happened is written to "),
      let end = line.range(of: ".log", range: place.upperBound..<line.endIndex),
      let log = try? String(contentsOfFile: String(line[place.upperBound..<end.upperBound]), encoding: .utf8)
    else { return "" }
    return "\nthe log:\n"
      + log.split(separator: "\n", omittingEmptySubsequences: false).suffix(200).joined(separator: "\n")
  }
}

/// How a process ended.
package enum ExitStatus: Hashable, Sendable {
  case exited(Int32)
  case signaled(Int32)

  /// From what `waitpid` gives.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .signaled(signal)
  }
}
