import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay demo --headless", .crowd, .bounded)
struct DemoHeadlessTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("prints a line per exchange, turns a stub on half-way, and ends with status 0 and nothing on standard output")
  func halfway() async throws {
    let demo = try await desk.run("demo", "--headless", "--for", "10s")
    #expect(demo.exitStatus == 0)
    #expect(demo.outputBytes.isEmpty)
    let lines = demo.errors.split(separator: "\n").map(String.init)
    let turn = try #require(lines.firstIndex { $0.contains("turning the stub “maintenance” on") })
    let before = lines[..<turn].filter { $0.contains("/v1/books?page=") }
    // One that was under way may still be answered by the network.
    let after = lines[turn...].filter { $0.contains("/v1/books?page=") }.drop { $0.contains("network") }
    #expect(!before.isEmpty && before.allSatisfy { $0.contains("200") && $0.contains("network") })
    #expect(!after.isEmpty && after.allSatisfy { $0.contains("503") && $0.contains("maintenance") })
    #expect(!demo.errors.contains("\u{1B}"), "no colours into a file")
    let sample = try #require(lines.first { $0.contains("/v1/sessions") })
    #expect(sample.contains("POST") && sample.contains("ms") && sample.contains(" B"))
  }

  @Test("goes on as it is until it is ended where no time was asked for")
  func goesOn() async throws {
    let log = desk.folder.file("demo.jsonl")
    let demo = try desk.start("demo", "--headless", "--log", log)
    // The demo's app asks for a page of the list every 1.2 s or so.
    try await eventually("some pages of the list") {
      demo.errors.components(separatedBy: "/v1/books?page=").count > 4
    }
    #expect(!demo.errors.contains("turning the stub"), "\(demo.errors)")
    demo.signal(SIGTERM)
    #expect(try await demo.end() == 128 + SIGTERM)
    let names = try Records.read(log).compactMap { ($0["process"] as? [String: Any])?["name"] as? String }
    #expect(Set(names) == ["demo"], "the app has a name of its own")
  }

  @Test("needs no network where a proxy is set that is not there", arguments: ["http_proxy", "ALL_PROXY"])
  func proxy(name: String) async throws {
    let demo = try desk.start(
      [BuiltProduct.path("patchbay"), "demo", "--headless", "--until-idle", "1m"],
      environment: [name: "http://127.0.0.1:9"])
    try await demo.waitFor(errors: "/v1/books?page=1")
    #expect(demo.errors.split(separator: "\n").first { $0.contains("/v1/books?page=1") }?.contains(" 200 ") == true)
    demo.signal(SIGTERM)
    try await demo.end()
  }

  @Test("has colours on a terminal, and not under NO_COLOR")
  func colors() async throws {
    // Until a line has come that is coloured: not each is.
    let colored = try desk.console("demo", "--headless", columns: 160)
    try await eventually("a colour") { String(decoding: colored.output, as: UTF8.self).contains("\u{1B}[3") }
    let plain = try desk.console("demo", "--headless", columns: 160, environment: ["NO_COLOR": "1"])
    // An order cannot be placed, which is red elsewhere.
    try await plain.waitFor(text: "     500  ")
    #expect(!plain.output.contains(0x1B))
    for demo in [colored, plain] {
      demo.signal(SIGTERM)
      #expect(try await demo.waitForExit() == .exited(128 + SIGTERM))
    }
  }
}
