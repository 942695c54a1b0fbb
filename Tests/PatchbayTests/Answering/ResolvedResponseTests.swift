import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers as values: what becomes of status, fields and body before anything is handed over.
@Suite(.bounded) struct ResolvedResponseTests {
  private let url = URL(string: "http://a.example/x")!
  private let hello = Data("hello".utf8)

  private func response(
    _ status: Int = 200, _ headers: [HeaderField] = [], _ body: String = "hello", method: String = "GET"
  ) -> ResolvedResponse {
    ResolvedResponse(url: url, method: method, status: status, headers: headers, body: Data(body.utf8))
  }

  /// The network's, which Foundation has decoded.
  private func original(_ status: Int = 200, _ fields: [String: String] = [:], _ body: String = "hello") throws
    -> ResolvedResponse
  {
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    return ResolvedResponse(head, url: url, body: Data(body.utf8))
  }

  /// RFC 9110 §6.4.1, §9.3.2.
  @Test(arguments: [
    (100, false), (101, false), (199, false), (200, true), (203, true), (204, false), (205, true), (206, true),
    (303, true), (304, false), (305, true), (404, true), (599, true),
  ])
  func someAnswersHaveNoBody(_ status: Int, _ hasBody: Bool) {
    #expect(response(status).body == (hasBody ? hello : Data()))
    #expect(response(status, method: "HEAD").body == Data())
    // An edited one has what was written, unless its status has none.
    #expect(
      response().edited(status: status, headers: [], body: hello).body == (hasBody || status == 200 ? hello : Data()))
  }

  @Test func anEncodedBodyIsDecodedAndItsFieldsGo() throws {
    let stored = Data([1, 5, 0, 0xFA, 0xFF]) + hello
    let zipped = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + stored + [UInt8](repeating: 0, count: 8)
    let rows: [(String, Data, Data)] = [
      ("gzip", zipped, hello), ("x-gzip", zipped, hello), ("GZip", zipped, hello), ("deflate", stored, hello),
      ("deflate", zipped, hello), ("gzip", hello, hello), ("br", zipped, zipped), ("zstd", stored, stored),
    ]
    for (coding, body, expected) in rows {
      let fields = [
        HeaderField("content-encoding", coding), HeaderField("Content-Length", "99"), HeaderField("A", "1"),
      ]
      let made = ResolvedResponse(url: url, method: "GET", status: 200, headers: fields, body: body)
      #expect(made.body == expected && made.headers == [HeaderField("A", "1")], "\(coding)")
    }
    for coding in ["identity", "IDENTITY"] {
      let fields = [HeaderField("Content-Encoding", coding), HeaderField("Content-Length", "99")]
      let made = ResolvedResponse(url: url, method: "GET", status: 200, headers: fields, body: zipped)
      #expect(made.body == zipped && made.headers == fields)
    }
    // Where there is no body its fields stay: they tell of the one that a GET would have.
    let fields = [HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "99")]
    #expect(ResolvedResponse(url: url, method: "HEAD", status: 200, headers: fields, body: zipped).headers == fields)
    #expect(ResolvedResponse(url: url, method: "GET", status: 304, headers: fields, body: zipped).headers == fields)
  }

  @Test func repeatedFieldsAreJoined() throws {
    let made = response(
      201,
      [
        HeaderField("X-A", "1"), HeaderField("B", "2"), HeaderField("x-a", "3"), HeaderField("X-A", "4"),
        HeaderField("b", ""),
      ])
    let seen = try #require(made.urlResponse())
    #expect(seen.statusCode == 201 && seen.url == url)
    #expect(seen.value(forHTTPHeaderField: "X-A") == "1, 3, 4" && seen.value(forHTTPHeaderField: "B") == "2, ")
    #expect(seen.allHeaderFields.count == 2)
    #expect(made.recorded.headers == made.headers && made.recorded.status == 201 && made.recorded.body == hello)
  }

  @Test func theNetworksOwnResponseStaysWhileItsHeadDoes() throws {
    let first = try original(200, ["A": "1", "Content-Length": "3"])
    #expect(first.status == 200 && first.body == hello)
    #expect(first.headers == [HeaderField("A", "1"), HeaderField("Content-Length", "3")])
    let head = first.urlResponse()
    #expect(first.edited(status: 200, headers: first.headers, body: Data("x".utf8)).urlResponse() === head)
    for changed in [
      first.edited(status: 201, headers: first.headers, body: hello),
      first.edited(status: 200, headers: [HeaderField("A", "2")], body: hello),
    ] {
      #expect(changed.urlResponse() !== head)
      #expect(changed.urlResponse()?.statusCode == changed.status)
    }
  }

  /// What came is whole, whatever its head says; so is what has no body or a length of its own kind.
  @Test func aBodyEndsWhereItsLengthSays() throws {
    func ended(_ response: ResolvedResponse) -> (Bool, String) {
      var response = response
      let isWhole = response.endAsItsLengthSays()
      return (isWhole, String(decoding: response.body, as: UTF8.self))
    }
    func length(_ text: String) -> [HeaderField] { [HeaderField("Content-Length", text)] }
    let rows: [(ResolvedResponse, Bool, String)] = [
      (response(), true, "hello"), (response(200, length("4")), true, "hell"),
      (response(200, length("5")), true, "hello"),
      (response(200, length("6")), false, "hello"), (response(200, length("0")), true, ""),
      (response(200, length("-1")), true, "hello"), (response(200, length("x")), true, "hello"),
      (response(200, length("9"), method: "HEAD"), true, ""), (response(204, length("9")), true, ""),
      (response(200, length("4") + [HeaderField("Transfer-Encoding", "chunked")]), true, "hello"),
      (response(200, length("4") + [HeaderField("Content-Encoding", "Identity")]), true, "hell"),
      (try original(200, ["Content-Length": "3"]), true, "hello"),
      (try original(200, ["Content-Length": "9"]), true, "hello"),
    ]
    for (index, (response, isWhole, body)) in rows.enumerated() {
      let seen = ended(response)
      #expect(seen == (isWhole, body), "row \(index)")
    }
    // A length that somebody writes is meant.
    let written = try original(200, ["Content-Length": "5"]).edited(status: 200, headers: length("3"), body: hello)
    #expect(ended(written) == (true, "hel"))
    let another = try original().edited(status: 200, headers: length("9"), body: hello)
    #expect(ended(another) == (false, "hello"))
    var encoded = response(200, length("3"))
    encoded.headers.append(HeaderField("Content-Encoding", "gzip"))
    #expect(ended(encoded) == (true, "hello"), "Foundation does not count what it decodes")
  }

  @Test func whoWritesAnotherBodyDoesNotMeanTheLengthOfTheOneBefore() throws {
    let length = [HeaderField("A", "1"), HeaderField("Content-Length", "5")]
    func fields(_ edited: ResolvedResponse) -> [HeaderField] { edited.headers }
    let longer = Data("hello, you".utf8)
    #expect(
      fields(response(200, length).edited(status: 200, headers: length, body: longer)) == [
        HeaderField("A", "1"), HeaderField("Content-Length", "10"),
      ])
    #expect(fields(response(200, length).edited(status: 200, headers: length, body: hello)) == length)
    #expect(fields(response(200, []).edited(status: 200, headers: [], body: longer)) == [])
    let nine = [HeaderField("A", "1"), HeaderField("Content-Length", "9")]
    #expect(fields(response(200, length).edited(status: 200, headers: nine, body: longer)) == nine)
    #expect(fields(response(200, length, method: "HEAD").edited(status: 200, headers: length, body: longer)) == length)
    // The network's own head is not touched for it; one that is made anew is.
    let original = try original(200, ["A": "1", "Content-Length": "5"])
    #expect(fields(original.edited(status: 200, headers: original.headers, body: longer)) == original.headers)
    #expect(
      fields(original.edited(status: 201, headers: original.headers, body: longer)).last
        == HeaderField("Content-Length", "10"))
  }

  /// What the network gave in spite of its status is the program's; what is written there is not.
  @Test func aStatusWithoutABodyKeepsWhatTheNetworkGave() throws {
    let kept = try original(204, [:], "given")
    #expect(kept.edited(status: 204, headers: [HeaderField("A", "1")], body: kept.body).body == Data("given".utf8))
    #expect(kept.edited(status: 204, headers: [], body: hello).body == Data())
    #expect(kept.edited(status: 304, headers: [], body: kept.body).body == Data())
    #expect(kept.edited(status: 200, headers: [], body: kept.body).body == Data("given".utf8))
  }

  // MARK: Streams of events

  @Test func eventsAreHandedOverOneByOne() throws {
    let events = [
      CannedResponse.Event(event: "a", data: "1"), .init(id: "7", after: .fixed(.milliseconds(250))),
      .init(data: "3", after: .fixed(.seconds(-2))),
    ]
    let made = ResolvedResponse(CannedResponse(body: .events(events)), url: url, method: "GET")
    let stream = try #require(made.stream)
    #expect(stream.pieces.map(\.data) == events.map(\.bytes))
    #expect(stream.pieces.map(\.pause) == [0, 0.25, 0])
    #expect(made.body == events.map(\.bytes).reduce(Data(), +))
    #expect(made.headers.first(named: "Content-Type")?.hasPrefix("text/event-stream") == true)
    #expect(made.edited(status: 200, headers: [], body: made.body).stream != nil)
    #expect(made.edited(status: 200, headers: made.headers, body: hello).stream == nil)
    for other in [
      ResolvedResponse(CannedResponse(body: .events([])), url: url, method: "GET"),
      ResolvedResponse(CannedResponse(body: .events(events)), url: url, method: "HEAD"),
      ResolvedResponse(CannedResponse(status: 204, body: .events(events)), url: url, method: "GET"),
      ResolvedResponse(CannedResponse(body: .text("data: 1\n\n")), url: url, method: "GET"),
    ] { #expect(other.stream == nil) }
  }

  @Test func aPassKeepsThePaceThatThereWas() {
    var notices: [String] = []
    var paced = response()
    paced.pace = .throttle(bytesPerSecond: 7)
    #expect(paced.changed(by: PassChanges(status: 201), notices: &notices).pace == .throttle(bytesPerSecond: 7))
    let changed = paced.changed(by: PassChanges(pace: .throttle(bytesPerSecond: 9), status: 201), notices: &notices)
    #expect(
      changed.pace == .throttle(bytesPerSecond: 9) && changed.status == 201 && changed.body == hello && notices.isEmpty)
  }

  // MARK: Pieces

  private func pieces(_ count: Int, _ pace: Pace?) -> [Int]? {
    PacedBody(Data((0..<count).map { UInt8($0 % 251) }), pace: pace)?.pieces.map(\.data.count)
  }

  /// Each twentieth of a second as much as may come in that time.
  @Test func aThrottledBodyComesInEqualPieces() throws {
    #expect(pieces(100, .throttle(bytesPerSecond: 1_000)) == [50, 50])
    #expect(pieces(101, .throttle(bytesPerSecond: 1_000)) == [50, 50, 1])
    #expect(pieces(49, .throttle(bytesPerSecond: 1_000)) == [49])
    #expect(pieces(3, .throttle(bytesPerSecond: 20)) == [1, 1, 1])
    #expect(pieces(3, .throttle(bytesPerSecond: 1)) == [1, 1, 1], "at least a byte")
    #expect(pieces(3, .throttle(bytesPerSecond: 0)) == nil && pieces(3, .throttle(bytesPerSecond: -1)) == nil)
    #expect(pieces(0, .throttle(bytesPerSecond: 10)) == nil && pieces(3, nil) == nil)
    for (rate, pause) in [(1_000, 0.05), (1, 1.0), (20, 0.05), (50, 0.04)] {
      let paced = try #require(PacedBody(Data(count: 100), pace: .throttle(bytesPerSecond: rate)))
      #expect(paced.pieces.allSatisfy { abs($0.pause - pause) < 1e-9 }, "\(rate)")
    }
  }

  @Test func aDribbledBodyComesInSoManyPieces() throws {
    func dribble(_ pieces: Int, _ time: Duration = .seconds(2)) -> Pace { .dribble(pieces: pieces, over: time) }
    #expect(pieces(10, dribble(5)) == [2, 2, 2, 2, 2])
    #expect(pieces(11, dribble(5)) == [3, 3, 3, 2])
    #expect(pieces(10, dribble(1)) == [10])
    #expect(pieces(3, dribble(10)) == [1, 1, 1])
    #expect(pieces(10, dribble(0)) == nil && pieces(10, dribble(-1)) == nil && pieces(0, dribble(5)) == nil)
    #expect(pieces(10, dribble(5, .zero)) == nil && pieces(10, dribble(5, .milliseconds(1))) != nil)
    for (count, parts) in [(10, 5), (11, 4), (3, 3)] {
      let paced = try #require(PacedBody(Data(count: count), pace: dribble(count == 3 ? 10 : 5)))
      #expect(paced.pieces.count == parts)
      #expect(abs(paced.pieces.reduce(0) { $0 + $1.pause } - 2) < 1e-9, "all of the time")
    }
    let body = Data(0..<200).dropFirst(3)
    let paced = try #require(PacedBody(body, pace: dribble(7)))
    #expect(paced.pieces.reduce(Data()) { $0 + $1.data } == Data(body))
  }

  // MARK: The cache

  @Test func theLastEightHeadsAreKept() throws {
    let cache = ResponseCache()
    var made = 0
    func head(_ path: String, _ status: Int = 200, _ headers: [HeaderField] = []) -> HTTPURLResponse? {
      let url = URL(string: "http://a.example\(path)")!
      return cache.head(url, status, headers) {
        made += 1
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["Content-Length": "7"])
      }?.response
    }
    let first = head("/0")
    #expect(head("/0") === first && made == 1)
    #expect(head("/0", 201) !== first && head("/0", 200, [HeaderField("A", "1")]) !== first && made == 3)
    for number in 1...5 { _ = head("/\(number)") }
    #expect(made == 8 && head("/0") === first && made == 8, "eight are kept")
    _ = head("/6")
    #expect(made == 9)
    #expect(head("/0") !== first && made == 10, "the oldest has made room")
    #expect(head("/0", 200, [HeaderField("A", "1")]) != nil && made == 10, "the others have not, but for the next")
    #expect(head("/0", 201) != nil && made == 11)
    let length = cache.head(url, 200, []) {
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Length": "7"])
    }
    #expect(length?.expected == 7)
    #expect(cache.head(url, 500, []) { nil } == nil)
  }
}
