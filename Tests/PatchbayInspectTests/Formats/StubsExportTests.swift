import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct StubsExportTests {
  /// Replays recorded requests against the stubs made of them, in order.
  private func answers(_ exchanges: [Exchange], stubs: [Stub]? = nil) -> [Action?] {
    let matcher = StubMatcher(StubSet(stubs: stubs ?? StubsExport.stubs(from: exchanges)))
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

  /// What no stub can say is left out, so that the others can be read.
  @Test func whatItWritesCanBeRead() throws {
    var odd = RecordedExchange.make(id: 1, "GET", "http://a/odd", answer: Data("x".utf8))
    odd.response?.headers += [
      HeaderField("A b", "1"), HeaderField("", "2"), HeaderField("C", "a\0b"), HeaderField("C", "a\nb"),
      HeaderField("C", "a\rb"), HeaderField("D", "4"),
    ]
    var exchanges = [odd]
    for (id, status) in [(2, 999), (3, 99), (4, 600), (5, 0)] as [(Int64, Int)] {
      var exchange = RecordedExchange.make(id: id, "GET", "http://a/\(status)", answer: Data("x".utf8))
      exchange.response?.status = status
      exchanges.append(exchange)
    }
    exchanges.append(RecordedExchange.make(id: 6, "A B", "http://a/m", answer: Data("x".utf8)))
    let stubs = StubsExport.stubs(from: exchanges)
    #expect(stubs.map(\.name) == ["GET /odd"])
    for stub in stubs { #expect(try Stub(json: stub.json).name == stub.name) }
    guard case .respond(let response) = stubs[0].then else {
      Issue.record("no answer")
      return
    }
    #expect(response.headers.map(\.name).contains("D") && !response.headers.map(\.name).contains("C"))
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

  /// What matching spells in another way: it is asked for as it was recorded.
  @Test(arguments: [
    "http://a.example/w/../z", "http://a.example/w/./z*", "http://a.example/a/..", "http://a.example/%2e%2e/q",
    "http://A.example/s*%e3", "http://a.example:80/t*x", "http://u@a.example/u*", "https://a.example:443/v?a=*%7e",
    "http://a.example:080/p", "http://user:pw@a.example/x#y", "http://a.example?x=1*", "http://a.example/é*",
  ]) func answersAURLHoweverItIsSpelt(url: String) {
    #expect(answers([RecordedExchange.make("GET", url, answer: Data("one".utf8))]).map(body) == ["one"])
  }

  @Test func keepsAByteOrderMark() {
    let marked = Data("\u{FEFF}x".utf8)
    let exchanges = [marked, Data("x".utf8)].enumerated().map { index, data in
      RecordedExchange.make(id: Int64(index), "POST", "http://a/rpc", body: data, answer: data)
    }
    #expect(answers(exchanges).map(body) == ["\u{FEFF}x", "x"])
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

  @Test func redirectsThatWereFollowedAreStubsOfTheirOwn() {
    var exchange = RecordedExchange.make(
      "POST", "http://a/login", body: Data("x".utf8), answer: Data("in".utf8))
    exchange.redirects = [
      RedirectHop(
        status: 302, url: "http://a/login",
        headers: [HeaderField("Location", "/there?a=1"), HeaderField("Content-Length", "9")]),
      RedirectHop(status: 307, url: "http://a/there?a=1", headers: [HeaderField("Location", "http://b/")]),
    ]
    let stubs = StubsExport.stubs(from: [exchange])
    #expect(stubs.map(\.name) == ["POST /login", "GET /there", "GET /"])
    #expect(stubs.map(\.when.url) == [.glob("http://a/login"), .glob("http://a/there?a=1"), .glob("http://b/")])
    #expect(
      stubs[0].then == .respond(CannedResponse(status: 302, headers: [HeaderField("Location", "/there?a=1")])))
    #expect(body(stubs[2].then) == "in")
  }

  /// As the hook follows a stub: what it asks next must find the stub of it.
  @Test(
    arguments: [
      (301, "HEAD", "HEAD"), (302, "HEAD", "HEAD"), (303, "HEAD", "GET"), (307, "HEAD", "HEAD"), (303, "PUT", "GET"),
      (302, "PUT", "PUT"), (301, "POST", "GET"), (302, "POST", "GET"), (308, "POST", "POST"), (303, "GET", "GET"),
    ]) func whatIsAskedNextFollowsTheStatus(_ status: Int, _ method: String, _ next: String) throws
  {
    var exchange = RecordedExchange.make(
      method, "http://a/one", headers: [HeaderField("Content-Language", "en"), HeaderField("A", "b")],
      body: Data("x".utf8), answer: Data())
    exchange.redirects = [RedirectHop(status: status, url: "http://a/one", headers: [HeaderField("Location", "/two")])]
    #expect(StubsExport.stubs(from: [exchange]).map(\.name) == ["\(method) /one", "\(next) /two"])
    let requests = RequestChain(exchange).requests
    #expect(requests.map(\.method) == [method, next] && requests[0].body == Data("x".utf8))
    let isAnew = next == "GET" && (method != "GET" || status == 303)
    #expect(requests[1].body == (isAnew ? nil : Data("x".utf8)))
    #expect(requests[1].headers.map(\.name) == (isAnew ? ["A"] : ["Content-Language", "A"]))
  }

  /// A delegate may go elsewhere than it was led; the answer is that of where it went.
  @Test func theAnswerIsOfTheURLThatWasReached() {
    var exchange = RecordedExchange.make("GET", "http://a/old", answer: Data("there".utf8))
    exchange.redirects = [
      RedirectHop(status: 302, url: "http://a/old", headers: [HeaderField("Location", "/new")], target: "http://b/else")
    ]
    let stubs = StubsExport.stubs(from: [exchange])
    #expect(stubs.map(\.when.url) == [.glob("http://a/old"), .glob("http://b/else")])
    #expect(body(stubs[1].then) == "there")
    #expect(HARWriter.text([exchange]).contains(#""url":"http://b/else""#))
    let line = JSONLines.line(exchange)
    #expect(line.contains(#""headers":[["Location","/new"]],"target":"http://b/else"}]"#))
    #expect((try? JSONLines.exchange(Data(line.utf8)))?.redirects == exchange.redirects)
  }

  @Test func anythingFitsWhereASecretWasMasked() {
    let clear = ["http://a/*?token=s1&p=1", "http://a/x?token=s2&p=1", "http://a/*?token=s1&p=2"].map {
      RecordedExchange.make("GET", $0, answer: Data($0.utf8))
    }
    let bodies = ["a", "b"].map {
      RecordedExchange.make(
        "POST", "http://a/y", headers: [HeaderField("Content-Type", "application/json")],
        body: Data(#"{"token":12,"k":"\#($0)"}"#.utf8), answer: Data($0.utf8))
    }
    let masked = (clear + bodies).map { Redaction.standard.redacted($0) }
    #expect(answers(clear + bodies, stubs: StubsExport.stubs(from: masked)).map(body) == masked.map(told))
  }

  /// A program would take the part for the whole.
  @Test func anAnswerThatWasCutOffIsOffAndSaysSo() throws {
    var cut = RecordedExchange.make(
      "GET", "http://a/big", answer: Data(repeating: 65, count: 2_000),
      answerHeaders: [HeaderField("Content-Length", "20000"), HeaderField("X-A", "1")])
    cut.response?.truncated = true
    var bodies = BodyFiles()
    let made = StubsExport.recorded(from: [cut, RecordedExchange.make(id: 2, "GET", "http://a/x")], bodies: &bodies)
    #expect(made.map(\.stub.enabled) == [false, true])
    #expect(made[0].notes.count == 1 && made[0].notes[0].contains("2 kB of 20 kB"), "\(made[0].notes)")
    #expect(made[1].notes.isEmpty)
    guard case .respond(let response) = made[0].stub.then else { throw StubError("no answer") }
    #expect(response.headers == [HeaderField("X-A", "1")])
    cut.response?.truncated = false
    cut.request.truncated = true
    cut.request.body = Data("half".utf8)
    var other = cut
    other.request.body = Data("other".utf8)
    #expect(StubsExport.stubs(from: [cut, other]).allSatisfy { $0.when.body == nil })
  }

  @Test func maskedHeadersOfAnAnswerAreLeftOutAndNamed() throws {
    let exchange = RecordedExchange.make(
      "GET", "http://a/x", answer: Data(#"{"token":"abcdefgh"}"#.utf8),
      answerHeaders: [
        HeaderField("Set-Cookie", "sid=1; Path=/"), HeaderField("X-Api-Key", "k"), HeaderField("Stars", "***"),
        HeaderField("Location", "/y?token=1"), HeaderField("Content-Length", "20"),
        HeaderField("Content-Type", "application/json"),
      ])
    var bodies = BodyFiles()
    let made = StubsExport.recorded(from: [Redaction.standard.redacted(exchange)], bodies: &bodies)
    guard case .respond(let response) = made[0].stub.then else { throw StubError("no answer") }
    #expect(response.headers.map(\.name) == ["Stars", "Location", "Content-Type"])
    #expect(made[0].notes == ["Left out because their values were masked: Set-Cookie, X-Api-Key."])
    #expect(made[0].stub.when.url == .glob("http://a/x"))
  }

  @Test func largeBodiesLieInFilesBesideIt() throws {
    let large = Data(repeating: 66, count: 100_000)
    let exchanges = [
      RecordedExchange.make("GET", "http://a/1", answer: large),
      RecordedExchange.make(id: 2, "GET", "http://a/2", answer: large),
      RecordedExchange.make(id: 3, "GET", "http://a/3", answer: Data("small".utf8)),
    ]
    var none = BodyFiles()
    _ = StubsExport.recorded(from: exchanges, bodies: &none)
    #expect(none.files.isEmpty)
    var bodies = BodyFiles(folder: "s.bodies")
    let made = StubsExport.recorded(from: exchanges, bodies: &bodies)
    #expect(bodies.files.map(\.data) == [large])
    let name = try #require(bodies.files.first?.name)
    #expect(made.map { body($0.stub.then) } == [nil, nil, "small"])
    guard case .respond(let response) = made[1].stub.then else { throw StubError("no answer") }
    #expect(response.body == .file("s.bodies/" + name))
    // Many small ones are too much for one file, too.
    var many = BodyFiles(folder: "s.bodies")
    let all = (0..<200).map {
      RecordedExchange.make(
        id: Int64($0 + 1), "GET", "http://a/\($0)",
        answer: Data("\($0)".utf8) + Data(repeating: 97, count: 60_000))
    }
    _ = StubsExport.recorded(from: all, bodies: &many)
    #expect((100...180).contains(many.files.count), "\(many.files.count)")
  }

  /// Those of 64 KiB at most stand in the stub file as long as they are 4 MiB in all, and small ones in any case.
  @Test func whichBodiesLieInFiles() {
    func body(_ count: Int) -> Data { Data(repeating: 0x61, count: count) }
    var bodies = BodyFiles(folder: "s")
    for _ in 0..<64 { #expect(bodies.place(body(65_536), type: nil) == nil) }
    #expect(bodies.place(body(256), type: nil) == nil)
    #expect(bodies.place(body(257), type: nil) == "s/1.txt")
    #expect(bodies.place(body(257), type: "text/html") == "s/1.txt", "the same once more")
    #expect(bodies.place(body(258), type: "text/html") == "s/2.html")
    #expect(bodies.files.map(\.data.count) == [257, 258] && bodies.files.map(\.name) == ["1.txt", "2.html"])
    var large = BodyFiles(folder: "s")
    #expect(large.place(body(65_536), type: nil) == nil)
    #expect(large.place(body(65_537), type: nil) == "s/1.txt")
  }

  private func told(_ exchange: Exchange) -> String? {
    exchange.response?.body.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func namesAreUniqueAndReadable() {
    let exchanges = (1...3).map { RecordedExchange.make(id: $0, "GET", "http://a/b?c=\($0)") }
    #expect(StubsExport.stubs(from: exchanges).map(\.name) == ["GET /b", "GET /b (2)", "GET /b (3)"])
  }
}
