import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// A row of the list, made of an exchange.
@Suite(.bounded) struct ExchangeSummaryTests {
  private static let full: Exchange = {
    var exchange = Exchange(
      id: 7, process: HarnessProcess(name: "demo", pid: 42), startedAt: Timestamp(microseconds: 5),
      request: RecordedRequest(
        method: "POST", url: "https://u:p@api.example.com:8443/graphql?x=1#end",
        headers: [HeaderField("content-type", "application/json")],
        body: Data(#"{"query":"query GetUser { a }"}"#.utf8), truncated: true))
    exchange.response = RecordedResponse(
      status: 404, headers: [HeaderField("CONTENT-TYPE", "text/html; charset=utf-8")], body: Data("12345".utf8),
      truncated: true)
    exchange.phase = .receiving
    exchange.by = .person
    exchange.outcome = .cancelled
    exchange.stub = "down"
    exchange.error = RecordedError(domain: "d", code: -3, name: "timedOut", message: "long")
    exchange.bytesSent = 31
    exchange.bytesReceived = 4
    exchange.timing = Timing(head: 11, end: 22, held: 33)
    exchange.redirects = [RedirectHop(status: 302, url: "/a"), RedirectHop(status: 302, url: "/b")]
    exchange.replayOf = 3
    exchange.marked = true
    exchange.run = 9
    exchange.tags = ["slow", "odd"]
    exchange.note = "why"
    exchange.sent = RecordedRequest(method: "PUT", url: "http://b/")
    return exchange
  }()

  @Test func hasEachFactOfTheExchange() {
    let row = Self.full.summary
    #expect(row.id == 7 && row.startedAt.microseconds == 5 && row.process == HarnessProcess(name: "demo", pid: 42))
    #expect(row.method == "POST" && row.url == Self.full.request.url && !row.isURLCut)
    #expect(row.status == 404 && row.phase == .receiving && row.by == .person && row.outcome == .cancelled)
    #expect(row.stub == "down" && row.error == .init(domain: "d", code: -3, name: "timedOut"))
    #expect(row.size == 5 && row.bytesSent == 31 && row.bytesReceived == 4)
    #expect(row.head == 11 && row.duration == 22 && row.held == 33 && row.redirects == 2 && row.replayOf == 3)
    #expect(row.marked && row.run == 9 && row.tags == ["slow", "odd"] && row.note == "why")
    #expect(row.operation == "GetUser" && row.isRewritten && row.requestTruncated && row.responseTruncated)
    #expect(row.requestType == "application/json" && row.responseType == "text/html; charset=utf-8")
    #expect(row.host == "api.example.com" && row.authority == "api.example.com:8443" && row.path == "/graphql?x=1")
    #expect(row.endpoint == "/graphql#GetUser" && row.contentKind == .html)
  }

  @Test func hasNothingOfWhatIsNotThere() {
    let row = Exchange(
      id: 1, process: HarnessProcess(name: "", pid: 0), startedAt: Timestamp(microseconds: 0),
      request: RecordedRequest(method: "GET", url: "http://a.example")
    ).summary
    #expect(row.status == nil && row.outcome == nil && row.stub == nil && row.error == nil && row.size == 0)
    #expect(row.head == nil && row.duration == nil && row.held == 0 && row.redirects == 0 && row.replayOf == nil)
    #expect(!row.marked && row.run == nil && row.tags.isEmpty && row.note == nil && row.operation == nil)
    #expect(!row.isRewritten && !row.requestTruncated && !row.responseTruncated && !row.isTruncated)
    #expect(row.requestType == nil && row.responseType == nil && row.contentKind == .none)
    #expect(row.path == "/" && row.endpoint == "/" && row.phase == .waiting && row.by == .network)
  }

  /// What came, or what is recorded where that was not counted.
  @Test(arguments: [(0, 5, 5), (4, 5, 5), (6, 5, 6), (6, nil, 6), (0, nil, 0)] as [(Int64, Int?, Int64)])
  func aResponseIsAsLargeAsIsKnown(_ counted: Int64, _ recorded: Int?, _ size: Int64) {
    var exchange = Exchange.sample()
    exchange.bytesReceived = counted
    exchange.response?.body = recorded.map { Data(count: $0) }
    #expect(exchange.responseSize == size && exchange.summary.size == size)
    exchange.response = nil
    #expect(exchange.responseSize == counted)
  }

  private static let places: [(String, String, String, String)] = [
    ("http://a.example/x?y=1#z", "a.example", "a.example", "/x?y=1"), ("http://a:80?y", "a", "a:80", "/?y"),
    ("http://a", "a", "a", "/"), ("", "", "", "/"), ("x", "", "", "/x"), ("/x", "", "", "/x"),
    ("mailto:a@b", "", "", "/a@b"),
    ("http://[::1]:81/x", "[::1]", "[::1]:81", "/x"), ("http://[::1]/x", "[::1]", "[::1]", "/x"),
    ("http://u:p@h:1/x", "h", "h:1", "/x"), ("http://u@v@h/x", "h", "h", "/x"), ("http://a:b/x", "a:b", "a:b", "/x"),
    ("http://a:/x", "a", "a:", "/x"), ("http://a/é#ü", "a", "a", "/é"), ("//h/x", "h", "h", "/x"),
    ("http://a:90/x", "a", "a:90", "/x"),
    ("http:/x", "", "", "/x"),
    ("http:///x", "", "", "/x"), ("a:b//c", "", "", "/b//c"), ("http://a#b?c/d", "a", "a", "/"),
    ("://a/b", "a", "a", "/b"),
    ("http://h/a@b:1", "h", "h", "/a@b:1"), ("http:/", "", "", "/"), ("http:", "", "", "/"),
  ]

  @Test(arguments: places)
  func namesThePartsOfItsURL(_ url: String, _ host: String, _ authority: String, _ path: String) {
    let row = Exchange.sample(url: url).summary
    #expect([row.host, row.authority, row.path] == [host, authority, path])
  }

  @Test(arguments: [
    (2_047, 2_047), (2_048, 2_048), (2_049, 2_048), (5_000, 2_048),
  ])
  func aLongURLIsCut(_ length: Int, _ kept: Int) {
    let url = "http://a/" + String(repeating: "x", count: length - 9)
    let row = Exchange.sample(url: url).summary
    #expect(row.url.utf8.count == kept && row.isURLCut == (length > kept) && url.hasPrefix(row.url))
    #expect(row.path.utf8.count == kept - 8)
  }

  @Test(
    arguments: [
      ("abc", 3, nil), ("abc", 2, "ab"), ("abc", 0, ""), ("aé", 2, "a"), ("aé", 3, nil), ("日本", 3, "日"), ("日本", 4, "日"),
      ("日本", 5, "日"), ("𐐨𐐨", 7, "𐐨"), ("é", 1, ""), ("e\u{301}", 2, "e"), ("", 0, nil),
    ] as [(String, Int, String?)])
  func textsAreCutBetweenScalars(_ text: String, _ limit: Int, _ cut: String?) {
    #expect(text.cut(toBytes: limit) == cut)
  }

  @Test func theSameEndpointIsMethodHostPathAndOperation() {
    let url = "https://h.example/users/1?a=1"
    let row = Exchange.sample(url: url).summary
    #expect(row.isSameEndpoint(as: Exchange.sample(id: 2, url: "https://h.example/users/2", status: 500).summary))
    #expect(row.isSameEndpoint(as: Exchange.sample(url: "http://h.example/users/3#x").summary))
    #expect(!row.isSameEndpoint(as: Exchange.sample(method: "POST", url: url).summary))
    #expect(!row.isSameEndpoint(as: Exchange.sample(url: "https://h.example:1/users/1").summary))
    #expect(!row.isSameEndpoint(as: Exchange.sample(url: "https://h.example/user/1").summary))
    var other = row
    other.operation = "Get"
    #expect(!row.isSameEndpoint(as: other) && other.isSameEndpoint(as: other))
  }

  @Test(
    arguments: [
      (nil, nil, false), (399, .responded, false), (400, .responded, true), (599, .responded, true),
      (nil, .failed, true),
      (200, .failed, true), (200, .cancelled, false), (404, .cancelled, true), (nil, .abandoned, false),
      (404, nil, true),
    ] as [(Int?, Exchange.Outcome?, Bool)])
  func whatIsBad(_ status: Int?, _ outcome: Exchange.Outcome?, _ isBad: Bool) {
    var row = Exchange.sample(status: status).summary
    row.outcome = outcome
    #expect(row.isBad == isBad)
  }

  @Test func whatIsHeldObservedAndTruncated() {
    var row = Exchange.sample(status: nil, duration: nil).summary
    for phase in Exchange.Phase.allCases {
      for outcome in [nil] + Exchange.Outcome.allCases.map(Optional.some) {
        (row.phase, row.outcome) = (phase, outcome)
        #expect(row.isHeld == [.heldRequest, .heldResponse].contains(phase))
        #expect(row.isObserved == (phase == .ended && outcome == nil))
      }
    }
    for (request, response) in [(false, false), (true, false), (false, true), (true, true)] {
      (row.requestTruncated, row.responseTruncated) = (request, response)
      #expect(row.isTruncated == (request || response))
    }
  }

  @Test func whatAPersonEditedWasHeldAndNoRuleIsNamed() {
    var row = Exchange.sample().summary
    (row.isRewritten, row.held) = (true, 1)
    #expect(row.isEditedByPerson)
    for change in [
      { $0.isRewritten = false }, { $0.by = .stub }, { $0.stub = "rule" }, { $0.held = 0 },
    ] as [(inout ExchangeSummary) -> Void] {
      var other = row
      change(&other)
      #expect(!other.isEditedByPerson)
    }
  }

  /// What each word of `is:` asks of a row.
  @Test func statesHoldForWhatTheySay() throws {
    func row(_ change: (inout ExchangeSummary) -> Void) -> ExchangeSummary {
      var row = Exchange.sample().summary
      change(&row)
      return row
    }
    let rows: [(row: ExchangeSummary, states: Set<FilterState>)] = [
      (row { _ in }, [.ended, .responded]), (row { $0.outcome = .failed }, [.ended, .failed, .bad]),
      (row { $0.outcome = .cancelled }, [.ended, .cancelled]), (row { $0.outcome = .abandoned }, [.ended, .abandoned]),
      (row { $0.outcome = nil }, [.ended, .observed]), (row { $0.status = 400 }, [.ended, .responded, .bad]),
      (row { ($0.phase, $0.outcome) = (.waiting, nil) }, [.running]),
      (row { ($0.phase, $0.outcome) = (.heldRequest, nil) }, [.running, .held]),
      (row { ($0.phase, $0.outcome) = (.heldResponse, nil) }, [.running, .held]),
      (row { ($0.phase, $0.outcome) = (.receiving, nil) }, [.running]),
      (row { $0.redirects = 1 }, [.ended, .responded, .redirected]),
      (row { $0.requestTruncated = true }, [.ended, .responded, .truncated]),
      (row { $0.responseTruncated = true }, [.ended, .responded, .truncated]),
      (row { $0.by = .stub }, [.ended, .responded, .stubbed]), (row { $0.by = .code }, [.ended, .responded, .stubbed]),
      (row { $0.by = .person }, [.ended, .responded]), (row { $0.stub = "" }, [.ended, .responded, .stubbed]),
      (row { $0.replayOf = 1 }, [.ended, .responded, .replayed]),
    ]
    for (row, states) in rows {
      for state in FilterState.allCases {
        let filter = try Filter(parsing: "is:\(state.rawValue)")
        #expect(filter.matches(row) == states.contains(state), "\(state) of \(row)")
      }
    }
    #expect(FilterState.allCases.allSatisfy { $0.help?.isEmpty == false })
    #expect(Set(FilterState.allCases.map { $0.help ?? "" }).count == FilterState.allCases.count)
  }
}

/// What a person says of an exchange.
@Suite(.bounded) struct RemarkTests {
  @Test(
    arguments: [
      ([], []), (["a"], ["a"]), (["a b,c"], ["a", "b", "c"]), (["b", "a", "b"], ["b", "a"]), ([" ", ","], []),
      (["a\tb\nc"], ["a", "b", "c"]), (["名 名"], ["名"]), ([",a,,b,"], ["a", "b"]),
      ([String(repeating: "x", count: 101)], [String(repeating: "x", count: 100)]),
      ((1...60).map { "\($0)" }, (1...50).map { "\($0)" }),
    ] as [([String], [String])])
  func tagsAreSingleWords(_ given: [String], _ kept: [String]) {
    #expect(Remark.tags(given) == kept && Remark(tags: given).tags == kept)
    #expect(Remark(tags: given).isEmpty == kept.isEmpty)
  }

  @Test(
    arguments: [
      (nil, nil), ("", nil), ("  \n", nil), (" a b ", "a b"), ("a\nb", "a\nb"),
      (String(repeating: "x", count: 10_001), String(repeating: "x", count: 10_000)),
    ] as [(String?, String?)])
  func aNoteIsWhatIsSaid(_ given: String?, _ kept: String?) {
    #expect(Remark.note(given) == kept && Remark(note: given).note == kept)
    #expect(Remark(note: given).isEmpty == (kept == nil))
  }

  @Test func aRowHasItsRemark() {
    var row = Exchange.sample().summary
    #expect(Remark(row) == Remark() && Remark().isEmpty)
    (row.tags, row.note) = (["a"], "b")
    #expect(Remark(row) == Remark(tags: ["a"], note: "b") && !Remark(row).isEmpty)
  }
}
