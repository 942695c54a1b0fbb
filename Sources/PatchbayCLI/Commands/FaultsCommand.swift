import ArgumentParser
import PatchbayFiles
import PatchbayInspect
import PatchbayStubs

/// `patchbay faults`
struct FaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "List every fault by name, and what the program sees.",
    discussion: """
      The names are those of the fault menu (x on a request), of `fail:` in stub files and of `patchbay hold fail`.
      """)

  @Flag(help: "One JSON object a line: name, title, group, sees, and domain and code where it is an error.") var json =
    false

  /// The versions of zsh and of fish where they ask for names to complete.
  @Option(parsing: .unconditionalSingleValue, help: .hidden) var completing: [String] = []

  func run() throws {
    guard completing.isEmpty else {
      for fault in FaultSight.all { print(OfferedName.line(fault.name, fault.sees, shells: completing)) }
      return
    }
    if json {
      for fault in FaultSight.all { print(fault.json.compact) }
      return
    }
    var table = TextTable(heads: ["name", "what it is", "what the program sees"], spare: ["what it is"])
    table.rows = FaultSight.all.map { [$0.name, $0.title, $0.sees] }
    table.print()
  }
}

/// `patchbay schema FORMAT`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema (2020-12) of a format.",
    discussion: "jsonl is a line of --log and --json, stubs a stub file.")

  @Argument(help: "Which format.") var format: SchemaFormat

  func run() { print(format.schema, terminator: "") }
}

/// The formats that have a schema.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
  case jsonl
  case stubs
}

extension SchemaFormat {
  fileprivate var schema: String {
    switch self {
    case .jsonl: JSONLines.jsonSchema
    case .stubs: StubFile.jsonSchema
    }
  }
}
