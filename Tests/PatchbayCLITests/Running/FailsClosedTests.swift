import Foundation
import PatchbayTestSupport
import Testing

/// Whatever the console does and however busy the machine is, what no stub takes stays away from the network.
@Suite("run --unmatched fail and hold let nothing out", .crowd, .bounded(240))
final class FailsClosedTests: DeskSuite {
  enum Console: String, CaseIterable {
    case undisturbed, stoppedBefore, stoppedDuring, stoppedAfter, killed
  }

  /// Starts many programs at once, each of which makes one request to a server of ours.
  private func crowd(_ count: Int) -> String {
    let program = BuiltProduct.path("plain-harness")
    return
      "i=0; while [ $i -lt \(count) ]; do echo GET \(server.url("/json")) | '\(program)' ask & i=$((i+1)); done; wait"
  }

  @Test("sixty programs at once", arguments: Console.allCases, ["fail", "hold"])
  func sixty(console: Console, unmatched: String) async throws {
    // What is held ends with the run.
    let count = unmatched == "fail" && console == .undisturbed ? 60 : 20
    let run = try desk.start(
      "run", "--headless", "--history", ":memory:", "--unmatched", unmatched, "--log", desk.folder.file("log"), "--",
      "/bin/sh", "-c", "sleep 0.3; " + crowd(count))
    // What is held goes on waiting when the run has ended.
    defer { kill(-run.pid, SIGKILL) }
    switch console {
    case .undisturbed: break
    case .stoppedBefore:
      try await shell(of: run)
      run.signal(SIGSTOP)
      try await programs(of: run, atLeast: count / 2)
      try await Task.sleep(for: .seconds(1))
      run.signal(SIGCONT)
    case .stoppedDuring:
      try await programs(of: run, atLeast: 3)
      for _ in 0..<5 {
        run.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(200))
        run.signal(SIGCONT)
        try await Task.sleep(for: .milliseconds(50))
      }
    case .stoppedAfter:
      try await programs(of: run, atLeast: count)
      run.signal(SIGSTOP)
      try await Task.sleep(for: .seconds(1))
      run.signal(SIGCONT)
    case .killed:
      try await programs(of: run, atLeast: count / 2)
      let left = Processes.descendants(of: run.pid)
      run.signal(SIGKILL)
      try await run.end()
      if unmatched == "fail" {
        try await eventually("the end of all programs", timeout: Patience.usual * 2) {
          left.allSatisfy { !Processes.isRunning($0) }
        }
      } else {
        try await Task.sleep(for: .seconds(3))
      }
      return #expect(server.requests.isEmpty)
    }
    if unmatched == "hold" {
      if console != .stoppedBefore { try await programs(of: run, atLeast: count) }
      try await Task.sleep(for: .seconds(2))
      run.signal(SIGTERM)
    }
    try await run.end(timeout: Patience.usual * 4)
    #expect(server.requests.isEmpty, "\(server.requests.count) escaped")
    guard unmatched == "fail" else { return }
    #expect(run.lines.count == count && run.lines.allSatisfy { $0.hasPrefix("error -1008") }, "\(run.said)")
    #expect(run.exitStatus == 0, "\(run.said)")
    #expect(!run.errors.contains("is not a Patchbay hook") && !run.errors.contains("without the hook"), "\(run.said)")
    // A busy machine may need longer than the 250 ms that a program's end gives to its last reports.
    if console == .undisturbed { #expect(try Records.read(desk.folder.file("log")).count > count / 2) }
  }

  @Test("an enabled stub is not skipped by a program that is quicker than its stubs")
  func stubs() async throws {
    let file = try stubs("- { name: tea, when: { path: /json }, then: { respond: { status: 418 } } }\n")
    // A program waits 5 s for its stubs; on a busy machine the console may stand still for longer, but not each time.
    var stops: [Duration] = []
    var answers: [[String]] = []
    while stops.count < 5, stops.last.map({ $0 > .seconds(2) }) ?? true {
      let run = try desk.start(
        "run", "--headless", "--history", ":memory:", "--stubs", file, "--", "/bin/sh", "-c", "sleep 0.3; " + crowd(30))
      try await shell(of: run)
      let stopped = ContinuousClock.now
      run.signal(SIGSTOP)
      try await programs(of: run, atLeast: 15)
      try await Task.sleep(for: .seconds(1))
      run.signal(SIGCONT)
      stops.append(stopped.duration(to: .now))
      #expect(try await run.end(timeout: Patience.usual * 4) == 0)
      answers.append(run.lines)
    }
    let stubbed = Array(repeating: "418 ", count: 30)
    #expect(answers.contains(stubbed), "\(stops): \(answers)")
    if answers.allSatisfy({ $0 == stubbed }) { #expect(server.requests.isEmpty) }
  }

  @Test("what waited for its stubs in vain says so in its row")
  func late() async throws {
    let program = BuiltProduct.path("plain-harness")
    // It is there still when the console goes on.
    let run = try desk.start(
      "run", "--headless", "--history", ":memory:", "--", "/bin/sh", "-c",
      "sleep 0.3; { echo GET \(server.url("/json")); sleep 7; } | '\(program)' ask")
    try await shell(of: run)
    run.signal(SIGSTOP)
    try await eventually("the answer", state: run.said) { !run.lines.isEmpty }
    run.signal(SIGCONT)
    #expect(try await run.end() == 0)
    #expect(run.lines[0].hasPrefix("200"))
    #expect(run.errors.contains("network (its stubs were not there yet)"), "\(run.said)")
  }

  @Test(
    "a process that the hook cannot get into is named, and the status is not 0",
    arguments: [
      ("env -i APP ask", "LD_PRELOAD did not reach it"), ("unset LD_PRELOAD; APP ask", "LD_PRELOAD did not reach it"),
      ("env -i /bin/sh -c 'APP ask'", "and so not what it started"),
      ("PATCHBAY_RUNTIME=libswiftCore.so=00 APP ask", "it runs on another Swift runtime"),
      ("PATCHBAY_HOOK=/nowhere.so APP ask", "the hook could not be loaded"),
    ])
  func named(script: String, reason: String) async throws {
    let program = BuiltProduct.path("plain-harness")
    let script = "echo GET \(server.url("/json")) | { \(script); }; true"
      .replacingOccurrences(of: "APP", with: program)
    let words = ["/bin/sh", "-c", script]
    let run = try desk.start(
      [BuiltProduct.path("patchbay"), "run", "--headless", "--history", ":memory:", "--unmatched", "fail", "--"] + words
    )
    #expect(try await run.end() == 1, "\(run.said)")
    #expect(run.errors.contains("ran without the hook, so that"), "\(run.said)")
    #expect(run.errors.contains(reason), "\(run.said)")
    #expect(run.lines.first?.hasPrefix("200") == true, "it did escape, or this tests nothing")
  }

  @Test("programs that make no request are not named", arguments: ["env -i /bin/ls /", "env -i /bin/echo a"])
  func notNamed(script: String) async throws {
    let run = try await desk.run(
      "run", "--headless", "--history", ":memory:", "--unmatched", "fail", "--", "/bin/sh", "-c", script + "; true")
    #expect(run.exitStatus == 0)
    #expect(!run.errors.contains("without the hook"), "\(run.said)")
  }

  @Test("what is known beforehand not to be reached is refused")
  func refused() async throws {
    for words in [["env", "-i", "/bin/true"], ["sudo", "true"], ["env", "-u", "LD_PRELOAD", "/bin/true"]] {
      for unmatched in ["fail", "hold"] {
        let run = try desk.start(
          [BuiltProduct.path("patchbay"), "run", "--headless", "--unmatched", unmatched, "--"] + words)
        let status = try await run.end()
        #expect(status == 126 || words[0] == "sudo" && status == 127, "\(run.said)")
        #expect(status == 127 || run.errors.contains("could not be kept from the network"), "\(run.said)")
      }
    }
    let observing = try await desk.run("run", "--headless", "--observe", "--unmatched", "fail", "--", "/bin/true")
    #expect(observing.exitStatus == 1 && observing.errors.contains("--observe intercepts nothing"), "\(observing.said)")
  }

  /// Nine are the least that a request needs natively.
  @Test("few descriptors: the hook stays out and says so, and what is to fail fails", arguments: [10, 11, 12, 16, 24])
  func descriptors(limit: Int) async throws {
    let program = BuiltProduct.path("plain-harness")
    let url = server.url("/json").absoluteString
    // Without what the test's own process left open.
    let start = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; ulimit -n \(limit); exec '\(program)'"
    let script = "\(start) requests '\(url)' 3"
    #expect(try await desk.start(["/bin/sh", "-c", script]).end() == 0)
    let hooked = try await desk.run("run", "--headless", "--history", ":memory:", "--", "/bin/sh", "-c", script)
    #expect(hooked.exitStatus == 0, "\(hooked.said)")
    #expect(hooked.errors.contains("may open only \(limit) files"), "\(hooked.said)")
    let before = server.requests.count
    let failing = try await desk.run(
      "run", "--headless", "--history", ":memory:", "--unmatched", "fail", "--", "/bin/sh", "-c",
      "{ echo GET \(url); echo GET \(url); echo GET \(url); } | { \(start) ask; }")
    #expect(failing.lines.count == 3 && failing.lines.allSatisfy { $0.hasPrefix("error -1008") }, "\(failing.said)")
    #expect(server.requests.count == before)
    #expect(failing.errors.contains("may open only \(limit) files"), "\(failing.said)")
  }

  private func shell(of run: ChildProcess) async throws {
    try await eventually("the command", state: run.said) { !Processes.children(of: run.pid).isEmpty }
  }

  private func programs(of run: ChildProcess, atLeast count: Int) async throws {
    try await eventually("\(count) programs", timeout: Patience.usual * 4, state: run.said) {
      let running = Processes.descendants(of: run.pid)
        .count { Processes.arguments(of: $0).first?.hasSuffix("plain-harness") == true }
      return running >= count || run.exitStatus != nil || run.lines.count + running >= count
    }
  }
}
