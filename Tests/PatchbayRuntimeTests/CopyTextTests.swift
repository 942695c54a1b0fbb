import Foundation
import PatchbayConsole
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// What of an exchange goes to the clipboard.
@Suite(.bounded) struct CopyTextTests {
  private func exchange(_ request: Data?, _ response: Data?, type: String = "text/plain") -> Exchange {
    var exchange = Exchange(
      id: 7, process: HarnessProcess(name: "app", pid: 10), startedAt: Timestamp(microseconds: 1_700_000_000_000_000),
      request: RecordedRequest(
        method: "POST", url: "https://a.example/orders?token=s",
        headers: [HeaderField("A", "1"), HeaderField("B", "2")],
        body: request))
    (exchange.phase, exchange.outcome) = (.ended, .responded)
    exchange.response = RecordedResponse(
      status: 201, headers: [HeaderField("Content-Type", type), HeaderField("A", "3")], body: response)
    exchange.timing = Timing(head: 1_000, end: 2_000)
    return exchange
  }

  @Test func eachKindAsAWhole() throws {
    let exchange = exchange(Data("{\"n\":1}".utf8), Data("done".utf8))
    let texts = try CopyKind.allCases.map { kind in
      let copy = try CopyText.make(exchange, kind)
      return "== \(kind): \(copy.label)\n\(copy.text)\n"
    }
    try expectRecorded(texts.joined(), "Whole/Copies.txt")
  }

  @Test func whereThereIsNothingItIsSaid() throws {
    var none = exchange(nil, nil)
    for (kind, side) in [(CopyKind.requestBody, "request"), (.responseBody, "response")] {
      let error = #expect(throws: RuntimeError.self) { try CopyText.make(none, kind) }
      #expect(error?.description == "The \(side) has no body, so there is nothing to copy.")
    }
    none.response = nil
    #expect(throws: RuntimeError.self) { try CopyText.make(none, .responseBody) }
    #expect(try CopyText.make(none, .responseHeaders).text == "")
  }

  @Test func whatWasRecordedOfABodyIsSaid() throws {
    var cut = exchange(Data("ab".utf8), Data("done".utf8))
    cut.request.truncated = true
    cut.response?.truncated = true
    cut.response?.headers.append(HeaderField("Content-Length", "2048"))
    let labels = try [CopyKind.curl, .url, .requestBody, .responseBody].map { try CopyText.make(cut, $0).label }
    #expect(
      labels == [
        "the request as cURL with only 2 B of its body", "the URL", "only 2 B of the request's body",
        "only 4 B of 2 kB of the response's body",
      ])
    #expect(try CopyText.make(cut, .responseBody).text == "done")
  }

  @Test func bodiesAreText() throws {
    func copied(_ body: [UInt8], _ type: String) throws -> String {
      try CopyText.make(exchange(nil, Data(body), type: type), .responseBody).text
    }
    #expect(try copied([0x63, 0x61, 0x66, 0xE9], "text/plain; charset=iso-8859-1") == "café")
    #expect(try copied(Array("café".utf8), "text/plain") == "café")
    #expect(try copied([], "text/plain") == "")
    #expect(try copied([0xFF, 0x00, 0xD8], "application/octet-stream") == "/wDY")
  }
}
