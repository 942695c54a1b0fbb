import ArgumentParser
import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbayWire

/// Which recorded exchanges a command is about.
struct HistorySelection: ParsableArguments {
  @Option(help: ArgumentHelp("The history; else the usual one.", valueName: "path"), completion: .file()) var history:
    String?
  @Option(parsing: .unconditional, help: ArgumentHelp("At most that many, the newest.", valueName: "N")) var limit: Int?
  @Option(help: ArgumentHelp("Only what began after that: 10m, 2h, 2026-11-21T12:00:00Z.", valueName: "when"))
  var since: String?
  @Argument(help: ArgumentHelp("Only what fits; may begin with -.", valueName: "filter")) var filter: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 on.") }
  }

  /// The filter with `--since` in it.
  func parsedFilter() throws -> Filter {
    let filter = filter.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    let parsed = try FilterArgument.parse(filter)
    guard let since else { return parsed }
    _ = try FilterArgument.since(since)
    // A word may have parentheses in it, and ends with a blank.
    let given = filter.map { "(\($0) )" }
    let parts = [given, "since:\(since)"].compactMap { $0 }
    return try FilterArgument.parse(parts.joined(separator: " "), option: "--since")
  }

  /// The history, only to be read: a console may have it open.
  func open() throws -> HistoryStore {
    try HistoryStore.open(.file(ConfigLoading.history(history)), access: .read)
  }
}

/// `patchbay history [FILTER]`
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Print recorded exchanges.",
    discussion: """
      With one console running, what it has recorded up to now, also when it keeps it in memory; else the usual history. \
      --history names a file, --socket a console.
      """)

  @OptionGroup var selection: HistorySelection
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "JSON Lines, with all that is recorded.") var json = false
  @Flag(help: "Leave secrets in URLs as they are.") var withSecrets = false
  @Flag(help: "End with status 1 when nothing was found.") var exitStatus = false

  func validate() throws {
    if console.socket != nil, selection.history != nil {
      throw ValidationError("Give --socket or --history, not both.")
    }
  }

  func run() async throws {
    let filter = try selection.parsedFilter()
    let source = try await RecordedSource.choose(console: console, selection: selection)
    let count = try await source.read(filter, limit: selection.limit, asJSON: json) { try show($0) }
    if count == 0, exitStatus { throw ExitCode.failure }
  }

  private func show(_ batch: RecordedSource.Batch) throws {
    switch batch {
    case .lines(let lines): for line in lines { print(line) }
    case .rows(let rows):
      Self.table(rows, isTerminal: TerminalWidth.output != nil, withSecrets: withSecrets).print()
    }
  }

  static func table(_ rows: [ExchangeSummary], isTerminal: Bool, withSecrets: Bool) -> TextTable {
    var table = TextTable(heads: ["id", "time", "process", "method", "result", "size", "took", "by", "url"])
    table.spare = ["by", "took", "process", "size", "time"]
    table.rows = rows.map { row in
      [
        String(row.id), isTerminal ? LocalTime.short(row.startedAt) : Moment.rfc3339(row.startedAt),
        "\(row.process.name) \(row.process.pid)", row.method,
        OneLine.result(row), row.status == nil ? "—" : Quantity.bytes(row.size),
        row.duration.map(Quantity.duration) ?? "—", row.stub ?? row.by.rawValue,
        withSecrets ? row.url : Redaction.standard.url(row.url),
      ]
    }
    return table
  }
}

/// Where `patchbay history` reads: a file, or the memory of a running console.
enum RecordedSource {
  case file(HistoryStore)
  case console(ControlClient)

  /// What is to be printed next.
  enum Batch {
    /// JSON, one exchange a line.
    case lines([String])
    case rows([ExchangeSummary])
  }

  /// A console that was named; else a file that was named; else what the only running console records; else the usual
  /// file.
  static func choose(console: ControlSocketOption, selection: HistorySelection) async throws -> RecordedSource {
    guard selection.history == nil else { return .file(try selection.open()) }
    let client: ControlClient
    do {
      client = try await console.connect()
    } catch let error as ServerError where console.socket == nil {
      if case .noAnswer = error { StandardError.say("\(error) What its file has is shown.") }
      guard error.isAboutNoSingleConsole else { throw error }
      return .file(try selection.open())
    }
    // Asking for none has what came up to now written.
    let reply = try await client.request("history", [.init("limit", .number("0"))])
    guard let path = reply["file"]?.text else { return .console(client) }
    return .file(try HistoryStore.open(.file(path), access: .read))
  }

  /// Hands out what fits, oldest first, and returns how many that were.
  func read(_ filter: Filter, limit: Int?, asJSON: Bool, show: (Batch) throws -> Void) async throws -> Int {
    switch self {
    case .file(let store): try await Self.read(store, filter, limit, asJSON, show)
    case .console(let client): try await Self.read(client, filter, limit, asJSON, show)
    }
  }

  private static func read(
    _ store: HistoryStore, _ filter: Filter, _ limit: Int?, _ asJSON: Bool, _ show: (Batch) throws -> Void
  ) async throws -> Int {
    let ids = try await HistoryQuery(history: store).ids(filter, limit: limit)
    let step = asJSON ? 100 : 1_000
    for start in stride(from: 0, to: ids.count, by: step) {
      let part = Array(ids[start..<min(ids.count, start + step)])
      if asJSON {
        try show(.lines(try await store.exchanges(ids: part).map(JSONLines.line)))
      } else {
        try show(.rows(try await store.summaries(ids: part)))
      }
    }
    return ids.count
  }

  private static func read(
    _ client: ControlClient, _ filter: Filter, _ limit: Int?, _ asJSON: Bool, _ show: (Batch) throws -> Void
  ) async throws -> Int {
    let limits = limit.map { [JSONValue.Member("limit", .number(String($0)))] } ?? []
    let reply = try await client.request("history", [.init("filter", .string(filter.text))] + limits)
    guard case .array(let exchanges)? = reply["exchanges"] else { return 0 }
    if asJSON {
      try show(.lines(exchanges.map(\.compact)))
    } else {
      try show(.rows(try exchanges.map { ExchangeSummary(try JSONLines.exchange(Data($0.compact.utf8))) }))
    }
    return exchanges.count
  }
}

extension ServerError {
  /// Whether there was no console, or more than one, to choose from.
  fileprivate var isAboutNoSingleConsole: Bool {
    switch self {
    case .noConsole, .severalConsoles, .noAnswer: true
    default: false
    }
  }
}
