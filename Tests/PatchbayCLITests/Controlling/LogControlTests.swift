import Foundation
import PatchbayTestSupport
import Testing

@Suite("Following a console, and finding it", .crowd, .bounded)
final class LogControlTests: DeskSuite {
  @Test("log follows with a filter, as lines and as JSON, and ends when the console does")
  func log() async throws {
    let console = try await desk.listener()
    let asker = try desk.asker()
    let lines = try desk.start("log", "-path:/json")
    let json = try desk.start("log", "--json")
    var number = 0
    while json.lines.isEmpty || lines.lines.isEmpty {
      number += 1
      try #require(number < 200)
      try await asker.ask(server.url("/json"))
      try await asker.ask(server.url("/bytes?n=\(number)"))
    }
    #expect(lines.lines.allSatisfy { $0.contains("/bytes?n=") && $0.contains("GET") && $0.contains("200") })
    let records = try Records.parse(json.output)
    #expect(records.allSatisfy { $0["status"] as? Int == 200 && $0["by"] as? String == "network" })
    console.signal(SIGTERM)
    try await console.end()
    for follower in [lines, json] {
      #expect(try await follower.end() == 0, "what was followed has come to its end: \(follower.said)")
      #expect(follower.errors.contains("the console has ended"), "\(follower.said)")
    }
  }

  @Test("a filter with a mistake is told")
  func mistake() async throws {
    let log = try await desk.run("log", "status:abc")
    #expect(log.exitStatus == 64)
    #expect(log.errors.contains("abc"))
  }

  @Test(
    "without a console a sentence says what to do",
    arguments: [["stubs", "list"], ["stubs", "enable", "a"], ["hold", "list"], ["log"]])
  func noConsole(arguments: [String]) async throws {
    let child = try desk.start([BuiltProduct.path("patchbay")] + arguments)
    #expect(try await child.end() == 1)
    #expect(child.errors.contains("No console is running") && child.errors.contains("--socket"))
    #expect(child.errors.split(separator: "\n").count == 1)
    let named = try desk.start([BuiltProduct.path("patchbay")] + arguments + ["--socket", desk.folder.file("x.sock")])
    #expect(try await named.end() == 1)
    #expect(named.errors.contains("No console answers on") && named.errors.contains("x.sock"))
  }

  @Test("several consoles must be told apart by --socket")
  func several() async throws {
    let one = try await desk.listener()
    let socket = desk.folder.file("run/patchbay/other.sock")
    let other = try desk.start("listen", "--headless", "--socket", socket)
    try await other.waitFor(errors: "waiting for programs")
    let unclear = try await desk.run("stubs", "list")
    #expect(unclear.exitStatus == 1)
    #expect(unclear.errors.contains(desk.defaultSocket) && unclear.errors.contains(socket))
    #expect(try await desk.run("stubs", "list", "--socket", socket).exitStatus == 0)
    other.signal(SIGKILL)
    try await other.end()
    #expect(try await desk.run("stubs", "list").exitStatus == 0, "the stale one does not count")
    #expect(one.exitStatus == nil)
  }
}
