import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct JSONLinesTests {
  private var exchange: Exchange {
    var exchange = Exchange(
      id: 7, process: HarnessProcess(name: "demo", pid: 42), startedAt: Timestamp(microseconds: 1_795_262_463_221_900),
      request: RecordedRequest(
        method: "POST", url: "http://a/b?c=d", headers: [HeaderField("A", "1"), HeaderField("A", "2")],
        body: Data([0xFF, 0x00])))
    exchange.response = RecordedResponse(status: 200, headers: [], body: Data("ただいま\n".utf8))
    exchange.outcome = .responded
    exchange.phase = .ended
    exchange.timing.end = 34_499
    exchange.by = .stub
    exchange.stub = "x"
    exchange.redirects = [RedirectHop(status: 302, url: "http://a/", headers: [HeaderField("Location", "/b")])]
    exchange.sent = RecordedRequest(
      method: "PUT", url: "http://b/", headers: [HeaderField("B", "1")], body: Data("{}".utf8))
    exchange.run = 3
    exchange.tags = ["slow", "首"]
    exchange.note = "see issue 7"
    return exchange
  }

  @Test(arguments: [1, 7, 1 << 20]) func linesAreReadInPieces(piece: Int) throws {
    let text = "\u{FEFF}" + JSONLines.line(exchange) + "\r\n\n{\"a\":1}\nno\n" + JSONLines.line(exchange)
    var reader = JSONLinesReader()
    var found: [Exchange] = []
    let bytes = Data(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      found += reader.read(Data(bytes[start..<min(bytes.count, start + piece)]))
    }
    found += try reader.finish()
    #expect(found.map(\.request) == [exchange.request, exchange.request] && found[0].run == 3)
    #expect(reader.bad.map(\.index) == [3, 4] && "\(reader.bad[0])".hasPrefix("line 3: "))
    var none = JSONLinesReader()
    _ = none.read(Data("no".utf8))
    #expect(throws: StubError.self) { try none.finish() }
  }

  @Test func writesTheContract() {
    #expect(
      JSONLines.line(exchange)
        == #"{"id":7,"process":{"name":"demo","pid":42},"startedAt":"2026-11-21T12:01:03.221Z","method":"POST","#
        + #""url":"http://a/b?c=d","requestHeaders":[["A","1"],["A","2"]],"requestBody":{"base64":"/wA="},"by":"stub","#
        + #""stub":"x","outcome":"responded","status":200,"responseHeaders":[],"responseBody":"ただいま\n","error":null,"#
        + #""redirects":[{"status":302,"url":"http://a/","headers":[["Location","/b"]]}],"#
        + #""sent":{"method":"PUT","url":"http://b/","headers":[["B","1"]],"body":"{}"},"#
        + #""run":3,"tags":["slow","首"],"note":"see issue 7","observed":false,"durationMs":34,"heldMs":0,"#
        + #""bytesSent":0,"bytesReceived":0,"requestTruncated":false,"responseTruncated":false}"#)
  }

  /// In every text of an exchange, and in both formats of JSON.
  @Test func printsNothingThatATerminalObeys() throws {
    let hostile = "\u{9B}2J\u{9D}0;x\u{90}\u{85}\u{7F}\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202E}\u{2066}\u{2069}あ"
    var exchange = Exchange(
      id: 1, process: HarnessProcess(name: hostile, pid: 1), startedAt: Timestamp(microseconds: 0),
      request: RecordedRequest(
        method: hostile, url: "http://a/\(hostile)?\(hostile)=\(hostile)", headers: [HeaderField(hostile, hostile)],
        body: Data(hostile.utf8)))
    exchange.response = RecordedResponse(
      status: 200, headers: [HeaderField(hostile, hostile)], body: Data(hostile.utf8))
    exchange.error = RecordedError(domain: hostile, code: 0, name: hostile)
    exchange.stub = hostile
    exchange.note = hostile
    exchange.tags = [hostile]
    exchange.sent = RecordedRequest(
      method: hostile, url: hostile, headers: [HeaderField(hostile, hostile)], body: Data(hostile.utf8))
    exchange.redirects = [
      RedirectHop(status: 302, url: hostile, headers: [HeaderField("Location", hostile)], target: hostile)
    ]
    let line = JSONLines.line(exchange)
    #expect(try JSONLines.exchange(Data(line.utf8)).request == exchange.request)
    #expect(try JSONLines.exchange(Data(line.utf8)).response == exchange.response)
    for text in [line, HARWriter.text([exchange], version: hostile)] {
      #expect(text.contains("あ"))
      let raw = text.unicodeScalars.filter { $0 != "あ" && !$0.isASCII || $0 == "\u{7F}" }
      #expect(raw.isEmpty, "\(raw.map { String($0.value, radix: 16) })")
    }
  }

  @Test func tellsNoBodyFromAnEmptyOne() {
    var exchange = exchange
    exchange.request.body = nil
    exchange.response?.body = Data()
    let value = JSONLines.value(exchange)
    #expect(value["requestBody"] == .null)
    #expect(value["responseBody"] == "")
    exchange.response = nil
    exchange.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut")
    #expect(JSONLines.value(exchange)["status"] == .null)
    #expect(JSONLines.value(exchange)["error"]?["name"] == "timedOut")
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
  ])
  func writesMoments(milliseconds: Int64, text: String) {
    #expect(Moment.rfc3339(Timestamp(microseconds: milliseconds * 1_000)) == text)
  }

  @Test func keepsAByteOrderMark() {
    let exchange = RecordedExchange.make(answer: Data("\u{FEFF}x".utf8))
    #expect(Data(JSONLines.line(exchange).utf8).range(of: Data("\"\u{FEFF}x\"".utf8)) != nil)
  }

  @Test func writesOneLine() {
    #expect(
      OneLine.text(ExchangeSummary(exchange)) == "12:01:03.221  POST    200  http://a/b?c=d  13 B  34 ms  stub x")
  }
  @Test func anEndThatIsNotKnownIsNotWaitedFor() throws {
    var observed = exchange
    (observed.outcome, observed.response, observed.timing.end) = (nil, nil, nil)
    observed.phase = .ended
    #expect(OneLine.result(ExchangeSummary(observed)) == "observed")
    let json = JSONLines.value(observed)
    #expect(json["outcome"] == .null && json["durationMs"] == .null && json["observed"] == .bool(true))
    #expect(try JSONLines.exchange(Data(json.compact.utf8)).isObserved)
    observed.phase = .waiting
    #expect(JSONLines.value(observed)["observed"] == .bool(false))
    #expect(OneLine.result(ExchangeSummary(observed)) == "waiting")
  }
}
