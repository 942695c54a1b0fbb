import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite("How much of a body is recorded", .bounded)
struct RecordedPartTests {
  @Test(
    "its size, what is said of it, and the same for an export",
    arguments: [
      (nil, false, 0, "0 B", nil, nil),
      (0, false, 0, "0 B", nil, nil),
      (4_000, false, 4_000, "4 kB", nil, nil),
      (4_000, false, 9_000, "4 kB", nil, nil),
      (4_000, true, 9_000, "4 kB of 9 kB", "Only 4 kB of 9 kB was recorded.", "Only 4 kB of 9 kB of it were recorded"),
      (4_000, true, 4_001, "4 kB of 4 kB", "Only 4 kB of 4 kB was recorded.", "Only 4 kB of 4 kB of it were recorded"),
      (4_000, true, 4_000, "4 kB", "Only a part of the body was recorded.", "Only 4 kB of it were recorded"),
      (nil, true, 9, "0 B of 9 B", "The body was not recorded. It had 9 B.", "Only 0 B of 9 B of it were recorded"),
      (0, true, 0, "0 B", "The body was not recorded.", "Only 0 B of it were recorded"),
    ] as [(Int?, Bool, Int64, String, String?, String?)])
  func words(_ recorded: Int?, _ isCut: Bool, _ whole: Int64, _ size: String, _ note: String?, _ sentence: String?) {
    let part = RecordedPart(recorded.map { Data(count: $0) }, isCut: isCut, of: whole)
    #expect(part.size == size && part.note == note)
    #expect(part.sentence(of: "it") == sentence)
    #expect(part.only == (isCut ? "only \(size) of" : nil))
    #expect(part.isMissing == (recorded == nil) && part.isEmpty == (recorded == 0))
    #expect(part.isNotRecorded == (isCut && recorded ?? 0 == 0))
  }

  @Test(
    "the whole is what was counted, else what the header says",
    arguments: [
      (0, nil, "4 kB"), (4_000, nil, "4 kB"), (9_000, nil, "4 kB of 9 kB"), (0, "8000", "4 kB of 8 kB"),
      (4_000, "8000", "4 kB of 8 kB"), (9_000, "8000", "4 kB of 9 kB"), (0, "3000", "4 kB"), (0, "many", "4 kB"),
    ] as [(Int64, String?, String)])
  func whole(_ counted: Int64, _ length: String?, _ size: String) {
    let headers = length.map { [HeaderField("content-length", $0)] } ?? []
    let body = Data(count: 4_000)
    let request = RecordedRequest(method: "POST", url: "http://a/", headers: headers, body: body, truncated: true)
    var exchange = Exchange(
      id: 1, process: HarnessProcess(name: "a", pid: 1), startedAt: Timestamp(microseconds: 0), request: request)
    exchange.response = RecordedResponse(status: 200, headers: headers, body: body, truncated: true)
    exchange.bytesSent = counted
    exchange.bytesReceived = counted
    #expect(exchange.requestPart.size == size)
    #expect(exchange.responsePart.size == size)
    // What was counted is what was sent in its place.
    exchange.sent = request
    #expect(exchange.requestPart.size == (length == "8000" ? "4 kB of 8 kB" : "4 kB"))
  }

  @Test func noResponseHasNoBody() {
    let exchange = Exchange(
      id: 1, process: HarnessProcess(name: "a", pid: 1), startedAt: Timestamp(microseconds: 0),
      request: RecordedRequest(method: "GET", url: "http://a.example/"))
    #expect(exchange.responsePart.isMissing && exchange.responsePart.note == nil)
    #expect(exchange.requestPart.isMissing && exchange.requestPart.sentence() == nil)
  }
}
