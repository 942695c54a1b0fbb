import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbaySystem
import PatchbayWire

/// Writes recorded exchanges in one of the formats, piece by piece, so that memory stays small whatever their number.
package struct Exporter: Sendable {
  private let history: HistoryStore
  /// Secrets are left as they are.
  private let withSecrets: Bool

  package init(history: HistoryStore, withSecrets: Bool = false) {
    self.history = history
    self.withSecrets = withSecrets
  }

  /// Only exchanges from this id on.
  var first: Int64 = 0
  /// Comments at the beginning of a stub file.
  var head: [String] = []
  /// How many seconds a pipe that nobody reads is waited for; nil is for ever.
  var patience: Double?

  private func context(bodyFolder: String?) -> ExportContext {
    ExportContext(version: PatchbayVersion.text, bodyFolder: bodyFolder) { [head] stubs in
      StubFile.yaml(
        stubs.map(\.stub), notes: Dictionary(stubs.map { ($0.stub.name, $0.notes) }) { first, _ in first }, head: head)
    }
  }

  /// A file or folder for that format in the working directory that is not there yet.
  package static func freePath(_ format: ExportFormat) -> String {
    let (stem, ending) = format.defaultName
    return FreePath.stem(stem, endings: [ending]) + ending
  }

  /// What came of it.
  package struct Outcome: Sendable {
    /// How many exchanges, or files of a folder, were written.
    package var count: Int
    /// A file that was there could be read by others, and is closed to them because of the secrets in it.
    package var closed: String?
    /// How many stubs, where they are what is written.
    package var stubs: Int?
  }

  /// Writes to a file, which appears when all is in it; or to a folder.
  package func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, to path: String,
    progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> Outcome {
    if case .folder(_, _, let files) = format.output {
      let folder = try await writeFiles(files, filter: filter, limit: limit, to: path, progress: progress)
      return Outcome(count: folder.count, closed: folder.closed)
    }
    do {
      let file = try OutputFile(path, access: withSecrets ? .secret : .kept, patience: patience)
      let folder = try OutputFile.isFile(path) ? Self.bodyFolder(path) : nil
      let (count, exporter) = try await write(
        format, filter: filter, limit: limit, bodyFolder: folder.map { Path.name(of: $0) }, progress: progress
      ) { try file.write($0) }
      if let folder, let files = exporter?.files, !files.isEmpty {
        var place = try ExportFolder(folder, isSecret: withSecrets)
        for file in files { try place.write(file) }
      }
      try file.commit()
      return Outcome(count: count, closed: file.isClosedToOthers ? path : nil, stubs: exporter?.stubCount)
    } catch let error as FileWriteError {
      throw RuntimeError("\(path) cannot be written (\(error.reason)): free some space, or choose another file.")
    }
  }

  /// Hands the text over in pieces, oldest exchange first.
  package func write(
    _ format: ExportFormat, filter: Filter, limit: Int? = nil, progress: @Sendable (Double) -> Void = { _ in },
    sink: (String) throws -> Void
  ) async throws -> Int {
    try await write(format, filter: filter, limit: limit, bodyFolder: nil, progress: progress, sink: sink).count
  }

  /// Where large bodies of a stub file go: `offline.bodies` beside `offline.yaml`.
  static func bodyFolder(_ path: String) -> String {
    let name = Path.name(of: path)
    let stem = name.lastIndex(of: ".").map { name[..<$0] }.flatMap { $0.isEmpty ? nil : String($0) } ?? name
    return Path.join(Path.folder(of: path), stem + ".bodies")
  }

  private func write(
    _ format: ExportFormat, filter: Filter, limit: Int?, bodyFolder: String?, progress: @Sendable (Double) -> Void,
    sink: (String) throws -> Void
  ) async throws -> (count: Int, exporter: (any ExchangeExporter)?) {
    let query = HistoryQuery(history: history)
    let ids = try await query.ids(filter, limit: limit).filter { $0 >= first }
    guard case .file(_, let make) = format.output else {
      guard ids.isEmpty else { throw RuntimeError("\(format.title) are written to a folder: name it with -o DIR.") }
      return (0, nil)
    }
    func write(_ text: String) throws {
      if !text.isEmpty { try sink(text) }
    }
    var exporter = make(context(bodyFolder: bodyFolder))
    try write(exporter.begin())
    try await query.each(ids, progress: progress) { try write(exporter.entry(masked($0))) }
    try write(exporter.end())
    return (ids.count, exporter)
  }

  private func writeFiles(
    _ files: (Exchange) -> [ExportedFile], filter: Filter, limit: Int?, to path: String,
    progress: @Sendable (Double) -> Void
  ) async throws -> ExportFolder {
    let query = HistoryQuery(history: history)
    var folder = try ExportFolder(path, isSecret: withSecrets)
    do {
      try await query.each(try await query.ids(filter, limit: limit), progress: progress) {
        for file in files(masked($0)) { try folder.write(file) }
      }
    } catch {
      if Task.isCancelled { folder.discard() }
      throw error
    }
    return folder
  }

  private func masked(_ exchange: Exchange) -> Exchange {
    withSecrets ? exchange : Redaction.standard.redacted(exchange)
  }
}

/// A folder that is filled with files of an export, such as `17-response-books.json`.
private struct ExportFolder {
  let path: String
  private(set) var count = 0
  /// The first file that others could read and no longer can.
  private(set) var closed: String?
  private let isSecret: Bool
  /// It was not there before.
  private let isNew: Bool

  /// Makes the folder, mode 0700, where it is missing.
  init(_ path: String, isSecret: Bool) throws {
    self.path = path
    self.isSecret = isSecret
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw RuntimeError("\(path) is a file: name a folder for the bodies with -o DIR.")
      }
      isNew = false
      return
    }
    isNew = true
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RuntimeError("The folder \(path) cannot be made: choose another with -o DIR.")
    }
  }

  /// Removes the folder, with what was written to it, unless it was there before.
  func discard() {
    if isNew { try? FileManager.default.removeItem(atPath: path) }
  }

  mutating func write(_ exported: ExportedFile) throws(RuntimeError) {
    let file = path + "/" + exported.name
    do {
      let output = try OutputFile(file, access: isSecret ? .secret : .kept, followsLinks: false)
      if output.isClosedToOthers, closed == nil { closed = file }
      try output.write(exported.data)
      try output.commit()
    } catch {
      throw RuntimeError("\(file) cannot be written (\(error.reason)): free some space, or choose another folder.")
    }
    count += 1
  }
}

/// Names in the working directory that nothing has yet.
enum FreePath {
  /// `name`, or `name` with the first number behind it (`name-2`), so that nothing is there with any of these endings.
  static func stem(_ name: String, endings: [String] = [""]) -> String {
    func isTaken(_ stem: String) -> Bool {
      endings.contains { FileManager.default.fileExists(atPath: stem + $0) }
    }
    guard isTaken(name) else { return name }
    var number = 2
    while isTaken("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }
}
