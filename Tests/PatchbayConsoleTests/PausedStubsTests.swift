import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// One key turns all stubs off, and on again as they were.
@Suite(.bounded) struct PausedStubsTests {
  @Test func theHeaderSaysItOnEveryScreen() {
    var driver = Sample.driver(80, 24)
    let before = driver.board
    driver.press("0")
    #expect(driver.effects.contains(.editStubs([.setPaused(true)])))
    for tab in ["1", "2", "3", "4", "5"] {
      driver.press(tab)
      #expect(driver.lines[0].contains("STUBS OFF"), "\(driver.screen)")
    }
    driver.press("2")
    #expect(driver.shows("All stubs are off, 0 turns them on.") && driver.shows("0 of"))
    driver.press("0")
    #expect(!driver.shows("STUBS OFF") && driver.board.entries == before.entries)
  }

  @Test func faultsShowNoSignMeanwhileAndOneThatIsMadeSaysWhatKeepsItOff() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("x enter")
    #expect(driver.lines.contains { $0.contains("▸✗") })
    driver.press("0")
    #expect(!driver.lines.contains { $0.contains("▸✗") })
    driver.press("x o f f l enter")
    #expect(driver.shows("All stubs are off: 0 turns them on."), "\(driver.screen)")
    driver.press("0")
    #expect(driver.lines.contains { $0.contains("▸✗") })
  }

  @Test func whySaysItOfARequestOfThen() {
    var driver = ConsoleDriver()
    driver.send(
      .board(
        StubBoard(revision: 3, entries: [.init(stub: Stub(name: "s", then: .pass(PassChanges())), origin: .console)]),
        by: nil))
    driver.board = driver.state.stubs.board
    driver.press("0")
    var exchange = Exchange.make(1)
    exchange.revision = driver.board.revision
    driver.add([exchange])
    driver.press("enter left")
    #expect(driver.shows("All stubs except those in code were off then.") && driver.shows("switched off"))
  }

  @Test func somebodyElseDoesItAndItIsSaid() {
    var driver = ConsoleDriver()
    driver.send(.board(StubBoard(revision: 2), by: "a controller"))
    var paused = StubBoard(revision: 3)
    paused.isPaused = true
    driver.send(.board(paused, by: "a controller"))
    #expect(driver.shows("a controller changed the stubs. all are off"), "\(driver.screen)")
  }
}
