import Foundation
import PatchbayTestSupport
import Testing

@Suite("Resizing leaves no debris", .crowd, .bounded)
struct ResizeTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// A console with some requests in its history, all of them there already.
  private func filled(_ session: PtySession, _ server: LoopbackServer, _ asker: Asker) async throws {
    for number in 1...30 { try await asker.ask(server.url("/json?n=\(number)&c=東京")) }
    try await session.waitFor(row: "30", "200")
  }

  /// Ends at 120×36; no other size comes near to that, so that the head tells which one is on the screen.
  private func resizeAtRandom(_ session: PtySession, times: Int, meanwhile: () async throws -> Void = {}) async throws {
    for _ in 0..<times {
      let columns = Bool.random() ? Int.random(in: 10...100) : .random(in: 175...210)
      session.resize(columns: columns, rows: Bool.random() ? .random(in: 4...33) : .random(in: 38...62))
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<40_000)))
      try await meanwhile()
    }
    session.resize(columns: 120, rows: 36)
  }

  /// The screen as it is and as it is drawn afresh are the same; but for the head, whose rate changes with time.
  @discardableResult
  private func expectNoDebris(
    _ session: PtySession, _ what: String, has text: String? = nil
  ) async throws -> VTScreen {
    var (before, after) = try await twice(session, what, has: text)
    // What is shown may have changed meanwhile, such as which programs run; debris would be there each time.
    for _ in 0..<2 where !Self.differ(before, after).isEmpty {
      try await resizeAtRandom(session, times: 8)
      (before, after) = try await twice(session, what, has: text)
    }
    for row in 1..<36 {
      #expect(before.lines[row] == after.lines[row], "row \(row) after \(what)")
      let differing = Self.differ(before, after, row: row)
      let cells = differing.prefix(3).map { column in
        "\(column): \(String(describing: before.cell(column: column, row: row))) became "
          + String(describing: after.cell(column: column, row: row))
      }
      #expect(differing.isEmpty, "the styles of row \(row) after \(what): \(cells) on \(before)")
    }
    return before
  }

  private func twice(
    _ session: PtySession, _ what: String, has text: String?
  ) async throws -> (before: VTScreen, after: VTScreen) {
    try await session.waitFor("120 columns after \(what)") { screen in
      screen.lines[0].count == 119 && screen.contains("1 Requests") && text.map(screen.contains) != false
    }
    let before = try await session.wholeScreen()
    try #require(before.lines.count == 36)
    // The pieces of a frame come one by one: what differs is told when the time is over.
    let after = try? await session.waitFor("the same screen", timeout: Patience.usual / 2) {
      Self.differ(before, $0).isEmpty
    }
    return (before, after ?? session.screen)
  }

  /// The columns of a row in which the two are not the same.
  private static func differ(_ before: VTScreen, _ after: VTScreen, row: Int) -> [Int] {
    (0..<120).filter { before.cell(column: $0, row: row)?.seen != after.cell(column: $0, row: row)?.seen }
  }

  /// The rows below the head in which the two are not the same.
  private static func differ(_ before: VTScreen, _ after: VTScreen) -> [Int] {
    (1..<36).filter { before.lines[$0] != after.lines[$0] || !differ(before, after, row: $0).isEmpty }
  }

  @Test("with whatever is open")
  func overlays() async throws {
    let console = try desk.console("listen", columns: 120, rows: 36)
    try await console.waitFor(text: "1 Requests")
    let server = try LoopbackServer()
    let asker = try desk.asker()
    try await filled(console, server, asker)
    try console.send("g", "j")
    try await console.waitFor("the second row") { $0.marked(2) != nil }
    try await resizeAtRandom(console, times: 12)
    var open = try await expectNoDebris(console, "resizing the list")
    for (key, name) in [
      ("enter", "the detail"), ("?", "the help"), (":", "the palette"), ("C", "the columns"), ("x", "the faults"),
      ("/", "the filter"),
    ] {
      try console.send(key)
      // Keys that come when the screen is too small for anything do nothing.
      try await console.waitFor("\(name) to be open") { [open] in !Self.differ(open, $0).isEmpty }
      try await resizeAtRandom(console, times: 12)
      let screen = try await expectNoDebris(console, "resizing \(name)")
      if name == "the detail" {
        open = screen
      } else {
        try console.send("esc")
        // With the next key in one reading it would be that key with alt.
        try await console.waitFor("\(name) to be closed") { [open] in Self.differ(open, $0).isEmpty }
      }
    }
    for tab in ["2", "3", "4", "5"] {
      try console.send(tab)
      try await console.waitFor("tab \(tab)") { [open] in !Self.differ(open, $0).isEmpty }
      try await resizeAtRandom(console, times: 8)
      open = try await expectNoDebris(console, "resizing tab \(tab)")
    }
  }

  @Test("while requests come")
  func traffic() async throws {
    let console = try desk.console("listen", columns: 120, rows: 36)
    try await console.waitFor(text: "1 Requests")
    let server = try LoopbackServer()
    let asker = try desk.asker()
    try await filled(console, server, asker)
    var number = 30
    try await resizeAtRandom(console, times: 40) {
      number += 1
      try await asker.ask(server.url("/json?n=\(number)&c=京都"))
    }
    // An open request's time goes on.
    try await console.waitFor(row: "n=\(number)", "200")
    try await expectNoDebris(console, "traffic", has: "n=\(number)")
  }
}
