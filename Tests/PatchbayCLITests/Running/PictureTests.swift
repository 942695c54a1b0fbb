import Foundation
import PatchbayTestSupport
import Testing

/// Pictures of answers on the real console, in a terminal that says that it shows them by kitty's protocol.
@Suite("Pictures on the screen", .crowd, .bounded)
final class PictureTests {
  private let desk: Desk
  private let console: PtySession

  init() throws {
    desk = try Desk()
    func entry(_ name: String, _ type: String, _ body: String) -> String {
      """
      {"startedDateTime":"2024-01-01T00:00:00Z","time":5,"request":{"method":"GET","url":"https://a.example/\(name)",
      "httpVersion":"HTTP/1.1","headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},
      "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"redirectURL":"",
      "headers":[{"name":"Content-Type","value":"\(type)"}],"headersSize":-1,"bodySize":-1,
      "content":{"size":1,"mimeType":"\(type)","encoding":"base64","text":"\(body)"}},
      "cache":{},"timings":{"send":1,"wait":2,"receive":2}}
      """
    }
    let picture = SamplePicture.png(width: 300, height: 200, fill: 9_000).base64EncodedString()
    let entries = [
      entry("picture", "image/png", picture), entry("text", "text/plain", Data("plain".utf8).base64EncodedString()),
    ]
    let file = try desk.folder.write(
      "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"t\",\"version\":\"1\"},\"entries\":[\(entries.joined(separator: ","))]}}",
      to: "pictures.har")
    console = try desk.console("open", file, columns: 120, rows: 36)
  }

  /// To the first request, and its answer beside the list.
  private func openPicture() async throws {
    try await console.waitFor(row: "/picture", "200")
    try console.send("g", "enter")
    try await console.waitFor(row: "300 × 200 pixels")
  }

  @Test("one that was asked and answers gets it once for each change, and has nothing left when it is over")
  func shown() async throws {
    let screen = try await console.waitFor("the question") { $0.commands.contains { $0.hasPrefix("Gi=31,") } }
    #expect(screen.commands.count == 1)
    console.type("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c")
    try await openPicture()
    func count(_ commands: [String], _ start: String) -> Int { commands.count { $0.hasPrefix(start) } }
    try await console.waitFor("the picture") { $0.commands.last?.hasPrefix("Gq=2,m=0;") == true }
    // Frames without a change of the picture send nothing of it.
    try console.send("M")
    try await console.waitFor(text: "The mouse is off")
    #expect(count(console.screen.commands, "Ga=T,f=100,") == 1 && count(console.screen.commands, "Ga=d,") == 0)
    #expect(!console.screen.contains("49 48 44 52"))
    try console.send("j")
    try await console.waitFor("its end") { $0.commands.last?.hasPrefix("Ga=d,d=I,") == true && $0.contains("plain") }
    try console.send("k")
    try await console.waitFor("the picture again") { $0.commands.count { $0.hasPrefix("Ga=T,f=100,") } == 2 }
    console.resize(columns: 100, rows: 30)
    try await console.waitFor("the picture in another room") {
      $0.commands.count { $0.hasPrefix("Ga=T,f=100,") } == 3 && $0.commands.count { $0.hasPrefix("Ga=d,") } == 2
    }
    try console.send("ctrl-c")
    #expect(try await console.waitForExit() == .exited(0))
    #expect(count(console.screen.commands, "Ga=d,") == 3)
    #expect(console.screen.commands.last?.hasPrefix("Ga=d,") == true && console.screen.isPutBack)
  }

  @Test("one that does not know the question gets none")
  func unknown() async throws {
    console.type("\u{1B}[?62;c")
    try await openPicture()
    try await console.waitFor(text: "49 48 44 52")
    try console.send("ctrl-c")
    #expect(try await console.waitForExit() == .exited(0))
    #expect(console.screen.commands.count == 1)
  }
}
