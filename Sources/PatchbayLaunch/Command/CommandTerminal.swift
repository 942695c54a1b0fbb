import CLaunch
import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Our end of the command's own terminal. A thread of its own reads and writes it, and sleeps in `poll` meanwhile: a
/// dispatch source on a terminal whose other end hangs up and is closed was seen to crash inside libdispatch.
final class CommandTerminal: Sendable {
  static let readSize = 1 << 16
  static let mostUnsent = 1 << 20

  private struct State {
    var unsent: [UInt8] = []
    /// Set when the command has ended; reported once all that it had written has been.
    var endedStatus: Int32?
    /// Nobody wants the terminal any more.
    var isClosed = false
    /// Our end; -1 when it is closed.
    var master: Int32
    /// The command's end, kept open by us too while the command runs: one that sends all its output elsewhere closes
    /// its own, and may open the terminal again. -1 when it is closed.
    var kept: Int32 = -1
    /// What keeps the terminal if we are killed, as long as `master` is open.
    var keeper: Keeper?
  }

  /// The command's end.
  let path: String
  private let wakeUp: WakeUp
  private let queue: DispatchQueue
  private let events: @Sendable (CommandEvent) -> Void
  private let state: Mutex<State>

  init(
    columns: Int, rows: Int, queue: DispatchQueue, events: @escaping @Sendable (CommandEvent) -> Void
  ) throws(LaunchError) {
    wakeUp = try WakeUp()
    var master: Int32 = -1
    var name = [CChar](repeating: 0, count: 256)
    let code = launch_open_terminal(&master, &name, name.count, Self.cells(columns), Self.cells(rows))
    guard code == 0 else { throw .system("open a terminal for the command", code) }
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    state = Mutex(State(master: master))
    self.queue = queue
    self.events = events
  }

  /// Begins to read; the command has its end open by now.
  func begin(_ command: pid_t) {
    state.withLock { state in
      state.kept = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      state.keeper = Keeper(master: state.master, command: command)
    }
    DispatchQueue(label: "patchbay.command.terminal").async { [self] in run() }
  }

  /// Closes a terminal that was never begun.
  func discard() {
    state.withLock { Self.close(&$0) }
  }

  /// The command has ended: says so when what it had written has been reported.
  func commandEnded(status: Int32) {
    state.withLock { $0.endedStatus = status }
    wakeUp.ring()
  }

  func send(_ bytes: [UInt8]) -> Bool {
    let isTaken = state.withLock { state in
      guard state.master >= 0, !state.isClosed, state.unsent.count + bytes.count <= Self.mostUnsent else {
        return false
      }
      state.unsent += bytes
      return true
    }
    if isTaken { wakeUp.ring() }
    return isTaken
  }

  func resize(columns: Int, rows: Int) {
    state.withLock { state in
      if state.master >= 0 { _ = launch_resize_terminal(state.master, Self.cells(columns), Self.cells(rows)) }
    }
  }

  /// The group that the terminal has in its foreground, or nil.
  func foregroundGroup() -> pid_t? {
    state.withLock { state in
      guard state.master >= 0 else { return nil }
      let group = tcgetpgrp(state.master)
      return group > 1 ? group : nil
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.ring()
  }

  private func run() {
    while true {
      let (master, hasInput, endedStatus, isClosed) = state.withLock { state in
        defer { state.endedStatus = nil }
        return (state.master, !state.unsent.isEmpty, state.endedStatus, state.isClosed)
      }
      if let endedStatus {
        // Bounded, for what the command left running may write without an end.
        for _ in 0..<64 where !hasOutput || !readOnce() { break }
        state.withLock { Self.letGo(&$0) }
        queue.async { [events] in events(.ended(status: endedStatus)) }
        continue
      }
      if isClosed { break }
      var watched = [pollfd(fd: wakeUp.listener, events: Int16(POLLIN), revents: 0)]
      if master >= 0 {
        watched.append(pollfd(fd: master, events: Int16(hasInput ? POLLIN | POLLOUT : POLLIN), revents: 0))
      }
      guard poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
      if watched[0].revents != 0 { wakeUp.hush() }
      guard let ours = watched.dropFirst().first else { continue }
      if ours.revents & Int16(POLLOUT) != 0 { writeOnce() }
      if ours.revents & ~Int16(POLLOUT) != 0 { readOnce() }
    }
    state.withLock { Self.close(&$0) }
  }

  private var hasOutput: Bool {
    var watched = pollfd(fd: state.withLock { $0.master }, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) > 0
  }

  /// When there is something to be read. On the terminal's thread, which alone closes `master` once it runs. False if
  /// nothing came.
  @discardableResult private func readOnce() -> Bool {
    let master = state.withLock { $0.master }
    guard master >= 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    let count = buffer.withUnsafeMutableBytes { read(master, $0.baseAddress, $0.count) }
    if count > 0 {
      buffer.removeLast(buffer.count - count)
      queue.sync { [buffer] in events(.output(buffer)) }
      return true
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return errno == EINTR }
    // EIO: nobody has the other end open any more.
    state.withLock { Self.close(&$0) }
    return false
  }

  private func writeOnce() {
    state.withLock { state in
      guard state.master >= 0, !state.unsent.isEmpty else { return }
      let count = state.unsent.withUnsafeBytes { launch_write_terminal(state.master, $0.baseAddress, $0.count) }
      if count > 0 {
        state.unsent.removeFirst(count)
      } else if errno != EINTR, errno != EAGAIN {
        state.unsent = []
      }
    }
  }

  private static func close(_ state: inout State) {
    state.keeper?.end()
    state.keeper = nil
    if state.master >= 0 { _ = systemClose(state.master) }
    state.master = -1
    state.unsent = []
    letGo(&state)
  }

  private static func letGo(_ state: inout State) {
    if state.kept >= 0 { _ = systemClose(state.kept) }
    state.kept = -1
  }

  private static func cells(_ count: Int) -> UInt16 {
    UInt16(clamping: max(1, count))
  }
}

/// The system's `close`, which the class's own hides.
private func systemClose(_ file: Int32) -> Int32 { close(file) }

/// A small process that has a command's terminal in its hands too. As long as we live it only waits; when we are killed it
/// takes what the command writes and throws it away, so that the command goes on instead of being hung up, and ends when
/// nobody has the terminal any more.
struct Keeper {
  let process: pid_t
  private let leash: Int32

  /// nil where there is no shell to be had: then the command ends with us.
  ///
  /// - Parameter master: our end of the terminal.
  init?(master: Int32, command: pid_t) {
    var process: pid_t = 0
    var leash: Int32 = -1
    guard master >= 0, launch_keeper_start(&process, &leash, master, command) == 0 else { return nil }
    (self.process, self.leash) = (process, leash)
  }

  /// It is not needed any more. Once only.
  func end() {
    launch_keeper_end(process, leash)
  }
}
