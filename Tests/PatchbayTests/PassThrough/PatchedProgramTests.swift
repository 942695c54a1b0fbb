import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

/// The program of ``UnchangedProgramTests`` with each answer of the network patched: it must see the patch and nothing
/// else.
@Suite(.disabled(if: Harness.isSanitized, "A sanitizer's runtime cannot be preloaded beside ours."), .bounded(120))
struct PatchedProgramTests {
  struct Patch: Sendable, CustomTestStringConvertible {
    var changes: PassChanges
    /// How cases begin that are not the same, and why they cannot be.
    var others: [String: String]
    var testDescription: String
  }

  private static let always = [
    "download async with a delegate of this one call": "Foundation writes each piece twice; patched it is right",
    "a delegate of one download, ": "the same",
    "async with a delegate": "the caller and the delegate hear in no order",
    "an upload in whose request there is a body as well": "one body is sent, and no type for the other",
    "connections of ": "the session that sends them is another one",
    "who is asked, ": "classes are asked for the request that is sent, too", "classes around ": "the same",
    "only classes that take nothing": "the same", "a cache of the program's own, ": "caches, too",
  ]

  static let patches = [
    Patch(
      changes: PassChanges(replace: [.init(find: "in no body", with: "")]),
      others: always.merging([
        "delegate slow pieces": "the body is there as a whole", "delegate server-sent events": "the same",
        "cancel while the body comes": "the same", "credential for a download": "the same",
        "a task at each moment, ": "the same", "the delegate of a task on its way": "the same",
        "cancelled from within the callback ": "the same", "session invalidated from within": "the same",
        "a download cancelled in its middle": "the same", "a server that falls silent within": "the same",
        "pieces that keep a timeout": "the same", "when pieces come": "the same", "a task's own delegate, ": "the same",
      ]) { $1 },
      testDescription: "the body"),
    // On its way the request is the same: what libcurl would say by itself. The program sees it in requests that follow.
    Patch(
      changes: PassChanges(
        request: RequestChanges(headers: [.init("Accept", ["*/*"])]), headers: [.init("X-Patched", ["yes"])]),
      others: always.merging([
        "header fields that the loader sets itself": "Accept is one of them",
        "URL that starts with HTTPS://": "what goes out in its place has a scheme that Foundation takes",
        "scheme in capitals": "the same",
        "request with all fields at once": "Foundation writes the names of header fields anew where one is set",
      ]) { $1 },
      testDescription: "the request, and a field of the head"),
  ]

  @Test(arguments: patches) func itSeesOnlyThePatch(_ patch: Patch) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let stub = Stub(name: "patched", then: .pass(patch.changes))
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [stub])))
    defer { console.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let table = CaseTable(base, hooked: Harness.preload(socket: console.path)) { name in
      !patch.others.keys.contains { name.hasPrefix($0) }
    }
    async let asBare = table.bare()
    async let asPatched = table.hooked()
    let (bare, patched) = try await (asBare, asPatched)
    #expect(bare.count > 850 && bare.keys.sorted() == patched.keys.sorted())
    for (name, lines) in bare.sorted(by: { $0.key < $1.key }) where !Self.isSame(lines, patched[name] ?? []) {
      try await table.compareAgain(name, isSame: Self.isSame)
    }
  }

  /// Whether the lines are the same but for the field that is set. Fewer files may be left than Foundation leaves.
  private static func isSame(_ bare: [String], _ patched: [String]) -> Bool {
    guard patched.count == bare.count else { return false }
    return zip(patched, bare).allSatisfy { patched, bare in
      if let left = left(patched), let native = Self.left(bare) { return left <= native }
      return plain(patched) == plain(bare)
    }
  }

  private static func left(_ line: String) -> Int? {
    line.hasPrefix("left ") ? Int(line.dropFirst(5)) : nil
  }

  private static func plain(_ line: String) -> [Substring] {
    let told = ["X-Patched: yes", "\"Accept: */*\", ", "\"Accept: */*\"", "Accept: */*"]
    let line = told.reduce(line) { $0.replacingOccurrences(of: $1, with: "") }
    return line.split(separator: " ").filter { $0 != "|" }
  }
}
