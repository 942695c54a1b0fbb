import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay run --headless", .crowd, .bounded)
struct RunHeadlessTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("standard input and output are the command's alone, byte for byte")
  func streams() async throws {
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let path = desk.folder.file("bytes")
    try bytes.write(to: URL(fileURLWithPath: path))
    let run = try desk.start("run", "--headless", "--", "cat", input: .file(path))
    #expect(try await run.end() == 0)
    #expect(run.outputBytes == bytes)
  }

  @Test(
    "the exit status is the command's",
    arguments: [
      ("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 128 + SIGTERM), ("kill -KILL $$", 137),
    ])
  func status(script: String, expected: Int32) async throws {
    let run = try await desk.run("run", "--headless", "--", "/bin/sh", "-c", script)
    #expect(run.exitStatus == expected, "\(run.said)")
  }

  @Test(
    "a signal of the terminal, which reaches all, ends the command and lets us finish", arguments: [SIGINT, SIGQUIT])
  func groupSignal(number: Int32) async throws {
    for _ in 0..<5 {
      let run = try await desk.run("run", "--headless", "--", "/bin/sh", "-c", "kill -\(number) 0; sleep 60")
      #expect(run.exitStatus == 128 + number)
      #expect(run.errors.contains("Nothing linked"), "\(run.said)")
    }
  }

  @Test("126 for what cannot be run, 127 for what is not there, each with a sentence")
  func notRun() async throws {
    let text = try desk.folder.write("just text", to: "text")
    let refused = try await desk.run("run", "--headless", "--", text)
    #expect(refused.exitStatus == 126)
    #expect(refused.errors.contains(text))
    for name in ["no-such-program-here", "/no/such/program"] {
      let missing = try await desk.run("run", "--headless", "--", name)
      #expect(missing.exitStatus == 127)
      #expect(missing.errors.contains(name))
      #expect(missing.errors.split(separator: "\n").count == 1)
      let onScreen = try desk.console("run", "--", name, columns: 200)
      #expect(try await onScreen.waitForExit() == .exited(127))
      #expect(!String(decoding: onScreen.output, as: UTF8.self).contains("\u{1B}[?1049h"))
    }
  }

  @Test(
    "a signal that is sent to us reaches the command, and its status is ours", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(number: Int32) async throws {
    let run = try desk.start(
      "run", "--headless", "--", "/bin/sh", "-c",
      "trap 'echo got; exit 9' TERM INT HUP; echo ready; while :; do sleep 0.05; done")
    _ = try await run.waitFor(lines: 1)
    run.signal(number)
    #expect(try await run.end() == 9)
    #expect(run.output == "ready\ngot\n")
  }

  @Test("what stops us stops the command, and what continues us continues it")
  func stopped() async throws {
    let run = try desk.start("run", "--headless", "--", "/bin/sh", "-c", "echo $$; while :; do sleep 0.05; done")
    let command = try #require(pid_t(try await run.waitFor(lines: 1)[0]))
    run.signal(SIGTSTP)
    try await eventually("both stopped") { Processes.isStopped(command) && Processes.isStopped(run.pid) }
    run.signal(SIGCONT)
    try await eventually("both running") { !Processes.isStopped(command) && !Processes.isStopped(run.pid) }
    run.signal(SIGTERM)
    #expect(try await run.end() == 128 + SIGTERM)
  }

  @Test("ctrl-c at a terminal reaches the command as without us")
  func interrupt() async throws {
    let run = try desk.console(
      "run", "--headless", "--", "/bin/sh", "-c",
      "trap 'echo got; exit 9' INT; echo ready; while :; do sleep 0.05; done")
    try await run.waitFor(text: "ready")
    try run.send("ctrl-c")
    #expect(try await run.waitForExit() == .exited(9))
    #expect(run.screen.contains("got"))
  }

  @Test("a program without Patchbay in it is hooked, also through a shell, and its requests are logged")
  func hooked() async throws {
    let server = try LoopbackServer()
    let log = desk.folder.file("log.jsonl")
    let harness = BuiltProduct.path("plain-harness")
    let run = try desk.start(
      "run", "--headless", "--log", log, "--", "/bin/sh", "-c", "echo from the shell; '\(harness)' ask; exit 5",
      input: .written)
    _ = try await run.waitFor(lines: 1)
    run.send("GET \(server.url("/json").absoluteString)")
    #expect(try await run.waitFor(lines: 2) == ["from the shell", "200 {\"name\":\"花子\",\"ids\":[1,2,3]}"])
    run.endInput()
    #expect(try await run.end() == 5)
    let record = try #require(try Records.read(log).first)
    #expect(record["url"] as? String == server.url("/json").absoluteString)
    #expect((record["process"] as? [String: Any])?["name"] as? String == "plain-harness")
    #expect(run.errors.contains("/json"))
  }

  @Test("stubs answer a program without Patchbay in it, offline; what none takes fails when it is told to")
  func offline() async throws {
    let stubs = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: tea\n  when: { path: /tea }\n  then: { respond: { status: 418, json: { a: お茶 } } }\n",
      to: "stubs.yaml")
    let run = try desk.start(
      "run", "--headless", "--stubs", stubs, "--unmatched", "fail", "--log", desk.folder.file("log"), "--",
      BuiltProduct.path("plain-harness"), "ask", input: .written)
    run.send("GET http://nowhere.invalid/tea")
    #expect(try await run.waitFor(lines: 1)[0] == "418 {\"a\":\"お茶\"}")
    run.send("POST http://nowhere.invalid/coffee please")
    #expect(try await run.waitFor(lines: 2)[1].hasPrefix("error "))
    run.endInput()
    #expect(try await run.end() == 0)
    let records = try Records.read(desk.folder.file("log"))
    #expect(records.map { $0["by"] as? String } == ["stub", "console"])
    #expect(records.last?["outcome"] as? String == "failed")
  }

  @Test("a command in which nothing linked is told, in one sentence")
  func nothingLinked() async throws {
    let run = try await desk.run("run", "--headless", "--", "/bin/echo", "hello")
    #expect(run.exitStatus == 0)
    #expect(run.output == "hello\n")
    #expect(run.errors.contains("made no URLSession"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test("a program that ends by _exit with the answer in hand is recorded with it")
  func immediateExit() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    for round in 1...5 {
      let log = desk.folder.file("left\(round).jsonl")
      let run = try await desk.run(
        "run", "--headless", "--log", log, "--", BuiltProduct.path("plain-harness"), "leave",
        server.url("/json").absoluteString)
      #expect(run.exitStatus == 0)
      #expect(try Records.read(log).map { $0["outcome"] as? String } == ["responded"], "\(run.errors)")
    }
  }
}
