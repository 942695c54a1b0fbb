import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

@Suite("When the console goes", .bounded)
struct ConsoleGoneTests {
  private static let stub = Stub(name: "a", then: .respond(CannedResponse()))

  @Test(
    .serialized,
    arguments: [
      (false, StubSet.Unmatched.pass, false), (true, .pass, true), (false, .fail, true), (false, .hold, false),
      (true, .hold, true),
    ])
  func stubsStayOnlyIfTheyAreToBeKept(keep: Bool, unmatched: StubSet.Unmatched, stays: Bool) {
    let console = FakeConsole(
      push: StubPush(set: StubSet(revision: 2, stubs: [Self.stub], unmatched: unmatched, holdAll: .request)),
      settings: HookSettings(keepStubs: keep))
    let fixture = LinkFixture(console.path)
    fixture.attach()
    console.stop()
    #expect(fixture.waits { $0.link.phase == .waiting && $0.hook.snapshot.holdAll == nil })
    let snapshot = fixture.hook.snapshot
    #expect(snapshot.active == stays)
    #expect((snapshot.stubs != nil) == stays)
    #expect(snapshot.unmatched == (unmatched == .fail ? .fail : .pass))
  }

  @Test func heldRequestsGoOn() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let released = Mutex<[UInt64]>([])
    for key in 10..<20 as Range<UInt64> {
      fixture.hook.snapshot.sink?.hold(key) { decision in
        if decision == nil { released.withLock { $0.append(key) } }
      }
    }
    #expect(released.withLock { $0.isEmpty })
    console.stop()
    #expect(fixture.waits { _ in released.withLock { $0 } == Array(10..<20) })
  }

  @Test func whatIsHeldAfterwardsGoesOnAtOnce() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let sink = fixture.hook.snapshot.sink
    console.stop()
    #expect(fixture.waits { !$0.hook.snapshot.active })
    let released = Mutex(0)
    sink?.hold(99) { _ in released.withLock { $0 += 1 } }
    #expect(released.withLock { $0 } == 1)
  }

  @Test func verdictsReachTheirExchangeOnce() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let decisions = Mutex<[Verdict.Decision?]>([])
    fixture.hook.snapshot.sink?.hold(50) { decision in decisions.withLock { $0.append(decision) } }
    fixture.hook.snapshot.sink?.hold(51) { decision in decisions.withLock { $0.append(decision) } }
    fixture.hook.snapshot.sink?.unhold(51)
    console.send(.verdict(Verdict(key: 999, decision: .drop)))
    console.send(.verdict(Verdict(key: 51, decision: .drop)))
    console.send(.verdict(Verdict(key: 50, decision: .fail(Fault(.named("timedOut"))))))
    console.send(.verdict(Verdict(key: 50, decision: .drop)))
    console.send(.stubs(StubPush(set: StubSet(revision: 9))))
    #expect(console.hears(.applied(revision: 9)))
    #expect(decisions.withLock { $0 } == [.fail(Fault(.named("timedOut")))])
  }
}
