import Foundation
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

/// A program with nothing of Patchbay in it does more than 900 things with URLSession, bare and with the hook in it by
/// preload, a console attached: it must see the same.
@Suite(.disabled(if: Harness.isSanitized, "A sanitizer's runtime cannot be preloaded beside ours."))
struct UnchangedProgramTests {
  @Test func itCannotTell() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let console = FakeConsole()
    defer { console.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    async let asBare = Harness.run("plain-harness", [base])
    async let asHooked = Harness.run("plain-harness", [base], Harness.preload(socket: console.path))
    let (bare, hooked) = try await (asBare, asHooked)
    #expect(bare.count > 900)
    #expect(bare.keys.sorted() == hooked.keys.sorted())
    let ended = console.heard.filter { if case .exchange(let update) = $0 { update.end != nil } else { false } }
    #expect(ended.count > 200)
    for (name, lines) in bare.sorted(by: { $0.key < $1.key }) where hooked[name] != lines {
      try await compareAgain(name, base, console)
    }
  }

  @Test func aDormantHookChangesNothing() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let cases = ["handler /json", "delegate slow pieces", "download delegate /chain/1", "upload file async"]
    let bare = try await Harness.run("plain-harness", [base] + cases)
    let dormant = try await Harness.run(
      "plain-harness", [base] + cases, Harness.preload(socket: FakeConsole.freshPath()))
    #expect(bare == dormant)
    #expect(bare.count == cases.count)
  }

  /// A busy machine may cut a body elsewhere or let a pause pass, bare or not: once in three times both must see the
  /// same.
  private func compareAgain(_ name: String, _ base: String, _ console: FakeConsole) async throws {
    var last: ([String]?, [String]?) = (nil, nil)
    for _ in 0..<3 {
      let bare = try await Harness.run("plain-harness", [base, name])[name]
      let hooked = try await Harness.run("plain-harness", [base, name], Harness.preload(socket: console.path))[name]
      if bare == hooked, bare != nil { return }
      last = (bare, hooked)
    }
    Issue.record("“\(name)” differs.\nbare: \(last.0 ?? [])\nhooked: \(last.1 ?? [])")
  }
}

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

  /// The lines of each case by its name.
  static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws -> [String: [String]] {
    let folder = try TemporaryFolder()
    let output = folder.url.appendingPathComponent("out")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(program))
    process.arguments = arguments
    // A folder of its own: a case counts the files that downloads leave there.
    let own = environment.merging(["TMPDIR": folder.url.path]) { given, _ in given }
    process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    let ended = Mutex<Int32?>(nil)
    process.terminationHandler = { process in ended.withLock { $0 = process.terminationStatus } }
    try process.run()
    try await until(minutes: 5) { ended.withLock { $0 } != nil }
    let text = try String(contentsOf: output, encoding: .utf8)
    try #require(ended.withLock { $0 } == 0, "\(program) ended badly after:\n\(text.suffix(2_000))")
    var cases: [String: [String]] = [:]
    var name = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("== ") {
        name = String(line.dropFirst(3))
      } else {
        cases[name, default: []].append(String(line))
      }
    }
    return cases
  }
}
