import ArgumentParser
import PatchbayFiles
import PatchbayRuntime

/// `patchbay stubs check FILE…`
struct StubsCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say all mistakes in stub files, and stubs that can never match.")

  @Argument(help: "The stub files, in the order in which they would be given.", completion: .file()) var files: [String]

  func run() async throws {
    let read = try StubFiles.read(files)
    for warning in read.warnings { StandardError.say("warning: \(warning)") }
    let count = read.stubs.count
    print("\(count) stub\(count == 1 ? "" : "s"), no mistakes.")
  }
}

/// `patchbay stubs schema`
struct StubsSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of stub files, for editors.")

  func run() { print(StubFile.jsonSchema) }
}
