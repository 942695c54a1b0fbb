import ArgumentParser
import Foundation
import PatchbayInspect
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbaySystem

/// `patchbay hold …`
struct HoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "See and decide the held requests of a running console.",
    subcommands: [
      HoldListCommand.self, HoldContinueCommand.self, HoldDropCommand.self, HoldRespondCommand.self,
      HoldFailCommand.self,
    ])
}

/// `patchbay hold list`
struct HoldListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "What is held.")

  @OptionGroup var console: ControlSocketOption
  @Flag(help: "One JSON object a line, with all that is known.") var json = false
  @Flag(help: "Leave secrets in URLs as they are.") var withSecrets = false
  /// The line that a shell completes; then only ids are printed.
  @Option(parsing: .unconditional, help: .hidden) var completing: String?

  func run() async throws {
    if let completing {
      for id in await TypedLine(completing).heldIDs() { print(id) }
      return
    }
    let reply = try await console.connect().request("hold.list")
    guard case .array(let held)? = reply["held"] else { return }
    if json {
      for exchange in held { print(exchange.compact) }
      return
    }
    Self.table(held, withSecrets: withSecrets).print()
  }

  static func table(_ held: [JSONValue], withSecrets: Bool) -> TextTable {
    var table = TextTable(heads: ["id", "held at", "since", "process", "method", "url"])
    table.rows = held.map { exchange in
      let process = exchange["process"]
      return [
        exchange["id"]?.integer.map(String.init) ?? "", exchange["stage"]?.text ?? "", exchange["since"]?.text ?? "",
        process?.text ?? "\(process?["name"]?.text ?? "") \(process?["pid"]?.integer ?? 0)",
        exchange["method"]?.text ?? "",
        exchange["url"]?.text.map { withSecrets ? $0 : Redaction.standard.url($0) } ?? "",
      ]
    }
    return table
  }
}

/// A decision for one held exchange.
struct HoldTarget: ParsableArguments {
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The exchange's id, from `hold list`.", completion: .heldExchanges) var id: Int

  func decide(_ command: String, _ members: [JSONValue.Member] = []) async throws {
    let reply = try await console.connect().request(command, [.init("exchange", .number(String(id)))] + members)
    if json { print(reply.members.compact) }
  }
}

/// `patchbay hold continue ID`
struct HoldContinueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "continue", abstract: "Let it go on as it is.")
  @OptionGroup var target: HoldTarget

  func run() async throws { try await target.decide("hold.continue") }
}

/// `patchbay hold drop ID`
struct HoldDropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "drop", abstract: "End it as a lost connection.")
  @OptionGroup var target: HoldTarget

  func run() async throws { try await target.decide("hold.drop") }
}

/// `patchbay hold respond ID --status N …`
struct HoldRespondCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "respond", abstract: "Answer it.")
  @OptionGroup var target: HoldTarget
  @Option(help: "The status code.") var status = 200
  @Option(help: ArgumentHelp("A header; may be given again.", valueName: "K: V")) var header: [HeaderArgument] = []
  @Option(parsing: .unconditional, help: "The body as text.") var body: String?
  @Option(help: ArgumentHelp("The body from a file; - is standard input.", valueName: "file"), completion: .file())
  var bodyFile: String?

  func validate() throws {
    if body != nil, bodyFile != nil { throw ValidationError("Give --body or --body-file, not both.") }
    if !(100...599).contains(status) { throw ValidationError("A status is a number from 100 to 599.") }
  }

  func run() async throws {
    var value = JSONValue.null
    if let body { value = .string(body) }
    if let bodyFile {
      let data: Data
      do throws(FileReadError) {
        data = Data(try InputFile.bytes(bodyFile, limit: 47 << 20))
      } catch {
        throw RuntimeError("\(Importer.name(bodyFile)) \(error.reason) (--body-file).")
      }
      value = .members(["base64": .string(data.base64EncodedString())])
    }
    try await target.decide(
      "hold.respond",
      [
        .init("status", .number(String(status))), .init("headers", .array(header.map(\.json))), .init("body", value),
      ])
  }
}

/// `patchbay hold fail ID FAULT`
struct HoldFailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fail", abstract: "Let it fail with a URLError code by its Swift name, or a named fault.")
  @OptionGroup var target: HoldTarget
  @Argument(help: "Such as timedOut.", completion: .faults) var fault: String

  func run() async throws { try await target.decide("hold.fail", [.init("fault", .string(fault))]) }
}
