import ArgumentParser
import Foundation
import PatchbayFiles
import PatchbayGrid
import PatchbayRuntime
import PatchbayStubs

/// `patchbay stubs …`
struct StubsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stubs", abstract: "Check stub files, and see and change the stubs of a running console.",
    subcommands: [
      StubsCheckCommand.self, StubsListCommand.self, StubsAddCommand.self, StubsEnableCommand.self,
      StubsDisableCommand.self, StubsPauseCommand.self, StubsResumeCommand.self, StubsRemoveCommand.self,
      StubsRevertCommand.self, StubsResetCommand.self, StubsScenarioCommand.self, StubsExplainCommand.self,
      StubsSchemaCommand.self, StubsImportCommand.self,
    ])
}

/// `patchbay stubs check FILE…`
struct StubsCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Report mistakes in stub files, and stubs that can never match.")

  @Argument(
    help: "The stub files, in the order in which they would be given; - is standard input.", completion: .file())
  var files: [String]

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

/// `patchbay stubs explain --method M --url URL …`
struct StubsExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show whether each stub matches a request, and why not.")

  @OptionGroup var console: ControlSocketOption
  @Option(help: "The request's method.") var method = "GET"
  @Option(help: "The request's URL.") var url: String
  @Option(help: ArgumentHelp("A header; may be given again.", valueName: "K: V")) var header: [HeaderArgument] = []
  @Option(parsing: .unconditional, help: "The request's body.") var body: String?
  @Option(help: ArgumentHelp("The name of the process, for stubs of one process.", valueName: "name"))
  var process = ""
  @Flag(help: "One JSON object a line.") var json = false
  @Argument(help: "Stub files, or - for standard input; without one the running console's stubs.", completion: .file())
  var files: [String] = []

  func validate() throws {
    guard let colon = url.range(of: "://"), colon.lowerBound > url.startIndex, !url[colon.upperBound...].isEmpty,
      !url.contains(where: \.isNewline)
    else { throw ValidationError("--url is a whole URL, such as https://api.example.com/v1/users, not “\(url)”") }
  }

  func run() async throws {
    for (name, matches, reason) in try await files.isEmpty ? ofConsole() : ofFiles() {
      if json {
        print(
          JSONValue.members(["name": .string(name), "matches": .bool(matches), "reason": .string(reason)]).compact)
      } else {
        print(SafeText.line("\(matches ? "✓" : "✗") \(name): \(reason)"))
      }
    }
  }

  private func ofFiles() throws -> [(String, Bool, String)] {
    let facts = RequestFacts(
      method: method, url: url, headers: header.map(\.field), body: body.map { Data($0.utf8) }, process: process)
    return StubMatcher(StubSet(stubs: try StubFiles.read(files).stubs)).explain(facts).map {
      ($0.stub, $0.matches, $0.reason)
    }
  }

  private func ofConsole() async throws -> [(String, Bool, String)] {
    let reply = try await console.connect().request(
      "stubs.explain",
      [
        .init("method", .string(method)), .init("url", .string(url)), .init("headers", .array(header.map(\.json))),
        .init("body", body.map { .string($0) } ?? .null), .init("process", .string(process)),
      ])
    guard case .array(let stubs)? = reply["stubs"] else { return [] }
    if reply["paused"] == true { StandardError.say(StubsListCommand.pausedNote) }
    return stubs.map { ($0["name"]?.text ?? "", $0["matches"] == true, $0["reason"]?.text ?? "") }
  }
}
