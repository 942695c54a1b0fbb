import Foundation
import PatchbayTestSupport
import Testing

@Suite("The screen as text and picture", .crowd, .bounded)
struct SaveScreenTests {
  @Test("a command in the palette saves what is seen, for nobody else to read")
  func saves() async throws {
    let desk = try Desk()
    let console = try desk.console("listen", columns: 120, rows: 36)
    let screen = try await console.waitFor("a screen at rest") { $0.contains("? help") && !$0.contains("searching") }
    try console.send(":")
    try await console.waitFor(text: "type to find")
    console.type("save the screen")
    try await console.waitFor(row: "Save the screen as text and SVG")
    try console.send("enter")
    try await console.waitFor(text: "patchbay-screen.svg")
    let text = try String(contentsOfFile: desk.work + "/patchbay-screen.txt", encoding: .utf8)
    #expect(text == screen.text + "\n")
    let svg = try String(contentsOfFile: desk.work + "/patchbay-screen.svg", encoding: .utf8)
    #expect(svg.hasPrefix("<svg") && svg.contains("Requests"))
    for name in ["txt", "svg"] {
      let facts = try FileManager.default.attributesOfItem(atPath: desk.work + "/patchbay-screen.\(name)")
      #expect(facts[.posixPermissions] as? Int == 0o600)
    }
    try console.send(":")
    console.type("save the screen")
    try await console.waitFor(row: "Save the screen as text and SVG")
    try console.send("enter")
    try await console.waitFor(text: "patchbay-screen-2.svg")
    #expect(
      try String(contentsOfFile: desk.work + "/patchbay-screen.txt", encoding: .utf8) == text, "the first is kept")
  }
}
