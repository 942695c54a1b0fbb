import Foundation
import PatchbayTestSupport
import Testing

@Suite("A history that cannot be written", .crowd, .bounded)
final class HistoryFailureTests: DeskSuite {
  @Test("is told when it happens, and at the end what was lost with it; the program goes on")
  func whileItRuns() async throws {
    // No file may grow beyond 512 KiB: the history's log soon would.
    let limited = "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\""
    let console = try desk.start([
      "/bin/sh", "-c", limited, BuiltProduct.path("patchbay"), "listen", "--headless", "--history",
      desk.folder.file("history.sqlite"),
    ])
    try await console.waitFor(errors: "waiting for programs")
    let asker = try desk.asker()
    let body = String(repeating: "x", count: 200_000)
    for _ in 1...8 { #expect(try await asker.ask(server.url("/json"), "POST", body: body).hasPrefix("200")) }
    try await console.waitFor(errors: "Until then exchanges are kept in memory.")
    #expect(try await asker.ask(server.url("/json")).hasPrefix("200"))
    console.signal(SIGINT)
    try await console.end()
    #expect(console.errors.contains("exchanges were not recorded. The"))
    #expect(console.errors.components(separatedBy: "Until then").count == 2)
  }

  @Test("and whose file is removed while nothing happens is told within a second, and begun anew", .alone)
  func removed() async throws {
    let path = desk.folder.file("history.sqlite")
    let console = try await desk.listener("--history", path)
    let asker = try desk.asker()
    for _ in 1...3 { #expect(try await asker.ask(server.url("/json")).hasPrefix("200")) }
    while try await desk.run("history", "--history", path).lines.count != 3 {
      try await Task.sleep(for: .milliseconds(20))
    }
    try FileManager.default.removeItem(atPath: path)
    let begin = ContinuousClock.now
    try await console.waitFor(errors: "was removed while it was in use. 3 exchanges are lost with it.")
    #expect(ContinuousClock.now - begin < .seconds(1) * Patience.factor)
    #expect(try await asker.ask(server.url("/json?late")).hasPrefix("200"))
    console.signal(SIGINT)
    try await console.end()
    #expect(console.errors.contains("3 exchanges were not recorded."), "\(console.said)")
    let rest = try await desk.run("history", "--history", path)
    #expect(rest.lines.count == 1 && rest.output.contains("/json?late"))
  }

  @Test("from the start is told in one sentence, and the console goes on in memory")
  func fromTheStart() async throws {
    let path = try desk.folder.write(String(repeating: "no database ", count: 1_000), to: "history.sqlite")
    let console = try await desk.listener("--history", path)
    #expect(console.errors.components(separatedBy: "history.sqlite").count == 2)
    #expect(console.errors.contains("damaged") && console.errors.contains("kept in memory only."))
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/json")).hasPrefix("200"))
    #expect(try await asker.leave() == 0)
    let history = try await desk.run("history")
    #expect(history.output.contains("/json"))
  }
}
