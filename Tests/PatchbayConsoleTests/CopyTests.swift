import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct CopyTests {
  private func copied(_ key: String, _ type: String, _ body: Data) -> ConsoleEffect? {
    var exchange = Exchange.make(1, "POST")
    exchange.request.headers = [HeaderField("Content-Type", type)]
    exchange.request.body = body
    exchange.response = RecordedResponse(status: 200, headers: exchange.request.headers, body: body)
    var driver = ConsoleDriver()
    driver.add([exchange])
    driver.press("y \(key)")
    return driver.effects.last
  }

  @Test func aBodyIsCopiedInItsOwnCharset() {
    let body = Data([0x93, 0xFA, 0x96, 0x7B])
    let type = "text/plain; charset=Shift_JIS"
    #expect(copied("b", type, body) == .copy(text: "日本", label: "the response's body"))
    #expect(copied("r", type, body) == .copy(text: "日本", label: "the request's body"))
  }

  @Test func aBodyThatIsNoTextIsCopiedAsBase64() {
    let body = Data([0, 255, 1])
    #expect(
      copied("b", "application/octet-stream", body)
        == .copy(text: "AP8B", label: "the response's body as base64"))
  }
}
