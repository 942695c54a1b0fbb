import Foundation
import PatchbayTestSupport
import Testing

@Suite("Output that cannot be written", .crowd, .bounded)
struct OutputFailureTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  private func shell(_ script: String) async throws -> ChildProcess {
    let program = try desk.start(["/bin/sh", "-c", script, BuiltProduct.path("patchbay")])
    try await program.end()
    return program
  }

  @Test(
    "a full disk and a closed stream are told",
    arguments: ["themes list", "stubs schema", "history --json", "export jsonl"], [">/dev/full", ">&-"])
  func told(command: String, output: String) async throws {
    let line =
      #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[{"startedDateTime":"#
      + #""2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a/","headers":[]},"response":"#
      + #"{"status":200,"headers":[],"content":{"size":0}}}]}}"#
    let archive = try desk.folder.write(line, to: "one.har")
    #expect(try await desk.run("import", archive).exitStatus == 0)
    let program = try await shell("\"$0\" \(command) \(output)")
    #expect(program.exitStatus == 1, "\(program.said)")
    #expect(program.errors.hasPrefix("patchbay: "))
    #expect(!program.errors.contains("Error Domain"), "\(program.errors)")
    #expect(program.errors.split(separator: "\n").count == 1)
  }

  @Test("a log that cannot be written makes the run fail, once told")
  func fullLog() async throws {
    let stubs = try desk.folder.write("patchbay: 1\nstubs:\n- name: a\n  then: { respond: {} }\n", to: "a.yaml")
    let run = try desk.start(
      "run", "--headless", "--stubs", stubs, "--log", "/dev/full", "--", BuiltProduct.path("plain-harness"), "ask",
      input: .written)
    for number in 1...3 { run.send("GET http://nowhere.invalid/\(number)") }
    run.endInput()
    #expect(try await run.end() == 1)
    #expect(run.lines.count == 3)
    #expect(run.errors.components(separatedBy: "/dev/full").count == 2, "\(run.errors)")
  }

  @Test("a closed standard error is not taken for something else")
  func closedErrors() async throws {
    let program = try await shell("\"$0\" run --headless --history :memory: -- echo hello 2>&-")
    #expect(program.exitStatus == 0)
    #expect(program.output == "hello\n")
  }

  @Test("run leaves nothing in the runtime folder")
  func leavesNothing() async throws {
    for options in [["--expect", "status:"], ["--log", "/nowhere/log"], []] {
      let run = try desk.start([BuiltProduct.path("patchbay"), "run", "--headless"] + options + ["--", "true"])
      try await run.end()
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: desk.folder.file("run/patchbay"))
    #expect(left.isEmpty, "\(left)")
  }
}
