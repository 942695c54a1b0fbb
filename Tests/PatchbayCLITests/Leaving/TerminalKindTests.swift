import Foundation
import PatchbayTestSupport
import Testing

@Suite("Terminals of all kinds", .crowd, .bounded)
struct TerminalKindTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("resizing works, down to 20×5 and up to 200×60, and starting there too")
  func resize() async throws {
    let console = try desk.console("demo", columns: 20, rows: 5)
    try await console.waitFor("something in 20×5") { $0.contains("q") && $0.contains("leaves") }
    for (columns, rows) in [(80, 24), (200, 60), (20, 5), (1, 1), (80, 24)] {
      console.resize(columns: columns, rows: rows)
      guard columns >= 80 else { continue }
      try await console.waitFor("\(columns)×\(rows)", timeout: Patience.usual * 2) { screen in
        screen.has("1 Requests", "5 Output", "linked") && screen.has("? help") && screen.lines.last?.isEmpty == false
          && screen.has("/v1/")
      }
    }
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(0))
    #expect(console.screen.isPutBack)
  }

  @Test("TERM=dumb, unknown and unset are refused with a sentence", arguments: ["dumb", "nonsense-terminal", nil])
  func dumb(term: String?) async throws {
    let console = try desk.console("demo", environment: ["TERM": term])
    let status = try await console.waitForExit()
    #expect(status == .exited(1))
    #expect(console.screen.text.filter { $0 != "\n" }.contains("--headless"))
    #expect(!console.output.contains(0x1B), "no escape sequence goes to such a terminal")
  }

  @Test("LANG=C and no LANG still show Japanese and lines", arguments: ["C", nil])
  func locale(lang: String?) async throws {
    let console = try desk.console("demo", environment: ["LANG": lang, "LC_ALL": lang])
    try await console.waitFor(row: "/v1/sessions", "200")
    try console.send("g", "enter")
    try await console.waitFor("Japanese") { screen in
      // Which request is the first is not settled: each has some in its body.
      screen.text.unicodeScalars.contains { ("\u{3040}"..."\u{30FF}").contains($0) || ("一"..."龠").contains($0) }
    }
    #expect(console.screen.contains("──"))
  }

  @Test("NO_COLOR and vt100, whatever COLORTERM says, show no colour, and everything else")
  func noColor() async throws {
    let vt100 = ["TERM": "vt100", "COLORTERM": "truecolor"]
    for environment in [["NO_COLOR": "1"], ["TERM": "vt100"], vt100] {
      let console = try desk.console("demo", environment: environment)
      let screen = try await console.waitFor(row: "✗ 500", "/v1/orders/9001")
      for row in 0..<screen.rows {
        for column in 0..<screen.columns {
          let style = try #require(screen.cell(column: column, row: row)).style
          #expect(style.foreground == VTColor.default && style.background == VTColor.default)
        }
      }
    }
  }

  @Test("without a terminal on standard output it says so and names --headless", arguments: ["demo", "listen"])
  func noTerminal(command: String) async throws {
    let child = try await desk.run(command)
    #expect(child.exitStatus == 1)
    #expect(child.errors.contains("--headless"))
    #expect(child.errors.split(separator: "\n").count == 1)
    #expect(child.output.isEmpty)
    let piped = try desk.console(command, redirect: [1: desk.folder.file("out")])
    #expect(try await piped.waitForExit() == .exited(1))
    #expect(piped.screen.text.contains("--headless"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: desk.folder.file("out"))).isEmpty)
  }
}
