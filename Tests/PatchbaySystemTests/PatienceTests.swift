import PatchbayTestSupport
import Testing

/// How long tests wait, on a machine that is busy.
@Suite(.bounded) struct PatienceTests {
  @Test func aLimitGrowsWithTheLoadThatComesAfterItsBeginAndNeverShrinks() {
    var limit = PatientLimit(.seconds(120), factor: 1)
    #expect(limit.now == .seconds(120))
    limit.see(3.5)
    #expect(limit.now == .seconds(420))
    limit.see(1)
    #expect(limit.now == .seconds(420))
  }

  @Test func theLoadOfTheLastSecondsIsThereBeforeTheMeanOfTheMinute() {
    var recent = RecentLoad()
    for _ in 0..<40 { recent.see("9.81 3.08 4.36 30/320 12345\n") }
    #expect((24...30).contains(recent.threads))
    #expect(Patience.busyness(load: recent.threads, processors: 2) > 3)
    for _ in 0..<40 { recent.see("9.81 3.08 4.36 1/320 12345\n") }
    #expect(recent.threads < 6)
  }

  @Test(arguments: ["", "0.76 3.08 4.36", "a b c d/e"])
  func whatSaysNothingOfTheLoadChangesNothing(_ text: String) {
    var recent = RecentLoad()
    recent.see(text)
    #expect(recent.threads == 0)
  }

  @Test(arguments: [(0.0, 1.0), (8.0, 1.0), (16.0, 2.0), (640.0, 8.0)])
  func moreThanFourForEachProcessorMakeItLonger(_ load: Double, _ factor: Double) {
    #expect(Patience.busyness(load: load, processors: 2) == factor)
  }
}
