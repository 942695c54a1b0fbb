import Foundation
import PatchbayTestSupport
import Testing

@Suite(
  "Leaving a program that was attached to", .enabled(if: Ptrace.isAllowed, "ptrace is forbidden here"), .bounded
)
final class DetachTests: DeskSuite {
  private enum Way: String, CaseIterable { case interrupted, killed, detached }

  @Test(
    "however the console ends, the program goes on as before, and a later attach finds the hook there",
    arguments: [
      "interrupted", "killed", "detached",
    ])
  func leaves(_ way: String) async throws {
    let guest = try await Guest(desk, server)
    let file = try stubs("- {name: gone, when: {url: '*gone*'}, then: {respond: {status: 410}}}\n")
    let console = try await desk.attach(guest, "--stubs", file, "--unmatched", "fail", "--keep-stubs")
    #expect(try await guest.load("handler", "/json?gone").hasPrefix("handler 410"))
    #expect(try await guest.load("handler", "/json?else") == "handler -1 -1")
    switch Way(rawValue: way) {
    case .interrupted: console.signal(SIGINT)
    case .killed: console.signal(SIGKILL)
    default:
      let detach = try await desk.run("detach", "\(guest.pid)")
      #expect(detach.exitStatus == 0, "\(detach.said)")
    }
    let status = try await console.end()
    #expect(status == (way == "killed" ? 128 + SIGKILL : 0))
    if way == "detached" { #expect(console.errors.contains("detached from running-program \(guest.pid)")) }
    // The kernel has told the hook by then, or does before the next request.
    // The kernel tells the hook of the console's end; it takes note within a moment.
    for _ in 0..<200 where try await !guest.load("handler", "/json?gone").hasPrefix("handler 200") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await guest.load("handler", "/json?gone").hasPrefix("handler 200"))
    #expect(try await guest.load("shared", "/json?else").hasPrefix("shared 200"))
    let images = Processes.images(of: guest.pid)
    let again = try await desk.attach(guest, "--stubs", file)
    #expect(again.errors.contains("again: the hook was in it"))
    #expect(try await guest.load("delegate", "/json?gone").hasPrefix("delegate 410"))
    #expect(try await guest.load("fresh", "/json?gone").hasPrefix("fresh 410"))
    #expect(Processes.images(of: guest.pid) == images)
  }

  @Test("on screen and without; a second console is told who has it")
  func second() async throws {
    let guest = try await Guest(desk, server)
    let console = try await desk.attach(guest)
    let refused = try await desk.run("attach", "\(guest.pid)", "--headless")
    #expect(refused.exitStatus == 1)
    #expect(refused.errors.contains("is attached to by the console at") && refused.errors.contains("patchbay detach"))
    console.signal(SIGINT)
    try await console.end()
    let screen = try desk.console("attach", "\(guest.pid)", "--history", ":memory:")
    try await screen.waitFor(row: "attached to running-program \(guest.pid)")
    try await guest.load("handler", "/json?on-screen")
    try await screen.waitFor(row: "200", "on-screen")
    try screen.send("q")
    #expect(try await screen.waitForExit() == .exited(0))
    #expect(try await guest.load("handler").hasPrefix("handler 200"))
  }

  @Test("detach says what it is when there is nothing to let go of")
  func nothing() async throws {
    let guest = try await Guest(desk, server)
    let never = try await desk.run("detach", "\(guest.pid)")
    #expect(never.exitStatus == 1 && never.errors.contains("has no hook of Patchbay in it"))
    let console = try await desk.attach(guest)
    console.signal(SIGINT)
    try await console.end()
    let before = try await desk.run("detach", "\(guest.pid)")
    #expect(before.exitStatus == 0 && before.errors.contains("was let go of before"))
  }
}
