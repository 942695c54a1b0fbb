import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct FilterMatchingTests {
  static func fits(_ filter: String, _ exchange: Exchange) throws -> Bool {
    try Filter(parsing: filter).matches(exchange)
  }

  private static let filters: [(String, Bool)] = [
    ("", true), ("users", true), ("USERS", false), ("Users", false), ("api -users", false), ("users api", true),
    ("orders|users", true), ("orders|feed", false), ("-(orders|feed)", true), ("!(users)", false),
    ("host:api", true), ("host:api.example.com", true), ("host:example", true), ("host:*.example.com", true),
    ("host:example.com*", false), ("host:x,api", true), ("path:/v1/*", true), ("path:/v1", true),
    ("path:*/users", true), ("path:/users*", false), ("path:~^/v[12]/", true), ("path:~^/v(1|2)/users$", true),
    ("query:page=2", true), ("query:page=3", false), ("method:GET", true), ("method:get", true),
    ("method:POST,PUT", false), ("method:P*", false), ("status:200", true), ("status:2xx", true),
    ("status:20x", true), ("status:>=400", false), ("status:<300", true), ("status:404,200", true),
    ("status:100..199", false), ("type:json", true), ("type:html", false), ("by:network", true),
    ("by:stub,person", false), ("stub:x", false), ("stub:", false), ("-stub:", true), ("process:demo", true),
    ("process:4121", true), ("process:demo2", false), ("error:timedOut", false), ("body:ok", true),
    ("body:OK", false), ("resbody:true", true), ("reqbody:", false), ("reqbody:ok", false),
    ("header:\"content-type: application/json\"", true), ("header:content-type", true),
    ("header:\"content-type: text\"", false), ("time:>10ms", true), ("time:>1s", false), ("time:34ms", true),
    ("time:33ms..35ms", true), ("size:11", true), ("size:>11", false), ("size:>=11B", true), ("size:<1kB", true),
    ("marked:no", true), ("marked:yes", false), ("is:ended", true), ("is:failed", false), ("is:running", false),
    ("is:failed,ended", true), ("id:1", true), ("id:>1", false), ("\"v1/users\"", true), ("https://api", true),
    ("example.com:443", false), ("--users", true), ("host:api path:/v1/* method:GET status:2xx", true),
  ]

  @Test(arguments: filters) func ordinary(_ filter: String, _ expected: Bool) throws {
    #expect(try Self.fits(filter, .sample()) == expected)
  }

  @Test func capitalsCount() throws {
    let exchange = Exchange.sample(url: "https://a.example/Orders", body: "Token")
    #expect(try Self.fits("orders", exchange))
    #expect(try Self.fits("Orders", exchange))
    #expect(try !Self.fits("ORDERS", exchange))
    #expect(try Self.fits("body:token", exchange))
    #expect(try !Self.fits("body:TOKEN", exchange))
    #expect(try Self.fits("~^HTTPS|orders", exchange))
    #expect(try Self.fits("path:~\\Sorders", exchange), "a class such as \\S is no capital")
  }

  @Test(arguments: ["メンテナンス", "ただいま", "中です", "тест", "ТЕСТ", "straße", "é", "👩‍👩‍👧", "中です。"])
  func anyScriptInBodies(_ word: String) throws {
    let exchange = Exchange.sample(body: "{\"message\":\"ただいまメンテナンス中です。 Тест ТЕСТ STRAßE É 👩‍👩‍👧\"}")
    #expect(try Self.fits("body:\(word)", exchange))
    #expect(try !Self.fits("body:\(word)x", exchange))
  }

  @Test func otherWritings() throws {
    let url = "https://xn--bcher-kva.example/%E6%97%A5%E6%9C%AC?q=%E3%81%82"
    let exchange = Exchange.sample(
      url: url, requestHeaders: [HeaderField("Content-Type", "text/plain; charset=\"Shift_JIS\"")],
      body: #"{"a":"\u65e5\u672c \uD83D\ude00"}"#)
    #expect(try Self.fits("日本", exchange))
    #expect(try Self.fits("path:/日本", exchange))
    #expect(try Self.fits("query:あ", exchange))
    #expect(try Self.fits("host:bücher", exchange))
    #expect(try Self.fits("host:xn--", exchange))
    #expect(try Self.fits("body:日本", exchange))
    #expect(try Self.fits("body:😀", exchange))
    var japanese = exchange
    japanese.request.body = "設定を保存".data(using: .shiftJIS)
    #expect(try Self.fits("reqbody:保存", japanese))
    japanese.response?.body = Data([0xFF, 0xFE]) + ("窓".data(using: .utf16LittleEndian) ?? Data())
    #expect(try Self.fits("resbody:窓", japanese))
    #expect(try Self.fits("body:窓 body:保存", japanese))
    japanese.request.headers = [HeaderField("Content-Type", "text/plain; charset=euc-jp")]
    japanese.request.body = Data([0xC6, 0xFC, 0xCB, 0xDC])
    #expect(try Self.fits("reqbody:日本", japanese))
  }

  @Test func failuresAndStates() throws {
    let failed = Exchange.failed(name: "timedOut", code: -1001)
    for filter in ["error:timedOut", "error:timed", "error:-1001", "error:", "is:failed", "is:bad", "error:nsurl"] {
      #expect(try Self.fits(filter, failed), "\(filter)")
    }
    #expect(try !Self.fits("status:>=100", failed))
    var held = Exchange.sample(status: nil, duration: nil)
    held.phase = .heldRequest
    #expect(try Self.fits("is:held -is:ended -time:>0ms", held))
    var observed = Exchange.sample(status: nil, duration: nil)
    #expect(try !Self.fits("is:observed", observed))
    (observed.phase, observed.outcome) = (.ended, nil)
    #expect(try Self.fits("is:observed is:ended -is:running,responded,failed,abandoned -time:>=0", observed))
    held.redirects = [RedirectHop(status: 302, url: "https://a.example/")]
    held.request.truncated = true
    #expect(try Self.fits("is:redirected is:truncated", held))
    #expect(try Filter(parsing: "marked:yes").matches(held, marked: true))
  }

  @Test func whatAPersonSaidAndWhereItBelongs() throws {
    var exchange = Exchange.sample(
      method: "POST", url: "https://a.example/graphql", requestBody: #"{"query":"query GetUser { user }"}"#)
    #expect(exchange.summary.endpoint == "/graphql#GetUser")
    #expect(Endpoint.parts("/graphql#GetUser").operation == "GetUser")
    #expect(try Self.fits("op:getuser -op:other -tag: -note: -run:1", exchange))
    exchange.tags = ["slow", "Orders"]
    exchange.note = "See issue 7"
    exchange.run = 3
    #expect(try Self.fits("tag:slow tag:ord* tag:no,orders -tag:lo*s note:issue note:~7$", exchange))
    #expect(try Self.fits("run:3 run:2..4 run:last", exchange))
    #expect(try !Self.fits("run:4 | run:<3 | tag:slow-orders | note:issue8", exchange))
    let copy = try JSONLines.exchange(Data(JSONLines.line(exchange).utf8))
    #expect(copy.tags == exchange.tags && copy.note == exchange.note && copy.run == 3)
    var reader = HARReader()
    let archived = try reader.read(Data(HARWriter.text([exchange]).utf8))
    #expect(archived.first?.note == "See issue 7" && archived.first?.tags == exchange.tags)
  }

  @Test func moments() throws {
    let exchange = Exchange.sample(at: 1_700_000_000_000_000)
    let later = Timestamp(microseconds: 1_700_000_000_000_000 + 5 * 60_000_000)
    #expect(try Filter(parsing: "since:10m").matches(exchange, now: later))
    #expect(try !Filter(parsing: "since:4m").matches(exchange, now: later))
    #expect(try Filter(parsing: "until:4m").matches(exchange, now: later))
    #expect(try Filter(parsing: "before:4m").matches(exchange, now: later))
    #expect(try Filter(parsing: "since:2023-11-14T22:13:20Z").matches(exchange))
    #expect(try !Filter(parsing: "since:2023-11-14T22:13:20.000001Z").matches(exchange))
    #expect(try Filter(parsing: "since:2023-11-15T07:13:20+09:00").matches(exchange))
    #expect(try Filter(parsing: "since:2023-11-13").matches(exchange))
    #expect(try Filter(parsing: "until:2023-11-16").matches(exchange))
  }

  @Test func globsAreAnchored() throws {
    let exchange = Exchange.sample(url: "https://a.example/aXbXc*d")
    for (filter, expected) in [
      ("path:/a*b*c*", true), ("path:/a*c", false), ("path:*d", true), ("path:/*X*X*d", true),
      ("path:/*X*X*X*d", false),
      ("path:\\*d", true), ("path:*\\*d", true), ("path:*\\**", true), ("path:/aXbXc*d*d", false), ("path:*", true),
      ("path:**", true),
    ] {
      #expect(try Self.fits(filter, exchange) == expected, "\(filter)")
    }
  }

  @Test func rowsAnswerWhatTheyCan() throws {
    let row = Exchange.sample().summary
    #expect(try Filter(parsing: "host:api status:200").matches(row) == true)
    #expect(try Filter(parsing: "host:api body:x").matches(row) == nil)
    #expect(try Filter(parsing: "host:nowhere body:x").matches(row) == false)
    #expect(try Filter(parsing: "host:api | body:x").matches(row) == true)
    let long = Exchange.sample(url: "https://a.example/" + String(repeating: "é", count: 3_000)).summary
    #expect(long.isURLCut && long.url.utf8.count <= ExchangeSummary.urlLimit)
    #expect(try Filter(parsing: "é").matches(long) == nil)
  }
}
