import Foundation
import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Writes recorded exchanges in one of the formats, piece by piece, so that memory stays small whatever their number.
struct Exporter: Sendable {
  let history: HistoryStore
  /// Secrets are left as they are.
  var withSecrets = false

  /// How many exchanges are read at once.
  private static let batch = 100

  /// A file in the working directory that is not there yet.
  static func freePath(_ format: ExportFormat) -> String {
    let suffix = [.har: "har", .curl: "sh", .stubs: "yaml", .swift: "swift", .jsonl: "jsonl"][format] ?? "txt"
    let stem = "patchbay-export"
    let paths = ["\(stem).\(suffix)"] + (2...10_000).map { "\(stem)-\($0).\(suffix)" }
    return paths.first { !FileManager.default.fileExists(atPath: $0) } ?? paths[0]
  }

  /// Writes to a file, mode 0600, which appears when all is in it.
  ///
  /// - Returns: how many exchanges were written.
  func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, to path: String,
    progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> Int {
    let draft = "\(path).\(getpid()).new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CLIError("\(path) cannot be written (\(String(cString: strerror(errno)))): choose another file.")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      let count = try await write(format, filter: filter, limit: limit, progress: progress) {
        try file.write(contentsOf: Data($0.utf8))
      }
      guard rename(draft, path) == 0 else {
        throw CLIError("\(path) cannot be replaced (\(String(cString: strerror(errno)))): choose another file.")
      }
      return count
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Hands the text over in pieces, oldest exchange first.
  func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, progress: @Sendable (Double) -> Void = { _ in },
    sink: (String) throws -> Void
  ) async throws -> Int {
    let ids = try await HistoryQuery(history: history).ids(filter, limit: limit)
    var har = HARWriter(version: PatchbayVersion.text)
    // Stubs and tests are made of all at once: the same request asked twice becomes one sequence.
    var gathered: [Exchange] = []
    if format == .har { try sink(har.beginning) }
    for start in stride(from: 0, to: ids.count, by: Self.batch) {
      try Task.checkCancellation()
      let part = Array(ids[start..<min(ids.count, start + Self.batch)])
      for exchange in try await history.exchanges(ids: part) {
        let exchange = withSecrets ? exchange : Redaction.standard.redacted(exchange)
        switch format {
        case .har: try sink(har.entries(of: exchange))
        case .curl: try sink(CurlCommand.text(exchange.request) + "\n\n")
        case .jsonl: try sink(JSONLines.line(exchange) + "\n")
        case .stubs, .swift: gathered.append(exchange)
        }
      }
      progress(Double(start + part.count) / Double(max(1, ids.count)))
    }
    switch format {
    case .har: try sink(har.end)
    case .stubs: try sink(StubText.yaml(StubsExport.stubs(from: gathered)))
    case .swift: try sink(SwiftSource.text(gathered))
    case .curl, .jsonl: break
    }
    return ids.count
  }
}
