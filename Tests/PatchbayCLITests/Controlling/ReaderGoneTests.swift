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

  @Test(
    "so does what is written when they have gone, where the signal of that is ignored",
    arguments: ["history", "export jsonl"])
  func ignoredSignal(command: String) async throws {
    let archive = try desk.folder.write(
      #"""
      {"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[{"startedDateTime":\#
      "2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a/","headers":[]},"response":\#
      {"status":200,"headers":[],"content":{"size":0}}}]}}
      """#, to: "one.har")
    #expect(try await desk.run("import", archive).exitStatus == 0)
    let pipe = desk.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Its one reader is closed before anything is written.
    let script = "trap '' PIPE; exec 3<>'\(pipe)' 4>'\(pipe)' 3<&-; \"$0\" \(command) >&4; echo $?"
    let shell = try desk.start(["/bin/sh", "-c", script, BuiltProduct.path("patchbay")])
    try await shell.end()
    #expect(shell.output == "141\n" && shell.errors.isEmpty, "\(shell.said)")
  }
}
