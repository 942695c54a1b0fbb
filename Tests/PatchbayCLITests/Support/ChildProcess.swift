import Foundation
import PatchbayTestSupport
import Synchronization

/// A program without a terminal. What it writes goes to files, so that every byte can be looked at; what it reads
/// comes from `send`, a file or nowhere. It leads a group of its own, which is killed when this goes.
final class ChildProcess: Sendable {
  enum Input {
    case nothing
    case file(String)
    /// From `send`, until `endInput`.
    case written
  }

  let name: String
  let pid: pid_t
  private let folder: TemporaryFolder
  private let status = Mutex<Int32?>(nil)
  /// The writing end of its standard input.
  private let input: Mutex<Int32>

  init(
    _ command: [String], environment: [String: String], input: Input = .nothing, folder workingFolder: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    name = URL(fileURLWithPath: command[0]).lastPathComponent
    var inputPath = "/dev/null"
    var writing: Int32 = -1
    switch input {
    case .nothing: break
    case .file(let path): inputPath = path
    case .written:
      inputPath = folder.file("in")
      mkfifo(inputPath, 0o600)
      // Both ends, so that nobody waits for the other one; its own end is the child's.
      writing = open(inputPath, O_RDWR | O_CLOEXEC)
    }
    self.input = Mutex(writing)
    let files = [inputPath, folder.file("out"), folder.file("err")]
    pid = try ProgramStart.spawn(
      command, environment: environment, flags: Int16(POSIX_SPAWN_SETPGROUP), folder: workingFolder
    ) { actions in
      for (number, path) in files.enumerated() {
        let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, Int32(number), path, flags, 0o600)
      }
    }
  }

  deinit {
    endInput()
    guard exitStatus == nil else { return }
    kill(-pid, SIGKILL)
    kill(pid, SIGKILL)
    var ignored: Int32 = 0
    waitpid(pid, &ignored, 0)
  }

  var outputBytes: Data { FileManager.default.contents(atPath: folder.file("out")) ?? Data() }
  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  var errors: String {
    String(decoding: FileManager.default.contents(atPath: folder.file("err")) ?? Data(), as: UTF8.self)
  }
  /// Whole lines of its output.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The exit status, or 128 + N by signal N; nil while it runs.
  var exitStatus: Int32? {
    status.withLock { status in
      if status == nil { status = ProgramStart.status(of: pid) }
      return status
    }
  }

  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    input.withLock { _ = write($0, bytes, bytes.count) }
  }

  func endInput() {
    input.withLock { input in
      if input >= 0 { close(input) }
      input = -1
    }
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for its end and returns the exit status.
  @discardableResult
  func end(timeout: Duration = Patience.usual) async throws -> Int32 {
    try await eventually("the end of \(name)", timeout: timeout, state: said) { exitStatus }
  }

  func waitFor(errors text: String) async throws {
    try await eventually("‘\(text)’ on its standard error", state: said) { errors.contains(text) }
  }

  func waitFor(lines count: Int, timeout: Duration = Patience.usual) async throws -> [String] {
    try await eventually("\(count) lines of output", timeout: timeout, state: said) {
      lines.count >= count ? lines : nil
    }
  }

  /// What it said, to be told when a test fails.
  var said: String { "\(name) said:\n\(output.suffix(2_000))\n--- and on standard error:\n\(errors.suffix(3_000))" }
}
