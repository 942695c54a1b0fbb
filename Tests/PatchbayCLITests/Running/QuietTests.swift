import Foundation
import PatchbayTestSupport
import Testing

@Suite("--until-idle", .crowd, .bounded)
struct QuietTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("ends a command that never asks for anything, and says why")
  func silentCommand() async throws {
    let run = try await desk.run("run", "--headless", "--until-idle", "300ms", "--", "sleep", "600")
    #expect(run.exitStatus == 128 + SIGTERM, "\(run.said)")
    #expect(run.errors.contains("no request was under way for 300 ms"), "\(run.said)")
  }

  @Test("a check that ends its command is judged by what it expects")
  func check() async throws {
    let kept = try await desk.run(
      "run", "--headless", "--until-idle", "200ms", "--forbid", "status:5xx", "--", "sleep", "600")
    #expect(kept.exitStatus == 0, "\(kept.said)")
    let broken = try await desk.run(
      "run", "--headless", "--for", "200ms", "--expect", "path:/never", "--", "sleep", "600")
    #expect(broken.exitStatus == 3, "\(broken.said)")
    let failing = try await desk.run("run", "--headless", "--for", "1m", "--forbid", "status:5xx", "--", "false")
    #expect(failing.exitStatus == 1)
  }

  @Test("listen waits for its first program, and counts although that one is silent")
  func silentProgram() async throws {
    let console = try await desk.listener("--until-idle", "300ms")
    #expect(console.exitStatus == nil)
    let program = try desk.asker()
    #expect(try await console.end() == 0)
    #expect(program.process.exitStatus == nil)
  }

  @Test("does not cut off a request that is under way")
  func slowRequest() async throws {
    let stubs = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: slow\n  then: { respond: { status: 200, delay: 2s } }\n", to: "slow.yaml")
    let console = try await desk.listener("--stubs", stubs, "--until-idle", "1s")
    let program = try desk.asker()
    #expect(try await program.ask(try #require(URL(string: "http://nowhere.invalid/"))).hasPrefix("200"))
    try await console.end()
    #expect(console.errors.contains("stub slow"))
  }
}
