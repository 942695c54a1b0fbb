import PatchbayTestSupport
import Testing

@testable import Patchbay

@Suite(.bounded) struct ReleaseQueueTests {
  /// What has gone on, and what it was given.
  private final class Gone: Sendable {
    private let state = SeenLock<(names: [String], passes: [String: ReleaseQueue.Pass])>(([], [:]))

    func step(_ name: String) -> ReleaseQueue.Step {
      { [self] pass, done in
        state.withLock {
          $0.names.append(name)
          $0.passes[name] = pass
        }
        done()
      }
    }

    var names: [String] { state.withLock { $0.names } }

    func end(_ name: String) {
      let pass = state.withLock { $0.passes.removeValue(forKey: name) }
      _ = consume pass
    }
  }

  @Test func noMoreGoOnThanThereAreConnections() {
    let line = ReleaseQueue(patience: 600)
    let gone = Gone()
    for name in ["a", "b", "c", "d"] { line.enter(host: "x", connections: 2, gone.step(name)) }
    #expect(gone.names == ["a", "b"])
    line.enter(host: "y", connections: 2, gone.step("elsewhere"))
    #expect(gone.names == ["a", "b", "elsewhere"])
    gone.end("b")
    #expect(gone.names.last == "c")
    gone.end("a")
    gone.end("c")
    #expect(gone.names == ["a", "b", "elsewhere", "c", "d"])
  }

  @Test func whatDoesNotKeepItsPassIsOverAtOnce() {
    let line = ReleaseQueue(patience: 600)
    let gone = Gone()
    for _ in 0..<3 { line.enter(host: "x", connections: 1) { _, done in done() } }
    line.enter(host: "x", connections: 1, gone.step("a"))
    #expect(gone.names == ["a"])
  }

  @Test func whatNeverEndsKeepsNobodyBackForLong() async throws {
    let line = ReleaseQueue(patience: 0.01)
    let gone = Gone()
    for name in ["a", "b", "c"] { line.enter(host: "x", connections: 1, gone.step(name)) }
    try await until { gone.names == ["a", "b", "c"] }
  }

  /// The next one goes on when the one before says that it is on its way, and not before.
  @Test(arguments: [-1, 0, 1, 5]) func theyGoOnOneAfterTheOther(_ connections: Int) {
    let line = ReleaseQueue(patience: 600)
    let gone = Gone()
    let dones = SeenLock<[@Sendable () -> Void]>([])
    let passes = SeenLock<[ReleaseQueue.Pass]>([])
    line.enter(host: "x", connections: connections) { pass, done in
      passes.withLock { $0.append(pass) }
      dones.withLock { $0.append(done) }
    }
    line.enter(host: "x", connections: connections, gone.step("b"))
    line.enter(host: "x", connections: connections, gone.step("c"))
    #expect(gone.names.isEmpty && dones.withLock { $0.count } == 1)
    for done in dones.withLock({ $0 }) { done() }
    #expect(gone.names == (connections > 1 ? ["b", "c"] : []), "at least one may be under way")
    passes.withLock { $0 = [] }
    #expect(gone.names.first == "b")
    gone.end("b")
    #expect(gone.names == ["b", "c"])
    gone.end("c")
    line.enter(host: "x", connections: connections, gone.step("d"))
    #expect(gone.names == ["b", "c", "d"], "where all have ended the next goes on at once")
  }

  /// Each that goes on after all gives those before it as much time again.
  @Test func onlyOneAtATimeGoesOnBeforeTheOthersHaveEnded() async throws {
    let line = ReleaseQueue(patience: 0.03)
    let gone = Gone()
    let began = ContinuousClock.now
    for name in ["a", "b", "c", "d"] { line.enter(host: "x", connections: 1, gone.step(name)) }
    try await until { gone.names == ["a", "b", "c", "d"] }
    #expect(ContinuousClock.now - began >= .milliseconds(85))
  }
}
