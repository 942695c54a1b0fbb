import Foundation
import PatchbayTestSupport
import Testing

@Suite("Readers that go", .crowd, .bounded)
final class ReaderGoneTests: DeskSuite {
  @Test("log and a log on standard output end without a word when nobody reads them", arguments: [true, false])
  func silently(isController: Bool) async throws {
    let console = isController ? try await desk.listener() : nil
    let command = isController ? "log --json" : "listen --headless --log -"
    let pipe = try desk.start(
      ["/bin/bash", "-c", "\"$0\" \(command) | head -n 1; echo ${PIPESTATUS[0]}", BuiltProduct.path("patchbay")])
    if !isController { try await pipe.waitFor(errors: "waiting for programs") }
    let asker = try desk.asker()
    var number = 0
    while pipe.exitStatus == nil {
      number += 1
      try #require(number < 1_000)
      try await asker.ask(server.url("/json?n=\(number)"))
    }
    #expect(pipe.lines.count == 2 && pipe.lines.last == "141", "\(pipe.said)")
    #expect(!pipe.errors.contains("cannot be written"), "\(pipe.said)")
    #expect(console?.exitStatus == nil)
  }
}
