import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

@Suite(.bounded) struct ShedSentenceTests {
  @Test func whatWasShedIsSaidInOneSentence() {
    #expect(LinePrinter.sentence(of: Shed()) == nil)
    #expect(
      LinePrinter.sentence(of: Shed(bodies: 3124, bytes: 312_400_000))
        == "Left out of the record: 3,124 bodies, which came faster than they were read.")
    #expect(LinePrinter.sentence(of: Shed(exchanges: 1))?.contains("1 request,") == true)
    #expect(LinePrinter.sentence(of: Shed(exchanges: 2, bodies: 1))?.contains("2 requests and 1 body,") == true)
  }
}
