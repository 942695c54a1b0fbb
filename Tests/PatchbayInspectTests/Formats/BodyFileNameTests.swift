import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct BodyFileNameTests {
  @Test(arguments: [
    ("http://a/v1/books", "application/json; charset=utf-8", "7-response-books.json"),
    ("http://a/img/1.PNG?x=1", "image/png", "7-response-1.png"), ("http://a/", "image/jpeg", "7-response.jpg"),
    ("http://a/x/..%2F..%2Fetc%2Fpasswd", "text/plain", "7-response-2F..-2Fetc-2Fpasswd.txt"),
    ("http://a/..", "application/octet-stream", "7-response.bin"),
    ("http://a/.hidden", "text/css", "7-response-hidden.css"),
    ("http://a/ただ\u{202E}\n;rm -rf", "application/x-../../x", "7-response-rm-rf.txt"),
    ("http://a/svg", "image/svg+xml", "7-response-svg.svg"), ("http://a/z", "image/x-../..", "7-response-z.bin"),
  ])
  func isPlain(url: String, type: String, name: String) {
    let exchange = RecordedExchange.make(id: 7, "GET", url, answerHeaders: [HeaderField("Content-Type", type)])
    #expect(BodyFileName.response(exchange) == name)
  }

  @Test func isShortAndOfTheSide() {
    let body = Data([0xFF])
    let exchange = RecordedExchange.make(
      id: 9_999_999, "POST", "http://a/" + String(repeating: "x", count: 9_000), body: body)
    let name = BodyFileName.request(exchange)
    #expect(name.hasPrefix("9999999-request-xxx") && name.hasSuffix(".bin") && name.utf8.count <= 80)
  }

  @Test(arguments: [39, 40, 41, 60]) func takesSoManyBytesOfThePath(_ count: Int) {
    let exchange = RecordedExchange.make(id: 1, "GET", "http://a/" + String(repeating: "x", count: count))
    #expect(BodyFileName.response(exchange) == "1-response-\(String(repeating: "x", count: min(count, 40))).txt")
  }

  @Test(arguments: [
    ("image/abcdefghij", "abcdefghij"), ("image/abcdefghijk", "bin"), ("image/x-tiff", "tiff"), ("audio/x-wav", "wav"),
    ("video/", "video"), ("application/zip", "zip"), ("application/x-tar", "tar"), ("image/PNG; q=1", "png"),
    ("text/x-odd", "txt"), ("application/vnd.a+json", "json"), ("application/x-ndjson", "jsonl"), ("text/html", "html"),
    ("application/xml", "xml"), ("application/x-www-form-urlencoded", "form"), ("multipart/mixed", "multipart"),
    ("text/event-stream", "txt"), ("image/vnd.microsoft.icon", "ico"), ("image/a.b", "a.b"),
  ])
  func endsAsItsTypeSays(_ type: String, _ ending: String) {
    #expect(BodyFileName.ending(type, Data([0xFF])) == ending)
  }

  @Test func withoutATypeThatIsKnownItsBytesDecide() {
    for type in [nil, "application/x-odd", ""] {
      #expect(BodyFileName.ending(type, Data("a".utf8)) == "txt" && BodyFileName.ending(type, Data([0xFF])) == "bin")
      #expect(BodyFileName.ending(type, nil) == "bin" && BodyFileName.ending(type, Data()) == "txt")
    }
  }
}
