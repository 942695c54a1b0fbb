import ArgumentParser
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbayWire

/// Which recorded exchanges a command is about.
struct HistorySelection: ParsableArguments {
  @Option(help: ArgumentHelp("The history; else the usual one.", valueName: "path")) var history: String?
  @Option(help: ArgumentHelp("At most that many, the newest.", valueName: "N")) var limit: Int?
  @Option(help: ArgumentHelp("Only what began after that: 10m, 2h, 2026-11-21T12:00:00Z.", valueName: "when"))
  var since: String?
  @Argument(help: ArgumentHelp("Only what fits; may begin with -.", valueName: "filter")) var filter: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 on.") }
  }

  /// The filter with `--since` in it.
  func parsedFilter() throws -> Filter {
    let parts = [filter.map { "(\($0))" }, since.map { "since:\($0)" }].compactMap { $0 }
    _ = try FilterArgument.parse(filter)
    return try FilterArgument.parse(parts.joined(separator: " "), option: "--since")
  }

  /// The history, only to be read: a console may have it open.
  func open() throws -> HistoryStore {
    try HistoryStore.open(.file(history.map(AbsolutePath.of) ?? PrivateFolders().history()), access: .read)
  }
}

/// `patchbay history [FILTER]`
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "history", abstract: "Print recorded exchanges.")

  @OptionGroup var selection: HistorySelection
  @Flag(help: "JSON Lines.") var json = false
  @Flag(help: "End with status 1 when nothing was found.") var exitStatus = false

  func run() async throws {
    let filter = try selection.parsedFilter()
    let store = try selection.open()
    let ids = try await HistoryQuery(history: store).ids(filter, limit: selection.limit)
    if json {
      for start in stride(from: 0, to: ids.count, by: 100) {
        for exchange in try await store.exchanges(ids: Array(ids[start..<min(ids.count, start + 100)])) {
          print(JSONLines.line(exchange))
        }
      }
    } else {
      try await printTable(ids, store)
    }
    if ids.isEmpty, exitStatus { throw ExitStatus.failed }
  }

  private func printTable(_ ids: [Int64], _ store: HistoryStore) async throws {
    for start in stride(from: 0, to: ids.count, by: 1_000) {
      var table = TextTable(heads: ["id", "time", "process", "method", "result", "size", "took", "by", "url"])
      for row in try await store.summaries(ids: Array(ids[start..<min(ids.count, start + 1_000)])) {
        table.rows.append([
          String(row.id), Moment.rfc3339(row.startedAt), "\(row.process.name) \(row.process.pid)", row.method,
          OneLine.result(row), row.status == nil ? "—" : Quantity.bytes(row.size),
          row.duration.map(Quantity.duration) ?? "—", row.stub ?? row.by.rawValue, row.url,
        ])
      }
      table.print()
    }
  }
}
