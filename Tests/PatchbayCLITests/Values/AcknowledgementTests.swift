import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

@Suite(.bounded) struct AcknowledgementTests {
  @Test func whoHasNotAcknowledgedAChangeIsNamed() {
    #expect(
      Acknowledgement.sentence(["tea 7"])
        == "tea 7 has not acknowledged the change within 2 s; it reaches the process when it reads again.")
    #expect(
      Acknowledgement.sentence(["tea 7", "山田 8"])
        == "tea 7, 山田 8 have not acknowledged the change within 2 s; it reaches each when it reads again.")
  }
}
