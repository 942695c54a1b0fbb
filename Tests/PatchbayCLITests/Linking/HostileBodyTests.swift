import Foundation
import PatchbayTestSupport
import Testing

@Suite("Bodies that are large or hostile", .crowd, .bounded)
struct HostileBodyTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// Would set the title, clear the screen, ring, write backwards.
  private static let hostile = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{7}\u{202E}evil\r\u{8}end"

  @Test("escape characters are shown as signs, never sent")
  func escapes() async throws {
    let server = try LoopbackServer { answer in
      answer.send(
        200, [("Content-Type", "text/plain; charset=utf-8"), ("X-Hostile", "a\u{1B}]0;owned\u{7}b")],
        body: Array(Self.hostile.utf8))
    }
    let console = try desk.console("listen", columns: 120, rows: 40)
    try await console.waitFor(row: "0 linked")
    let asker = try desk.asker()
    let path = "/a?%1B%5D0;owned%07"
    try await asker.ask(server.url(path))
    try await console.waitFor(row: "▸", "/a?", "200")
    try console.send("enter")
    try await console.waitFor("the body with signs") { $0.text.contains("evil") && $0.text.contains("owned") }
    for key in ["right", "right", "right", "left", "left", "left"] {
      try console.send(key)
    }
    try console.send("b")
    try await console.waitFor("the body as it came") { $0.text.contains("evil") }
    try console.send("q", "q")
    try await console.waitForExit()
    let output = String(decoding: console.output, as: UTF8.self)
    #expect(!output.contains("\u{1B}]0;owned"))
    #expect(!output.contains("\u{1B}]0;o") && !output.contains("\u{202E}") && !output.contains("\u{9B}"))
    #expect(console.screen.bells == 0)
    #expect(!console.screen.title.contains("owned"))
  }

  @Test("nor on the lines without a screen, nor by a controller")
  func lines() async throws {
    let server = try LoopbackServer { $0.send(text: Self.hostile) }
    let stubs = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: \"a\\u001b]0;owned\\u0007b\"\n  then: { respond: { body: x } }\n", to: "stubs.yaml")
    let console = try await desk.listener("--stubs", stubs)
    let asker = try desk.asker()
    try await asker.ask(server.url("/a"))
    try await console.waitFor(errors: "/a")
    let list = try await desk.run("stubs", "list")
    #expect(list.output.contains("owned"))
    #expect(!list.output.contains("\u{1B}") && !console.errors.contains("\u{1B}"))
    #expect(asker.process.exitStatus == nil)
    #expect(!list.output.contains("\u{7}") && !console.errors.contains("\u{7}"))
  }

  @Test("50 MB open and scroll to their end, and the console goes on")
  func large() async throws {
    let server = try LoopbackServer()
    let console = try desk.console("listen", columns: 100, rows: 30)
    try await console.waitFor(row: "0 linked")
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/big?mb=50")) == "200 52428800 B")
    try await console.waitFor(row: "▸", "/big?mb=50", "200")
    try console.send("enter")
    try await console.waitFor(row: "── Response", "52.4 MB")
    try console.send("tab", "G")
    try await asker.ask(server.url("/json"))
    try console.send("esc", "G")
    try await console.waitFor(row: "/json", "200")
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(0))
  }
}
