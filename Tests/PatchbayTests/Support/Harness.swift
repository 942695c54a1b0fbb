import Foundation
import PatchbayTestSupport
import Testing

/// Runs a fixture and reads its transcript.
enum Harness {
  static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

  /// What the launcher sets for a command.
  static func preload(socket: String) -> [String: String] {
    [
      "LD_PRELOAD": BuiltProduct.folder.appendingPathComponent("libPatchbayPreload.so").path,
      "PATCHBAY_HOOK": BuiltProduct.folder.appendingPathComponent("libPatchbayHook.so").path,
      "PATCHBAY_SOCKET": socket,
    ]
  }

  /// What a fixture told, and how it ended.
  struct Transcript {
    /// The lines of each case by its name.
    var cases: [String: [String]] = [:]
    var status: Int32
    var text: String
  }

  /// The lines of each case by its name.
  static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws -> [String: [String]] {
    let transcript = try await transcript(of: program, arguments, environment)
    try #require(transcript.status == 0, "\(program) ended badly after:\n\(transcript.text.suffix(2_000))")
    return transcript.cases
  }

  static func transcript(
    of program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws -> Transcript {
    let folder = try TemporaryFolder()
    let output = folder.url.appendingPathComponent("out")
    // A folder of its own: a case counts the files that downloads leave there.
    let own = environment.merging(["TMPDIR": folder.url.path]) { given, _ in given }
    let program = try TestProgram(
      [BuiltProduct.path(program)] + arguments, environment: ProcessInfo.processInfo.environment.merging(own) { $1 },
      output: .file(output.path), errors: .nothing)
    // All cases take 45 to 50 s, hooked or not: most of them wait for something.
    let status = try await eventually("its end", timeout: .seconds(110) * Patience.factor) { program.exitStatus }
    let text = try String(contentsOf: output, encoding: .utf8)
    var transcript = Transcript(status: status, text: text)
    var name = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("== ") {
        name = String(line.dropFirst(3))
        transcript.cases[name] = []
      } else {
        transcript.cases[name, default: []].append(String(line))
      }
    }
    return transcript
  }
}
