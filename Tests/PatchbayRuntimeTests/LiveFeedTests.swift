import Dispatch
import PatchbayConsole
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime
@testable import PatchbayServer

@MainActor @Suite("What other threads have for the screen", .bounded) struct LiveFeedTests {
  private let feed = LiveFeed()
  private let output: CommandOutput
  private let screen = ScreenDouble()

  init() { output = CommandOutput(feed: feed) }

  /// All turns of the main queue that were asked for before this have been taken then.
  private func turnsTaken() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  private func lines(_ events: [ConsoleEvent]) -> [String] {
    events.flatMap { event in
      switch event {
      case .output(let lines, _): lines.map(\.text)
      case .commandEnded(let sentence): [sentence]
      default: ["another"]
      }
    }
  }

  @Test("all that came before a turn of the loop takes one turn, and what comes later the next") func oneTurn() async {
    feed.connect(screen, output: output)
    feed.wake()
    output.received(.output(Array("one\n".utf8)), name: "x")
    output.received(.output(Array("two\n".utf8)), name: "x")
    #expect(screen.turns.isEmpty, "only when the loop has its turn")
    await turnsTaken()
    #expect(screen.turns.map(lines) == [["one", "two"]])
    output.received(.ended(status: 3), name: "x")
    feed.wake()
    await turnsTaken()
    #expect(screen.turns.map(lines) == [["one", "two"], ["x ended with status 3."]])
    feed.wake()
    await turnsTaken()
    #expect(screen.turns.count == 3)
  }

  @Test("what came before the screen is brought when it is there") func before() async {
    output.received(.output(Array("early\n".utf8)), name: "x")
    await turnsTaken()
    #expect(screen.turns.isEmpty)
    feed.connect(screen, output: output)
    await turnsTaken()
    #expect(screen.turns.map(lines) == [["early"]])
  }

  @Test(
    "the sentence of the end says a status, or the signal",
    arguments: [
      (0, "c ended with status 0."), (128, "c ended with status 128."), (129, "c was ended by signal 1."),
      (137, "c was ended by signal 9."),
    ] as [(Int32, String)])
  func ends(_ status: Int32, _ sentence: String) {
    output.received(.output(Array("open".utf8)), name: "c")
    output.received(.ended(status: status), name: "c")
    #expect(lines(output.drain()) == ["open", sentence])
    #expect(output.drain().isEmpty)
  }

  // MARK: Guests

  @Test("a program is attended to when it is linked and has the stubs in force") func guests() {
    func link(_ pid: Int32, _ revision: UInt64) -> LinkInfo {
      let hello = Hello(
        process: HarnessProcess(name: "p", pid: pid), executable: "/p", parent: 1, entry: .injected, instance: 1,
        startedAt: Timestamp(microseconds: 1))
      var info = LinkInfo(id: LinkID(1), hello: hello, at: Timestamp(microseconds: 2), settings: HookSettings())
      info.revision = revision
      return info
    }
    #expect(!Guests.isInForce(0, in: 7, []))
    for (own, revision, expected) in [
      (0, 0, false), (1, 0, true), (4, 5, false), (5, 5, true), (6, 5, true), (0, 5, false),
    ] as [(UInt64, UInt64, Bool)] {
      #expect(Guests.isInForce(revision, in: 7, [link(7, own)]) == expected)
      #expect(Guests.isInForce(revision, in: 7, [link(8, 0), link(7, own)]) == expected)
      #expect(!Guests.isInForce(revision, in: 8, [link(7, own)]))
    }
  }
}
