import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// All lines of an opened request, over all that can have become of it. With `PATCHBAY_WRITE_SCREENS` set what is
/// recorded is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeDetailTests {
  private let context = ConsoleDriver(setup: ConsoleSetup(utcOffset: 3_600)).state.context

  private func told(_ lines: [PageLine]) -> String {
    lines.map { line in line.pieces.map { "\($0.text)‹\($0.role)›" }.joined() + "\n" }.joined()
  }

  private func told(_ head: DetailPages.Head) -> String {
    told(head.lines) + "  fields \(head.fields) \(head.folds) \(head.name)\n"
  }

  private func made(_ method: String = "GET", _ change: (inout Exchange) -> Void = { _ in }) -> Exchange {
    var exchange = Exchange.make(1, method, "https://api.example.com/v1/users?page=2")
    change(&exchange)
    return exchange
  }

  private func fields(_ count: Int) -> [HeaderField] { (0..<count).map { HeaderField("X-\($0)", "v\u{7}") } }

  private var evil: RecordedError { RecordedError(domain: "D\u{1B}", code: 7, message: "bad\nnews") }

  private func responses() -> [(String, Exchange)] {
    let post = HeaderField("Content-Type", "application/json")
    return [
      ("plain", made()), ("head", made("HEAD")), ("options", made("OPTIONS")), ("put", made("PUT")),
      (
        "remarks",
        made { exchange in
          exchange.tags = ["a", "b\u{1B}"]
          exchange.note = "n\u{7}ote"
        }
      ),
      (
        "an operation",
        made("POST") {
          $0.request.headers = [post]
          $0.request.body = Data(#"{"operationName":"GetUser","query":"query GetUser { a }"}"#.utf8)
        }
      ),
      ("no name for its status", made { $0.response?.status = 299 }), ("patched", made { $0.stub = "p" }),
      ("by a stub", made { ($0.by, $0.stub) = (.stub, "s\u{1B}") }),
      ("by code", made { ($0.by, $0.stub) = (.code, "c") }),
      ("by nobody's stub", made { $0.by = .stub }), ("by you", made { $0.by = .person }),
      ("by the console", made { $0.by = .console }), ("from the cache", made { $0.by = .cache }),
      (
        "edited",
        made {
          $0.sent = $0.request
          $0.timing.held = 1
        }
      ),
      ("broke off", made { $0.error = evil }),
      (
        "redirected",
        made {
          $0.redirects = [RedirectHop(status: 301, url: "https://a.example/", at: 1, target: "https://b.example/")]
        }
      ),
      (
        "redirected by its header",
        made {
          $0.redirects = [
            RedirectHop(status: 301, url: "https://a.example/"),
            RedirectHop(status: 302, url: "https://b.example/", headers: [HeaderField("location", "/c")]),
          ]
        }
      ),
      ("eight fields", made { $0.response?.headers = fields(8) }),
      ("nine fields", made { $0.response?.headers = fields(9) }), ("no fields", made { $0.response?.headers = [] }),
      ("no body", made { $0.response?.body = nil }), ("an empty body", made { $0.response?.body = Data() }),
      (
        "a part",
        made {
          $0.response?.truncated = true
          $0.bytesReceived = 99
        }
      ),
      (
        "not recorded",
        made {
          $0.response?.truncated = true
          $0.response?.body = nil
        }
      ),
      (
        "coming, nothing yet",
        made {
          $0.phase = .receiving
          $0.response?.body = nil
        }
      ),
      (
        "coming, not recorded",
        made {
          $0.phase = .receiving
          $0.response?.truncated = true
          $0.response?.body = Data()
        }
      ),
      (
        "coming, a part",
        made {
          $0.phase = .receiving
          $0.response?.truncated = true
        }
      ),
    ]
  }

  private func withoutResponse() -> [(String, Exchange)] {
    func none(_ phase: Exchange.Phase, _ outcome: Exchange.Outcome?, _ change: (inout Exchange) -> Void = { _ in })
      -> Exchange
    {
      made {
        $0.response = nil
        ($0.phase, $0.outcome) = (phase, outcome)
        change(&$0)
      }
    }
    return [
      ("held", none(.heldRequest, nil)), ("held by a stub", none(.heldRequest, nil) { $0.stub = "h\u{1B}" }),
      ("waiting", none(.waiting, nil)), ("answer held", none(.heldResponse, nil)), ("receiving", none(.receiving, nil)),
      ("cancelled", none(.ended, .cancelled)), ("abandoned", none(.ended, .abandoned)), ("observed", none(.ended, nil)),
      ("failed", none(.ended, .failed) { $0.error = evil }),
      (
        "failed by name",
        none(.ended, .failed) {
          $0.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut", message: "")
          ($0.by, $0.stub) = (.stub, "time out")
        }
      ),
      (
        "cancelled with its error",
        none(.ended, .cancelled) { $0.error = RecordedError(domain: "NSURLErrorDomain", code: -999, name: "cancelled") }
      ),
      ("responded", none(.ended, .responded)),
    ]
  }

  @Test func theLinesOfEveryResponse() throws {
    var out = ""
    for (name, exchange) in responses() + withoutResponse() {
      out += "== \(name)\n" + told(DetailPages.response(of: exchange, context))
    }
    for error in [
      RecordedError(domain: "D", code: 1), RecordedError(domain: "D", code: 1, message: ""),
      RecordedError(domain: "D", code: 1, name: "badURL", message: "m"),
    ] { out += DetailPages.sentence(error) + "\n" }
    try expectRecorded(out, "Walks/detail-responses.txt")
  }

  @Test func theLinesOfEveryRequest() throws {
    func routine(_ count: Int) -> [HeaderField] {
      Array(
        [
          HeaderField("Host", "a"), HeaderField("Accept-Encoding", "b"), HeaderField("accept", "*/*"),
          HeaderField("User-Agent", "x curl/8"), HeaderField("Content-Length", "3"),
        ].prefix(count))
    }
    func url(_ text: String) -> Exchange { made { $0.request.url = text } }
    let streamed = { (change: (inout Exchange) -> Void) in
      self.made("POST") {
        $0.request.truncated = true
        $0.request.body = nil
        change(&$0)
      }
    }
    let all: [(String, Exchange)] = [
      ("plain", made()), ("with a body", made("POST")), ("sent again", made { $0.replayOf = 7 }),
      ("no fields", made { $0.request.headers = [] }), ("routine only", made { $0.request.headers = routine(3) }),
      ("one of each", made { $0.request.headers = routine(1) + fields(1) + routine(5).suffix(1) }),
      ("eight own", made { $0.request.headers = fields(8) + routine(2) }),
      ("nine own", made { $0.request.headers = fields(9) + routine(2) }),
      ("an empty body", made("POST") { $0.request.body = Data() }),
      (
        "a part",
        made("POST") {
          $0.request.truncated = true
          $0.bytesSent = 99
        }
      ),
      ("a stream that was read", streamed { $0.bytesSent = 5 }), ("a stream that was not", streamed { _ in }),
      ("a stream of one that has gone", streamed { $0.outcome = .abandoned }),
      ("a stream that goes on", streamed { ($0.phase, $0.outcome) = (.waiting, nil) }),
      (
        "another request",
        made("POST") {
          $0.sent = $0.request
          $0.sent?.url = "https://b.example/"
          $0.stub = "r"
        }
      ),
      (
        "by the person, elsewhere",
        made("POST") {
          $0.sent = $0.request
          $0.sent?.method = "PUT"
          $0.timing.held = 1
        }
      ),
      (
        "sent without its body",
        made("POST") {
          $0.sent = $0.request
          $0.sent?.body = nil
        }
      ),
      (
        "sent, not recorded",
        made("POST") {
          $0.sent = $0.request
          $0.sent?.body = nil
          $0.sent?.truncated = true
        }
      ),
      ("no query", url("https://a.example/x")), ("one", url("https://a.example/x?a=1")),
      ("one, encoded", url("https://a.example/x?a=%20")), ("one, with a plus", url("https://a.example/x?a=b+c")),
      ("two", url("https://a.example/x?a=1&bbb=%E6%97%A5#f?c=3")), ("an empty one", url("https://a.example/x?")),
      ("a fragment", url("https://a.example/x#a?b=1&c=2")),
      ("a long name", url("https://a.example/x?\(String(repeating: "n", count: 30))=1&b=%1B")),
    ]
    var out = ""
    for (name, exchange) in all { out += "== \(name)\n" + told(DetailPages.request(of: exchange, context)) }
    let many = (0..<130).map { "p\($0)=\($0)" }.joined(separator: "&")
    let lines = DetailPages.request(of: url("https://a.example/x?\(many)"), context).lines
    #expect(lines.filter { $0.text.hasPrefix("? p") }.count == 100)
    try expectRecorded(out, "Walks/detail-requests.txt")
  }

  @Test(arguments: [
    ("Accept-Encoding", "gzip", true), ("ACCEPT-LANGUAGE", "de", true), ("Connection", "close", true),
    ("Content-Length", "1", true), ("host", "a", true), ("Accept", "*/*", true), ("Accept", "text/html", false),
    ("User-Agent", "curl/8", true), ("User-Agent", "app (curl/8.0)", true), ("User-Agent", "app/1", false),
    ("Content-Type", "*/*", false), ("X-Host", "a", false),
  ])
  func fieldsOfTheLoaderAreToldFromThoseOfTheProgram(_ name: String, _ value: String, _ isRoutine: Bool) {
    #expect(RoutineFields.contain(HeaderField(name, value)) == isRoutine)
  }

  // MARK: Timing

  @Test func theLinesOfEveryTiming() throws {
    func timed(_ timing: Timing, _ hops: [RedirectHop] = [], _ change: (inout Exchange) -> Void = { _ in }) -> Exchange
    {
      made {
        $0.timing = timing
        $0.redirects = hops
        ($0.bytesSent, $0.bytesReceived) = (12, 3_456)
        change(&$0)
      }
    }
    func hop(_ status: Int, _ at: Int64?, _ target: String? = nil) -> RedirectHop {
      RedirectHop(
        status: status, url: "https://a.example/\(status)", headers: [HeaderField("Location", "/next\u{1B}")], at: at,
        target: target)
    }
    let all: [(String, Exchange)] = [
      ("plain", timed(Timing(head: 25_000, end: 100_000))), ("no head", timed(Timing(end: 100_000))),
      ("nothing", timed(Timing(head: 0, end: 0))), ("at once", timed(Timing(head: 1, end: 1))),
      ("no body", timed(Timing(head: 100_000, end: 100_000))), ("all body", timed(Timing(head: 0, end: 100_000))),
      ("a little head", timed(Timing(head: 1, end: 1_000_000))),
      ("a little body", timed(Timing(head: 999_999, end: 1_000_000))),
      ("held", timed(Timing(head: 80_000, end: 100_000, held: 20_000))),
      ("held for longer than it took", timed(Timing(head: 80_000, end: 100_000, held: 300_000))),
      ("held less than nothing", timed(Timing(head: 80_000, end: 100_000, held: -1))),
      ("redirected", timed(Timing(head: 80_000, end: 100_000), [hop(301, 20_000), hop(302, 50_000)])),
      (
        "redirected and held",
        timed(Timing(head: 80_000, end: 100_000, held: 30_000), [hop(301, 20_000), hop(302, 50_000)])
      ),
      ("a redirect after the head", timed(Timing(head: 10_000, end: 100_000), [hop(307, 20_000)])),
      ("redirects out of order", timed(Timing(head: 80_000, end: 100_000), [hop(301, 50_000), hop(302, 20_000)])),
      (
        "some times not known",
        timed(Timing(head: 80_000, end: 100_000), [hop(301, nil), hop(302, 40_000, "https://b\u{1B}")])
      ),
      ("a last one not known", timed(Timing(head: 80_000, end: 100_000), [hop(301, 40_000), hop(302, nil)])),
      (
        "no answer",
        timed(Timing(head: 50_000, end: 100_000)) {
          $0.response = nil
          $0.task = .upload
        }
      ),
      (
        "observed",
        timed(Timing()) {
          $0.outcome = nil
          $0.task = .data
        }
      ),
      ("going on", timed(Timing()) { ($0.phase, $0.outcome) = (.waiting, nil) }),
      ("coming", timed(Timing(head: 5_000)) { ($0.phase, $0.outcome) = (.receiving, nil) }),
      ("a day", timed(Timing(head: 3_600_000_000, end: 86_400_000_000))),
    ]
    var out = ""
    for (name, exchange) in all { out += "== \(name)\n" + told(DetailPages.timing(of: exchange, context)) }
    for width in [0, 2, 3, 6] { out += "\(DetailPages.right("日a", toWidth: width))|\n" }
    try expectRecorded(out, "Walks/detail-timings.txt")
  }

  @Test func theSameRequestBeforeAndAfter() throws {
    func row(_ id: Int64, at start: Int64, took: Int64?, _ status: Int? = 200) -> ExchangeSummary {
      var row = Exchange.make(id, status: status).summary
      row.startedAt = Timestamp(microseconds: 1_700_000_000_000_000 + start)
      row.duration = took
      if took == nil { (row.phase, row.outcome) = (.waiting, nil) }
      return row
    }
    let rows = [
      row(7, at: 0, took: 600_000), row(9, at: 1_000_000, took: 1_200_000, 503), row(120, at: 1_500_000, took: nil),
      row(121, at: 2_200_000, took: 1), row(1_000, at: 2_200_001, took: 0, 404),
    ]
    var out = ""
    for id in [7, 120] as [Int64] { out += "== \(id)\n" + told(DetailPages.retries(rows, of: id, 3_600)) }
    out += "== nothing took any time\n"
    out += told(DetailPages.retries([row(1, at: 0, took: 0), row(2, at: 5, took: nil)], of: 2, 0))
    #expect(DetailPages.retries([], of: 1, 0).isEmpty && DetailPages.retries([rows[0]], of: 7, 0).isEmpty)
    for (count, heading) in [
      (2, "Asked 2 times in the same way around this time"), (19, "Asked 19 times in the same way around this time"),
      (20, "The 20 times around this one that it was asked in the same way"),
    ] {
      let all = (1...Int64(count)).map { row($0, at: $0 * 1_000, took: 5) }
      let lines = DetailPages.retries(all, of: 1, 0)
      #expect(lines.count == count + 2 && lines[0].text.isEmpty && lines[1].text == heading)
    }
    try expectRecorded(out, "Walks/detail-retries.txt")
  }

  // MARK: Why

  @Test func whyItWasAnsweredSo() throws {
    func board(_ revision: UInt64, paused: Bool = false) -> StubBoard {
      var board = StubBoard(
        revision: revision,
        entries: [
          Stub(
            name: "first %E6%97%A5", when: RequestPattern(path: .glob("/v1/users")),
            then: .respond(CannedResponse(status: 404)), times: 3),
          Stub(
            name: "past", when: RequestPattern(path: .glob("/v1/users")), then: .respond(CannedResponse(status: 404)),
            skip: 2, chance: 0.25),
          Stub(name: "other", when: RequestPattern(path: .glob("/v1/orders")), then: .hold(.request)),
          Stub(name: "off", enabled: false, then: .hold(.request)),
          Stub(
            name: "in a state", when: RequestPattern(path: .glob("/v1/users")),
            then: .respond(CannedResponse(status: 201)), scenario: .init("cart", in: "full")),
          Stub(name: "last", then: .fail(Fault(.named("timedOut")))),
          Stub(name: "never", then: .pass(PassChanges())),
        ].map { .init(stub: $0, origin: .console) })
      board.isPaused = paused
      return board
    }
    var snapshot = StubsSnapshot()
    snapshot.board = board(7)
    snapshot.confirmed = board(7)
    snapshot.earlier = [StubBoard(revision: 4), board(5, paused: true)]
    func exchange(_ revision: UInt64, _ change: (inout Exchange) -> Void = { _ in }) -> Exchange {
      made {
        $0.revision = revision
        change(&$0)
      }
    }
    func of(_ by: Exchange.Answerer, _ stub: String?) -> Exchange { exchange(7) { ($0.by, $0.stub) = (by, stub) } }
    let edited = exchange(7) {
      $0.sent = $0.request
      $0.timing.held = 4
    }
    let all: [(String, Exchange)] = [
      ("the network", of(.network, nil)), ("patched", of(.network, "last")), ("a stub", of(.stub, "first %E6%97%A5")),
      ("the second", of(.stub, "past")), ("of a scenario", of(.stub, "in a state")), ("the last", of(.stub, "last")),
      ("one that has gone", of(.stub, "gone%20")), ("code", of(.code, "c")), ("you", of(.person, nil)),
      ("the console", of(.console, nil)), ("the cache", of(.cache, nil)), ("edited", edited),
      ("observed", exchange(7) { $0.outcome = nil }), ("waiting", exchange(7) { $0.phase = .waiting }),
      ("no stubs then", exchange(4)), ("off then", exchange(5)), ("not known any more", exchange(3)),
      ("before its stubs", exchange(Exchange.revisionBeforeStubs)),
      ("before its stubs, failed", exchange(Exchange.revisionBeforeStubs) { $0.by = .console }),
    ]
    var out = ""
    for (name, exchange) in all { out += "== \(name)\n" + told(DetailPages.why(of: exchange, stubs: snapshot)) }
    out += "== none at all\n" + told(DetailPages.why(of: made(), stubs: StubsSnapshot()))
    let long = Stub(name: String(repeating: "n", count: 40), then: .hold(.both), scenario: .init("s", in: nil, to: "x"))
    snapshot.board = StubBoard(revision: 8, entries: [.init(stub: long, origin: .console)])
    snapshot.confirmed = snapshot.board
    out += "== a long name\n" + told(DetailPages.why(of: exchange(8), stubs: snapshot))
    try expectRecorded(out, "Walks/detail-why.txt")
  }

  /// The stub that is said to have answered is the one that matches and answers, whatever it let past before.
  @Test func whyAgreesWithWhoAnswered() {
    func answer(_ name: String, skip: Int = 0, chance: Double? = nil) -> Stub {
      Stub(name: name, then: .respond(CannedResponse(status: 404)), skip: skip, chance: chance)
    }
    var snapshot = StubsSnapshot()
    snapshot.board = StubBoard(
      entries: [answer("skips %E6%97%A5", skip: 3), answer("seldom", chance: 0.01), answer("always")]
        .map { .init(stub: $0, origin: .console) })
    snapshot.confirmed = snapshot.board
    func signs(_ stub: String, by: Exchange.Answerer = .stub) -> [String] {
      let exchange = made { ($0.by, $0.stub) = (by, stub) }
      return DetailPages.why(of: exchange, stubs: snapshot).map(\.text).filter { $0.hasPrefix("◆") }
    }
    #expect(signs("skips %E6%97%A5") == ["◆ skips 日  matches, and answers"])
    #expect(signs("seldom", by: .network) == ["◆ seldom    matches, and answers"])
    #expect(signs("always") == ["◆ always    matches, and answers"])
  }

  /// Of very many stubs that left a request out twenty are named; the next one is said to answer.
  @Test func ofManyStubsThatLeftItOutTwentyAreNamed() {
    var snapshot = StubsSnapshot()
    snapshot.board = StubBoard(
      entries: (1...22).map { Stub(name: "s\($0)", then: .respond(CannedResponse(status: 404)), times: 3) }
        .map { .init(stub: $0, origin: .console) })
    snapshot.confirmed = snapshot.board
    let lines = DetailPages.why(of: made(), stubs: snapshot).map(\.text)
    #expect(lines.filter { $0.contains("had taken its 3 requests") }.count == 20)
    #expect(lines.filter { $0.hasPrefix("◆") } == ["◆ s21  matches, and answers"])
  }

  // MARK: The head

  @Test func whatIsSaidBesideTheTabs() throws {
    var out = ""
    func head(_ tab: DetailTab, _ exchange: Exchange?, _ body: String?, search: String = "", width: Int = 90) -> String
    {
      var page = DetailPage()
      page.body = body.map { BodyPane(Data($0.utf8), contentType: nil) }
      if !search.isEmpty { page.search = PageSearch(search, in: page.body) }
      var grid = Grid(Size(width: width, height: 1))
      DetailHead(tab: tab, page: page, exchange: exchange, hasKeys: true)
        .draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), .builtIn)
      return "│\(grid.text)│\n"
    }
    for (name, exchange) in [("plain", made()), ("posted", made("POST\u{1B}"))] + withoutResponse() {
      out += "== \(name)\n"
      for tab in DetailTab.allCases { out += head(tab, exchange, "{}") }
    }
    out += "== no name, no body, not there\n" + head(.response, made { $0.response?.status = 299 }, nil)
    out += head(.response, nil, nil) + head(.request, made("POST"), nil)
    out += head(.timing, made { $0.timing.end = nil }, nil)
    out += head(.why, made { $0.revision = Exchange.revisionBeforeStubs }, nil)
    out +=
      "== searched\n" + head(.response, made(), "[7,7]", search: "7") + head(.request, made(), "[7]", search: "\u{1B}")
    for width in 30...68 { out += "\(width)" + head(.response, made(), "{}", width: width) }
    try expectRecorded(out, "Walks/detail-heads.txt")
    for (hasKeys, role) in [(true, ThemeRole.tabActive), (false, .selectionIdle)] {
      var grid = Grid(Size(width: 60, height: 1))
      DetailHead(tab: .request, page: DetailPage(), exchange: made(), hasKeys: hasKeys)
        .draw(on: &grid, in: Rect(x: 0, y: 0, width: 60, height: 1), .builtIn)
      #expect(grid[Point(x: 14, y: 0)]?.style == Theme.builtIn[role].bold)
      #expect(grid[Point(x: 4, y: 0)]?.style == Theme.builtIn[.dim])
    }
  }

  // MARK: Searches and wraps

  @Test func hitsAreFoundFromAPlaceOnAndRoundAgain() {
    let pane = BodyPane(Data("a-a--a".utf8), contentType: "text/plain")
    var search = PageSearch("a", in: pane)
    #expect(search.count == 3 && search.isComplete && search.note == "3")
    #expect((0...7).map { search.hit(from: $0) } == [0, 1, 1, 2, 2, 2, 0, 0])
    #expect([-1, 0, 2, 3].map { search.offset($0) } == [nil, 0, 5, nil])
    search.current = 1
    #expect(search.note == "2 of 3" && search.text == "a")
    #expect(PageSearch("x", in: pane).note == "not found" && PageSearch("x", in: pane).hit(from: 0) == nil)
    #expect(PageSearch().note.isEmpty && PageSearch().isComplete && PageSearch("", in: pane).count == 0)
    #expect(PageSearch("a", in: nil).count == 0)
  }

  /// The blank that is shown behind a member's name does not stand in the body.
  @Test func jsonIsSearchedAsItIsShown() {
    func count(_ body: String, _ type: String) -> Int {
      PageSearch("\"a\": 1", in: BodyPane(Data(body.utf8), contentType: type)).count
    }
    #expect(count("{\"a\":1}", "application/json") == 1)
    #expect(count("{\"a\":1}\n{\"a\":1}\n", "application/x-ndjson") == 2)
    #expect(count("so \"a\":1", "text/plain") == 0)
  }

  /// A large body is searched by pieces: until it has come to its end that is said.
  @Test func aLargeBodyIsSearchedPieceByPiece() {
    let text =
      String(repeating: "-", count: PageSearch.piece - 1) + "needle" + String(repeating: "-", count: 99) + "needle"
    let pane = BodyPane(Data(text.utf8), contentType: "text/plain", raw: true)
    var search = PageSearch("needle", in: pane)
    #expect(!search.isComplete && search.count <= 1)
    #expect(search.note == (search.count == 0 ? "searching…" : "1+"))
    var steps = 0
    while !search.isComplete, steps < 10 {
      search.goOn(in: pane)
      steps += 1
    }
    #expect(steps == 1 && search.note == "2" && search.offset(0) == PageSearch.piece - 1)
  }

  @Test func linesAreWrappedAtTheirWidth() {
    func rows(_ pieces: [PageLine.Piece], _ room: Int) -> [String] {
      LineWrap.split(pieces, room: room).map { $0.map { "\($0.text)(\($0.role))" }.joined() }
    }
    #expect(rows([.init("abcdef")], 3) == ["abc(text)", "def(text)"] && rows([.init("abc")], 3) == ["abc(text)"])
    #expect(rows([.init("ab", .key), .init("cdefg", .string)], 3) == ["ab(key)c(string)", "def(string)", "g(string)"])
    #expect(rows([.init("abc", .key), .init("d", .string)], 3) == ["abc(key)", "d(string)"])
    #expect(rows([.init("日本語")], 5) == ["日本(text)", "語(text)"] && rows([.init("a日")], 2) == ["a(text)", "日(text)"])
    #expect(rows([.init("日")], 1) == [""], "no room for it at all")
    #expect(rows([], 3) == [""] && rows([.init("")], 3) == [""])
    for (depth, width, text, expected) in [
      (0, 10, 10, 1), (0, 10, 11, 2), (1, 10, 8, 1), (1, 10, 9, 2), (5, 10, 8, 1), (5, 10, 9, 2), (3, 8, 8, 1),
      (3, 8, 9, 2), (1, 4, 4, 1), (0, 1, 3, 3), (2, 20, 0, 1),
    ] {
      let line = PageLine([.init(String(repeating: "x", count: text))], depth: depth)
      #expect(LineWrap.rows(of: line, width: width) == expected, "\(depth) \(width) \(text)")
    }
    #expect(
      PageLine([.init("a"), .init("b", .dim)], depth: 2).text == "    ab" && PageLine("x", .dim).pieces[0].role == .dim)
    #expect([0, 8, 9, 12, 30].map { PageLine([], depth: 4).indent(in: $0) } == [0, 0, 1, 4, 8])
  }

  @Test func aBodyKnowsItsLinesAndWhatStandsOnThem() {
    var pane = BodyPane(Data("{\"a\":[1,\"x\"],\"b\":{}}".utf8), contentType: "application/json")
    #expect(pane.label == "JSON" && pane.kind == .json && pane.isComplete && pane.count == 7 && !pane.isFolding)
    #expect(
      (-1...7).map { pane.line($0).text } == [
        "", "{", "  \"a\": [", "    1,", "    \"x\"", "  ],", "  \"b\": {}", "}", "",
      ])
    #expect((-1...7).map { pane.lineNumber($0) } == [nil, 1, 2, 3, 4, 5, 6, 7, nil])
    #expect((-1...7).map { pane.value(at: $0) != nil } == [false, true, true, true, true, true, true, true, false])
    #expect([1, 2, 3, 5].map { pane.value(at: $0) } == ["[\n  1,\n  \"x\"\n]", "1", "\"x\"", "{}"])
    #expect((-1...7).map { pane.path(at: $0) } == [nil, "$", "$.a", "$.a[0]", "$.a[1]", "$.a", "$.b", "$", nil])
    #expect((-1...7).map { pane.steps(at: $0)?.count } == [nil, 0, 1, 2, 2, nil, 1, nil, nil])
    #expect(pane.reveal(lineNumber: 3) == 2 && pane.reveal(lineNumber: 99) == 6 && pane.reveal(lineNumber: -4) == 0)
    #expect(pane.toggleFold(2) == 1 && pane.count == 4)
    #expect(pane.line(1).text == "  \"a\": [ … 2 lines ]," && [2, 3].map { pane.lineNumber($0) } == [6, 7])
    #expect([1, 2, 3, 4, 5, 6, 7].map { pane.shownIndex(lineNumber: $0) } == [0, 1, 1, 1, 1, 2, 3])
    #expect(
      pane.shownIndex(lineNumber: -3) == 0 && pane.value(at: 1) == "[\n  1,\n  \"x\"\n]" && pane.path(at: 2) == "$.b")
    #expect(pane.steps(at: 2)?.count == 1 && pane.lineNumber(showing: 0) == 1)
    #expect(pane.reveal(lineNumber: 4) == 3 && pane.count == 7)
    pane.fold(level: 1)
    #expect(pane.count == 4 && !pane.isFolding)
    pane.unfoldAll()
    #expect(pane.count == 7)
    let raw = BodyPane(Data("{\"a\":1}\n".utf8), contentType: "application/json", raw: true)
    #expect(raw.line(0).text == "{\"a\":1}" && raw.steps(at: 0) == nil)
    let lines = BodyPane(Data("{\"a\":1}\n[2]\n".utf8), contentType: "application/x-ndjson")
    #expect(lines.kind == .ndjson && lines.value(at: 0) != nil && lines.steps(at: 0) == nil)
    let text = BodyPane(Data("a\tb\u{1B}\n".utf8), contentType: "text/plain")
    #expect(text.line(0).text == "a   b␛" && text.value(at: 0) == nil && text.path(at: 0) == nil)
  }

  @Test func deepValuesAreIndentedToTheFortiethLevelOnly() {
    let depth = 50
    let body = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    let pane = BodyPane(Data(body.utf8), contentType: "application/json")
    #expect([0, 39, 40, 41, 50].map { pane.line($0).depth } == [0, 39, 40, 40, 40])
  }

  /// Nothing is gone through before it is looked at: a large body is laid out by pieces, as far as it is needed.
  @Test func aLargeBodyIsLaidOutAsFarAsItIsNeeded() {
    let line = String(repeating: "x", count: 1_023) + "\n"
    var pane = BodyPane(Data(String(repeating: line, count: 4_096).utf8), contentType: "text/plain")
    #expect(!pane.isComplete && (512...513).contains(pane.count))
    pane.layOut(toShow: 100)
    #expect((512...513).contains(pane.count))
    pane.layOut(toShow: 600)
    #expect((1_024...1_025).contains(pane.count))
    pane.layOutMore()
    #expect((1_536...1_537).contains(pane.count))
    #expect(pane.reveal(lineNumber: 2_000) == 1_999 && !pane.isComplete)
    #expect(pane.reveal(lineNumber: 1 << 40) == pane.count - 1 && pane.isComplete)
  }
}
