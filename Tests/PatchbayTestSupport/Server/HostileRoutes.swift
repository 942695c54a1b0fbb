extension LoopbackRoutes {
  /// Answers that no honest server gives, byte by byte; the connection ends with each.
  func hostile(_ answer: ServerAnswer, _ name: String) {
    answer.raw(Self.hostile[name] ?? Self.plain("HTTP/1.1 404 None\r\nContent-Length: 0"))
    answer.drop()
  }

  private static func plain(_ head: String, _ body: String = "") -> [UInt8] { Array("\(head)\r\n\r\n\(body)".utf8) }

  private static func to(_ place: String, _ status: Int = 302) -> [UInt8] {
    plain("HTTP/1.1 \(status) Go\r\nLocation: \(place)\r\nContent-Length: 2", "go")
  }

  private static let ok = "HTTP/1.1 200 OK\r\n"
  private static let long = String(repeating: "a", count: 60_000)

  private static let hostile: [String: [UInt8]] = heads.merging(bodies) { $1 }.merging(places) { $1 }

  private static let heads: [String: [UInt8]] = [
    "nothing": [],
    "newlines": Array("\r\n\r\n\r\n".utf8),
    "zeros": [UInt8](repeating: 0, count: 300),
    "binary": (0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 7) },
    "half-status": Array("HTTP/1.".utf8),
    "status-000": plain("HTTP/1.1 000 Zero\r\nContent-Length: 2", "ok"),
    "status-negative": plain("HTTP/1.1 -1 Minus\r\nContent-Length: 2", "ok"),
    "status-long": plain("HTTP/1.1 20000000000 Long\r\nContent-Length: 2", "ok"),
    "status-text": plain("HTTP/1.1 abc Text\r\nContent-Length: 2", "ok"),
    "status-600": plain("HTTP/1.1 600 Past\r\nContent-Length: 2", "ok"),
    "version-2": plain("HTTP/2 200\r\nContent-Length: 2", "ok"),
    "version-9": plain("HTTP/9.9 200 OK\r\nContent-Length: 2", "ok"),
    "reason-long": plain("HTTP/1.1 200 \(long)\r\nContent-Length: 2", "ok"),
    "reason-bytes": Array("HTTP/1.1 200 ".utf8) + [0xff, 0xfe, 0x80] + plain("\r\nContent-Length: 2", "ok"),
    "field-long": plain("\(ok)X-Long: \(long)\r\nContent-Length: 2", "ok"),
    "field-endless": Array("\(ok)X-Long: \(String(repeating: long, count: 10))".utf8),
    "fields-many": plain(
      ok + (0..<2_000).map { "X-\($0): \($0)\r\n" }.joined() + "Content-Length: 2", "ok"),
    "field-no-colon": plain("\(ok)no colon here\r\nContent-Length: 2", "ok"),
    "field-no-name": plain("\(ok): nameless\r\nContent-Length: 2", "ok"),
    "field-no-value": plain("\(ok)X-Empty:\r\nX-Blank:   \r\nContent-Length: 2", "ok"),
    "field-zero": Array("\(ok)X-Zero: a".utf8) + [0] + plain("b\r\nContent-Length: 2", "ok"),
    "field-bytes": Array("\(ok)X-Bytes: ".utf8) + [0xff, 0xc3, 0x28, 0x80] + plain("\r\nContent-Length: 2", "ok"),
    "field-latin": Array("\(ok)X-Latin: caf".utf8) + [0xe9] + plain("\r\nContent-Length: 2", "ok"),
    "field-escape": plain("\(ok)X-Escape: \u{1b}[31mred\u{7}\r\nContent-Length: 2", "ok"),
    "field-space-name": plain("\(ok)X Space : a\r\nContent-Length: 2", "ok"),
    "line-feeds": Array("HTTP/1.1 200 OK\nContent-Length: 2\n\nok".utf8),
    "folded-first": plain("\(ok) folded at once\r\nContent-Length: 2", "ok"),
    "interim-flood": plain(
      (0..<40).map { "HTTP/1.1 103 Early\r\nLink: <\($0)>\r\n\r\n" }.joined() + ok + "Content-Length: 2", "ok"),
    "interim-only": plain("HTTP/1.1 103 Early\r\nLink: <a>"),
    "switching": plain("HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: Upgrade", "switched"),
    "type-odd": plain("\(ok)Content-Type: ;;;charset=\"\r\nContent-Length: 2", "ok"),
    "disposition": plain(
      "\(ok)Content-Disposition: attachment; filename=\"../../etc/passwd\"\r\nContent-Length: 2", "ok"),
    "cookies-odd": plain(
      "\(ok)Set-Cookie: \r\nSet-Cookie: =;=;=\r\nSet-Cookie: a=1; Expires=never; Max-Age=x; Domain=..\r\n"
        + "Set-Cookie: \(String(repeating: "c", count: 9_000))=1\r\nContent-Length: 2", "ok"),
    "unauthorized-plain": plain("HTTP/1.1 401 No\r\nContent-Length: 2", "no"),
    "unauthorized-digest": plain(
      "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 2", "no"),
    "unauthorized-odd": plain("HTTP/1.1 401 No\r\nWWW-Authenticate: \r\nContent-Length: 2", "no"),
    "proxy": plain("HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 2", "no"),
  ]

  private static let bodies: [String: [UInt8]] = [
    "length-negative": plain("\(ok)Content-Length: -5", "body"),
    "length-text": plain("\(ok)Content-Length: many", "body"),
    "length-huge": plain("\(ok)Content-Length: 99999999999999999999", "body"),
    "length-short": plain("\(ok)Content-Length: 2", "body"),
    "lengths-differ": plain("\(ok)Content-Length: 2\r\nContent-Length: 4", "body"),
    "length-and-chunks": plain("\(ok)Content-Length: 2\r\nTransfer-Encoding: chunked", "4\r\nbody\r\n0\r\n\r\n"),
    "chunk-huge": plain("\(ok)Transfer-Encoding: chunked", "ffffffffffffffffff\r\nbody\r\n"),
    "chunk-negative": plain("\(ok)Transfer-Encoding: chunked", "-4\r\nbody\r\n"),
    "chunk-extension": plain("\(ok)Transfer-Encoding: chunked", "4;a=b\r\nbody\r\n0;z\r\n\r\n"),
    "chunk-short": plain("\(ok)Transfer-Encoding: chunked", "9\r\nbody"),
    "chunk-endless": plain("\(ok)Transfer-Encoding: chunked", "4\r\nbody\r\n"),
    "chunk-no-end": plain("\(ok)Transfer-Encoding: chunked", "4\r\nbodytrailing\r\n0\r\n\r\n"),
    "encoding-unknown": plain("\(ok)Content-Encoding: rot13\r\nContent-Length: 4", "obql"),
    "encoding-empty": plain("\(ok)Content-Encoding: \r\nContent-Length: 4", "body"),
    "encoding-twice": plain("\(ok)Content-Encoding: gzip, gzip\r\nContent-Length: 4", "body"),
    "encoding-br": plain("\(ok)Content-Encoding: br\r\nContent-Length: 4", "body"),
    "transfer-gzip": plain("\(ok)Transfer-Encoding: gzip\r\nContent-Length: 4", "body"),
    "gzip-cut": plain("\(ok)Content-Encoding: gzip\r\nContent-Length: 12")
      + [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c],
    "no-content": plain("HTTP/1.1 204 None\r\nContent-Length: 4", "body"),
    "not-modified": plain("HTTP/1.1 304 Same\r\nContent-Length: 4", "body"),
    "reset": plain("HTTP/1.1 205 Reset\r\nContent-Length: 4", "body"),
    "surplus": plain("\(ok)Content-Length: 2", "ok" + String(repeating: "more", count: 500)),
    "second-answer": plain("\(ok)Content-Length: 2", "okHTTP/1.1 500 Second\r\nContent-Length: 0\r\n\r\n"),
  ]

  private static let places: [String: [UInt8]] = [
    "to-file": to("file:///etc/passwd"), "to-ftp": to("ftp://127.0.0.1:1/x"), "to-data": to("data:,hello"),
    "to-nothing": to(""), "to-query": to("?n=3"), "to-fragment": to("#part"), "to-slashes": to("//127.0.0.1:1/x"),
    "to-space": to("/json?a=b c"), "to-unicode": to("/echo/花?q=子"), "to-percent": to("/echo/%zz?q=%"),
    "to-port": to("http://127.0.0.1:99999/"), "to-no-host": to("http:///json"), "to-javascript": to("javascript:1"),
    "to-long": to("/echo?q=\(long)"), "to-user": to("http://user:secret@127.0.0.1:1/"), "to-dots": to("../json"),
    "to-capitals": to("HTTP://127.0.0.1:1/"), "to-304": to("/json", 304), "to-300": to("/json", 300),
    "to-306": to("/json", 306), "to-399": to("/json", 399), "to-201": to("/json", 201),
    "to-twice": plain("HTTP/1.1 302 Go\r\nLocation: /json\r\nLocation: /empty\r\nContent-Length: 2", "go"),
    "to-self-refused": plain("HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2", "go"),
    "to-cut": plain("HTTP/1.1 302 Go\r\nLocation: /json\r\nContent-Length: 200", "go"),
    "to-endless": plain("HTTP/1.1 302 Go\r\nLocation: /json\r\nTransfer-Encoding: chunked", "zz"),
  ]
}
