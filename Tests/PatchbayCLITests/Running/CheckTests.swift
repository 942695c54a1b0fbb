import Foundation
import PatchbayTestSupport
import Testing

@Suite("A run as a check", .crowd, .bounded)
final class CheckTests: DeskSuite {
  private func run(_ options: String..., path: String = "/json") async throws -> ChildProcess {
    try await run(options, path: path)
  }

  private func run(_ options: [String], path: String) async throws -> ChildProcess {
    let program = [BuiltProduct.path("attached-harness"), "return", server.url(path).absoluteString]
    let run = try desk.start([BuiltProduct.path("patchbay"), "run", "--headless"] + options + ["--"] + program)
    try await run.end()
    return run
  }

  @Test("--expect and --forbid that are kept leave the command's status")
  func kept() async throws {
    let run = try await run("--expect", "path:/json status:200", "--expect", "-by:stub", "--forbid", "status:5xx")
    #expect(run.exitStatus == 0, "\(run.said)")
    #expect(run.output.hasPrefix("200 "))
  }

  @Test("broken ones end with status 3 and the reason")
  func broken() async throws {
    let missing = try await run("--expect", "path:/other")
    #expect(missing.exitStatus == 3)
    #expect(missing.errors.contains("no exchange fits --expect 'path:/other'"))
    let forbidden = try await run("--forbid", "status:>=500", path: "/status/503")
    #expect(forbidden.exitStatus == 3)
    #expect(forbidden.errors.contains("/status/503"))
    #expect(forbidden.errors.contains("--forbid 'status:>=500'"))
  }

  @Test("a filter with a mistake is told before anything starts")
  func mistake() async throws {
    let run = try await run("--expect", "status:abc")
    #expect(run.exitStatus == 64)
    #expect(run.output.isEmpty, "the command was not started")
    #expect(run.errors.contains("--expect"))
  }

  @Test("a recording that cannot be written is told before anything starts", arguments: ["/nowhere/x.yaml", "/", ""])
  func recording(path: String) async throws {
    let run = try await run("--record", path)
    #expect(run.exitStatus == 1)
    #expect(run.output.isEmpty, "the command was not started")
    #expect(run.errors.contains("choose another --record file"), "\(run.said)")
  }

  @Test("a recording replaces what a recording has written, and what a person has only by --force")
  func forcedRecording() async throws {
    let path = try desk.folder.write("# mine\npatchbay: 1\nstubs: []\n", to: "mine.yaml")
    let refused = try await run("--record", path)
    #expect(refused.exitStatus == 1 && refused.output.isEmpty && refused.errors.contains("--force"), "\(refused.said)")
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("# mine"))
    for force in [["--force"], []] {
      let run = try await run(["--record", path] + force, path: "/json?token=hush")
      #expect(run.exitStatus == 0, "\(run.said)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix("# Recorded by patchbay\n") && text.contains("/json?token=*"), "\(text)")
      #expect(!text.contains("hush") && !run.errors.contains("hush"), "\(run.said)")
    }
    let open = try await run("--record", path, "--with-secrets", path: "/json?token=hush")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("token=hush"))
    #expect(open.errors.contains("token=hush"))
    #expect(try await desk.run("stubs", "check", path).exitStatus == 0)
  }

  @Test("a log that others could read is closed to them, and that is said; a pipe that nobody reads is not waited for")
  func logMode() async throws {
    let path = try desk.folder.write("", to: "log.jsonl")
    chmod(path, 0o644)
    let told = try await run("--log", path)
    #expect(told.errors.contains("\(path) could be read by others; it is yours alone now"), "\(told.said)")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try await !run("--log", path).errors.contains("others"))
    chmod(path, 0o644)
    #expect(try await !run("--log", path, "--redact").errors.contains("others"))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
    let pipe = desk.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let waiting = try await run("--log", pipe)
    #expect(waiting.exitStatus == 1 && waiting.errors.contains("nobody reads that pipe"), "\(waiting.said)")
  }

  @Test("--until-idle ends when no request came for that time; --for ends in any case")
  func idle() async throws {
    let console = try desk.start("listen", "--headless", "--until-idle", "2s", "--expect", "path:/json")
    try await console.waitFor(errors: "waiting")
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    #expect(try await console.end() == 0, "\(console.said)")
    #expect(console.errors.contains("/json"))
    #expect(try await desk.run("listen", "--headless", "--for", "300ms").exitStatus == 0)
    let expecting = try await desk.run("listen", "--headless", "--for", "300ms", "--expect", "path:/never")
    #expect(expecting.exitStatus == 3)
  }

  @Test("--log - is standard output for listen, and refused for run")
  func logToOutput() async throws {
    let refused = try await run("--log", "-")
    #expect(refused.exitStatus == 1)
    #expect(refused.output.isEmpty)
    let console = try await desk.listener("--log", "-")
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    let line = try await console.waitFor(lines: 1)[0]
    #expect(asker.process.exitStatus == nil)
    #expect(try Records.parse(line + "\n")[0]["status"] as? Int == 200)
  }

  @Test(
    "unknown options suggest the near one; wrong values are told",
    arguments: [
      (["listen", "--headles"], "--headless"), (["listen", "--for", "soon"], "--for"),
      (["listen", "--unmatched", "maybe"], "--unmatched"), (["run", "--headless"], "--"), (["stubz"], "stubs"),
      (["stubs", "lst"], "`list`"), (["help", "hald"], "`hold`"), (["listen", "--for", "10"], "300ms"),
      (["export", "hra"], "choose one of har, curl, stubs"),
    ])
  func usage(arguments: [String], word: String) async throws {
    let run = try desk.start([BuiltProduct.path("patchbay")] + arguments)
    #expect(try await run.end() == 64)
    #expect(run.errors.contains(word), "\(run.said)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.output.isEmpty)
  }
}
