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

  /// Stubs are made of all at once; so many bytes of exchanges are taken for them at most.
  private static let gatheredLimit = 512 << 20

  /// A file (for bodies a folder) in the working directory that is not there yet.
  static func freePath(_ format: ExportFormat) -> String {
    if format == .bodies { return FreeName.stem("patchbay-bodies") }
    let ending = [.har: ".har", .curl: ".sh", .stubs: ".yaml", .swift: ".swift", .jsonl: ".jsonl"][format] ?? ".txt"
    return FreeName.stem("patchbay-export", endings: [ending]) + ending
  }

  /// Writes to a file, mode 0600, which appears when all is in it; bodies to files of a folder.
  ///
  /// - Returns: how many exchanges were written.
  func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, to path: String,
    progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> Int {
    if format == .bodies { return try await writeBodies(filter: filter, limit: limit, to: path, progress: progress) }
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
      guard let reason = Failure.reason(error) else { throw error }
      throw CLIError("\(path) cannot be written (\(reason)): free some space, or choose another file.")
    }
  }

  /// Hands the text over in pieces, oldest exchange first.
  func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, progress: @Sendable (Double) -> Void = { _ in },
    sink: (String) throws -> Void
  ) async throws -> Int {
    let query = HistoryQuery(history: history)
    let ids = try await query.ids(filter, limit: limit)
    var har = HARWriter(version: PatchbayVersion.text)
    var swift = SwiftSourceWriter()
    // The same request asked twice becomes one sequence, so all of them are needed together.
    var gathered = Gathered()
    if format == .har { try sink(har.beginning) }
    if format == .swift { try sink(swift.beginning) }
    try await query.each(ids, progress: progress) { exchange in
      let exchange = masked(exchange)
      switch format {
      case .har: try sink(har.entries(of: exchange))
      case .curl: try sink(CurlCommand.text(exchange.request) + "\n\n")
      case .jsonl: try sink(JSONLines.line(exchange) + "\n")
      case .swift: if let test = swift.test(of: exchange) { try sink("\n" + test) }
      case .stubs: try gathered.add(exchange, limit: Self.gatheredLimit)
      case .bodies: throw CLIError("Bodies are written to a folder: name it with -o DIR.")
      }
    }
    switch format {
    case .har: try sink(har.end)
    case .stubs: try sink(StubText.yaml(StubsExport.stubs(from: gathered.exchanges)))
    case .swift, .curl, .jsonl, .bodies: break
    }
    return ids.count
  }

  private func writeBodies(
    filter: Filter, limit: Int?, to path: String, progress: @Sendable (Double) -> Void
  ) async throws -> Int {
    let query = HistoryQuery(history: history)
    var folder = try BodyFolder(path)
    do {
      try await query.each(try await query.ids(filter, limit: limit), progress: progress) {
        try folder.write(masked($0))
      }
    } catch {
      if Task.isCancelled { folder.discard() }
      throw error
    }
    return folder.count
  }

  private func masked(_ exchange: Exchange) -> Exchange {
    withSecrets ? exchange : Redaction.standard.redacted(exchange)
  }
}

/// Exchanges that are needed together.
private struct Gathered {
  private(set) var exchanges: [Exchange] = []
  private var bytes = 0

  mutating func add(_ exchange: Exchange, limit: Int) throws {
    bytes += 1_000 + (exchange.request.body?.count ?? 0) + (exchange.response?.body?.count ?? 0)
    guard bytes <= limit else {
      throw CLIError(
        "This is too much for one stub file (\(exchanges.count) exchanges are \(limit >> 20) MiB): "
          + "narrow it with a filter, --since or --limit.")
    }
    exchanges.append(exchange)
  }
}
