import Foundation
import PatchbayFiles
import PatchbayLaunch
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// What is done beside a console's face, on a workbench that was never started.
@Suite("What is watched beside the console, and the status that it ends with", .bounded) final class RunWatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bench(_ options: ConsoleOptions) throws -> Workbench {
    let path = folder.path
    let folders = PrivateFolders { name in
      ["XDG_RUNTIME_DIR": path, "XDG_STATE_HOME": path + "/state", "XDG_CONFIG_HOME": path + "/config"][name]
    }
    return try Workbench(WorkbenchPlan(.run, options: options, config: ConfigFile(), folders: folders))
  }

  private func options(_ change: (inout ConsoleOptions) -> Void = { _ in }) -> ConsoleOptions {
    var options = ConsoleOptions()
    options.history = ":memory:"
    change(&options)
    return options
  }

  private func watch(_ options: ConsoleOptions, isOutputFree: Bool = true) throws -> RunWatch {
    try RunWatch(try bench(options), options: options, isOutputFree: isOutputFree)
  }

  /// The sentence with which it refuses; nil where it does not.
  private func refusal(_ options: ConsoleOptions, isOutputFree: Bool = true) async throws -> String? {
    let bench = try bench(options)
    let refusal: String?
    do {
      _ = try RunWatch(bench, options: options, isOutputFree: isOutputFree)
      refusal = nil
    } catch {
      refusal = "\(error)"
    }
    await bench.stop()
    return refusal
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = folder.path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  // MARK: Refusals

  @Test("standard output is given to the log only where nobody else has it") func logOnOutput() async throws {
    let taken = options { $0.log = "-" }
    #expect(try await refusal(taken) == nil)
    #expect(
      try await refusal(taken, isOutputFree: false) == "Standard output is taken: give --log a file, not -.")
    let file = options { $0.log = self.folder.path + "/log" }
    #expect(try await refusal(file, isOutputFree: false) == nil)
  }

  @Test("files that could not be written are refused at the beginning") func unwritable() async throws {
    let place = folder.path + "/no/file"
    let why = "\(place) cannot be written (No such file or directory): choose another"
    #expect(try await refusal(options { $0.record = place }) == why + " --record file.")
    #expect(try await refusal(options { $0.report = place }) == why + " --report file.")
    #expect(try await refusal(options { $0.log = place }) == why + " --log file.")
  }

  @Test("what somebody has written is not replaced by a recording unless that is forced") func foreign() async throws {
    let mark = "# Recorded by patchbay"
    for (text, isForeign) in [
      ("", false), (mark, false), (mark + "\nstubs: []\n", false), ("# Recorded by patchba", true),
      ("stubs: []\n", true),
      ("x" + mark, true), (mark.dropLast() + "x", true),
    ] as [(String, Bool)] {
      let path = try write(text, "stubs.yaml")
      let sentence = "\(path) was not written by --record: choose another file, or replace it with --force."
      #expect(try await refusal(options { $0.record = path }) == (isForeign ? sentence : nil), "\(text)")
      let forced = options {
        $0.record = path
        $0.force = true
      }
      #expect(try await refusal(forced) == nil)
      #expect(self.text(path) == text)
    }
    #expect(try await refusal(options { $0.record = "/dev/null" }) == nil)
    #expect(try await refusal(options { $0.record = self.folder.path + "/new.yaml" }) == nil)
    let nonsense = try await refusal(options { $0.expect = ["status:("] })
    #expect(nonsense?.hasPrefix("--expect “status:(” cannot be read at column") == true)
  }

  // MARK: The status

  @Test(
    "a broken check is status 3, whatever the status was, and a kept one leaves it",
    arguments: [0, 1, 7, 130] as [Int32])
  func checks(_ status: Int32) async throws {
    let broken = try watch(options { $0.expect = ["is:bad"] })
    #expect(try await broken.finish(nil, status: status) == 3)
    let kept = try watch(options { $0.forbid = ["is:bad"] })
    #expect(try await kept.finish(nil, status: status) == status)
    let one = try watch(
      options {
        $0.forbid = ["is:bad"]
        $0.expect = ["is:bad"]
      })
    #expect(try await one.finish(nil, status: status) == 3)
    let none = try watch(options())
    #expect(try await none.finish(nil, status: status) == status)
  }

  @Test(
    "a report that cannot be written makes a success a failure, and leaves any other status",
    arguments: [(0, 1), (1, 1), (7, 7), (130, 130)] as [(Int32, Int32)])
  func lostReport(_ status: Int32, _ expected: Int32) async throws {
    let place = folder.path + "/reports"
    func watch(_ check: (inout ConsoleOptions) -> Void = { _ in }) throws -> RunWatch {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let watch = try self.watch(
        options {
          $0.report = place + "/junit.xml"
          check(&$0)
        })
      try FileManager.default.removeItem(atPath: place)
      return watch
    }
    #expect(try await watch().finish(nil, status: status) == expected)
    #expect(try await watch { $0.expect = ["is:bad"] }.finish(nil, status: status) == 3)
    #expect(try await watch { $0.forbid = ["is:bad"] }.finish(nil, status: status) == expected)
  }

  @Test("a report is written with each check, kept or not, and leaves the status", arguments: [0, 7] as [Int32])
  func report(_ status: Int32) async throws {
    let path = folder.path + "/junit.xml"
    let kept = try watch(
      options {
        $0.report = path
        $0.forbid = ["is:bad"]
      })
    #expect(try await kept.finish(nil, status: status) == status)
    #expect(text(path)?.contains("name=\"patchbay checks\" tests=\"1\" failures=\"0\"") == true)
    let broken = try watch(
      options {
        $0.report = path
        $0.expect = ["is:bad"]
        $0.forbid = ["is:bad"]
      })
    #expect(try await broken.finish(nil, status: status) == 3)
    #expect(text(path)?.contains("name=\"patchbay checks\" tests=\"2\" failures=\"1\"") == true)
  }

  // MARK: Recording

  private func exchange(_ id: Int64, _ path: String) -> Exchange {
    .answered(id, "http://a.example\(path)", body: Data("answer".utf8))
  }

  @Test("what was seen since the beginning is recorded as stubs, and not what was there before") func recording()
    async throws
  {
    let path = folder.path + "/stubs.yaml"
    let options = options { $0.record = path }
    let bench = try bench(options)
    bench.history.record([exchange(bench.history.reserveIDs(1), "/before")])
    try await bench.history.flush()
    let watch = try RunWatch(bench, options: options, isOutputFree: true)
    bench.history.record([exchange(bench.history.reserveIDs(1), "/after")])
    #expect(try await watch.finish(nil, status: 0) == 0)
    let written = try #require(self.text(path))
    #expect(
      written.hasPrefix(
        "# Recorded by patchbay\n# The next --record replaces this file. Delete the line above to keep what you change here.\n"
      ), "\(written)")
    #expect(written.contains("/after") && !written.contains("/before"))
    // The next one may replace it.
    #expect(try await refusal(options) == nil)
  }

  @Test("what somebody wrote there meanwhile stays, and the stubs lie beside it", arguments: [false, true])
  func meanwhile(_ isForced: Bool) async throws {
    let path = folder.path + "/stubs.yaml"
    let watch = try watch(
      options {
        $0.record = path
        $0.force = isForced
      })
    _ = try write("stubs: [] # mine\n", "stubs.yaml")
    #expect(try await watch.finish(nil, status: 0) == 0)
    #expect((text(path) == "stubs: [] # mine\n") == !isForced)
    #expect(text(path + ".recorded")?.hasPrefix("# Recorded by patchbay\n") == (isForced ? nil : true))
  }

  @Test(
    "a recording that cannot be written makes a success a failure, and leaves any other status",
    arguments: [(0, 1), (1, 1), (7, 7)] as [(Int32, Int32)])
  func lostRecording(_ status: Int32, _ expected: Int32) async throws {
    let place = folder.path + "/stubs"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let watch = try watch(options { $0.record = place + "/stubs.yaml" })
    try FileManager.default.removeItem(atPath: place)
    #expect(try await watch.finish(nil, status: status) == expected)
  }
}
