import Foundation
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

/// A program with nothing of Patchbay in it does more than 900 things with URLSession, bare and with the hook in it by
/// preload, a console attached: it must see the same.
@Suite(.disabled(if: Harness.isSanitized, "A sanitizer's runtime cannot be preloaded beside ours."), .bounded)
struct UnchangedProgramTests {
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
}
