import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

/// The servers of the tests themselves.
@Suite(.bounded) struct TestServerTests {
  /// Many tests stop theirs in the middle, and once more at their end. What they had closed by then was another test's: its
  /// link was cut, and it waited in vain.
  @Test(.alone) func oneThatIsStoppedTwiceCutsNobodyOff() throws {
    let server = try LoopbackServer()
    server.stop()
    let pairs = try (0..<200).map { _ in
      var pair: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
      return pair
    }
    defer { for number in pairs.joined() { close(number) } }
    server.stop()
    for pair in pairs {
      var byte: UInt8 = 1
      #expect(send(pair[0], &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
      #expect(send(pair[1], &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
    }
  }

  /// A hook links on a thread of its own, which takes its time on a busy machine: what was said to nobody was lost.
  @Test func aConsoleWaitsForWhoIsAboutToLink() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { fixture.link.begin(.configuration) }
    console.send(.stubs(StubPush(set: StubSet(revision: 7))))
    #expect(console.hears(.applied(revision: 7)))
  }
}
