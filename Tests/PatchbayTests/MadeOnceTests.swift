import PatchbayTestSupport
import Synchronization
import Testing

@testable import Patchbay

/// What is made once and waited for only so long.
@Suite(.bounded) struct MadeOnceTests {
  private final class Calls: Sendable {
    let count = Mutex(0)
    var all: Int { count.withLock { $0 } }
    func one() { count.withLock { $0 += 1 } }
  }

  @Test func whoWaitsGoesOnWhenItIsThere() {
    var made = MadeOnce<Int>()
    let calls = Calls()
    #expect(made.wait { calls.one() } == (false, true))
    #expect(made.wait { calls.one() } == (false, false))
    #expect(made.value == nil)
    for next in made.finish(7) { next() }
    #expect(calls.all == 2 && made.value == 7)
    #expect(made.wait { calls.one() } == (true, false))
    #expect(made.giveUp().isEmpty && made.finish(8).isEmpty && made.value == 7)
  }

  /// A machine that is busy once must not cost the rest of the process's life.
  @Test func whatComesLateIsTakenAllTheSame() {
    var made = MadeOnce<Int>()
    let calls = Calls()
    _ = made.wait { calls.one() }
    for next in made.giveUp() { next() }
    #expect(calls.all == 1 && made.value == nil)
    #expect(made.wait { calls.one() } == (true, false))
    #expect(made.finish(7).isEmpty && made.value == 7)
  }

  @Test func whatCannotBeMadeIsNotTriedAgain() {
    var made = MadeOnce<Int>()
    _ = made.wait {}
    #expect(made.finish(nil).count == 1)
    #expect(made.value == nil && made.wait {} == (true, false))
  }
}
