import Foundation
import PatchbayServer

/// What the options ask to be done beside any face: the log, the expectations, the recording of stubs, the end when all
/// is quiet.
struct RunWatch {
  let bench: Workbench
  private let options: ConsoleOptions
  private let expectations: Expectations
  private let first: Int64
  private let log: JSONLog?

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
    if let record = options.record { try StubRecording.check(record) }
    let expectations = try Expectations(expect: options.expect, forbid: options.forbid)
    self.expectations = expectations
    first = bench.history.nextID
    log = try options.log.map { try JSONLog(path: $0, filter: bench.plan.filter) }
    if let log { bench.server.events.subscribe(.writing(to: log.descriptor)) { $0.forEach(log.take) } }
    bench.server.events.subscribe { $0.forEach(expectations.take) }
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
        try await StubRecording(history: bench.history).write(to: record, from: first)
      } catch {
        StandardError.say("\(error)")
        if status == ExitStatus.success { status = ExitStatus.failed }
      }
    }
    await bench.stop()
    if let silence = command?.silence { StandardError.say(silence) }
    let complaints = expectations.complaints
    for complaint in complaints { StandardError.say(complaint) }
    guard complaints.isEmpty else { return ExitStatus.broken }
    return status == ExitStatus.success && log?.isIncomplete == true ? ExitStatus.failed : status
  }
}
