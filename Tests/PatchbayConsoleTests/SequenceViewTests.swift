import PatchbayGrid
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

  /// The numbers of the answers that are listed, and how many rows the detail has.
  private func listed(_ driver: ConsoleDriver) -> (numbers: [Int], height: Int) {
    let numbers = driver.lines.compactMap { line -> Int? in
      let words = line.split(separator: " ").drop { $0 == "▸" }
      guard let number = words.first.flatMap({ Int($0) }), let status = words.dropFirst().first.flatMap({ Int($0) })
      else { return nil }
      return status == 199 + number ? number : nil
    }
    let layout = driver.state.stubs.layout(in: driver.state.context.body, driver.state.context)
    return (numbers, layout.detail.height)
  }

  @Test(arguments: [nil, 0, 3, 30, 56, 59] as [UInt32?]) func theNextIsInTheMiddleButAtTheEnds(_ next: UInt32?) {
    var driver = driver((0..<60).map { .respond(CannedResponse(status: 200 + $0)) })
    if let next {
      driver.send(
        .progress(
          HarnessProcess(name: "demo", pid: 7),
          [StubProgress(name: "flaky \u{202E}search", hits: 1, nextStep: next)]))
    }
    let (numbers, height) = listed(driver)
    // Between its title, what comes afterwards, and an empty row.
    let count = height - 3
    let top = max(0, min(60 - count, Int(next ?? 0) - count / 2))
    #expect(count > 8 && numbers == Array(top + 1...top + count), "\(driver.screen)")
    #expect(driver.shows("the next") == (next != nil))
  }

  @Test func howManyThereAreIsSaidWhereNotAllAreSeen() {
    let room = listed(driver((0..<60).map { .respond(CannedResponse(status: 200 + $0)) })).height - 3
    for count in [room - 1, room, room + 1] {
      let driver = driver((0..<count).map { .respond(CannedResponse(status: 200 + $0)) })
      #expect(listed(driver).numbers == Array(1...min(count, room)))
      #expect(driver.shows("\(count) answers, afterwards: repeat") == (count > room))
    }
  }
}
