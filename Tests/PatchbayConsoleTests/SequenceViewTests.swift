import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The answers of a sequence, in the empty rows below the list of stubs.
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
    #expect(driver.shows("In turn: flaky ‹U+202E›search"))
    for text in ["1  500", "2  ✗ timed out", "3  201", "4  pass", "afterwards: repeat"] { #expect(driver.shows(text)) }
  }

  @Test func aStubOfOneAnswerHasNone() {
    var driver = driver(four, more: 2)
    driver.press("j")
    #expect(!driver.shows("In turn"))
  }

  @Test func aFullListHasNoRoomForThem() {
    let full = driver(four, more: 19)
    #expect(!full.shows("In turn"))
    #expect(full.shows("n18"))
    let nearly = driver(four, more: 15)
    #expect(nearly.shows("n14") && nearly.shows("1  500") && nearly.shows("4 answers, afterwards: repeat"))
  }
}
