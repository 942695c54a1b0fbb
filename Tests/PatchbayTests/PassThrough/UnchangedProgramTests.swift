import Foundation
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

/// A program does more than 900 things with URLSession, bare and with the hook in it: it must see the same.
@Suite(.disabled(if: Harness.isSanitized, "A sanitizer's runtime cannot be preloaded beside ours."), .bounded(120))
struct UnchangedProgramTests {
  /// By preload, a console attached.
  @Test func itCannotTell() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let console = FakeConsole()
    defer { console.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let table = CaseTable(base, hooked: Harness.preload(socket: console.path))
    async let asBare = table.bare()
    async let asHooked = table.hooked()
    let (bare, hooked) = try await (asBare, asHooked)
    #expect(bare.count > 900)
    #expect(bare.keys.sorted() == hooked.keys.sorted())
    let ended = console.heard.filter { if case .exchange(let update) = $0 { update.end != nil } else { false } }
    #expect(ended.count > 200)
    for (name, lines) in bare.sorted(by: { $0.key < $1.key }) where hooked[name] != lines {
      try await table.compareAgain(name)
    }
  }

  @Test func aDormantHookChangesNothing() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let cases = ["handler /json", "delegate slow pieces", "download delegate /chain/1", "upload file async"]
    let bare = try await Harness.run("plain-harness", [base] + cases)
    let dormant = try await Harness.run(
      "plain-harness", [base] + cases, Harness.preload(socket: FakeConsole.freshPath()))
    #expect(bare == dormant)
    #expect(bare.count == cases.count)
  }

  /// A program that links the hook and does nothing about it, or declares a stub for something else.
  @Test(.bounded(120), arguments: ["idle", "stub"]) func oneThatLinksItCannotTell(_ way: String) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let table = CaseTable(
      "http://127.0.0.1:\(server.port)", program: "linked-harness",
      hooked: ["HARNESS_HOOK": way, "PATCHBAY_SOCKET": FakeConsole.freshPath()])
    async let asBare = table.bare()
    async let asLinked = table.hooked()
    let (bare, linked) = try await (asBare, asLinked)
    #expect(bare.count > 900)
    #expect(bare.keys.sorted() == linked.keys.sorted())
    for (name, lines) in bare.sorted(by: { $0.key < $1.key }) where linked[name] != lines {
      try await table.compareAgain(name)
    }
  }
}
