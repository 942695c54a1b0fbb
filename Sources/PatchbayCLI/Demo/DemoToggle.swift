import PatchbayDemo
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs

/// What the demo without a screen does half-way, so that the difference is seen.
enum DemoToggle {
  static func turnOn(_ bench: Workbench) async throws {
    let name = DemoStubs.headlessToggle
    guard bench.server.board[name] != nil else { return }
    StandardError.say("turning the stub “\(name)” on.")
    let revision = try bench.server.edit(by: .console) { board in
      board = try board.apply(.setEnabled(name: name, true))
    }.revision
    _ = await bench.server.awaitAcknowledged(revision)
  }
}
