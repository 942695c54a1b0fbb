import Foundation
import PatchbayTestSupport
import Testing

/// `Tests/Fixtures/hostile/hostile` attacks a console that runs; these are short runs of it.
@Suite("A console that is attacked", .crowd, .bounded(360))
struct HostileTests {
  private func attack(_ arguments: String...) async throws {
    let tests = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3)
    let script = NSString.path(withComponents: tests + ["Fixtures", "hostile", "hostile"])
    let environment = ProcessInfo.processInfo.environment
    let run = try ChildProcess(
      ["/usr/bin/env", "python3", script] + arguments + ["--binary", BuiltProduct.path("patchbay")],
      environment: environment)
    let status = try await run.end(timeout: .seconds(340) * Patience.factor)
    #expect(status == 0, "\(run.said)")
  }

  @Test("survives random requests on its control socket, random messages of hooks, and files with mistakes")
  func random() async throws {
    try await attack("control", "--count", "600")
    try await attack("links", "--count", "2000")
    try await attack("files", "--count", "24")
  }

  @Test("survives every number that cannot be, on screen, headless, recorded and exported")
  func lies() async throws { try await attack("lies") }

  @Test("loses nothing of links that close early, and knows that they are hooks")
  func early() async throws { try await attack("early") }

  @Test("waits where descriptors are short, says so, answers controllers, and recovers")
  func descriptors() async throws { try await attack("descriptors") }

  /// A debug build writes its record ten times slower than a release build, which ends and answers within a second; beside
  /// other tests the end took 8 s once, and an answer 3.5 s.
  @Test(
    "keeps no more than there is room for, says so, and obeys SIGTERM meanwhile",
    arguments: ["edited", "unfinished", "declared"])
  func memory(_ what: String) async throws {
    try await attack(
      "memory", "--only", what, "--scale", "0.2", "--seconds", "3", "--longest", "12", "--slowest", "6",
      "--most", "400")
  }

  @Test("prints no control that a program, a server, a file, an argument or a variable brought")
  func prints() async throws { try await attack("prints", "--quick") }
}
