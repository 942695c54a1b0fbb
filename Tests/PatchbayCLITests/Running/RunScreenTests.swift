import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay run on screen", .crowd, .bounded)
struct RunScreenTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("shows the command's output and requests, stays open after its end, and leaves with its status and last lines")
  func stays() async throws {
    let server = try LoopbackServer()
    let url = server.url("/json").absoluteString
    let script =
      "echo こんにちは; '\(BuiltProduct.path("attached-harness"))' return '\(url)'; printf '\\033[31mred\\033[0m'; exit 6"
    let console = try desk.console("run", "--", "/bin/sh", "-c", script, columns: 120)
    try await console.waitFor(row: "/json", "200", "network")
    try console.send("5")
    try await console.waitFor(row: "こんにちは")
    try await console.waitFor(row: "red")
    try await console.waitFor("the end of the command told") { $0.text.contains("ended with status 6") }
    #expect(console.exitStatus == nil)
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(6))
    #expect(console.screen.isPutBack)
    #expect(console.screen.contains("こんにちは") && console.screen.contains("red"))
    #expect(!console.screen.contains("␛"), "escape sequences are left out of the last lines")
  }

  @Test("ctrl-c asks, twice interrupts the command")
  func interrupt() async throws {
    let console = try desk.console(
      "run", "--", "/bin/sh", "-c",
      "trap 'echo got $((1 + 1)); exit 9' INT; echo ready $((40 + 2)); while :; do sleep 0.05; done",
      columns: 120)
    try console.send("5")
    // The command itself, which is shown from the beginning, does not say this.
    try await console.waitFor(row: "ready 42")
    try console.send("ctrl-c")
    try await console.waitFor(row: "ctrl-c again interrupts the command")
    #expect(!console.screen.contains("got 2"))
    try console.send("ctrl-c")
    try await console.waitFor(row: "got 2")
    try await console.waitFor("the command's end") { $0.text.contains("ended with status 9") }
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(9))
  }

  @Test("q closes the detail, then asks before it ends the command; q again leaves all as it was, y leaves")
  func leaving() async throws {
    let server = try LoopbackServer()
    let console = try desk.console(
      "run", "--", BuiltProduct.path("attached-harness"), "return", server.url("/json").absoluteString, columns: 120)
    try await console.waitFor(row: "/json", "200")
    // By its name alone: with its path the sentence breaks at a place that depends on where this package lies.
    try await console.waitFor(row: "· attached-harness ended with status 0.")
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(0), "\(console.screen)")

    let running = try desk.console(
      "run", "--", "/bin/sh", "-c",
      "'\(BuiltProduct.path("attached-harness"))' return '\(server.url("/json").absoluteString)'; while :; do sleep 0.05; done",
      columns: 120)
    try await running.waitFor(row: "▸", "/json", "200")
    try running.send("enter")
    try await running.waitFor(text: "── Response")
    try running.send("q")
    try await running.waitFor("the list alone") { !$0.contains("── Response") && $0.contains("/json") }
    try running.send("q")
    try await running.waitFor(row: "Leave", "ends /bin/sh")
    try running.send("q")
    try await running.waitFor("no question") { !$0.contains("Leave?") }
    #expect(running.exitStatus == nil)
    try running.send("q")
    try await running.waitFor(row: "Leave", "ends /bin/sh")
    try running.send("enter")
    #expect(try await running.waitForExit() == .exited(143))
  }

  @Test("signals that mean nothing to the console are the command's")
  func signals() async throws {
    let console = try desk.console(
      "run", "--", "/bin/sh", "-c",
      "trap 'echo got $((1 + 1))' USR1; trap 'echo got $((1 + 2)); exit 7' USR2; echo ready $((40 + 2)); "
        + "while :; do sleep 0.05; done",
      columns: 120)
    try console.send("5")
    // The command itself, which is shown from the beginning, does not say this.
    try await console.waitFor(row: "ready 42")
    console.signal(SIGUSR1)
    try await console.waitFor(row: "got 2")
    console.signal(SIGUSR2)
    try await console.waitFor(row: "got 3")
    try await console.waitFor("the command's end") { $0.text.contains("ended with status 7") }
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(7))
  }

  @Test("a question without a line's end is seen")
  func prompt() async throws {
    let console = try desk.console(
      "run", "--", "/bin/sh", "-c", "printf 'Your name? '; read name; echo \"hello $name\"", columns: 120)
    try console.send("5")
    try await console.waitFor(row: "Your name?")
    try console.send("i")
    console.type("花子")
    try console.send("enter")
    try await console.waitFor(row: "hello 花子")
  }

  @Test("input can be typed for the command, which sees a terminal")
  func input() async throws {
    let console = try desk.console(
      "run", "--", "/bin/sh", "-c",
      "test -t 0 && test -t 1 && echo tty; read line; echo \"got $line\"; read more; echo \"status $?\"",
      columns: 120)
    try console.send("5")
    try await console.waitFor(row: "tty")
    try console.send("i")
    console.type("お茶")
    try await console.waitFor(row: "お茶")
    try console.send("enter")
    try await console.waitFor(row: "got お茶")
    try console.send("i")
    try await console.waitFor(row: "ctrl-d ends its input")
    try console.send("ctrl-d")
    try await console.waitFor(row: "status 1")
  }
}
