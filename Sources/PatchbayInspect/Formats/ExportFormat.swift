import Foundation
import PatchbayStubs
import PatchbayWire

/// Writes exchanges as one text, piece by piece, so that memory stays small whatever their number: `begin` once, `entry`
/// for each exchange in the order of their ids, `end` once. The file is these pieces one after the other.
package protocol ExchangeExporter: Sendable {
  mutating func begin() -> String
  /// - Throws: `FormatError` where no more can be taken.
  mutating func entry(_ exchange: Exchange) throws -> String
  mutating func end() throws -> String
  /// What lies beside the text, in the context's `bodyFolder`; known at the end.
  var files: [ExportedFile] { get }
  /// How many stubs were made, where they are; known at the end.
  var stubCount: Int? { get }
}

extension ExchangeExporter {
  package mutating func begin() -> String { "" }
  package mutating func end() -> String { "" }
  package var files: [ExportedFile] { [] }
  package var stubCount: Int? { nil }

  /// The whole file of these exchanges.
  package func text(_ exchanges: [Exchange]) throws -> String {
    var exporter = self
    var text = exporter.begin()
    for exchange in exchanges { text += try exporter.entry(exchange) }
    return text + (try exporter.end())
  }
}

/// What an exporter needs to know of the program that it is part of.
package struct ExportContext: Sendable {
  /// Of Patchbay.
  package var version: String
  /// The text of a stub file: the YAML writer is in a module that this one does not use.
  package var stubFile: @Sendable ([RecordedStub]) -> String
  /// A folder beside the text for large bodies; nil where there is no place beside it.
  package var bodyFolder: String?

  package init(
    version: String, bodyFolder: String? = nil, stubFile: @escaping @Sendable ([RecordedStub]) -> String
  ) {
    self.version = version
    self.bodyFolder = bodyFolder
    self.stubFile = stubFile
  }
}

/// A format in which recorded exchanges are written: the argument of `patchbay export`, and a row of the screen's box.
///
/// To add one: write a file with its exporter and its row (an `ExportFormat` beside it), and name the row in `allCases`.
/// Command, help, completions and box read this table.
package struct ExportFormat: Sendable, RawRepresentable, CaseIterable, Hashable {
  /// In this order in the box and in the help.
  package static let allCases: [ExportFormat] = [.har, .curl, .stubs, .swift, .jsonl, .wiremock, .bodies]

  /// The command's argument.
  package let rawValue: String
  /// In the box: the key that chooses it, its name, and what more is to be said of it.
  package let key: String
  package let title: String
  package let detail: String
  /// In a list of the formats, such as `HAR, cURL, stubs`.
  package let label: String
  /// In the command's sentence, where the label alone says too little.
  package let noun: String
  package let output: Output

  package enum Output: Sendable {
    /// One text. `ending` is the file name's, with its dot.
    case file(ending: String, exporter: @Sendable (ExportContext) -> any ExchangeExporter)
    /// Files of a folder, and what one is called.
    case folder(one: String, many: String, files: @Sendable (Exchange) -> [ExportedFile])
  }

  package init(
    _ name: String, key: String, title: String, detail: String = "", label: String, noun: String? = nil, output: Output
  ) {
    rawValue = name
    self.key = key
    self.title = title
    self.detail = detail
    self.label = label
    self.noun = noun ?? label
    self.output = output
  }

  package init?(rawValue: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  package static func == (one: ExportFormat, other: ExportFormat) -> Bool { one.rawValue == other.rawValue }

  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// A file of a folder that a format writes.
package struct ExportedFile: Sendable {
  /// A plain name, without a folder.
  package var name: String
  package var data: Data
}

extension ExportFormat {
  package var isFolder: Bool {
    if case .folder = output { true } else { false }
  }

  /// The file or folder that is written where none is named: what to begin its name with, and the ending.
  package var defaultName: (stem: String, ending: String) {
    switch output {
    case .file(let ending, _): ("patchbay-export", ending)
    case .folder: ("patchbay-\(rawValue)", "")
    }
  }

  /// What was written, such as `3 exchanges`.
  package func counted(_ count: Int) -> String {
    switch output {
    case .file: "\(count) exchange\(count == 1 ? "" : "s")"
    case .folder(let one, let many, _): "\(count) \(count == 1 ? one : many)"
    }
  }

  /// `HAR, cURL, stubs`: those that are one file, as many as a line of the help has room for at 80 columns.
  package static let fileLabels = allCases.filter { !$0.isFolder }.prefix(5).map(\.label).joined(separator: ", ")

  /// `HAR, cURL or raw bodies`: all, as words of a sentence.
  package static let nouns =
    allCases.dropLast().map(\.noun).joined(separator: ", ") + " or " + (allCases.last?.noun ?? "")

  /// `har, curl, or bodies (files of a folder)`: all, as the command takes them.
  package static let names: String = {
    let names = allCases.map { $0.rawValue + ($0.isFolder ? " (files of a folder)" : "") }
    return names.dropLast().joined(separator: ", ") + ", or " + (names.last ?? "")
  }()
}

/// Why something cannot be read or written in a format of other tools.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence.
  package var description: String

  package init(_ description: String) { self.description = description }
}
