import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// A console without a screen, from its start to its status, and what it says. What it says goes to this process's standard
/// error, and signals come to this process, so it runs alone.
@Suite(
  .alone, .bounded,
  .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside the hook"))
final class HeadlessRunTests {
  private let place: TestFolders

  init() throws { place = try TestFolders() }

  private func run(
    _ mode: WorkbenchPlan.Mode = .listen, words: [String]? = nil,
    _ change: (inout ConsoleOptions) -> Void = { _ in }, config: (inout ConfigFile) -> Void = { _ in },
    act: (@Sendable () async throws -> Void)? = nil, meanwhile: (Workbench) async throws -> Void = { _ in }
  ) async throws -> (status: Int32, said: [String]) {
    var options = ConsoleOptions()
    options.history = ":memory:"
    change(&options)
    // Where what is to happen meanwhile fails, nothing else would end it, and the failure would not be told.
    options.duration = options.duration ?? Patience.usual * 2
    var file = ConfigFile()
    config(&file)
    let bench = try Workbench(WorkbenchPlan(mode, options: options, config: file, folders: place.folders))
    let command = try words.map { try HookedCommand(words: $0, plan: bench.plan, folders: place.folders) }
    defer { command?.forget() }
    // A relay would go on to the end of this process.
    let relay = SignalRelay.begin()
    defer { relay?.end() }
    let run = HeadlessRun(bench: bench, options: options)
    let (status, text) = try await written {
      async let status = run.run(command: command, act: act)
      try await meanwhile(bench)
      return try await status
    }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    #expect(!FileManager.default.fileExists(atPath: bench.plan.socket))
    return (status, text.split(separator: "\n").map(String.init))
  }

  private func isListening(_ bench: Workbench) async throws {
    try await eventually("its socket") { FileManager.default.fileExists(atPath: bench.plan.socket) }
  }

  // MARK: Without a command

  @Test func itEndsAfterItsTime() async throws {
    let (status, said) = try await run { $0.duration = .milliseconds(50) }
    #expect(status == 0)
    #expect(said == ["patchbay: waiting for programs on \(try place.plan(.listen).socket) (Ctrl-C ends it)."])
  }

  @Test func quietEndsItAndThatIsSaid() async throws {
    let acted = SeenLock<[String]>([])
    let (status, said) = try await run(.demo) {
      $0.untilIdle = .milliseconds(60)
    } act: {
      acted.withLock { $0.append("began") }
      do { try await Task.sleep(for: .seconds(600)) } catch { acted.withLock { $0.append("cancelled") } }
    }
    #expect(status == 0 && acted.withLock { $0 } == ["began", "cancelled"])
    #expect(said == ["patchbay: ended, because no request was under way for 60 ms."])
  }

  @Test func whatEndsIsPrintedAndLogged() async throws {
    let log = place.folder.file("log")
    let (status, said) = try await run {
      $0.log = log
      $0.filter = "host:a.example"
      $0.untilIdle = .milliseconds(500)
    } meanwhile: { bench in
      try await isListening(bench)
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      for (key, url) in [(1, "http://a.example/x"), (2, "http://b.example/y")] as [(UInt64, String)] {
        hook.send(
          .exchange(
            ExchangeUpdate(
              key: key,
              start: .init(
                at: .now, request: RecordedRequest(method: "GET", url: url), task: .data, revision: 1),
              head: .init(at: 5, status: 200, headers: []), end: .init(at: 9, outcome: .responded))))
      }
      try await eventually("both") { bench.history.count == 2 }
      _ = hook
    }
    #expect(status == 0)
    // A program that links at once may be told of before it is said where the console waits.
    let rows = said.filter { $0.contains("http://") }
    #expect(said.count == 3 && rows.count == 1, "\(said)")
    #expect(said.prefix(2).contains { $0.hasPrefix("patchbay: waiting for programs on ") }, "\(said)")
    #expect(said.last == "patchbay: ended, because no request was under way for 500 ms.")
    #expect(rows.allSatisfy { $0.contains("http://a.example/x") && !$0.contains("\u{1B}") }, "\(said)")
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 1 && lines[0].contains("http://a.example/x"))
  }

  /// With secrets, in place of a recording that others could read.
  @Test func whatWasRecordedAndWhatIsMissingIsSaidAtTheEnd() async throws {
    let path = try place.folder.write("# Recorded by patchbay\n", to: "stubs.yaml")
    chmod(path, 0o644)
    let (status, said) = try await run {
      $0.record = path
      $0.withSecrets = true
      $0.expect = ["host:a.example method:PUT"]
      $0.untilIdle = .milliseconds(500)
    } meanwhile: { bench in
      try await isListening(bench)
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      hook.send(
        .exchange(
          ExchangeUpdate(
            key: 1,
            start: .init(
              at: .now, request: RecordedRequest(method: "GET", url: "http://a.example/x"), task: .data, revision: 1),
            head: .init(at: 5, status: 200, headers: []), end: .init(at: 9, outcome: .responded))))
      try await eventually("it is recorded") { bench.history.count == 1 }
      _ = hook
    }
    #expect(status == 3)
    #expect(
      said.suffix(4) == [
        "patchbay: wrote 1 stub to \(path).",
        "patchbay: \(path) could be read by others; it is yours alone now (mode 0600), since there are secrets in it.",
        "patchbay: no exchange fits --expect 'host:a.example method:PUT'.",
        "patchbay:   nearest: GET http://a.example/x 200, but not method:PUT",
      ])
  }

  @Test func whatIsNotAsUsualIsSaid() async throws {
    try place.folder.write("", to: "state")
    let stubs = try place.folder.write(
      "patchbay: 1\nstubs:\n- name: all\n  then: { fail: offline }\n- name: late\n  then: { fail: offline }\n",
      to: "s.yaml")
    let (status, said) = try await run {
      ($0.history, $0.duration, $0.stubs) = (nil, .milliseconds(30), [stubs])
    }
    #expect(status == 0 && said.count == 3, "\(said)")
    #expect(said.first?.hasSuffix(". Exchanges are kept in memory only.") == true)
    #expect(said.contains { $0.contains("`late` can never match") })
  }

  @Test func whereAnotherConsoleHasTheSocketItSaysSo() async throws {
    let plan = try place.plan(.listen)
    let other = ConsoleServer(configuration: ServerConfiguration(socket: plan.socket))
    try await other.start()
    let bench = try Workbench(plan)
    await #expect(throws: ServerError.otherConsole(path: plan.socket)) {
      _ = try await HeadlessRun(bench: bench, options: ConsoleOptions()).run()
    }
    await bench.stop()
    await other.stop()
  }

  // MARK: With a command

  private static func silent(_ name: String) -> String {
    "patchbay: Nothing linked: \(name) made no URLSession, and nothing that it started made one that could be hooked. "
      + "AsyncHTTPClient, libcurl, programs that are not Swift, static and set-uid ones are invisible to Patchbay, and "
      + "those that a wrapper starts without LD_PRELOAD."
  }

  @Test(arguments: [0, 7]) func theCommandsStatusIsItsOwn(_ number: Int32) async throws {
    let (status, said) = try await run(.run, words: ["sh", "-c", "exit \(number)"])
    #expect(status == number && said == [Self.silent("sh")])
  }

  /// What ends because of an option ends its command too; a check that ends it does not hold that against it.
  @Test func aCommandThatIsEndedHasThatStatusUnlessSomethingIsChecked() async throws {
    func ended(_ script: String, _ change: (inout ConsoleOptions) -> Void) async throws -> Int32 {
      try await run(
        .run, words: ["sh", "-c", script],
        {
          $0.duration = .milliseconds(300)
          change(&$0)
        }
      ).status
    }
    #expect(try await ended("exec sleep 60") { _ in } == 143)
    #expect(try await ended("exec sleep 60") { $0.forbid = ["is:bad"] } == 0)
    #expect(try await ended("exec sleep 60") { $0.expect = ["is:bad"] } == 3)
    #expect(try await ended("trap 'exit 5' TERM; while :; do sleep 0.02; done") { $0.forbid = ["is:bad"] } == 5)
    #expect(try await ended("exit 9") { $0.forbid = ["is:bad"] } == 9)
    #expect(try await ended("kill -TERM $$") { $0.forbid = ["is:bad"] } == 143, "it ended by itself")
  }

  @Test func quietEndsTheCommand() async throws {
    let (status, said) = try await run(.run, words: ["sh", "-c", "exec sleep 60"]) { $0.untilIdle = .milliseconds(200) }
    #expect(status == 143)
    #expect(said == ["patchbay: ended, because no request was under way for 200 ms.", Self.silent("sh")])
  }

  @Test func aProcessThatLinkedAndRunsOnIsNamed() async throws {
    let folder = place.folder.path
    let script =
      "sleep 60 >/dev/null & echo $! > \(folder)/new; mv \(folder)/new \(folder)/pid; "
      + "while [ ! -e \(folder)/done ]; do sleep 0.01; done"
    let child = SeenLock<pid_t>(0)
    let (status, said) = try await run(.run, words: ["sh", "-c", script]) { _ in
    } meanwhile: { bench in
      let text: String = try await eventually("its child") {
        try? String(contentsOfFile: folder + "/pid", encoding: .utf8)
      }
      let pid = try #require(pid_t(text.filter(\.isNumber)))
      child.withLock { $0 = pid }
      let hook = try MadeUpHook(bench.plan.socket, name: "sleep", pid: pid)
      try await eventually("the link") { !bench.server.links.isEmpty }
      try Data().write(to: URL(fileURLWithPath: folder + "/done"))
      try await eventually("the end") { !FileManager.default.fileExists(atPath: bench.plan.socket) }
      _ = hook
    }
    let pid = child.withLock { $0 }
    kill(pid, SIGKILL)
    #expect(status == 0)
    #expect(
      said == [
        "patchbay: sh ended and left sleep (\(pid)) running, unseen from now on: let the command wait for it (sh -c '…; wait'), "
          + "or leave --headless out."
      ])
  }

  @Test func whereRequestsMayHaveGotOutItHasFailed() async throws {
    let note = "printf '7\\tshop\\tnot-loaded\\tx\\n' >> \"$PATCHBAY_NOTES\"; exit "
    for (number, expected) in [(0, 1), (7, 7)] as [(Int32, Int32)] {
      let (status, said) = try await run(.run, words: ["sh", "-c", note + "\(number)"]) { $0.unmatched = .fail }
      #expect(status == expected)
      #expect(
        said == [
          "patchbay: 1 process ran without the hook, so that requests which no stub takes may have reached the network: shop "
            + "(7), because the hook could not be loaded (x)."
        ])
    }
  }
}
