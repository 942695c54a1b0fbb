import Foundation
import PatchbayStubs

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
      folder: (path as NSString).deletingLastPathComponent, commands: commands, columns: columns)
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
