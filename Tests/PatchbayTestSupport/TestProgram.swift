import Foundation
import Synchronization

/// A program that a test starts, with what it says and an end that can be waited for, but not for ever. It leads a group of
/// its own, which is killed when this goes.
///
/// Foundation's `Process` sees an end only when all others that hold its socket have ended too, and reads without a limit.
package final class TestProgram: Sendable {
  package enum Input {
    case nothing
    /// From ``tell(_:)`` and ``endInput()``.
    case written
    case text(String)
    case file(String)
    /// It stays the caller's.
    case descriptor(Int32)
  }

  package enum Output {
    /// By ``line()`` and ``rest(within:)``.
    case read
    case inherited, nothing
    /// At its end.
    case file(String)
  }

  package let process: pid_t
  private let name: String
  private let status = Mutex<Int32?>(nil)
  /// Both ends of the pipe to it. The reading one stays open with us, so that nobody is killed who writes to a program that
  /// has ended.
  private let input: Mutex<Ends?>
  private let output: OwnedDescriptor
  private let unread = Mutex(Data())

  /// - Parameters:
  ///   - command: the path of the program, then its arguments.
  ///   - errors: where it is `.read` they are read with the output.
  package init(
    _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment, folder: String? = nil,
    input: Input = .nothing, output: Output = .read, errors: Output = .inherited
  ) throws {
    let written: Ends? = if case .written = input { try Ends() } else { nil }
    let read = try Ends()
    let text: OwnedDescriptor? = if case .text(let text) = input { try Self.file(of: text) } else { nil }
    name = command[0]
    self.input = Mutex(written)
    self.output = read.reading
    // Until it has them.
    defer { withExtendedLifetime((written, read, text)) {} }
    process = try ProgramStart.spawn(
      command, environment: environment, flags: Int16(POSIX_SPAWN_SETPGROUP), folder: folder
    ) { actions in
      switch input {
      case .nothing: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      case .written, .text: posix_spawn_file_actions_adddup2(&actions, (written?.reading ?? text)!.number, 0)
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, 0)
      case .file(let path): posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
      }
      for (number, stream) in [(Int32(1), output), (2, errors)] {
        switch stream {
        case .inherited: break
        case .read: posix_spawn_file_actions_adddup2(&actions, read.writing.number, number)
        case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
        case .file(let path):
          posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
      }
    }
  }

  deinit {
    guard exitStatus == nil else { return }
    kill(-process, SIGKILL)
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  private struct Ends {
    let reading, writing: OwnedDescriptor

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw PtyError.cannotStart("pipe", errno: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }
  }

  /// A file without a name: nobody waits for the other one, however long the text is.
  private static func file(of text: String) throws -> OwnedDescriptor {
    let path = NSTemporaryDirectory() + "patchbay-input-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    return OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC))
  }

  /// Runs one to its end.
  ///
  /// - Returns: what it said, on both streams where the errors are `.read`, and how it ended.
  package static func run(
    _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment, input: Input = .nothing,
    errors: Output = .inherited, within limit: Duration = Patience.usual
  ) throws -> (status: Int32, output: Data) {
    let program = try TestProgram(command, environment: environment, input: input, errors: errors)
    let output = try program.rest(within: limit)
    return (try program.end(within: limit), output)
  }
}

// MARK: What it reads and says

extension TestProgram {
  package func endInput() { input.withLock { $0 = nil } }

  /// Writes a line to it, and returns the line that it answers.
  package func tell(_ line: String) throws -> String {
    send(line)
    return try self.line()
  }

  package func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    input.withLock { _ = $0.map { write($0.writing.number, bytes, bytes.count) } }
  }

  /// The next line of its output, without its end.
  package func line() throws -> String {
    let deadline = ContinuousClock.now + Patience.usual
    while true {
      let line = unread.withLock { unread -> String? in
        guard let end = unread.firstIndex(of: 0x0a) else { return nil }
        defer { unread = Data(unread[unread.index(after: end)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      if let line { return line }
      guard try read(until: deadline) else { throw WaitedInVain(description: "\(name) ended before it said a line.") }
    }
  }

  /// All that it says until its output ends.
  package func rest(within limit: Duration = Patience.usual) throws -> Data {
    let deadline = ContinuousClock.now + limit
    while try read(until: deadline) {}
    return unread.withLock { unread in
      defer { unread = Data() }
      return unread
    }
  }

  /// False at the end of its output.
  private func read(until deadline: ContinuousClock.Instant) throws -> Bool {
    var poller = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
    let left = max(0, ContinuousClock.now.duration(to: deadline) / .milliseconds(1))
    let found = poll(&poller, 1, Int32(left))
    if found < 0, errno == EINTR { return true }
    guard found > 0 else { throw waitedInVain("for its output") }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(output.number, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    unread.withLock { $0 += bytes.prefix(count) }
    return true
  }

  private func waitedInVain(_ what: String) -> WaitedInVain {
    let said = unread.withLock { String(decoding: $0.suffix(2_000), as: UTF8.self) }
    return WaitedInVain(
      description: "waited in vain \(what). \(name) said: \(said)\n\(Processes.waits(of: process))")
  }
}

// MARK: Its end

extension TestProgram {
  package func signal(_ number: Int32) { kill(process, number) }

  /// As ``ProgramStart/status(of:)`` has it; nil while it runs.
  package var exitStatus: Int32? {
    status.withLock { status in
      if status == nil { status = ProgramStart.status(of: process) }
      return status
    }
  }

  /// Waits for its end.
  @discardableResult
  package func end(within limit: Duration = Patience.usual) throws -> Int32 {
    let deadline = ContinuousClock.now + limit
    while true {
      if let status = exitStatus { return status }
      guard ContinuousClock.now < deadline else { throw waitedInVain("for its end") }
      usleep(1_000)
    }
  }

  /// Kills it, and waits until it is gone.
  package func killAndWait() throws {
    signal(SIGKILL)
    try end()
  }
}
