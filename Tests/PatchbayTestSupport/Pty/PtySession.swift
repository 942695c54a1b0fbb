import CLaunch
import Dispatch
import Foundation
import Synchronization

/// A real program in a pseudo terminal with an emulated screen: what a person at a terminal does and sees.
///
/// Every wait is for a condition, with a deadline; one that is missed throws an error that prints the screen.
/// The program and its group are killed when the session goes.
public final class PtySession: Sendable {
  /// The program's process id; it leads its session and group.
  public let process: pid_t
  /// The terminal's path, such as `/dev/pts/3`.
  public let terminalPath: String

  private let descriptor: OwnedDescriptor
  private let state: Mutex<PtyState>
  private let readQueue = DispatchQueue(label: "patchbay.test.pty.read")
  private let writeQueue = DispatchQueue(label: "patchbay.test.pty.write")
  /// Safe from any thread, as all of Dispatch's objects; it is set once, in `init`.
  nonisolated(unsafe) private let source: any DispatchSourceRead

  /// Starts `command` (an absolute path and its arguments) in a terminal.
  ///
  /// - Parameters:
  ///   - environment: all of the program's variables; `PtySession.environment(_:)` gives usual ones.
  ///   - redirect: files in the place of descriptors 0, 1 or 2, such as `[0: "/dev/null"]`.
  public init(
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
    source = DispatchSource.makeReadSource(fileDescriptor: spawned.master, queue: readQueue)
    source.setEventHandler { [weak self] in self?.drain() }
    // Held until the source has let go of it.
    source.setCancelHandler { _ = descriptor }
    source.resume()
    let child = spawned.process
    Thread.detachNewThread { [weak self] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      self?.ended(ExitStatus(waitStatus: status))
    }
  }

  private var master: Int32 { descriptor.number }

  deinit {
    state.withLock { if $0.exit == nil { kill(-process, SIGKILL) } }
    source.cancel()
  }

  /// A usual environment: xterm with 256 colours, UTF-8, this process's PATH and HOME, and `changes`; nil removes.
  public static func environment(_ changes: [String: String?] = [:]) -> [String: String] {
    let own = ProcessInfo.processInfo.environment
    var result = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "interactive=no,color=no"]
    for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR"] { result[name] = own[name] }
    for (name, value) in changes { result[name] = value }
    return result
  }

  /// The screen as it is now.
  public var screen: VTScreen { state.withLock { $0.screen } }
  /// Everything that the program wrote to the terminal.
  public var output: [UInt8] { state.withLock { $0.output } }
  /// How the program ended; nil while it runs.
  public var exitStatus: ExitStatus? { state.withLock { $0.exit } }

  /// Waits until the screen is as `condition` wants it and returns it.
  @discardableResult
  public func waitFor(
    _ what: String = "the screen", timeout: Duration = .seconds(20),
    _ condition: @escaping @Sendable (VTScreen) -> Bool
  ) async throws -> VTScreen {
    let found = try await wait(what, timeout) { state in
      condition(state.screen) ? state.screen : nil
    }
    return found
  }

  /// Waits until `text` stands on one row of the screen.
  @discardableResult
  public func waitFor(text: String, timeout: Duration = .seconds(20)) async throws -> VTScreen {
    try await waitFor("‘\(text)’", timeout: timeout) { $0.contains(text) }
  }

  /// Waits for the program's end; everything that it wrote is on the screen then.
  @discardableResult
  public func waitForExit(timeout: Duration = .seconds(20)) async throws -> ExitStatus {
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

  /// Reads all that is there; runs on the read queue.
  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(master, &buffer, buffer.count)
      if count > 0 {
        state.withLock { $0.received(buffer[..<count]) }
      } else if count < 0, errno == EINTR {
        continue
      } else {
        // The program's side is closed: without a reader's end the source would fire for ever.
        if count == 0 || errno == EIO { source.cancel() }
        return
      }
    }
  }

  private func ended(_ status: ExitStatus) {
    readQueue.async { [self] in
      drain()
      state.withLock { $0.ended(status) }
    }
  }
}

extension PtySession {
  /// Presses keys, by their names in the key bindings.
  public func send(_ keys: String...) throws {
    let mode = screen.modes.applicationCursor
    send(bytes: try keys.flatMap { try KeyBytes.encode($0, applicationCursor: mode) })
  }

  /// Types text as it is.
  public func type(_ text: String) {
    send(bytes: Array(text.utf8))
  }

  /// Pastes text, bracketed if the program asked for that.
  public func paste(_ text: String) {
    let isBracketed = screen.modes.bracketedPaste
    type(isBracketed ? "\u{1B}[200~\(text)\u{1B}[201~" : text)
  }

  /// Presses and releases a mouse button (0 left, 1 middle, 2 right; 64 and 65 are the wheel) at a cell, from 0.
  public func click(column: Int, row: Int, button: Int = 0) {
    let place = "\(button);\(column + 1);\(row + 1)"
    type(button >= 64 ? "\u{1B}[<\(place)M" : "\u{1B}[<\(place)M\u{1B}[<\(place)m")
  }

  /// Sends bytes; returns at once, they are written in order.
  public func send(bytes: [UInt8]) {
    writeQueue.async { [self] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var poller = pollfd(fd: master, events: Int16(POLLOUT), revents: 0)
          poll(&poller, 1, 100)
          if exitStatus != nil { return }
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  /// Changes the terminal's size; the program gets SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    state.withLock { $0.screen.resize(columns: columns, rows: rows) }
    _ = patchbay_pty_resize(master, UInt16(columns), UInt16(rows))
  }

  /// Takes the terminal away, as a closed window does: the program gets SIGHUP and reads the end.
  public func hangUp() {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    // The descriptor stays taken, so that nobody else's file gets its number meanwhile.
    dup2(nowhere, master)
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    close(nowhere)
  }

  /// Sends the program a signal.
  public func signal(_ number: Int32) {
    kill(process, number)
  }

  /// The terminal's settings (local, input and output flags), to see whether they are put back.
  public var terminalFlags: [UInt32] {
    var settings = termios()
    guard tcgetattr(master, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_lflag, settings.c_cflag]
  }
}
