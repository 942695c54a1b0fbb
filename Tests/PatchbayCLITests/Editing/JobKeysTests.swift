import Foundation
import PatchbayTestSupport
import Testing

/// What people come to do, from a selected row, typed on the real console at 80 columns and 24 rows. Keys are counted;
/// what a person makes up, a value or a text, is not.
@Suite("Jobs by their keys", .crowd, .bounded)
final class JobKeysTests: DeskSuite {
  private let console: PtySession
  private let asker: Asker
  private var keys = 0
  /// How many requests were made: their numbers count from 1.
  private var asked = 0

  init() throws {
    let desk = try Desk()
    console = try desk.console("listen", "--history", ":memory:", columns: 80, rows: 24)
    asker = try desk.asker()
    try super.init(desk: desk)
  }

  /// Presses keys, and counts them.
  private func press(_ names: String...) throws {
    for name in names { try console.send(name) }
    keys += names.count
  }

  /// A new job, which may take so many keys.
  private func expect(_ most: Int, _ job: String) {
    #expect(keys <= most, "\(job) took \(keys) keys")
    keys = 0
  }

  private func ask(_ path: String = "/json") async throws -> String {
    asked += 1
    return try await asker.ask(server.url(path))
  }

  /// To the newest request, when all are listed.
  private func selectNewest() async throws {
    let newest = asked
    try await console.waitFor("request \(newest)") { screen in
      // By its first column: the time it took may be the same number.
      screen.lines.contains { $0.contains(" GET ") && $0.drop { " ▸".contains($0) }.hasPrefix("\(newest) ") }
    }
    try console.send("G")
    try await console.waitFor("the newest row") { $0.marked(newest) != nil }
  }

  /// Asks until the answer begins so: a change is in force at the next request that its process makes after it came.
  @discardableResult
  private func answer(_ start: String, path: String = "/json") async throws -> String {
    var answer = ""
    let deadline = ContinuousClock.now + Patience.usual
    repeat {
      answer = try await ask(path)
      if answer.hasPrefix(start) { return answer }
    } while ContinuousClock.now < deadline
    Issue.record("never answered \(start), but \(answer)")
    return answer
  }

  private func begin() async throws {
    try await console.waitFor(row: "1 linked")
    try await desk.settled()
    _ = try await ask()
    try await console.waitFor(row: "▸", "/json", "200", "network")
  }

  @Test("a host times out and is back, 503 for the next three, a slow network, the answer before, who answered")
  func faults() async throws {
    try await begin()
    try press("x", "tab", "enter")
    try await answer("error -1001")
    expect(3, "a host times out")
    try await console.waitFor(row: "▸", "/json", "timed out")
    try press("x", "enter")
    try await answer("200")
    expect(2, "it is back")
    try press("x", "3", "5", "enter")
    try await answer("503")
    for _ in 2...3 { #expect(try await ask().hasPrefix("503")) }
    #expect(try await ask().hasPrefix("200"))
    expect(4, "503 for the next three")
    try await selectNewest()
    try press("D")
    try await console.waitFor(row: "status", "503", "200")
    expect(1, "compare with the answer before")
    try console.send("esc")
    try await selectNewest()
    try press("enter", "left")
    try await console.waitFor(row: "From the network: no stub answered.")
    try await console.waitFor(row: "· 503 Service Unavailable", "not this one")
    expect(2, "which stub answered")
    try console.send("esc")
    try press("x", "k", "b", "enter")
    try await console.waitFor(row: "Slow network: 20 kB/s and 2 s”")
    expect(4, "20 kB/s and 2 s")
  }

  @Test("a value of the real answer is another from now on; all stubs off, and on again")
  func value() async throws {
    try await begin()
    try press("e")
    try await console.waitFor(row: "enter live from now on")
    console.type("太郎")
    try press("enter")
    try await answer("200 {\"name\":\"太郎\",\"ids\":[1,2,3]}")
    expect(6, "a value of the answer")
    try console.send("esc")
    try press("0")
    try await console.waitFor(row: "STUBS OFF")
    try await answer("200 {\"name\":\"花子\"")
    expect(1, "all stubs off")
    try press("0")
    try await answer("200 {\"name\":\"太郎\"")
    expect(1, "all stubs on")
    // The program may be answered before the screen is drawn.
    try await console.waitFor("the stubs on") { !$0.has("STUBS OFF") }
  }

  @Test("a login is held, its body edited, and it goes on; another is answered with 401 in the words of the last one")
  func held() async throws {
    try await console.waitFor(row: "1 linked")
    try await desk.settled()
    let login = server.url("/status/201")
    try await asker.ask(login, "POST", body: "{\"user\":\"a\"}")
    try await console.waitFor(row: "▸", "POST", "201")
    try press("h")
    try await console.waitFor(row: "The next request like this is held.")
    try await desk.settled()
    asker.begin(login, "POST", body: "{\"user\":\"b\"}")
    try await console.waitFor(row: "▸", "held")
    try press("e")
    try await console.waitFor(row: "Held request 2")
    try press("ctrl-b")
    console.type(" ")
    try press("ctrl-s")
    #expect(try await asker.process.waitFor(lines: 2)[1] == "201 status 201")
    expect(5, "hold it, edit its body, let it go")
    try await console.waitFor(row: "▸", "201", "you edited")
    asker.begin(login, "POST", body: "{\"user\":\"c\"}")
    try await console.waitFor(row: "▸", "held")
    try press("a")
    try await console.waitFor(row: "Answer request 3 yourself")
    try press("4", "0", "1", "ctrl-s")
    // What the server had said is what it begins with; the one that was edited was no other.
    #expect(try await asker.process.waitFor(lines: 3)[2] == "401 status 201")
    expect(5, "answer it with 401")
  }

  @Test("a stub file is loaded, what no stub takes fails, and a set is switched off")
  func stubs() async throws {
    let path = try stubs("- name: tea\n  when: { path: /json }\n  then: { respond: { status: 218, body: x } }\n")
    try await begin()
    try press("2", "l")
    try await console.waitFor(row: "load stubs")
    console.type(path)
    try press("enter")
    try await answer("218 x")
    expect(3, "a stub file loaded")
    try console.send("1")
    try press("2", "n", "f")
    try await answer("error", path: "/status/204")
    expect(3, "what no stub takes fails")
    try await answer("218 x")
    try console.send("1")
    try press("2", "o", "1")
    try await answer("error")
    expect(3, "a set switched off")
  }

  @Test("what was recorded answers alone, and the network again")
  func offline() async throws {
    try await begin()
    _ = try await ask()
    try await console.waitFor(row: "▸", "GET", "200")
    try press("X", "o")
    try await console.waitFor(row: "Offline: 1 stub")
    try await answer("error", path: "/status/204")
    expect(4, "the recorded session as stubs, offline")
    try await answer("200")
    try await console.waitFor(row: "unmatched: fail")
    try press("u")
    try await answer("204", path: "/status/204")
    #expect(FileManager.default.fileExists(atPath: desk.work + "/patchbay-export.yaml"))
  }

  @Test("all failed POSTs of the last five minutes with a word in the body")
  func finding() async throws {
    try await begin()
    try await asker.ask(server.url("/status/500"), "POST", body: "nothing of it")
    try await asker.ask(server.url("/status/201"), "POST", body: "my token")
    try await asker.ask(server.url("/status/500"), body: nil)
    try await asker.ask(server.url("/status/500"), "POST", body: "my token")
    try await console.waitFor("the last of them is selected") { screen in
      let rows = screen.lines.filter { $0.contains("/status/") }
      return rows.count == 4 && rows.last?.contains("▸") == true
    }
    try press("+", "f", "+", "5", "+", "c", "t", "o", "k", "e", "n", "enter")
    try await console.waitFor(row: "is:bad method:POST since:5m body:token", "1 of 5")
    expect(12, "failed POSTs of the last five minutes with a word in the body")
  }
}

@Suite("Jobs by their keys, on yesterday's history", .crowd, .bounded)
final class JobKeysOfHistoryTests: DeskSuite {
  @Test("a history is opened, and a run found in it with three keys")
  func run() async throws {
    let path = desk.folder.file("work/h.sqlite")
    for _ in 1...2 {
      let listener = try await desk.listener("--history", path)
      let asker = try desk.asker()
      try await asker.ask(server.url("/json"))
      _ = try await asker.leave()
      listener.signal(SIGTERM)
      try await listener.end()
    }
    let console = try desk.console("open", path, columns: 80, rows: 24)
    try await console.waitFor(row: "── run 2")
    try console.send("g", "+", "r")
    try await console.waitFor(row: "run:1", "1 of 2")
  }
}
