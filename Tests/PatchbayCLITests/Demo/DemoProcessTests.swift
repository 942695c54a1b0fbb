import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay demo: its processes", .crowd, .bounded)
struct DemoProcessTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  private func demoHarness(of console: PtySession) -> pid_t? {
    Processes.children(of: console.process).first { !Processes.arguments(of: $0).contains("patchbay-screen-keeper") }
  }

  @Test("harness, server, sockets and stub file are gone after q and after SIGTERM", arguments: ["q", "SIGTERM"])
  func leaving(how: String) async throws {
    let console = try desk.console("demo")
    try await console.waitFor(row: "/v1/sessions", "200")
    let harness = try #require(demoHarness(of: console))
    let folder = desk.folder.file("run/patchbay")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.contains { $0.hasSuffix(".sock") } && names.contains { $0.hasSuffix(".sock.control") })
    #expect(!names.contains("default.sock"), "the demo's socket is its own")
    if how == "q" { try console.send("q") } else { console.signal(SIGTERM) }
    try await console.waitForExit()
    try await eventually("the harness's end") { !Processes.isRunning(harness) }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".lock") }
    #expect(left.isEmpty, "left: \(left)")
  }

  @Test("the harness ends when the console is killed")
  func killed() async throws {
    let console = try desk.console("demo")
    try await console.waitFor(row: "/v1/sessions", "200")
    let harness = try #require(demoHarness(of: console))
    console.signal(SIGKILL)
    #expect(try await console.waitForExit() == .signaled(SIGKILL))
    try await eventually("the harness's end") { !Processes.isRunning(harness) }
  }

  @Test("the harness ends with status 0 where nothing holds its standard input")
  func withoutAConsole() async throws {
    let harness = try desk.start("demo-harness", "--port", "9")
    #expect(try await harness.end() == 0, "\(harness.said)")
  }

  @Test("two demos at once do not meet")
  func two() async throws {
    let one = try desk.console("demo")
    let other = try desk.console("demo")
    for console in [one, other] {
      try await console.waitFor(row: "/v1/books?page=1", "200")
      #expect(console.screen.has("1 linked"))
    }
  }
}
