import Foundation
import PatchbayTestSupport
import Testing

/// A program that may have few addresses gets along with them when the hook is in it as it does without.
@Suite("Under ulimit -v", .crowd, .bounded)
final class FewAddressesTests: DeskSuite {
  /// The most addresses that a program had for twenty requests at once, in megabytes.
  private func peak(_ words: [String]) async throws -> Int {
    let ask = "'\(BuiltProduct.path("plain-harness"))' ask"
    // A limit that nothing comes near to, so that no run is slowed by it.
    let run = try desk.start(words + ["/bin/sh", "-c", "ulimit -v 3000000; exec \(ask)"], input: .written)
    for _ in 0..<20 { run.send("GET \(server.url("/json"))") }
    _ = try await run.waitFor(lines: 20)
    let all = [run.pid] + Processes.descendants(of: run.pid)
    let program = try #require(all.first { Processes.arguments(of: $0).first?.hasSuffix("plain-harness") == true })
    let status = try String(contentsOfFile: "/proc/\(program)/status", encoding: .utf8)
    run.endInput()
    #expect(try await run.end() == 0)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmPeak:") })
    return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) / 1000
  }

  @Test("a hooked program needs no more of them than a bare one")
  func peaks() async throws {
    let bare = try await peak([])
    let hooked = try await peak([BuiltProduct.path("patchbay"), "run", "--headless", "--history", ":memory:", "--"])
    // Each of its threads' stacks takes 8 MB; an arena, of which a bare program has some, 67.
    #expect(hooked < bare + 67, "\(hooked) MB, and \(bare) MB without the hook")
  }
}
