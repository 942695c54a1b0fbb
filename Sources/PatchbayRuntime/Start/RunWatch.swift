import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbaySystem
import PatchbayWire
import Synchronization

/// What the options ask to be done beside any face: the log, the checks and their report, the recording of stubs, the end when all
/// is quiet.
struct RunWatch {
  let bench: Workbench
  private let options: ConsoleOptions
  private let expectations: Expectations
  private let first: Int64
  private let log: JSONLog?
  private let startedAt = Date()

  /// Listens from now on.
  ///
  /// - Parameter isOutputFree: standard output is nobody else's, so that `--log -` may have it.
  /// - Throws: a sentence about an option that cannot be honoured.
  init(_ bench: Workbench, options: ConsoleOptions, isOutputFree: Bool) throws {
    self.bench = bench
    self.options = options
    if options.log == "-", !isOutputFree {
      throw RuntimeError("Standard output is taken: give --log a file, not -.")
    }
    if let record = options.record { try StubRecording(bench, options).check(record) }
    let expectations = try Expectations(
      expect: options.expect, forbid: options.forbid, stubsUsed: options.expectStubsUsed,
      withSecrets: options.withSecrets)
    if let report = options.report { try Self.check(report) }
    self.expectations = expectations
    first = bench.history.nextID
    log = try options.log.map { try JSONLog(path: $0, filter: bench.plan.filter, isSecret: !bench.plan.redacts) }
    if let sentence = log?.sentence { StandardError.say(sentence) }
    if let log { bench.server.events.subscribe(.writing(to: log.descriptor)) { $0.forEach(log.received) } }
    bench.server.events.subscribe { $0.forEach(expectations.received) }
  }

  /// Ends by itself when the options say so.
  func arm(_ end: EndCondition) {
    log?.onReaderGone { end.end(.signal(SIGPIPE)) }
    if let duration = options.duration { end.end(after: duration) }
    if let idle = options.untilIdle {
      end.end(idle: idle, on: bench.server.events, countsFromLink: bench.plan.mode == .listen)
    }
  }

  /// Stops the workbench, writes what was to be recorded, and says what was not as expected.
  ///
  /// - Returns: the status to end with.
  func finish(_ command: HookedCommand?, status: Int32) async throws -> Int32 {
    await bench.server.stop()
    var status = status
    if let record = options.record {
      do {
        try await StubRecording(bench, options).write(to: record, from: first)
      } catch {
        StandardError.say("\(error)")
        if status == ExitStatus.success { status = ExitStatus.failed }
      }
    }
    await bench.stop()
    let escaped = command?.escaped
    if let sentence = escaped ?? command?.silence { StandardError.say(sentence) }
    if escaped != nil, status == ExitStatus.success { status = ExitStatus.failed }
    let results = expectations.results(bench.server.board)
    for result in results {
      guard let complaint = result.complaint else { continue }
      StandardError.say(complaint)
      for detail in result.details { StandardError.say("  " + detail) }
    }
    if let path = options.report, !report(results, to: path), status == ExitStatus.success {
      status = ExitStatus.failed
    }
    guard results.allSatisfy({ $0.complaint == nil }) else { return ExitStatus.broken }
    return status == ExitStatus.success && log?.isIncomplete == true ? ExitStatus.failed : status
  }
}

// MARK: - The report of the checks

extension RunWatch {
  /// Looks whether the file could be written, since only the end would tell otherwise.
  private static func check(_ path: String) throws(RuntimeError) {
    do {
      try OutputFile.check(path)
    } catch {
      throw RuntimeError("\(error.path) cannot be written (\(error.reason)): choose another --report file.")
    }
  }

  /// - Returns: false where it could not be written, which is said.
  private func report(_ results: [Expectations.Result], to path: String) -> Bool {
    let report = JUnitReport(
      results: results, name: "patchbay checks", startedAt: startedAt, seconds: Date().timeIntervalSince(startedAt))
    do {
      try OutputFile.write(report.text.utf8, to: path)
      return true
    } catch {
      StandardError.say("the report \(error.path) could not be written (\(error.reason)).")
      return false
    }
  }
}

/// `--record FILE`: the stubs that would answer what was seen.
private struct StubRecording {
  private let history: HistoryStore
  /// What others have written may be replaced.
  private let isForced: Bool
  /// Secrets are left as they were recorded.
  private let withSecrets: Bool

  init(_ bench: Workbench, _ options: ConsoleOptions) {
    history = bench.history
    isForced = options.force
    withSecrets = options.withSecrets
  }

  /// The first line of a recording, by which the next one knows that nobody's work is lost.
  private static let mark = "# Recorded by patchbay"

  /// Looks whether the file could be written, since only the end would tell otherwise.
  func check(_ path: String) throws(RuntimeError) {
    do {
      try OutputFile.check(path)
    } catch {
      throw RuntimeError("\(error.path) cannot be written (\(error.reason)): choose another --record file.")
    }
    guard isForced || !Self.isForeign(path) else {
      throw RuntimeError(
        "\(path) was not written by --record: choose another file, or replace it with --force.")
    }
  }

  /// Whether somebody wrote there what a recording would destroy. A pipe or a device is only written to.
  private static func isForeign(_ path: String) -> Bool {
    guard let status = Path.status(path, following: true), status.isFile, status.size > 0,
      (try? OutputFile.isFile(path)) == true
    else { return false }
    guard let input = try? InputFile(path), let head = try? input.next(upTo: mark.utf8.count) else { return true }
    return !head.elementsEqual(mark.utf8)
  }

  /// Writes stubs of the exchanges from that id on, in place of the file if it is there.
  func write(to path: String, from first: Int64) async throws {
    try await history.flush()
    // Somebody may have written there while the program ran.
    let place = isForced || !Self.isForeign(path) ? path : FreePath.stem(path + ".recorded", endings: [""])
    if place != path {
      StandardError.say("\(path) was written by somebody else meanwhile, so the stubs go to \(place).")
    }
    var exporter = Exporter(history: history, withSecrets: withSecrets)
    exporter.first = first
    exporter.head = [
      String(Self.mark.dropFirst(2)),
      "The next --record replaces this file. Delete the line above to keep what you change here.",
    ]
    exporter.patience = 5
    let outcome = try await exporter.write(.stubs, filter: .everything, to: place)
    let count = outcome.stubs ?? 0
    StandardError.say("wrote \(count) stub\(count == 1 ? "" : "s") to \(place).")
    if let closed = outcome.closed { StandardError.say(OutputFile.sentence(closedToOthers: closed)) }
    if let size = Path.status(place, following: true)?.size, size > StubFile.sizeLimit {
      StandardError.say(
        "\(place) is larger than \(StubFile.sizeLimit >> 20) MiB, which --stubs does not read: record less at a time.")
    }
  }
}
