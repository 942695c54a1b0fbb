import Foundation
import PatchbayStubs
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite struct StubsExportTests {
  /// Replays recorded requests against the stubs made of them, in order.
  private func answers(_ exchanges: [Exchange]) -> [Action?] {
    let matcher = StubMatcher(StubSet(stubs: StubsExport.stubs(from: exchanges)))
    var counters = StubCounters(salt: 0)
    return exchanges.map { exchange in
      let facts = RequestFacts(
        method: exchange.request.method, url: exchange.request.url, headers: exchange.request.headers,
        body: exchange.request.body)
      guard case .answer(let match) = matcher.decide(facts, counters: &counters).step else { return nil }
      return match.action
    }
  }

  private func body(_ action: Action?) -> String? {
    guard case .respond(let response)? = action else { return nil }
    switch response.body {
    case .text(let text): return text
    case .json(let value): return value.compact
    case .data(let data): return String(decoding: data, as: UTF8.self)
    default: return nil
    }
  }

  @Test func answersTheSameRequestsTheSameWayInOrder() {
    let exchanges = [
      RecordedExchange.make(id: 1, "GET", "http://a/list?page=1", answer: Data("one".utf8)),
      RecordedExchange.make(id: 2, "GET", "http://a/list?page=2", answer: Data("two".utf8)),
      RecordedExchange.make(id: 3, "GET", "http://a/list?page=1", answer: Data("three".utf8)),
      RecordedExchange.make(id: 4, "POST", "http://a/list?page=1", answer: Data("post".utf8)),
      RecordedExchange.make(id: 5, "GET", "http://a/list?page=1", answer: Data("three".utf8)),
    ]
    #expect(answers(exchanges).map(body) == ["one", "two", "three", "post", "three"])
  }

  @Test func tellsRequestsApartByTheirBodies() {
    let exchanges = ["x", "y", "x"].enumerated().map { index, text in
      RecordedExchange.make(
        id: Int64(index), "POST", "http://a/rpc", body: Data(text.utf8), answer: Data("to \(text)".utf8))
    }
    #expect(answers(exchanges).map(body) == ["to x", "to y", "to x"])
  }

  @Test func takesStarsAndBracesLiterally() {
    let exchanges = [
      RecordedExchange.make(id: 1, "GET", "http://a/*/b", answer: Data("{{uuid}}".utf8)),
      RecordedExchange.make(id: 2, "GET", "http://a/c/b", answer: Data("c".utf8)),
    ]
    #expect(answers(exchanges).map(body) == [Template.quoting("{{uuid}}"), "c"])
  }

  @Test func keepsErrorsAndHeaderFieldsThatHold() throws {
    let failed = RecordedExchange.failed("http://a/f", name: "timedOut", code: -1001)
    let zipped = RecordedExchange.make(
      id: 2, "GET", "http://a/z", answer: Data(#"{"b":1.10,"a":"あ"}"#.utf8),
      answerHeaders: [
        HeaderField("Content-Type", "application/json"), HeaderField("Content-Encoding", "gzip"),
        HeaderField("content-length", "3"), HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2"),
      ])
    let stubs = StubsExport.stubs(from: [failed, zipped])
    #expect(stubs[0].then == .fail(Fault(.named("timedOut"))))
    guard case .respond(let response) = stubs[1].then else { throw StubError("no answer") }
    #expect(response.headers.map(\.name) == ["Content-Type", "Set-Cookie", "Set-Cookie"])
    let plain = RecordedExchange.make("HEAD", answer: nil, answerHeaders: [HeaderField("Content-Length", "10")])
    guard case .respond(let head) = StubsExport.stubs(from: [plain])[0].then else { throw StubError("no answer") }
    #expect(head.headers == plain.response?.headers)
    #expect(response.body == .json(["b": .number("1.10"), "a": "あ"]))
  }

  @Test func namesAreUniqueAndReadable() {
    let exchanges = (1...3).map { RecordedExchange.make(id: $0, "GET", "http://a/b?c=\($0)") }
    #expect(StubsExport.stubs(from: exchanges).map(\.name) == ["GET /b", "GET /b (2)", "GET /b (3)"])
  }
}
