import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// Many bodies, filters and exports, and the whole of what becomes of them. With `PATCHBAY_WRITE_SCREENS` set that is
/// written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeInspectTests {
  private static let long = String(repeating: "long ", count: 300)

  private static let bodies: [(type: String?, body: Data)] =
    [
      ("application/json", #"{"a":[1,-2.50e3,true,null,"x\ny\u00e9"],"b":{},"c":[],"d k":{"e":{"f":[[],[{}]]}}}"#),
      ("application/json", " [ 1 , 2 ]  [3]"), ("application/json", "{\"a\":"), ("application/json", "{\"a\" 1}"),
      ("application/json", "\"text\""), ("application/json", ""), ("application/json", "{\"\(long)\":\"\(long)\"}"),
      ("application/x-ndjson", "{\"a\":1}\n{\"b\":2}\n\n[3]\n"),
      ("text/plain", "one\ntwo\r\nthree\r\n\n\ttab\u{1B}[31m"),
      ("text/plain", long), (nil, "{\"looks\": \"like JSON\"}"), (nil, "<p>looks like HTML</p>"), (nil, "plain"),
      (
        "text/html",
        "<!doctype html><html><head><title>T &amp; x</title><script>if (a < b) { c() }</script><style>a{}</style></head><body class=\"x y\" id=z disabled><p>one<br>two <b>bold</b></p><!-- a comment --><img src='a'/><ul><li>1<li>2</ul></body></html>"
      ),
      (
        "application/xml",
        "<?xml version=\"1.0\"?><a xmlns:x=\"y\"><b c='1'/><x:d>text<![CDATA[<raw>]]></x:d><!-- c --></a>"
      ),
      ("application/xml", "<a><b></a>"), ("application/xml", "<a b=\"unclosed"), ("image/svg+xml", "<svg><g/></svg>"),
      ("application/x-www-form-urlencoded", "a=1&b=x+y%21&c&=d&e=%ZZ&&f=1=2"),
      (
        "multipart/form-data; boundary=B",
        "--B\r\nContent-Disposition: form-data; name=\"one\"\r\n\r\n1\r\n--B\r\nContent-Disposition: form-data; name=\"two\"; filename=\"t.json\"\r\nContent-Type: application/json\r\n\r\n{\"a\":[1]}\r\n--B--\r\n"
      ),
      ("multipart/form-data; boundary=C", "--B\r\n\r\n1\r\n--B--"),
      ("text/event-stream", "event: a\ndata: {\"x\":1}\n\n: note\nid: 7\n"),
      ("application/javascript", "function a() { return 1 }"), ("text/css", "a { b: c }"), ("text/csv", "a,b\n1,2\n"),
    ].map { ($0.0, Data($0.1.utf8)) }
    + [
      ("application/octet-stream", Data((0..<40).map { UInt8($0 * 6) })), (nil, Data([0, 1, 2])),
      ("text/plain; charset=iso-8859-1", Data([0x61, 0xE4, 0x62])),
      ("text/plain; charset=Shift_JIS", Data([0x93, 0xFA])),
      ("text/plain", Data([0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00, 0x62, 0x00])),
      ("text/plain", Data([0xFE, 0xFF, 0x00, 0x61])),
      ("text/plain", Data([0x61, 0xFF, 0xC3, 0x28, 0xE3, 0x81, 0x62])),
      (
        "image/png",
        Data([
          0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1, 2, 0, 0, 3, 4,
          8, 6, 0, 0, 0,
        ])
      ),
      ("image/gif", Data("GIF89a".utf8) + [0x10, 0x00, 0x20, 0x01, 0, 0, 0]),
      ("image/jpeg", Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 5, 0, 6, 3])),
    ]

  @Test func bodiesInLines() throws {
    var out = ""
    for (number, (type, body)) in Self.bodies.enumerated() {
      for isRaw in [false, true] {
        var document = BodyDocument(body, contentType: type, raw: isRaw)
        document.layout.layOutAll()
        let layout = document.layout
        out += "== \(number) \(type ?? "no type") \(document.kind)\(isRaw ? " raw" : ""), \(layout.lineCount) lines\n"
        for (place, line) in layout.lines(0..<60).enumerated() {
          var signs = ""
          if line.opens { signs += " opens to \(layout.foldEnd(of: place).map(String.init) ?? "none")" }
          if line.continues { signs += " continues" }
          if let path = layout.path(of: place) { signs += " \(path.prefix(60))" }
          if let steps = layout.steps(of: place) { signs += " \(steps.count)" }
          let runs = line.runs.map { "\($0.kind)‹\($0.text)›" }.joined()
          out += String(repeating: "  ", count: line.indent) + runs + (signs.isEmpty ? "" : " |\(signs)") + "\n"
        }
        let shown = stride(from: 0, to: min(body.count + 2, 60), by: 7).map {
          "\($0):\(layout.line(showing: $0) ?? -1)"
        }
        out += "shows \(shown.joined(separator: " ")) before \(layout.line(showing: -1) ?? -1)\n"
      }
    }
    try expectRecorded(out, "Whole/bodies.txt")
  }

  /// Some of each sort, with secrets in every place where they may be.
  private static let exchanges: [Exchange] = {
    let json = [
      HeaderField("Content-Type", "application/json"), HeaderField("Set-Cookie", "sid=secret; Path=/; HttpOnly"),
    ]
    var all = [
      RecordedExchange.make(
        id: 1, "POST", "https://ann:pw@api.example.com:8443/v1/users/7?token=secret&page=2&empty=&flag#end",
        headers: [
          HeaderField("Authorization", "Bearer secret"), HeaderField("Cookie", "a=1; b=2"),
          HeaderField("X-Api-Key", "k"),
          HeaderField("Content-Type", "application/json"), HeaderField("X", "it's \"quoted\" $HOME"),
        ], body: Data(#"{"password":"p","name":"Ann {{x}}","list":[1.50,{"token":"t"}]}"#.utf8), status: 201,
        answer: Data(#"{"access_token":"secret","id":12345678901234567890}"#.utf8), answerHeaders: json),
      RecordedExchange.make(id: 2, "GET", "http://a.example/", answer: nil, answerHeaders: []),
      RecordedExchange.make(
        id: 3, "PUT", "http://a.example/form?q=a+b",
        headers: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
        body: Data("password=p&user=a%20b".utf8), status: 204, answer: Data()),
      RecordedExchange.make(
        id: 4, "DELETE", "http://a.example/人物/x y", body: Data([0, 1, 0xFF]), status: 404,
        answer: Data([0xFF, 0xD8, 0])),
      RecordedExchange.failed(id: 5, "http://a.example/late", name: "timedOut", code: -1001),
      RecordedExchange.make(id: 6, "GET", "http://a.example/hostile", answer: Data(RecordedExchange.hostile.utf8)),
    ]
    all[0].redirects = [
      RedirectHop(
        status: 302, url: "https://api.example.com/old?token=secret", headers: [HeaderField("Location", "/v1/users/7")],
        at: 500,
        target: "https://api.example.com/v1/users/7?token=secret")
    ]
    all[0].sent = all[0].request
    all[0].sent?.headers.append(HeaderField("X-Added", "1"))
    all[0].tags = ["slow", "odd, one"]
    all[0].note = "a note\nof two lines"
    all[0].marked = true
    all[0].stub = "users"
    all[0].by = .stub
    all[0].timing = Timing(head: 12_345, end: 1_234_567, held: 1_000)
    all[0].bytesSent = 70
    all[0].bytesReceived = 51
    all[0].task = .upload
    all[0].run = 3
    all[1].by = .network
    all[1].phase = .waiting
    all[1].outcome = nil
    all[1].response = nil
    all[3].outcome = .cancelled
    all[3].request.truncated = true
    all[3].response?.truncated = true
    all[3].replayOf = 2
    all[5].by = .person
    return all
  }()

  @Test(arguments: ["har", "curl", "stubs", "swift", "jsonl", "wiremock"])
  func exports(_ name: String) throws {
    let format = try #require(ExportFormat(rawValue: name))
    guard case .file(_, let exporter) = format.output else { throw StubError("a folder") }
    var out = ""
    for exchanges in [Self.exchanges, Self.exchanges.map { Redaction.standard.redacted($0) }] {
      let context = ExportContext(version: "7") { $0.map { $0.stub.json.compact }.joined(separator: "\n") }
      out += try exporter(context).text(exchanges) + "\n"
    }
    try expectRecorded(out.replacingOccurrences(of: "\r", with: "␍"), "Whole/\(name).txt")
  }

  /// Fifteen that are hard to write.
  private static let hard: [Exchange] = {
    func form(_ boundary: String) -> Data {
      Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"ä'\\\".bin\"\r\n\r\n".utf8)
        + Data([0, 13, 10, 255]) + Data("\r\n--\(boundary)--\r\n".utf8)
    }
    let quotes = "'single' \"double\" `back` $(x) ${y} \\ \\\\ \"\"\" \"# #\" \\(z) {{uuid}} %s !\n"
    var all = [
      RecordedExchange.make(
        id: 1, "POST", "http://a.example/upload",
        headers: [HeaderField("Content-Type", "multipart/form-data; boundary=X-1")],
        body: form("X-1"), status: 201, answer: form("X-1"),
        answerHeaders: [HeaderField("Content-Type", "multipart/mixed; boundary=X-1")]),
      RecordedExchange.make(
        id: 2, "PUT", "http://a.example/bin", headers: [HeaderField("Content-Type", "application/octet-stream")],
        body: Data((0...255).map { UInt8($0) }), answer: Data((0...255).reversed().map { UInt8($0) }),
        answerHeaders: [HeaderField("Content-Type", "image/png"), HeaderField("Content-Length", "256")]),
      RecordedExchange.make(
        id: 3, "POST", "http://a.example/quotes?q='\"&r=$x`y`", headers: [HeaderField("X-Quotes", "a'b\"c\\d`e$f")],
        body: Data(quotes.utf8), answer: Data((quotes + quotes).utf8)),
      RecordedExchange.make(
        id: 4, "POST", "http://a.example/lines",
        body: Data("one\ntwo\r\nthree\rfour\n\n\tfive\u{0}\u{7}\u{1B}[0m".utf8),
        answer: Data("\n\nfirst\n  indented  \n# no comment: [x]\n---\n...\nlast".utf8)),
      RecordedExchange.make(
        id: 5, "PATCH", "https://日本.example/人物/👩‍👩‍👧?名=値&e=é", headers: [HeaderField("X-Wide", "名前 👍🏽 e\u{301}")],
        body: Data("{\"名\":\"👩‍👩‍👧\\u65e5\",\"rtl\":\"\u{202E}שלום\"}".utf8), answer: Data("\u{FEFF}bom 𠮷\u{2028}line".utf8)
      ),
      RecordedExchange.make(id: 6, "GET", "http://a.example/waiting"),
      RecordedExchange.failed(id: 7, "http://a.example/late?a=b", name: "timedOut", code: -1_001),
      RecordedExchange.failed(id: 8, "http://a.example/odd", name: "odd", code: 7),
      RecordedExchange.make(
        id: 9, "GET", "http://a.example/stubbed", status: 503, answer: Data("{\"error\": 1.0}".utf8),
        answerHeaders: [HeaderField("Content-Type", "application/json"), HeaderField("Retry-After", "5")]),
      RecordedExchange.make(
        id: 10, "POST", "http://a.example/start", headers: [HeaderField("Content-Type", "text/plain")],
        body: Data("form".utf8), answer: Data("there".utf8)),
      RecordedExchange.make(
        id: 11, "HEAD", "http://a.example/head", answer: Data(), answerHeaders: [HeaderField("Content-Length", "99")]),
      RecordedExchange.make(
        id: 12, "GET", "http://a.example/zipped",
        headers: [HeaderField("Accept-Encoding", "gzip, br"), HeaderField("Accept", "")], answer: Data("unpacked".utf8),
        answerHeaders: [
          HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "5"), HeaderField("Set-Cookie", "a=1"),
          HeaderField("Set-Cookie", "b=2; Path=/"), HeaderField("X-Empty", ""),
        ]),
      RecordedExchange.make(
        id: 13, "POST", "http://a.example/cut", body: Data("only half".utf8), answer: Data("only ha".utf8),
        answerHeaders: [HeaderField("Content-Length", "1000")]),
      RecordedExchange.make(
        id: 14, "GET", "http://[::1]:8080/../a/./b//c?*=[1-3]{a,b}&s=%20+%zz#frag", status: 204, answer: nil,
        answerHeaders: []),
      RecordedExchange.make(
        id: 15, "PURGE", "http://a.example/json",
        headers: [HeaderField("Content-Type", "application/json; charset=utf-8")],
        body: Data("[1.0,-0,1e400,12345678901234567890,\"\\ud83d\\ude00\",{\"a\":{},\"a\":null}]".utf8), status: 599,
        answer: Data(" {\"spaced\" : true}\n".utf8), answerHeaders: [HeaderField("content-type", "application/json")]),
    ]
    (all[5].outcome, all[5].phase, all[5].response, all[5].timing.end) = (nil, .waiting, nil, nil)
    all[6].response = RecordedResponse(status: 200, headers: [HeaderField("A", "b")], body: Data("broken o".utf8))
    all[7].error = RecordedError(domain: "My \"Domain\"", code: 7, message: "It's \\ broken\nhere")
    (all[8].by, all[8].stub) = (.stub, "down \"for\" good")
    all[9].redirects = [
      RedirectHop(
        status: 307, url: "http://a.example/start",
        headers: [HeaderField("Location", "next?a=1"), HeaderField("Content-Length", "12")], at: 1),
      RedirectHop(
        status: 303, url: "http://a.example/next?a=1", headers: [HeaderField("Location", "//b.example/end")], at: 2),
      RedirectHop(
        status: 302, url: "http://b.example/end", headers: [HeaderField("Location", "x")], at: 3,
        target: "https://c.example/"),
    ]
    all[12].request.truncated = true
    all[12].response?.truncated = true
    all[14].note = "wide 名\nsecond"
    all[14].tags = ["名", "a-b"]
    return all
  }()

  @Test(arguments: ["curl", "stubs", "swift", "jsonl", "wiremock"])
  func exportsOfWhatIsHard(_ name: String) throws {
    let format = try #require(ExportFormat(rawValue: name))
    guard case .file(_, let exporter) = format.output else { throw StubError("a folder") }
    // One by one, so that each stands under its number, and all together.
    var out = ""
    let context = ExportContext(version: "7") {
      $0.map { "\($0.stub.json.compact)\($0.notes.map { " # " + $0 }.joined())" }.joined(separator: "\n")
    }
    for exchange in Self.hard { out += "== \(exchange.id)\n" + (try exporter(context).text([exchange])) + "\n" }
    let all = try exporter(context).text(Self.hard)
    out += "== all, \(all.utf8.count) bytes\n"
    try expectRecorded(out.replacingOccurrences(of: "\r", with: "␍"), "Whole/hard-\(name).txt")
  }

  @Test func bodiesOfWhatIsHard() throws {
    guard case .folder(_, _, let files) = ExportFormat(rawValue: "bodies")?.output else { throw StubError("no folder") }
    var out = ""
    for exchange in Self.hard {
      out += "== \(exchange.id)\n"
      for file in files(exchange) { out += "\(file.name) \(file.data.base64EncodedString())\n" }
    }
    try expectRecorded(out, "Whole/hard-bodies.txt")
  }

  /// What is written as a line says the same when it has been read.
  @Test func whatIsHardComesBackFromItsLine() throws {
    for exchange in Self.hard {
      let back = try JSONLines.exchange(Data(JSONLines.line(exchange).utf8))
      #expect(JSONLines.line(back) == JSONLines.line(exchange))
      #expect(back.request == exchange.request && back.response == exchange.response, "\(exchange.id)")
    }
  }

  @Test func linesOfText() throws {
    var out = ""
    for exchange in Self.exchanges {
      out +=
        OneLine.text(exchange.summary) + "\n" + OneLine.text(exchange.summary, withSecrets: true, utcOffset: 19_800)
        + "\n"
      out +=
        OneLine.result(exchange.summary) + " " + BodyFileName.request(exchange) + " " + BodyFileName.response(exchange)
        + "\n"
      out += Endpoint.folded(url: exchange.request.url) + "\n"
    }
    for number: Int64 in [
      -1, 0, 1, 9, 10, 99, 100, 999, 1_000, 1_001, 9_949, 9_950, 9_999, 10_000, 99_949, 99_950, 999_499, 999_500,
      999_949,
      999_950, 999_999, 1_000_000, 1_049_999, 59_999_999, 60_000_000, 61_000_000, 599_999_999, 3_599_999_999,
      3_600_000_000, 86_400_000_000,
      999_999_999_999, .max,
    ] {
      out += "\(number) \(Quantity.count(number)) \(Quantity.bytes(number)) \(Quantity.duration(number))\n"
    }
    for moment: Int64 in [
      0, 1, 999_999, 951_782_399_999_999, 951_782_400_000_000, 951_868_800_000_000, 1_709_164_800_000_000,
      1_735_689_599_999_999, 4_107_542_400_000_000,
    ] {
      let at = Timestamp(microseconds: moment)
      for offset in [0, 3_600, -3_600, 19_800] {
        out += "\(Moment.timeOfDay(at, utcOffset: offset)) \(Moment.day(at, utcOffset: offset)) "
      }
      out += Moment.rfc3339(at) + "\n"
    }
    for path in [
      "/a/1/b", "/a/12345/", "/0", "/a1/b2", "/550e8400-e29b-41d4-a716-446655440000", "/deadbeefdeadbeef", "/deadbee",
      "/v1/x", "/2026-11-22", "//", "",
      "/a.json", "/7.png", "/users/ann@example.com", "/%E6%97%A5/9", "/AbC123xyz789", "/1a2b3c4d5e6f7a8b9c0d",
    ] { out += "\(path) → \(Endpoint.folded(path))\n" }
    for url in [
      "https://u:p@h.example:81/p/q?a=b#c", "h.example", "http://[::1]:8/x", "HTTP://H/%41", "https://h?x",
      "https://h#x", "file:///a", "", "://", "https://xn--bcher-kva.example/",
    ] {
      let parts = URLParts(url)
      out += "\(url) → \(parts)\n"
    }
    for type in [
      "application/json", "application/problem+json; charset=x", "text/html", "image/png", "image/svg+xml",
      "application/xml", "text/plain", "multipart/form-data",
      "application/x-www-form-urlencoded", "application/octet-stream", "font/woff2", "audio/mpeg", "video/mp4",
      "text/event-stream", "application/pdf", "application/zip",
      "text/css", "text/javascript", "application/grpc", "application/x-ndjson", "", "odd", "application/graphql",
    ] {
      out +=
        "\(type) → \(ContentKind(contentType: type)) \(ContentKind(contentType: type).label) \(BodyFileName.ending(type, Data("x".utf8)))\n"
    }
    for kind in ContentKind.allCases { out += "\(kind.rawValue) \(kind.label)\n" }
    out += "no type → \(ContentKind(contentType: nil))\n"
    try expectRecorded(out.replacingOccurrences(of: "\r", with: "␍"), "Whole/lines.txt")
  }

  private static let filters = """
    a|b||a -b|-|!|not a|not|(a|b|(a b) c|)|()|a (|"quo|"a b"|"a\\"b"|nokey:1|hots:a|host:|host:a,b|method:GET,POST|status:2xx|status:>=400,404|status:x|\
    status:99|status:100..199|status:199..100|time:>10ms|time:10|time:1s..2s|time:<0|size:>1kB|size:1..|size:..5|size:x|since:10m|since:2026-01-01|since:yesterday|\
    before:1h|until:1h|marked:yes|marked:no|marked:maybe|is:failed|is:nothing|is:failed,held|id:1|id:1,3..5|id:>3|id:<1|id:x|run:last|run:2|run:>1|run:0|op:Get|tag:slow|tag:|note:two|\
    note:|by:stub|by:nobody|stub:users|stub:|type:json|error:timedOut|error:|body:Ann|reqbody:password|resbody:secret|header:x-api-key|header:x:quoted|path:/v1/*|\
    path:~^/v1|path:~(|url:*page=2*|query:page=2|process:app|process:1|~users|~(|host:*.example.com|-host:api.example.com|a or b|a and b|a AND b|((((a))))|\
    count:2|status:>599|status:404 method:DELETE|-(method:GET -host:a.example)|host:"a b"|method:get|人物
    """.replacingOccurrences(of: "\\\n", with: "").components(separatedBy: "|")

  @Test func filters() throws {
    var out = ""
    let all =
      Self.filters + [
        "path:~^/v1/(users|form)(/7)?$ users", "url:(a)|b", "users(x|y)z w", "((users))x", "path:~(a(b)c) d", "a | b",
        "a || b", "| a", "a |", "(a | b) c", "a b | c d", "-a | -b", "status:2xx | error:", "a | (b", "(a | b",
      ]
    for text in all {
      do {
        let filter = try Filter(parsing: text)
        let fits = Self.exchanges.filter { filter.matches($0, now: Timestamp(microseconds: 700_000_000)) }.map {
          String($0.id)
        }
        out +=
          "\(text) → \(fits.joined(separator: " "))\(filter.needsBodies ? ", bodies" : "")\(filter.isEmpty ? ", empty" : "")\n"
      } catch { out += "\(text) ✗ \(error.description) at \(error.range)\n" }
      do {
        _ = try CountedFilter(parsing: text + " count:2..3")
        out += "   counted\n"
      } catch { out += "   counted ✗ \(error)\n" }
    }
    for text in [
      "", "m", "me", "method:", "method:P", "method:GET,", "method:GET,P", "host:", "host:\"a", "hots:", "is:h",
      "status:", "a -t", "(st", "-is:", "by:s",
    ] {
      for cursor in Set([text.count, text.count / 2]).sorted() {
        let completion = Filter.completions(text, cursor: cursor) {
          $0 == .host ? ["b.example", "a b", "a.example"] : []
        }
        out +=
          "\(text) at \(cursor): \(completion.range) \(completion.candidates.map { "\($0.text) (\($0.note))" }.joined(separator: ", "))\n"
      }
    }
    for key in FilterKey.allCases { out += "\(key): \(key.help) \(key.values) \(key.takesList)\n" }
    try expectRecorded(out, "Whole/filters.txt")
  }

  @Test func unitsOfTime() {
    let texts = [
      "1us", "1µs", "1ms", "1s", "1m", "1min", "1h", "1d", "1.5s", "0.5ms", "1.05s", "0s", "0.0000001s", "2.5h",
      "1.123456789s", "1.1234567891s", ".5s", "5.s",
      "1", "s", "1x", "-1s", "1 s", "1S", "1e3s", "99999999999999999999s", "9223372036854775807us", "9223372036854s",
      "9223372036855s",
    ]
    let expected: [Int64?] = [
      1, 1, 1_000, 1_000_000, 60_000_000, 60_000_000, 3_600_000_000, 86_400_000_000, 1_500_000, 500, 1_050_000, 0, 0,
      9_000_000_000, 1_123_456, nil,
      nil, nil, nil, nil, nil, nil, nil, 1_000_000, nil, nil, nil, nil, nil,
    ]
    for (text, wanted) in zip(texts, expected) { #expect(FilterNumber.microseconds(text) == wanted, "\(text)") }
    let sizes = [
      ("12b", 12), ("1k", 1_000), ("1kb", 1_000), ("1m", 1_000_000), ("1mb", 1_000_000), ("1g", 1_000_000_000),
      ("1gb", 1_000_000_000), ("1kib", 1 << 10), ("1mib", 1 << 20),
      ("1gib", 1 << 30), ("1.5kb", 1_500),
    ]
    for (text, bytes) in sizes {
      for (offset, fits) in [(-1, false), (0, true)] {
        var exchange = Exchange.sample()
        exchange.bytesReceived = Int64(bytes + offset)
        #expect(
          (try? FilterMatchingTests.fits("size:>=\(text)", exchange)) == fits, "\(text) \(offset)")
      }
    }
  }

  @Test func percentilesAreThoseOfTheSortedValues() {
    for count in [1, 2, 3, 19, 20, 21, 99, 100, 101, 200, 1_000] {
      let values = (0..<count).map { Int64(($0 * 7_919) % count) }
      let sorted = values.sorted()
      var ranks = NearestRank(values)
      // In any order, also one that comes again.
      for percent in [100, 99, 95, 50, 1, 50, 50, 99, 1, 2, 100] {
        let least = sorted.first { value in sorted.filter { $0 <= value }.count * 100 >= count * percent }
        #expect(ranks.percentile(percent) == least, "\(percent) % of \(count)")
      }
    }
    var none = NearestRank([])
    #expect(none.percentile(50) == nil)
    // However unlucky the pivots.
    for values in [
      (0..<500).map { Int64($0) }, (0..<500).reversed().map { Int64($0) }, [Int64](repeating: 7, count: 500),
    ] {
      for percent in 0...100 {
        var ranks = NearestRank(values)
        #expect(ranks.percentile(percent) == values.sorted()[max(0, 5 * percent - 1)])
      }
    }
  }

  @Test func trafficAddsUp() {
    var group = TrafficGroup(parts: 3)
    group.add(isError: true, sent: 1, received: 10, duration: 5, part: 0)
    group.add(isError: false, sent: 2, received: 20, duration: nil, part: 2)
    group.add(isError: false, sent: .max, received: 0, duration: 7, part: 3)
    group.add(isError: false, sent: 0, received: 0, duration: 8, part: nil)
    #expect(
      group == TrafficGroup(count: 4, errors: 1, sent: .max, received: 30, durations: [5, 7, 8], parts: [1, 0, 1]))
    group.add(TrafficGroup(count: 2, errors: 2, sent: 1, received: 5, durations: [1], parts: [1, 1, 1, 1]))
    #expect(
      group == TrafficGroup(count: 6, errors: 3, sent: .max, received: 35, durations: [5, 7, 8, 1], parts: [2, 1, 2]))
    group.add(TrafficGroup(count: 1, errors: 0, sent: 0, received: 0, durations: [], parts: [4]))
    #expect(group.parts == [6, 1, 2])
    let row = TrafficStatistics(
      "h", "GET", "/a", TrafficGroup(count: 4, errors: 1, sent: 2, received: 3, durations: Array(1...100), parts: [1]))
    #expect(
      row.host == "h" && row.method == "GET" && row.endpoint == "/a" && row.count == 4 && row.errors == 1
        && row.errorRate == 0.25)
    #expect(
      row.sent == 2 && row.received == 3 && row.p50 == 50 && row.p95 == 95 && row.p99 == 99 && row.sparkline == [1])
    let none = TrafficStatistics("h", nil, nil, TrafficGroup(parts: 0))
    #expect(none.p50 == nil && none.errorRate == 0 && none.endpoint == nil && none.method == nil)
  }

  @Test func aSummaryBeginsEmpty() {
    let url = "http://a.example/" + String(repeating: "x", count: ExchangeSummary.urlLimit - 17)
    for (text, isCut) in [(url, false), (url + "y", true)] {
      let row = ExchangeSummary(
        id: 1, startedAt: Timestamp(microseconds: 2), process: HarnessProcess(name: "a", pid: 3), method: "GET",
        url: text)
      #expect(row.url == url && row.isURLCut == isCut && row.phase == .waiting && row.by == .network)
      #expect(row.size == 0 && row.bytesSent == 0 && row.bytesReceived == 0 && row.held == 0 && row.redirects == 0)
      #expect(!row.marked && !row.requestTruncated && !row.responseTruncated)
    }
    #expect(
      ExchangeSummary(
        id: 1, startedAt: Timestamp(microseconds: 2), process: HarnessProcess(name: "a", pid: 3), method: "GET",
        url: "http://a/",
        isURLCut: true
      ).isURLCut)
  }

  @Test func commandsForTheShell() {
    func command(_ method: String, _ url: String, _ headers: [HeaderField] = [], _ body: String? = nil) -> String {
      CurlCommand.text(RecordedRequest(method: method, url: url, headers: headers, body: body.map { Data($0.utf8) }))
    }
    #expect(command("HEAD", "http://a/").contains("--head ") && !command("HEAD", "http://a/").contains("--request"))
    #expect(
      command("HEAD", "http://a/", [], "x").contains("--request 'HEAD'")
        && !command("HEAD", "http://a/", [], "x").contains("--head "))
    #expect(
      !command("GET", "http://a/").contains("--request")
        && command("GET", "http://a/", [], "x").contains("--request 'GET'"))
    #expect(
      !command("POST", "http://a/", [], "x").contains("--request")
        && command("POST", "http://a/").contains("--request 'POST'"))
    #expect(
      command("GET", "http://a/../b").contains("--path-as-is") && !command("GET", "http://a/b").contains("--path-as-is")
    )
    #expect(command("GET", "http://a/", [HeaderField("X", "")]).contains("X;"))
    #expect(command("GET", "http://a/", [HeaderField("Accept-Encoding", "gzip")]).contains("--compressed"))
    #expect(!command("GET", "http://a/").contains("--compressed"))
    #expect(command("POST", "http://a/", [], "x").contains("--header 'Content-Type:'"))
    #expect(!command("POST", "http://a/", [HeaderField("content-type", "a/b")], "x").contains("'Content-Type:'"))
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100_000])
  func archivesComeInPiecesOfAnySize(_ size: Int) throws {
    let text = #"""
      {"entries": [6], "logs": {"entries": [7]}, "other": {"entries": [8], "list": ["entries", {"entries": [1]}, "]"], "log": "entries"}, "n": "\"entries", "log": {"version": "1.2", "pages": [{"x": "[{"}], "more": {"entries": [9]},
       "entries" : [ {"a": "}\"]{[\\"}, [1, [2], "]"] ,
       {"b": {"c": [{}, {"d": "\\\""}]}}, {}], "after": [1]}}
      """#
    for start in ["", "\u{FEFF}", " \t\r\n"] {
      let bytes = Data((start + text).utf8)
      var cutter = HAREntryCutter()
      #expect(!cutter.hasEntries && !cutter.isAtEnd)
      var found: [String] = []
      for from in stride(from: 0, to: bytes.count, by: size) {
        found += try cutter.feed(bytes[from..<min(from + size, bytes.count)]).map {
          $0.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
        }
      }
      #expect(found == [#"{"a": "}\"]{[\\"}"#, #"[1, [2], "]"]"#, #"{"b": {"c": [{}, {"d": "\\\""}]}}"#, "{}"])
      #expect(cutter.hasEntries && cutter.isAtEnd)
    }
    for other in ["[1]", "x{", "\"{\"", "\u{0}{", "é{"] {
      var cutter = HAREntryCutter()
      #expect(throws: StubError.self, "\(other)") { _ = try cutter.feed(Data(other.utf8)) }
    }
  }
}
