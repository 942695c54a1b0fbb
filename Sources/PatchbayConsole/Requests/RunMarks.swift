import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// One run of the history: what was recorded from a console's start to its end.
package struct RunRow: Sendable, Equatable {
  /// From 1, as `run:` names it.
  package var number: Int64
  package var startedAt: Timestamp
  /// The program that asked first; nil where none has yet.
  package var process: HarnessProcess?
  /// The lowest id that it has, or will have.
  package var first: Int64
  /// How many requests are recorded of it; nil where that changes.
  package var count: Int?

  package init(number: Int64, startedAt: Timestamp, process: HarnessProcess?, first: Int64, count: Int?) {
    self.number = number
    self.startedAt = startedAt
    self.process = process
    self.first = first
    self.count = count
  }
}

/// Where in a list of rising ids one run ends and the next begins.
struct RunMarks: Sendable {
  /// By rising ids.
  private let runs: [RunRow]

  init(_ runs: [RunRow] = []) { self.runs = runs.sorted { $0.first < $1.first } }

  /// The run of an exchange.
  func run(of id: Int64) -> RunRow? {
    let next = runs.partitioningIndex { $0.first > id }
    return next > 0 ? runs[next - 1] : nil
  }

  /// Whether two exchanges are of different runs.
  func part(_ one: Int64, _ other: Int64) -> Bool {
    runs.count > 1 && run(of: one)?.number != run(of: other)?.number
  }
}

/// What stands in a line of the list.
enum ListLine: Equatable {
  /// The head of a run.
  case run(RunRow)
  /// The request at a place of the order.
  case request(Int)
}

extension RunRow {
  /// `run 2 · 20 Nov 11:29 · app 1605 · 4,716 requests`
  func title(now: Timestamp, utcOffset: Int) -> String {
    var parts = ["run \(number)", Wording.moment(startedAt, now: now, utcOffset: utcOffset, fraction: false)]
    if let process { parts.append("\(shown(process.name)) \(process.pid)") }
    if let count { parts.append(Wording.count(count, "request")) }
    return parts.joined(separator: " · ")
  }
}
