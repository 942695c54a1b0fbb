import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Small computations over long lists of inputs, and the whole of what becomes of them. With `PATCHBAY_WRITE_SCREENS` set
/// that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeValuesTests {
  private func compare(_ lines: [String], _ name: String) throws {
    let seen = lines.map { $0.replacingOccurrences(of: "\n", with: "⏎").replacingOccurrences(of: "\r", with: "␍") }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/\(name).txt")
  }

  @Test func urlsAndHosts() throws {
    let urls = [
      "HTTP://Example.COM", "http://example.com:80/", "https://example.com:443/a", "https://example.com:80/a",
      "http://h:/a",
      "http://u:p@h/a", "http://h/%41%7e%2f%zz%", "http://h/a b", "http://h/a/../b/./c/..", "http://h/../..",
      "http://h/a//b",
      "http://h/a?b=c&d#e", "http://h?x", "http://h#x", "http://[::1]:8080/a", "http://[2001:DB8::0001]/",
      "http://bücher.example/ü",
      "http://xn--bcher-kva.example/", "http://例え.テスト/人物?名=値", "h.example/a", "", "://", "http:", "http://",
      "file:///a/b", "http://h:65536/",
      "http://h:x/", "http://H.example./a", "http://a_b/", "http://h/%E6%97%A5", "http://h/%e6%97%a5", "ws://h:80/",
    ]
    var out = urls.map { "\($0) → \(URLSpelling.normal($0))" }
    for host in [
      "Example.COM", "bücher.example", "例え.テスト", "xn--bcher-kva.example", "xn--a", "xn--", "::1", "[::1]",
      "2001:DB8:0:0:0:0:0:1", "1.2.3.4",
      "faß.de", "a.b.", "", "straße", "ÄÖÜ", "xn--r8jz45g.xn--zckzah", "xn--99999999", "mañana.com",
      "ليهمابتكلموشعربي؟", "-a-", "a" + String(repeating: "ü", count: 40),
    ] { out.append("\(host) → \(HostName.ascii(host)) \(HostName.unicode(host)) \(HostName.folded(host))") }
    for text in ["%41%2F%zz%", "a+b%20c", "%E6%97%A5", "%e6", "%%41", "日本", "~!*'()", "[]{}|^`\\\"<>", "%7E%7e"] {
      let plain = String(decoding: PercentEncoding.decode(Array(text.utf8)), as: UTF8.self)
      let plus = String(decoding: PercentEncoding.decode(Array(text.utf8), plusIsSpace: true), as: UTF8.self)
      out.append("\(text) → \(PercentEncoding.normalised(text)) \(plain) \(plus)")
    }
    try compare(out, "urls")
  }

  @Test func json() throws {
    let texts = [
      "", " ", "{}", "[]", " [ ] ", "{\"a\":1}", "{\"a\":1,}", "{\"a\"}", "{a:1}", "[1,]", "[1 2]", "[1", "{",
      "{\"a\":1", "\"", "\"a", "\"\\", "\"\\x\"",
      "\"\\u00e9\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\u12\"", "\"\t\"", "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"", "0", "-0",
      "01", "-", "1.", ".5", "1.50", "1e5", "1E+5",
      "1e", "1e-", "-1.5e-3", "12345678901234567890", "true", "tru", "trux", "false", "null", "nul", "NaN", "1 2",
      "{\"a\":1,\"a\":2}", "[[[[1]]]]", "{\"a\":{\"b\":[{\"c\":null}]}}",
      "\u{FEFF}1", "// a\n1", "'a'",
    ]
    var out: [String] = []
    for text in texts {
      do throws(StubError) {
        let value = try JSONValue(parsing: text)
        out.append("\(text) → \(value.compact) \(value.indented())")
      } catch { out.append("\(text) ✗ \(error)") }
    }
    for depth in [1, 3, 4, 5] {
      let isRead = (try? JSONValue(parsing: "[[[[1]]]]", depthLimit: depth)) != nil
      out.append("depth \(depth) \(isRead)")
    }
    let pairs = [
      ("1", "1.0"), ("1", "1e0"), ("100", "1e2"), ("0.1", "1e-1"), ("0", "-0"), ("1", "2"), ("10", "1"), ("\"1\"", "1"),
      ("[1,2]", "[2,1]"), ("[1]", "[1,2]"),
      ("{\"a\":1}", "{\"a\":1,\"b\":2}"), ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"), ("{}", "{\"a\":1}"),
      ("[]", "[1]"), ("{\"a\":[1]}", "{\"a\":[2,1.0]}"), ("null", "null"),
      ("null", "false"), ("true", "true"), ("{\"a\":null}", "{}"), ("12345678901234567890", "12345678901234567891"),
      ("1e400", "1e400"), ("1e400", "1e401"), ("[1,1]", "[1]"),
    ]
    for (one, other) in pairs {
      let (left, right) = (try JSONValue(parsing: one), try JSONValue(parsing: other))
      out.append(
        "\(one) \(other): \(left.means(right)) \(right.means(left)) \(left.isSubset(of: right)) \(right.isSubset(of: left))"
      )
    }
    let value = try JSONValue(parsing: #"{"a":{"b":[1,{"c d":2}]},"":3,"~":4,"/":5,"0":6}"#)
    for pointer in [
      "", "/", "/a", "/a/b/0", "/a/b/1/c d", "/a/b/2", "/a/b/-", "/a/b/01", "/~0", "/~1", "/~", "a", "/0", "/a/b/0/x",
    ] {
      out.append("\(pointer) → \(value.value(at: pointer)?.compact ?? "nothing")")
    }
    try compare(out, "json")
  }

  @Test func headersAndBodies() throws {
    var out: [String] = []
    for text in [
      "text/html; charset=utf-8", "a/b;c=\"d;e\"; f = g ;h", "", ";a=b", "multipart/form-data; boundary=\"x\\\"y\"",
      "A/B; C=D; c=e", "text/plain; a='b'", "x; a=\"unclosed",
    ] {
      let type = MediaType(text)
      out.append("\(text) → \(type.parameters.map { "\($0.name)|\($0.value)" }) charset \(type["charset"] ?? "none")")
    }
    for file in [
      "a.json", "a.JSON", "a.html", "a.htm", "a.xml", "a.png", "a.jpg", "a.jpeg", "a.gif", "a.svg", "a.txt", "a.csv",
      "a.js", "a.css", "a.pdf", "a.zip", "a.mp4", "a.webp", "a.yaml",
      "a", "a.unknown", ".json", "a.b/c", "a.tar.gz", "a.ndjson", "a.woff2", "a.mp3", "a.wasm", "a.ico",
    ] { out.append("\(file) → \(MediaType.guess(ofFile: file))") }
    for status in [
      99, 100, 101, 200, 201, 204, 206, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503,
      504, 511, 599, 600,
    ] {
      out.append("\(status) \(HTTPStatus.phrase(status))")
    }
    let multipart = [
      (
        "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f.txt\"\r\nContent-Type: text/x\r\n\r\none\r\ntwo\r\n--B\r\n\r\nplain\r\n--B--\r\nafter",
        "B"
      ),
      ("before\r\n--B\r\nA: b\r\n\r\nx\r\n--B--", "B"), ("--B\nA: b\n\nx\n--B--", "B"),
      ("--B\r\nA: b\r\n\r\nnot closed", "B"), ("--B\r\nno blank line\r\n--B--", "B"),
      ("--Bx\r\n\r\n1\r\n--B--", "B"), ("", "B"), ("--B--", "B"), ("--B\r\n\r\n\r\n--B--", "B"),
      ("--B\r\nA: b\r\n c\r\n\r\nx\r\n--B--", "B"),
    ]
    for (body, boundary) in multipart {
      let bytes = Array(body.utf8)
      bytes.withUnsafeBufferPointer { buffer in
        for part in Multipart(buffer, boundary: boundary).parts {
          let content = String(decoding: bytes[part.content], as: UTF8.self)
          out.append(
            "\(part.name ?? "-") \(part.fileName ?? "-") \(part.headers.map { "\($0.name)|\($0.value)" }) \(content) \(part.isClosed)"
          )
        }
        out.append("\(Multipart(buffer, boundary: boundary, limit: 1).parts.count) of at most one")
      }
      out.append(
        "boundary \(Multipart.boundary(of: bytes, contentType: "multipart/form-data; boundary=Q") ?? "none") \(Multipart.boundary(of: bytes, contentType: nil) ?? "none")"
      )
    }
    let json = "application/json"
    let graphql: [(String, String?, String?)] = [
      ("http://h/graphql", json, #"{"query":"query Get { a }"}"#), ("http://h/graphql", json, #"{"query":"{ a }"}"#),
      ("http://h/", json, #"{"operationName":"Op","query":"query A {a} query B {b}"}"#),
      ("http://h/", json, #"{"operationName":"","query":"mutation M($a: Int) { a }"}"#),
      ("http://h/", json, #"{"operationName":null,"query":"subscription S @x { a }"}"#),
      ("http://h/", json, #"[{"query":"query A { a }"},{"query":"query B { b }"}]"#),
      ("http://h/", json, #"{"query":"fragment F on T { a } query Q { ...F }"}"#),
      ("http://h/", json, ##"{"query":"# query No\n query Yes { a }"}"##),
      ("http://h/", json, #"{"query":"select * from x"}"#), ("http://h/", json, #"{"query":7}"#),
      ("http://h/", json, #"{"a":{"query":"query No { a }"}}"#),
      ("http://h/", json, #"{"a":[1,{"b":"}"}],"query":"query Late { a }"}"#), ("http://h/", json, "not json"),
      ("http://h/", nil, nil),
      ("http://h/", "application/graphql", "query Plain { a }"), ("http://h/", "application/graphql", "{ a }"),
      ("http://h/?query=query%20InURL%20%7Ba%7D", nil, nil),
      ("http://h/?query=%7Ba%7D&operationName=Named", nil, nil), ("http://h/?query=search+words", nil, nil),
      ("http://h/?operationName=Alone", nil, nil), ("http://h/?a=b#query=query%20X%7Ba%7D", nil, nil),
      ("http://h/", json, #"{"operationName":"P","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#),
      ("http://h/", json, #"{"query":"query Q(\"\"\"block } \"\"\") { a(x: \"query N\") }"}"#),
    ]
    for (url, type, body) in graphql {
      out.append(
        "\(url) \(body ?? "") → \(GraphQLOperation.name(url: url, contentType: type, body: body.map { Data($0.utf8) }) ?? "none")"
      )
    }
    try compare(out, "bodies")
  }

  @Test func faultsAndNames() throws {
    var out: [String] = []
    for preset in FaultPreset.all {
      let stub = Stub(name: "a", then: preset.action)
      out.append(
        "\(preset.name) | \(preset.title) | \(preset.group.rawValue) | \(stub.json.compact) | \(FaultPreset.of(preset.action)?.name ?? "none")"
      )
    }
    for sight in FaultSight.all { out.append("\(sight.name) \(sight.title) | \(sight.group) | \(sight.json.compact)") }
    for delay: Delay? in [nil, .fixed(.seconds(7))] {
      for name in ["timedOut", "connectionReset", "http503", "slow2s", "nothing", "emptyResponse"] {
        let action = FaultPreset.resolve(.fail(Fault(.named(name), delay: delay)))
        out.append("\(name) → \(Stub(name: "a", then: action).json.compact)")
      }
    }
    let names = ["status", "headers", "hold", "host", "path", "timedOut"]
    for name in [
      "status", "statsu", "stat", "header", "HOST", "hots", "pth", "xyz", "", "timeout", "timedout", "h", "pathpath",
    ] {
      out.append(
        "\(name) → \(NearestName.find(name, among: names) ?? "none") \(NearestName.find(name, among: names, orPrefix: true) ?? "none")\(NearestName.hint(for: name, among: names))"
      )
    }
    for (pattern, length) in [
      ("^a+$", 3), ("[0-9]{2,4}", 3), ("^(ab|cd)?x*$", 5), ("\\d{3}-\\w+", 9), ("^[^a-z]+$", 2), (".", 1), ("^$", 0),
      ("(", 2), ("\\p{Lu}\\s", 2), ("a{0,3}b", 2), ("[[:alpha:]]{5}", 5),
    ] { out.append("\(pattern) \(length) → \(RegexSample.texts(pattern, length: length))") }
    for key in PatternDoubt.keys {
      for glob in [
        "", "*", "/a", "a", "a*", "*a", "/a?b", "http://h/*", "https", "http", "ftp", "h*", "http*", "ht", "httpx",
        "h/a", "h:80", "[::1]", "a:b:c", "HTTP://H",
      ] {
        out.append("\(key) \(glob) → \(PatternDoubt.sentence(glob, in: key) ?? "fine")")
      }
    }
    try compare(out, "faults")
  }

  @Test func shadows() throws {
    func stub(_ when: String, _ more: String = "") throws -> Stub {
      try Stub(json: JSONValue(parsing: #"{"name":"a","when":\#(when),"then":{"pass":{}}\#(more)}"#))
    }
    let whens = [
      "{}", #"{"method":"GET"}"#, #"{"method":["GET","PUT"]}"#, #"{"path":"/a"}"#, #"{"path":"/a*"}"#, #"{"path":"*"}"#,
      #"{"path":["/a","/b"]}"#, #"{"path":{"matches":"^/a"}}"#,
      #"{"path":{"not":"/a"}}"#, #"{"host":"H.example"}"#, #"{"host":"h.example"}"#, #"{"port":80}"#,
      #"{"url":"http://h/*"}"#, #"{"scheme":"http"}"#, #"{"query":{"a":"1"}}"#, #"{"query":{"a":"*"}}"#,
      #"{"query":{"a":null}}"#, #"{"headers":{"X":"1"}}"#, #"{"headers":{"x":"*"}}"#, #"{"body":{"contains":"a"}}"#,
      #"{"body":{"json":{"a":1}}}"#, #"{"body":{"json":{"a":1,"b":2}}}"#, #"{"process":"p"}"#,
      #"{"any":[{"method":"GET"}]}"#, #"{"not":{"method":"GET"}}"#, #"{"method":"GET","path":"/a"}"#,
    ]
    var out: [String] = []
    for wide in whens {
      let covered = try whens.filter { ShadowCheck.covers(try stub(wide).when, try stub($0).when) }
      out.append("\(wide) covers \(covered.joined(separator: " "))")
      out.append("  takes everything: \(ShadowCheck.takesEverything(try stub(wide).when))")
    }
    for more in [
      "", #","skip":1"#, #","times":1"#, #","chance":0.99"#, #","chance":1"#, #","enabled":false"#,
      #","scenario":{"name":"s","in":"x"}"#, #","scenario":{"name":"s","to":"x"}"#,
    ] {
      let found = ShadowCheck.findings([
        try stub("{}", more), try stub("{}"), try stub(#"{"path":"/a"}"#), try stub("{}", #","enabled":false"#),
      ])
      out.append("\(more) \(found.map { "\($0.index) by \($0.by)" })")
    }
    for then in [
      #"{"hold":"request"}"#, #"{"sequence":[{"pass":{}}]}"#, #"{"sequence":[{"pass":{}},{"hold":"request"}]}"#,
    ] {
      let first = try Stub(json: JSONValue(parsing: #"{"name":"a","then":\#(then)}"#))
      out.append("\(then) \(ShadowCheck.findings([first, try stub("{}")]).count)")
    }
    try compare(out, "shadows")
  }
}
