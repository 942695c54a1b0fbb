import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbaySystem
import PatchbayWire

/// Records the exchanges of an HTTP archive or of JSON Lines, piece by piece, so that memory stays small whatever its size.
package struct Importer: Sendable {
  private let history: HistoryStore
  /// At most that many, the first; nil is all.
  package var limit: Int?
  /// Only those that fit.
  package var filter = Filter.everything
  /// Secrets are masked before they are recorded.
  var redacts = false
  /// Whether the history said that something could not be written; then it is tried again before more is read.
  package var hasFailed: @Sendable () -> Bool = { false }

  package init(history: HistoryStore) { self.history = history }

  /// What came of it.
  package struct Outcome: Sendable {
    /// Those that were recorded, in the archive's order.
    package var ids: [Int64] = []
    /// Entries that were left out.
    package var bad: [BadEntry] = []
    /// Why the rest of the archive could not be read.
    package var failure: String?
    /// The task was cancelled before the end.
    package var isStopped = false
  }

  private static let piece = 1 << 20

  /// Returns early when the task is cancelled. What was recorded may not be written yet: see `HistoryStore.flush()`.
  ///
  /// - Parameter path: of the file; a leading `~/` is the person's home, and `-` is standard input.
  /// - Throws: a sentence where the file cannot be read at all, or why nothing more can be written.
  package func read(_ path: String, progress: @Sendable (Double) -> Void = { _ in }) async throws -> Outcome {
    let input: InputFile
    do {
      input = try InputFile(path == "-" ? path : AbsolutePath.of(path))
    } catch {
      throw RuntimeError("\(Self.name(path)) \(error.reason).")
    }
    let size = input.size ?? 0
    var outcome = Outcome()
    var reader: any ExchangeReader = HARReader()
    var done = 0
    do {
      var next: [UInt8]? = try OpenedFile.head(of: input)
      if let kind = next.flatMap(OpenedFile.Kind.init) {
        if kind == .history {
          throw StubError("It is a history: browse it with `patchbay open`, or name it with --history.")
        }
        reader = kind.reader
      }
      while !isFull(outcome), let bytes = next, !bytes.isEmpty {
        guard !Task.isCancelled else {
          outcome.isStopped = true
          break
        }
        try await record(try reader.read(Data(bytes)), &outcome)
        done += bytes.count
        progress(Double(done) / Double(max(1, size)))
        next = try input.next(upTo: Self.piece)
      }
      if !isFull(outcome), !outcome.isStopped { try await record(try reader.finish(), &outcome) }
    } catch let error as StubError {
      outcome.failure = error.description
    } catch let error as FileReadError {
      if error.kind == .cancelled { outcome.isStopped = true } else { outcome.failure = "It \(error.reason)." }
    }
    outcome.bad = reader.bad
    return outcome
  }

  private func record(_ found: [Exchange], _ outcome: inout Outcome) async throws {
    var exchanges = Array(found.filter { filter.matches($0) }.prefix((limit ?? .max) - outcome.ids.count))
    let first = history.reserveIDs(exchanges.count)
    for index in exchanges.indices {
      if redacts { exchanges[index] = Redaction.standard.redacted(exchanges[index]) }
      exchanges[index].id = first + Int64(index)
      // Those of the file are counted in its history, not in this one.
      exchanges[index].run = nil
    }
    outcome.ids += exchanges.map(\.id)
    if !history.record(exchanges) { await history.room() }
    if hasFailed() { try await history.flush() }
  }

  /// How a path is called in a sentence.
  package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private func isFull(_ outcome: Outcome) -> Bool { outcome.ids.count >= limit ?? .max }
}
