import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The answers of a sequence, in the detail below the list of stubs.
@Suite(.bounded) struct SequenceViewTests {
  private func driver(_ steps: [Action], height: Int = 24, more: Int = 0) -> ConsoleDriver {
    var driver = ConsoleDriver(width: 80, height: height)
    let stub = Stub(name: "flaky \u{202E}search", then: .sequence(steps, afterwards: .repeat))
    var entries: [StubBoard.Entry] = [.init(stub: stub, origin: .console)]
    entries += (0..<more).map { .init(stub: Stub(name: "n\($0)", then: .hold(.request)), origin: .console) }
    driver.board = StubBoard(revision: 2, entries: entries)
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    return driver
  }

  private let four: [Action] = [
    .respond(CannedResponse(status: 500)), .fail(Fault(.named("timedOut"))), .respond(CannedResponse(status: 201)),
    .pass(PassChanges()),
  ]

  @Test func eachAnswerHasALine() {
    let driver = driver(four)
    #expect(driver.shows("In turn") && driver.shows("flaky ‹U+202E›search"))
    for text in ["1  500", "2  ✗ timed out", "3  201", "4  pass", "afterwards: repeat"] { #expect(driver.shows(text)) }
  }

  @Test func aStubOfOneAnswerHasNone() {
    var driver = driver(four, more: 2)
    driver.press("j")
    #expect(!driver.shows("In turn"))
  }

  @Test func aFullListLeavesThemHalfOfTheRoom() {
    let full = driver(four, more: 190)
    #expect(full.shows("In turn") && full.shows("1  500") && full.shows("4  pass"), "\(full.screen)")
    #expect(full.shows("n5") && !full.shows("n12"))
    let low = driver(four, height: 12)
    #expect(!low.shows("In turn"))
  }

  @Test func ofManyThoseAroundTheNextAreSeen() {
    var driver = driver((0..<60).map { .respond(CannedResponse(status: 200 + $0)) })
    driver.send(
      .progress(
        HarnessProcess(name: "demo", pid: 7),
        [StubProgress(name: "flaky \u{202E}search", hits: 40, nextStep: 40)]))
    #expect(driver.shows("▸  41  240   the next") && driver.shows("60 answers, afterwards: repeat"), "\(driver.screen)")
  }
}
