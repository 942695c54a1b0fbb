import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbaySystem
import PatchbayWire
import Synchronization

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
        try await StubRecording(history: bench.history, isRedacted: bench.plan.redacts).write(to: record, from: first)
      } catch {
        StandardError.say("\(error)")
        if status == ExitStatus.success { status = ExitStatus.failed }
      }
    }
    await bench.stop()
    let escaped = command?.escaped
    if let sentence = escaped ?? command?.silence { StandardError.say(sentence) }
    if escaped != nil, status == ExitStatus.success { status = ExitStatus.failed }
    let complaints = expectations.complaints
    for complaint in complaints { StandardError.say(complaint) }
    guard complaints.isEmpty else { return ExitStatus.broken }
    return status == ExitStatus.success && log?.isIncomplete == true ? ExitStatus.failed : status
  }
}

/// `--expect` and `--forbid`: what must and must not happen until the end.
private final class Expectations: Sendable {
  private let expected: [Filter]
  private let forbidden: [Filter]
  private let seen: Mutex<Seen>

  private struct Seen {
    var met: Set<Int> = []
    /// The first exchange that broke each forbidden filter, as one line.
    var broken: [Int: String] = [:]
  }

  init(expect: [String], forbid: [String]) throws {
    expected = try expect.map { try FilterArgument.parse($0, option: "--expect") }
    forbidden = try forbid.map { try FilterArgument.parse($0, option: "--forbid") }
    seen = Mutex(Seen())
  }

  func received(_ event: ServerEvent) {
    guard case .exchanges(let exchanges) = event else { return }
    for exchange in exchanges where exchange.phase == .ended {
      for (index, filter) in expected.enumerated() where filter.matches(exchange) {
        seen.withLock { _ = $0.met.insert(index) }
      }
      for (index, filter) in forbidden.enumerated() where filter.matches(exchange) {
        seen.withLock { seen in
          if seen.broken[index] == nil { seen.broken[index] = "\(exchange.request.method) \(exchange.request.url)" }
        }
      }
    }
  }

  /// A sentence for each that was not kept.
  var complaints: [String] {
    let seen = seen.withLock { $0 }
    let missing = expected.indices.filter { !seen.met.contains($0) }.map {
      "no exchange fits --expect '\(expected[$0].text)'."
    }
    let broken = forbidden.indices.compactMap { index in
      seen.broken[index].map { "\($0) fits --forbid '\(forbidden[index].text)'." }
    }
    return missing + broken
  }
}

/// `--record FILE`: the stubs that would answer what was seen.
private struct StubRecording {
  let history: HistoryStore
  /// Secrets were masked before they were recorded.
  let isRedacted: Bool

  /// Looks whether the file could be written, since only the end would tell otherwise.
  static func check(_ path: String) throws(RuntimeError) {
    do {
      try OutputFile.check(path)
    } catch {
      throw refusal(error)
    }
  }

  private static func refusal(_ error: FileWriteError) -> RuntimeError {
    RuntimeError("\(error.path) cannot be written (\(error.reason)): choose another --record file.")
  }

  /// Writes stubs of the exchanges from that id on, in place of the file if it is there.
  func write(to path: String, from first: Int64) async throws {
    try await history.flush()
    let ids = try await HistoryQuery(history: history).ids(.everything, limit: nil).filter { $0 >= first }
    let stubs = StubsExport.stubs(from: try await history.exchanges(ids: ids))
    let isClosed: Bool
    do throws(FileWriteError) {
      isClosed = try OutputFile.write(StubFile.yaml(stubs).utf8, to: path, access: isRedacted ? .kept : .secret)
    } catch {
      throw Self.refusal(error)
    }
    StandardError.say("wrote \(stubs.count) stub\(stubs.count == 1 ? "" : "s") to \(path).")
    if isClosed { StandardError.say(OutputFile.sentence(closedToOthers: path)) }
  }
}
