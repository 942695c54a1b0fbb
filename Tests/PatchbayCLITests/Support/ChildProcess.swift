import Foundation
import PatchbayTestSupport

/// A program without a terminal. What it writes goes to files, so that every byte can be looked at; what it reads
/// comes from `send`, a file or nowhere. It leads a group of its own, which is killed when this goes.
final class ChildProcess: Sendable {
  let name: String
  var pid: pid_t { program.process }
  private let folder: TemporaryFolder
  private let program: TestProgram

  init(
    _ command: [String], environment: [String: String], input: TestProgram.Input = .nothing,
    folder workingFolder: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    name = URL(fileURLWithPath: command[0]).lastPathComponent
    program = try TestProgram(
      command, environment: environment, folder: workingFolder, input: input, output: .file(folder.file("out")),
      errors: .file(folder.file("err")))
  }

  var outputBytes: Data { FileManager.default.contents(atPath: folder.file("out")) ?? Data() }
  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  var errors: String {
    String(decoding: FileManager.default.contents(atPath: folder.file("err")) ?? Data(), as: UTF8.self)
  }
  /// Whole lines of its output.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The exit status, or 128 + N by signal N; nil while it runs.
  var exitStatus: Int32? { program.exitStatus }

  func send(_ line: String) { program.send(line) }
  func endInput() { program.endInput() }
  func signal(_ number: Int32) { program.signal(number) }

  /// Waits for its end and returns the exit status.
  @discardableResult
  func end(timeout: Duration = Patience.usual) async throws -> Int32 {
    try await eventually("the end of \(name)", timeout: timeout, state: said + Processes.waits(of: pid)) { exitStatus }
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
