import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct SequenceFormTests {
  private let stub = Stub(
    name: "flaky",
    then: .sequence(
      [
        .respond(CannedResponse(status: 500, body: .json(["a": 1]))), .fail(Fault(.named("timedOut"))),
        .pass(PassChanges(mergePatch: ["x": 1])),
      ], afterwards: .last))

  private func driver(_ stub: Stub) -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.board = StubBoard(revision: 2, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("2 e")
    return driver
  }

  private func fill(_ driver: inout ConsoleDriver, _ field: String, _ text: String) {
    focus(&driver, field)
    driver.press("ctrl-a ctrl-u ctrl-k")
    driver.send(.input(.paste(text)))
  }

  private func focus(_ driver: inout ConsoleDriver, _ field: String) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus(field)
    driver.replaceTop(with: form)
  }

  private func steps(_ driver: ConsoleDriver) -> [Action] {
    if case .sequence(let steps, _)? = driver.board["flaky"]?.stub.then { steps } else { [] }
  }

  @Test func goingThroughItsStepsChangesNothing() {
    var driver = driver(stub)
    focus(&driver, "step")
    driver.press("right right right left")
    driver.press("esc")
    #expect(driver.state.boxes.isEmpty, "nothing to be lost, so nothing is asked")
    #expect(driver.board["flaky"]?.stub == stub)
  }

  @Test func eachStepIsEditedInTheForm() {
    var driver = driver(stub)
    #expect(driver.shows("1 of 3"))
    fill(&driver, "status", "404")
    focus(&driver, "step")
    driver.press("right")
    fill(&driver, "error", "networkConnectionLost")
    driver.press("ctrl-s")
    #expect(
      steps(driver) == [
        .respond(CannedResponse(status: 404, body: .json(["a": 1]))), .fail(Fault(.named("networkConnectionLost"))),
        .pass(PassChanges(mergePatch: ["x": 1])),
      ])
  }

  @Test func stepsAreAddedTakenOutAndMoved() {
    var driver = driver(stub)
    driver.press("ctrl-n")
    #expect(driver.shows("2 of 4"))
    fill(&driver, "status", "201")
    driver.press("ctrl-t ctrl-s e")
    #expect(steps(driver).count == 4)
    #expect(steps(driver).first?.response?.status == 201)
    driver.press("ctrl-o ctrl-s")
    #expect(driver.board["flaky"]?.stub == stub)
  }

  @Test func anyStubBecomesASequence() {
    var driver = driver(Stub(name: "flaky", then: .respond(CannedResponse(status: 503))))
    focus(&driver, "action")
    driver.press("left")
    #expect(driver.shows("1 of 1"), "\(driver.screen)")
    driver.press("ctrl-n")
    #expect(driver.shows("2 of 2"), "\(driver.screen)")
    focus(&driver, "stepAction")
    driver.press("right ctrl-s")
    #expect(steps(driver) == [.respond(CannedResponse(status: 503)), .fail(Fault(.named("timedOut")))])
  }

  /// Each field of an action is its step's own.
  @Test func whereAStepGoesStaysWithIt() {
    var driver = driver(
      Stub(name: "flaky", then: .sequence([.pass(PassChanges()), .pass(PassChanges())], afterwards: .last)))
    fill(&driver, "to", "http://127.0.0.1:8080")
    fill(&driver, "rewrite", "{\"method\": \"PUT\"}")
    focus(&driver, "step")
    driver.press("right")
    #expect((driver.state.boxes.last as? StubForm)?.form.text("to").isEmpty == true)
    driver.press("ctrl-s")
    let first = steps(driver).first?.changes
    #expect(first?.to == "http://127.0.0.1:8080" && first?.request?.method == "PUT")
    #expect(steps(driver).last == .pass(PassChanges()))
  }

  @Test func aMistakeInAStepThatIsNotInSightIsSaid() {
    var driver = driver(stub)
    fill(&driver, "status", "9999")
    focus(&driver, "step")
    driver.press("right ctrl-s")
    #expect(driver.shows("step 1, status"))
    #expect(driver.board["flaky"]?.stub == stub)
  }
}
