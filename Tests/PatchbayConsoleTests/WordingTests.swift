import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct WordingTests {
  @Test(
    arguments: [
      (2_000_000, "2 s"), (125_000_000, "2m 05s"), (3_599_499_999, "59m 59s"), (3_599_500_000, "1h 00m"),
      (3_599_999_999, "1h 00m"), (3_600_000_000, "1h 00m"),
      (4_199_999_999, "1h 09m"), (4_200_000_000, "1h 10m"), (7_199_999_999, "1h 59m"), (7_200_000_000, "2h 00m"),
      (360_000_000_000, "100h 00m"),
    ] as [(Int64, String)])
  func fromAnHourOnATimeIsHoursAndMinutes(_ microseconds: Int64, _ text: String) {
    #expect(Wording.duration(microseconds) == text)
  }

  @Test(arguments: [
    (0, "stub", "0 stubs"), (1, "stub", "1 stub"), (2, "stub", "2 stubs"), (1, "process", "1 process"),
    (2, "process", "2 processes"), (1_000, "process", "1,000 processes"),
  ])
  func aNumberOfThings(_ number: Int, _ noun: String, _ text: String) {
    #expect(Wording.count(number, noun) == text)
  }
}
