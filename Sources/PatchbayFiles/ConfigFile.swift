import Foundation
import PatchbayStubs
import PatchbaySystem

/// The person's `config.yaml`. What is not given is nil or empty.
package struct ConfigFile: Hashable, Sendable {
  /// The name of a theme.
  package var theme: String?
  /// Keys for commands, in place of the usual ones.
  package var keys: [String: [String]] = [:]
  /// Whether the mouse is used.
  package var mouse: Bool?
  /// How far hosts are intercepted, a glob each; the first that fits counts.
  package var hosts: [HostRule] = []
  /// The columns of the request list.
  package var columns: [String] = []
  package var history = History()
  package var unmatched: StubSet.Unmatched?
  /// Mask secrets before they are recorded.
  package var redact: Bool?
  /// Stub files, as absolute paths.
  package var stubs: [String] = []
  package var keepStubs: Bool?
  package var timeoutsRunWhileHeld: Bool?
  /// How many bytes of each body are recorded.
  package var bodyLimit: Int?
  /// A filter to begin with.
  package var filter: String?
  /// Where the keys of `keys` stand, so that a clash can be told with its place.
  package var keyPositions: [String: SourcePosition] = [:]
  /// Where the values of `theme` and `filter` stand, for what can be wrong with them that the file alone does not tell.
  package var positions: [String: SourcePosition] = [:]

  package struct HostRule: Hashable, Sendable {
    package var host: String
    package var degree: Degree
  }

  package enum Degree: String, Hashable, Sendable, CaseIterable {
    case full
    case observe
    case bypass
  }

  package struct History: Hashable, Sendable {
    /// Absolute, or `:memory:`.
    package var path: String?
    /// How many exchanges are kept.
    package var count: Int?
    /// How many bytes are kept.
    package var size: Int?
  }

  package init() {}

  /// The keys that the file may have.
  package static let knownKeys = [
    "theme", "keys", "mouse", "hosts", "columns", "history", "unmatched", "redact", "stubs", "keepStubs",
    "timeoutsRunWhileHeld", "bodyLimit", "filter",
  ]

  /// Reads the file; the error has all its mistakes.
  ///
  /// - Parameters:
  ///   - commands: the names that may stand under `keys`; nil does not check them.
  ///   - columns: the names that may stand under `columns`; nil does not check them.
  package static func read(
    _ path: String, commands: [String]? = nil, columns: [String]? = nil
  ) throws(FilesError) -> ConfigFile {
    try parse(try TextFile.text(path), path: path, commands: commands, columns: columns)
  }

  /// Like `parseLeniently`, of a file.
  package static func readLeniently(
    _ path: String, commands: [String]? = nil, columns: [String]? = nil
  ) throws(FilesError) -> (config: ConfigFile, slips: [FileMistake]) {
    try parseLeniently(try TextFile.text(path), path: path, commands: commands, columns: columns)
  }

  package static func parse(
    _ text: String, path: String, commands: [String]? = nil, columns: [String]? = nil
  ) throws(FilesError) -> ConfigFile {
    let (config, slips) = try parseLeniently(text, path: path, commands: commands, columns: columns)
    guard slips.isEmpty else { throw FilesError(slips) }
    return config
  }

  /// Reads what can be read. Mistakes that only concern how the screen looks and is used (theme, keys, mouse, columns,
  /// filter) are handed back; what they are about is left as it usually is.
  ///
  /// - Throws: all mistakes where one of them is about what is intercepted, answered or recorded.
  package static func parseLeniently(
    _ text: String, path: String, commands: [String]? = nil, columns: [String]? = nil
  ) throws(FilesError) -> (config: ConfigFile, slips: [FileMistake]) {
    let node: DocumentNode
    do throws(StubError) { node = try YAMLReader.document(text) } catch { throw FilesError(path: path, [error]) }
    if node.isNull { return (ConfigFile(), []) }
    var reader = ConfigReader(
      folder: Path.folder(of: path), commands: commands, columns: columns)
    let config = reader.config(node)
    let all = reader.schema.mistakes.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
    let mistakes = FilesError(path: path, all)
    guard reader.grave == 0 else { throw mistakes }
    return (config, mistakes.mistakes)
  }
}

extension SourcePosition {
  static let start = SourcePosition(line: 1, column: 1)
}

/// Reads the nodes of `config.yaml`.
private struct ConfigReader {
  let schema = SchemaReader()
  /// What relative paths start from.
  let folder: String
  let commands: [String]?
  let columns: [String]?
  /// How many of the mistakes are about more than the screen.
  private(set) var grave = 0

  init(folder: String, commands: [String]?, columns: [String]?) {
    self.folder = folder
    self.commands = commands
    self.columns = columns
  }

  mutating func config(_ node: DocumentNode) -> ConfigFile {
    var config = ConfigFile()
    guard let map = schema.map(node, "the config", ConfigFile.knownKeys) else { return config }
    config.redact = map["redact"].flatMap { schema.bool($0, "`redact`") }
    config.keepStubs = map["keepStubs"].flatMap { schema.bool($0, "`keepStubs`") }
    config.timeoutsRunWhileHeld = map["timeoutsRunWhileHeld"].flatMap { schema.bool($0, "`timeoutsRunWhileHeld`") }
    config.bodyLimit = map["bodyLimit"].flatMap { schema.size($0, "`bodyLimit`") }
    config.unmatched = map["unmatched"].flatMap { choice($0, "`unmatched`", StubSet.Unmatched.self) }
    config.stubs = map["stubs"].map { texts($0, "`stubs`").map { absolute($0) } } ?? []
    if let value = map["history"] { config.history = history(value) }
    if let value = map["hosts"] { config.hosts = hosts(value) }
    grave = schema.mistakes.count
    config.theme = map["theme"].flatMap { schema.text($0, "`theme`") }
    config.filter = map["filter"].flatMap { schema.text($0, "`filter`") }
    for name in ["theme", "filter"] { config.positions[name] = map[name]?.position }
    config.mouse = map["mouse"].flatMap { schema.bool($0, "`mouse`") }
    config.columns = map["columns"].map { columns(in: $0) } ?? []
    if let value = map["keys"] { keys(value, &config) }
    return config
  }

  private func columns(in node: DocumentNode) -> [String] {
    let items: [DocumentNode] = if case .list(let items) = node.value { items } else { [node] }
    return items.compactMap { item in
      guard let name = schema.text(item, "`columns`") else { return nil }
      guard let columns, !columns.contains(name) else { return name }
      let known = "; the columns are \(columns.joined(separator: ", "))"
      schema.mistake(
        "there is no column `\(name)`\(NearestName.hint(for: name, among: columns, otherwise: known))", item)
      return nil
    }
  }

  private func history(_ node: DocumentNode) -> ConfigFile.History {
    var history = ConfigFile.History()
    guard let map = schema.map(node, "`history`", ["path", "count", "size"]) else { return history }
    history.path = map["path"].flatMap { schema.text($0, "`path`") }.map { $0 == ":memory:" ? $0 : absolute($0) }
    history.count = map["count"].flatMap { schema.integer($0, "`count`", in: 1...Int.max) }
    history.size = map["size"].flatMap { schema.size($0, "`size`") }
    return history
  }

  private func hosts(_ node: DocumentNode) -> [ConfigFile.HostRule] {
    entries(node, "`hosts`", "a map of hosts and full, observe or bypass").compactMap { entry in
      choice(entry.value, "`\(entry.key)`", ConfigFile.Degree.self).map { .init(host: entry.key, degree: $0) }
    }
  }

  private func keys(_ node: DocumentNode, _ config: inout ConfigFile) {
    for entry in entries(node, "`keys`", "a map of commands and keys") {
      if let commands, !commands.contains(entry.key) {
        let hint = NearestName.hint(for: entry.key, among: commands)
        schema.mistake("`\(entry.key)` is no command\(hint)", at: entry.keyPosition)
        continue
      }
      config.keys[entry.key] = entry.value.isNull ? [] : texts(entry.value, "`\(entry.key)`")
      config.keyPositions[entry.key] = entry.keyPosition
    }
  }

  private func entries(_ node: DocumentNode, _ what: String, _ wanted: String) -> [DocumentNode.Entry] {
    if case .map(let entries) = node.value { return entries }
    if !node.isNull { schema.mistake("\(what) must be \(wanted), not \(node.summary)", node) }
    return []
  }

  /// A text or a list of texts.
  private func texts(_ node: DocumentNode, _ what: String) -> [String] {
    if case .list(let items) = node.value { return items.compactMap { schema.text($0, what) } }
    return schema.text(node, what).map { [$0] } ?? []
  }

  private func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ node: DocumentNode, _ what: String, _ type: Value.Type
  ) -> Value? {
    if case .scalar(let text, _) = node.value, let value = Value(rawValue: text) { return value }
    let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
    schema.mistake("\(what) must be one of \(names), not \(node.summary)", node)
    return nil
  }

  private func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    if path.hasPrefix("~/") { return Path.expandingTilde(path) }
    return Path.join(folder, path)
  }
}
