import Foundation
import PatchbayTestSupport
import Testing

@Suite("Programs that attach", .crowd, .bounded)
final class AttachTests: DeskSuite {
  @Test("whichever starts first, and again after either is started again")
  func restarts() async throws {
    let early = try desk.asker()
    #expect(try await early.ask(server.url("/json")).hasPrefix("200 "))
    let console = try desk.console("listen", columns: 120, rows: 40)
    try await console.waitFor(row: "1 linked")
    try await desk.settled()
    try await early.ask(server.url("/bytes?n=7"))
    try await console.waitFor(row: "/bytes?n=7", "200", "network")
    #expect(try await early.leave() == 0)
    try await console.waitFor(row: "0 linked")
    let late = try desk.asker()
    try await console.waitFor(row: "1 linked")
    try await late.ask(server.url("/bytes?n=8"))
    try await console.waitFor(row: "\(late.pid)", "/bytes?n=8", "200")
    try console.send("q")
    try await console.waitForExit()
    #expect(try await late.ask(server.url("/json")).hasPrefix("200 "))
    let again = try desk.console("listen", columns: 120, rows: 40)
    try await again.waitFor(row: "1 linked")
    try await desk.settled()
    try await late.ask(server.url("/bytes?n=9"))
    try await again.waitFor(row: "/bytes?n=9", "200")
  }

  /// A user's programs may have all of the 128 watches that Linux gives them.
  @Test(
    "finds a console by itself also where nothing can be watched, and the next one",
    .enabled(if: WatchlessProcess.isPossible, WatchlessProcess.otherwise))
  func watchless() async throws {
    let program = Asker(
      try desk.start(WatchlessProcess.words + [BuiltProduct.path("attached-harness"), "ask"], input: .written))
    #expect(try await program.ask(server.url("/json")).hasPrefix("200 "))
    for _ in 1...2 {
      let console = try desk.console("listen", columns: 120, rows: 40)
      try await console.waitFor(row: "1 linked")
      try console.send("q")
      try await console.waitForExit()
    }
    #expect(try await program.leave() == 0)
  }

  @Test("two at once, told apart by process, each with the stubs in force")
  func two() async throws {
    let stubs = try stubs("- name: tea\n  when: { path: /tea }\n  then: { respond: { status: 418, body: お茶 } }\n")
    let console = try desk.console("listen", "--stubs", stubs, columns: 120, rows: 40)
    try await console.waitFor(row: "0 linked")
    let one = try desk.asker()
    let other = try desk.asker()
    try await console.waitFor(row: "2 linked")
    #expect(try await one.ask(server.url("/tea")) == "418 お茶")
    #expect(try await other.ask(server.url("/tea")) == "418 お茶")
    try await console.waitFor(row: "\(one.pid)", "/tea", "418", "◆ tea")
    try await console.waitFor(row: "\(other.pid)", "/tea", "418", "◆ tea")
    #expect(server.requests.isEmpty, "a stubbed request never reaches the network")
    try console.send("4")
    try await console.waitFor(row: "attached-harness", "\(one.pid)")
    try await console.waitFor(row: "attached-harness", "\(other.pid)")
  }

  @Test("a request that goes to the network changed is not taken by the hook once more")
  func patchedOnce() async throws {
    let stubs = try stubs("- name: more\n  then: { pass: { headers: { X-More: '1' } } }\n")
    let console = try desk.console("listen", "--stubs", stubs, columns: 120, rows: 40)
    try await console.waitFor(row: "0 linked")
    let program = try desk.asker()
    try await console.waitFor(row: "1 linked")
    #expect(try await program.ask(server.url("/bytes?n=7")).hasPrefix("200 "))
    try await console.waitFor(row: "/bytes?n=7", "200", "◆ more")
    #expect(server.requests.count == 1)
  }

  @Test("the first request of a program already meets the stubs")
  func firstRequest() async throws {
    let stubs = try stubs("- name: all\n  then: { respond: { status: 299, body: first } }\n")
    let console = try await desk.listener("--stubs", stubs)
    // A busy machine may be later than the 250 ms for which a program waits, but not each time.
    var answers: [String] = []
    for _ in 0..<5 {
      let program = try desk.start([BuiltProduct.path("attached-harness"), "once", server.url("/json").absoluteString])
      #expect(try await program.end() == 0)
      answers.append(program.output)
    }
    #expect(answers.count { $0 == "299 5\n" } >= 3, "\(answers)")
    #expect(console.exitStatus == nil)
  }

  @Test("the last request of a program that ends with its answer in hand is recorded", arguments: ["once", "return"])
  func lastRequest(mode: String) async throws {
    let log = desk.folder.file("log.jsonl")
    let console = try await desk.listener("--log", log)
    for size in [10, 100_000, 1_000_000] {
      // A busy machine may need longer than the 250 ms that a program gives at each end, but not each time.
      var record: [String: Any]?
      for attempt in 1...Patience.tries(5) where record?["outcome"] as? String != "responded" {
        record = try await lastRecord(mode, server.url("/bytes?n=\(size)&\(attempt)").absoluteString, log)
      }
      #expect(record?["outcome"] as? String == "responded", "\(size) bytes: \(console.said)")
      #expect(record?["bytesReceived"] as? Int == size)
    }
  }

  /// What is recorded of a program's only request; nil when that does not come.
  private func lastRecord(_ mode: String, _ url: String, _ log: String) async throws -> [String: Any]? {
    let program = try desk.start([BuiltProduct.path("attached-harness"), mode, url])
    #expect(try await program.end() == 0)
    return try? await eventually("the record of \(url)", timeout: Patience.usual / 2) {
      try Records.read(log).first { $0["url"] as? String == url }
    }
  }

  @Test("when the console is killed in the middle, the program goes on with no error and no stall over 100 ms")
  func killed() async throws {
    let stubs = try stubs("- name: other\n  when: { path: /other }\n  then: { fail: timedOut }\n")
    // A machine under load stalls too, but not at each kill more than before it.
    var stalls: [(before: Int, after: Int)] = []
    func isQuick(_ stall: (before: Int, after: Int)) -> Bool { stall.after <= max(100, stall.before) }
    while stalls.count < 6, stalls.last.map({ !isQuick($0) }) ?? true {
      stalls.append(try await longestRequest(stubs: stubs))
    }
    #expect(stalls.contains(where: isQuick), "the longest took \(stalls) ms")
  }

  /// In milliseconds, before and after the console of a program is killed.
  private func longestRequest(stubs: String) async throws -> (before: Int, after: Int) {
    let console = try await desk.listener("--stubs", stubs)
    let url = server.url("/bytes?n=2000").absoluteString
    let program = try desk.start([BuiltProduct.path("attached-harness"), "loop", url, "400", "2"])
    try await console.waitFor(errors: "/bytes")
    _ = try await program.waitFor(lines: 100)
    console.signal(SIGKILL)
    #expect(try await program.end() == 0)
    let lines = program.lines
    #expect(lines.count == 400)
    #expect(lines.allSatisfy { $0.contains(" 200 2000 ") }, "no error: \(lines.first { !$0.contains(" 200 ") } ?? "")")
    let times = lines.compactMap { Int($0.split(separator: " ").dropLast().last ?? "") }
    #expect(times.count == 400)
    return (times[20..<100].max() ?? 0, times[100...].max() ?? 0)
  }
}
