import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbayWire

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
    case .noConsole, .severalConsoles: true
    default: false
    }
  }
}
