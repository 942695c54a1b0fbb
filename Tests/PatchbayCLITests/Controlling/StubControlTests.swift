import Foundation
import PatchbayTestSupport
import Testing

@Suite("Stubs from another terminal", .crowd, .bounded)
final class StubControlTests: DeskSuite {
  /// A stub file with two that are off.
  private func file() throws -> String {
    try stubs(
      """
      - name: tea
        enabled: false
        when: { method: GET, path: /tea }
        then: { respond: { status: 418, body: お茶 } }
      - name: coffee
        enabled: false
        when: { path: /coffee }
        then: { sequence: [ { respond: { status: 201 } }, { respond: { status: 202 } } ], afterwards: last }
      """)
  }

  @Test("a change is in force for the very next request, whichever it is")
  func veryNext() async throws {
    let console = try await desk.listener("--stubs", file())
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/tea")).hasPrefix("404 "))
    for _ in 0..<3 {
      #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
      #expect(try await asker.ask(server.url("/tea")) == "418 お茶")
      #expect(try await desk.run("stubs", "disable", "tea").exitStatus == 0)
      #expect(try await asker.ask(server.url("/tea")).hasPrefix("404 "))
    }
    #expect(try await desk.run("stubs", "enable", "coffee").exitStatus == 0)
    #expect(try await asker.ask(server.url("/coffee")) == "201 ")
    #expect(try await asker.ask(server.url("/coffee")) == "202 ")
    #expect(try await desk.run("stubs", "reset").exitStatus == 0)
    #expect(try await asker.ask(server.url("/coffee")) == "201 ")
    #expect(try await desk.run("stubs", "remove", "coffee").exitStatus == 0)
    #expect(try await asker.ask(server.url("/coffee")).hasPrefix("404 "))
    let more = try stubs(
      "- name: coffee\n  when: { path: /coffee }\n  then: { respond: { status: 299 } }\n", to: "more.yaml")
    let added = try await desk.run("stubs", "add", more)
    #expect(added.exitStatus == 0 && added.output == "added 1 stub.\n")
    #expect(try await asker.ask(server.url("/coffee")) == "299 ")
    #expect(console.exitStatus == nil)
  }

  @Test("pause turns all of them off at once, resume on again with their order, switches and counters")
  func pausing() async throws {
    let console = try await desk.listener("--stubs", file())
    let asker = try desk.asker()
    #expect(try await desk.run("stubs", "enable", "coffee").exitStatus == 0)
    #expect(try await asker.ask(server.url("/coffee")) == "201 ")
    for _ in 0..<2 {
      let paused = try await desk.run("stubs", "pause")
      #expect(paused.exitStatus == 0 && paused.output.isEmpty, "\(paused.said)")
      #expect(try await asker.ask(server.url("/coffee")).hasPrefix("404 "))
    }
    let list = try await desk.run("stubs", "list")
    #expect(list.lines[0].contains("off\ttea") && list.lines[1].contains("on\tcoffee\t1"), "\(list.said)")
    #expect(list.errors.contains("patchbay stubs resume"))
    let why = try await desk.run("stubs", "explain", "--url", "http://a.example/coffee")
    #expect(why.output.contains("✗ coffee: switched off") && why.errors.contains("patchbay stubs resume"))
    // What is changed meanwhile counts from then on.
    #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
    #expect(try await asker.ask(server.url("/tea")).hasPrefix("404 "))
    #expect(try await desk.run("stubs", "resume", "--json").exitStatus == 0)
    #expect(try await asker.ask(server.url("/tea")) == "418 お茶")
    #expect(try await asker.ask(server.url("/coffee")) == "202 ")
    #expect(try await desk.run("stubs", "list").errors.isEmpty)
    #expect(console.exitStatus == nil)
  }

  @Test("a switch does not cut a stub off from its file, and revert takes what the file says")
  func switchedAndReverted() async throws {
    func text(_ status: Int) -> String {
      "- name: tea\n  when: { path: /tea }\n  then: { respond: { status: \(status) } }\n"
    }
    let file = try stubs(text(201))
    let console = try await desk.listener("--stubs", file)
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/tea")) == "201 ")
    #expect(try await desk.run("stubs", "disable", "tea").exitStatus == 0)
    _ = try stubs(text(202))
    try await console.waitFor(errors: "again: 1 stub.")
    #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
    #expect(try await asker.ask(server.url("/tea")) == "202 ")
    _ = try stubs(text(203))
    while try await asker.ask(server.url("/tea")) != "203 " { try await Task.sleep(for: .milliseconds(20)) }
    // Edited: it stays as edited until it is reverted.
    _ = try await desk.run("stubs", "add", try stubs(text(299), to: "more.yaml"))
    _ = try stubs(text(204))
    try await console.waitFor(errors: "“tea” stays as edited here")
    #expect(try await asker.ask(server.url("/tea")) == "299 ")
    #expect(try await desk.run("stubs", "revert", "tea").exitStatus == 0)
    #expect(try await asker.ask(server.url("/tea")) == "204 ")
    #expect(try await desk.run("stubs", "remove", "tea").exitStatus == 0)
    #expect(try await desk.run("stubs", "revert", "tea").exitStatus == 0)
    #expect(try await asker.ask(server.url("/tea")) == "204 ")
    let names = try await desk.run(
      "stubs", "list", "--completing", "patchbay stubs enable --socket \(desk.defaultSocket) ")
    #expect(names.output == "tea\n")
    #expect(try await desk.run("stubs", "list", "--completing", "patchbay stubs enable ").output == "tea\n")
  }

  @Test("the name of no stub is refused with the way out, and what is no URL is not explained")
  func wrongNames() async throws {
    let console = try await desk.listener("--stubs", file())
    for command in ["enable", "disable", "remove", "revert", "reset"] {
      let unknown = try await desk.run("stubs", command, "something")
      #expect(unknown.exitStatus == 1 && unknown.errors.contains("see `patchbay stubs list`"), "\(unknown.said)")
    }
    for url in ["", "/tea", "a.example/tea", "not a url", "://a.example"] {
      for files in [[], [try file()]] {
        let command = [BuiltProduct.path("patchbay"), "stubs", "explain", "--url", url] + files
        let wrong = try desk.start(command)
        #expect(try await wrong.end() == 64)
        #expect(wrong.errors.contains("--url") && wrong.errors.contains("“\(url)”"), "\(wrong.said)")
      }
    }
    #expect(console.exitStatus == nil)
  }

  @Test("list and explain, as a table and as JSON")
  func listing() async throws {
    let console = try await desk.listener("--stubs", file())
    #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
    let list = try await desk.run("stubs", "list")
    #expect(list.lines.count == 2)
    #expect(list.lines[0].contains("on\ttea\t0") && list.lines[1].contains("off\tcoffee"))
    let json = try await Records.parse(desk.run("stubs", "list", "--json").output)
    #expect(json.compactMap { $0["name"] as? String } == ["tea", "coffee"])
    #expect(json.compactMap { $0["enabled"] as? Bool } == [true, false])
    let why = try await desk.run("stubs", "explain", "--method", "POST", "--url", "http://a.example/tea")
    #expect(why.lines.count == 2 && why.lines[0].hasPrefix("✗ tea") && why.lines[0].contains("POST"))
    let fits = try await Records.parse(
      desk.run("stubs", "explain", "--url", "http://a.example/tea", "--json").output)
    #expect(fits[0]["matches"] as? Bool == true)
    let offline = try await desk.run("stubs", "explain", "--url", "http://a.example/coffee", file())
    #expect(offline.output.contains("coffee"))
    #expect(console.exitStatus == nil)
  }

  @Test("a name that is not there suggests the near one; --json answers in JSON")
  func names() async throws {
    let console = try await desk.listener("--stubs", file())
    let wrong = try await desk.run("stubs", "enable", "tee")
    #expect(wrong.exitStatus == 1)
    #expect(wrong.errors.contains("tee") && wrong.errors.contains("tea"))
    #expect(wrong.errors.split(separator: "\n").count == 1)
    for command in ["enable", "disable", "remove"] {
      let answer = try await desk.run("stubs", command, "tea", "--json")
      #expect(answer.exitStatus == 0)
      #expect(try Records.parse(answer.output).count == 1)
    }
    #expect(console.exitStatus == nil)
  }

  @Test("a stopped process is named with status 4 after 2 s; the others have the change")
  func laggard() async throws {
    let console = try await desk.listener("--stubs", file())
    let stopped = try desk.asker()
    let other = try desk.asker()
    try await stopped.ask(server.url("/json"))
    try await other.ask(server.url("/json"))
    stopped.process.signal(SIGSTOP)
    let began = ContinuousClock.now
    let change = try await desk.run("stubs", "enable", "tea")
    #expect(change.exitStatus == 4)
    #expect(change.errors.contains("attached-harness") && change.errors.contains("\(stopped.pid)"))
    #expect(!change.errors.contains("\(other.pid)"))
    #expect(ContinuousClock.now - began >= .milliseconds(1_900))
    #expect(try await other.ask(server.url("/tea")) == "418 お茶")
    stopped.process.signal(SIGCONT)
    #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
    #expect(try await stopped.ask(server.url("/tea")) == "418 お茶")
    #expect(console.exitStatus == nil)
  }

  @Test("a person's screen follows what a script does, and says who did it")
  func screenFollows() async throws {
    let console = try desk.console("listen", "--stubs", file(), columns: 120)
    try await console.waitFor(row: "0 linked")
    try console.send("2")
    try await console.waitFor(row: "○", "tea")
    #expect(try await desk.run("stubs", "enable", "tea").exitStatus == 0)
    try await console.waitFor(row: "●", "tea")
    try await console.waitFor("who did it") { $0.text.contains("patchbay ") && $0.text.contains("changed the stubs") }
  }
}
