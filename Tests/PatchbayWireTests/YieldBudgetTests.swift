import PatchbayTestSupport
import PatchbayWire
import Testing

/// Work that lets others go first.
@Suite(.bounded) struct YieldBudgetTests {
  @Test func othersGoFirstAgainAndAgain() {
    var budget = YieldBudget(milliseconds: 60_000)
    var times = 0
    var steps = 0
    while times < 3 {
      if budget.step() { times += 1 }
      steps += 1
    }
    // Not after each small part.
    #expect(steps > times)
  }

  @Test func workIsDoneWithoutAPauseOnceItHasLastedTooLong() {
    var budget = YieldBudget(milliseconds: 0)
    let began = ContinuousClock.now
    var gaveWay = false
    while ContinuousClock.now - began < .milliseconds(2) { gaveWay = budget.step() || gaveWay }
    #expect(!gaveWay)
  }

  @Test func itWorksForAWhileBeforeOthersGoFirstAgain() {
    var budget = YieldBudget(milliseconds: 60_000)
    while !budget.step() {}
    // Others may take the processor meanwhile, but not each time.
    var worked = false
    for _ in 0..<1_000 { worked = !budget.step() || worked }
    #expect(worked)
  }
}
