import ArgumentParser
import PatchbayStubs

/// `patchbay stubs list`
struct StubsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "The stubs of a running console.")

  @OptionGroup var console: ControlSocketOption
  @Flag(help: "One JSON object a line.") var json = false

  func run() async throws {
    let client = try await console.connect()
    let reply = try await client.request("stubs.list")
    guard case .array(let stubs)? = reply["stubs"] else { return }
    if json {
      for stub in stubs { print(stub.compact) }
      return
    }
    var table = TextTable(heads: ["on", "name", "hits", "from"])
    for stub in stubs {
      let mark = stub["edited"] == true ? " (edited)" : ""
      table.rows.append([
        stub["enabled"] == true ? "on" : "off", stub["name"]?.text ?? "",
        stub["hits"]?.integer.map(String.init) ?? "0", (stub["from"]?.text ?? stub["origin"]?.text ?? "") + mark,
      ])
    }
    table.print()
  }
}
