import ArgumentParser
import PatchbayFiles
import PatchbayGrid
import PatchbayRuntime
import PatchbayStubs

/// `patchbay stubs list`
struct StubsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "The stubs of a running console.")

  static let pausedNote = "All stubs but those in code are off: patchbay stubs resume turns them on again."

  @OptionGroup var console: ControlSocketOption
  @Flag(help: "One JSON object a line.") var json = false
  /// The line that a shell completes; then only names are printed.
  @Option(parsing: .unconditional, help: .hidden) var completing: String?

  func run() async throws {
    if let completing {
      for name in await TypedLine(completing).stubNames() { print(SafeText.line(name)) }
      return
    }
    let client = try await console.connect()
    let reply = try await client.request("stubs.list")
    guard case .array(let stubs)? = reply["stubs"] else { return }
    if json {
      for stub in stubs { print(stub.compact) }
      return
    }
    if reply["paused"] == true { StandardError.say(Self.pausedNote) }
    Self.table(stubs).print()
  }

  static func table(_ stubs: [JSONValue]) -> TextTable {
    var table = TextTable(heads: ["on", "name", "hits", "from"])
    table.rows = stubs.map { stub in
      let mark = stub["edited"] == true ? " (edited)" : ""
      return [
        stub["enabled"] == true ? "on" : "off", stub["name"]?.text ?? "",
        stub["hits"]?.integer.map(String.init) ?? "0", (stub["from"]?.text ?? stub["origin"]?.text ?? "") + mark,
      ]
    }
    return table
  }
}

/// `patchbay stubs add FILE`
struct StubsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put the stubs of a file before the others, in place of those of the same name.")

  @OptionGroup var console: ControlSocketOption
  @Argument(help: "A stub file; - is standard input.", completion: .file()) var file: String
  @Flag(help: "The answer as JSON.") var json = false

  func run() async throws {
    // Files of bodies are relative to the working directory where the stubs come from a pipe.
    let path = AbsolutePath.of(file)
    let stubs = try StubFile.read(file == "-" ? file : path).stubs
    let reply = try await console.connect().request(
      "stubs.add", [.init("stubs", .array(stubs.map(\.json))), .init("file", .string(path))])
    if json {
      print(reply.members.compact)
    } else {
      print("added \(stubs.count) stub\(stubs.count == 1 ? "" : "s").")
    }
    try Acknowledgement.check(reply)
  }
}

/// A change of one stub by its name, or of all.
protocol StubChangeCommand: AsyncParsableCommand {
  static var request: String { get }
  var console: ControlSocketOption { get }
  var json: Bool { get }
  var stubName: String? { get }
}

extension StubChangeCommand {
  func change() async throws {
    let members = stubName.map { [JSONValue.Member("name", .string($0))] } ?? []
    let reply = try await console.connect().request(Self.request, members)
    if json { print(reply.members.compact) }
    try Acknowledgement.check(reply)
  }
}

/// `patchbay stubs enable NAME`
struct StubsEnableCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(commandName: "enable", abstract: "Turn a stub on.")
  static let request = "stubs.enable"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The stub's name.", completion: .stubs) var name: String
  var stubName: String? { name }

  func run() async throws { try await change() }
}

/// `patchbay stubs disable NAME`
struct StubsDisableCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(commandName: "disable", abstract: "Turn a stub off.")
  static let request = "stubs.disable"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The stub's name.", completion: .stubs) var name: String
  var stubName: String? { name }

  func run() async throws { try await change() }
}

/// `patchbay stubs pause`
struct StubsPauseCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Turn all stubs off that are not in code; each keeps its place, its switch and its counters.")
  static let request = "stubs.pause"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  var stubName: String? { nil }

  func run() async throws { try await change() }
}

/// `patchbay stubs resume`
struct StubsResumeCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Turn the stubs on again that `pause` turned off.")
  static let request = "stubs.resume"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  var stubName: String? { nil }

  func run() async throws { try await change() }
}

/// `patchbay stubs remove NAME`
struct StubsRemoveCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a stub.")
  static let request = "stubs.remove"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The stub's name.", completion: .stubs) var name: String
  var stubName: String? { name }

  func run() async throws { try await change() }
}

/// `patchbay stubs revert NAME`
struct StubsRevertCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert", abstract: "Restore a stub from its file, even if it was removed.")
  static let request = "stubs.revert"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The stub's name.", completion: .stubs) var name: String
  var stubName: String? { name }

  func run() async throws { try await change() }
}

/// `patchbay stubs reset [NAME]`
struct StubsResetCommand: StubChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Reset the counters and sequences of a stub, or of all.")
  static let request = "stubs.reset"
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The stub's name; all without it.", completion: .stubs) var name: String?
  var stubName: String? { name }

  func run() async throws { try await change() }
}

/// `patchbay stubs scenario [NAME [STATE]]`
struct StubsScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario", abstract: "Show the state of a scenario in each process, or set it in all of them.",
    discussion: """
      Every scenario begins in the state Started; setting that resets it.

      EXAMPLES:
        patchbay stubs scenario session
        patchbay stubs scenario session 'signed in'
      """)
  @OptionGroup var console: ControlSocketOption
  @Flag(help: "The answer as JSON.") var json = false
  @Argument(help: "The scenario's name; all without it.", completion: .scenarios) var name: String?
  @Argument(help: "The state to set, one that a stub names or Started.", completion: .scenarios) var state: String?
  /// The line that a shell completes; then only names are printed.
  @Option(parsing: .unconditional, help: .hidden) var completing: String?

  func run() async throws {
    if let completing {
      for word in await TypedLine(completing).scenarioWords() { print(SafeText.line(word)) }
      return
    }
    let given = [("name", name), ("state", state)].compactMap { key, value in
      value.map { JSONValue.Member(key, .string($0)) }
    }
    let reply = try await console.connect().request("stubs.scenario", given)
    if json {
      print(reply.members.compact)
    } else if state == nil {
      show(reply["scenarios"])
    }
    if state != nil { try Acknowledgement.check(reply) }
  }

  private func show(_ scenarios: JSONValue?) {
    guard case .array(let scenarios)? = scenarios else { return }
    let table = Self.table(scenarios)
    if table.rows.isEmpty { StandardError.say("no stub has a scenario.") } else { table.print() }
  }

  static func table(_ scenarios: [JSONValue]) -> TextTable {
    var table = TextTable(heads: ["scenario", "process", "state"])
    for scenario in scenarios {
      guard case .array(let processes)? = scenario["processes"] else { continue }
      let name = scenario["name"]?.text ?? ""
      if processes.isEmpty { table.rows.append([name, "(none is linked)", Stub.Scenario.start]) }
      for process in processes {
        let pid = process["pid"]?.integer.map { " \($0)" } ?? ""
        table.rows.append([name, (process["name"]?.text ?? "") + pid, process["state"]?.text ?? ""])
      }
    }
    return table
  }
}
