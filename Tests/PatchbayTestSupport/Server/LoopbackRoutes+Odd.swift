extension LoopbackRoutes {
  /// Answers that are rare, old, or wrong, byte by byte.
  func odd(_ answer: ServerAnswer, _ name: String) {
    let closes = ["http10", "noreason", "wronglength", "badchunk", "nohead"]
    answer.raw(Array((Self.answers[name] ?? "HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n").utf8))
    if closes.contains(name) { answer.drop() }
  }

  private static let answers = [
    "early": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly",
    "http10": "HTTP/1.0 200 OK\r\nX-Old: 1\r\n\r\nten",
    "noreason": "HTTP/1.1 299\r\nContent-Length: 2\r\n\r\nok",
    "weird": "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok",
    "folded": "HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 1\r\n\r\nf",
    "wronglength": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "badchunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    "badgzip": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnotgzip",
    "nohead": "just text",
    "noplace": "HTTP/1.1 302 Found\r\nContent-Length: 1\r\n\r\nl",
    "badplace": "HTTP/1.1 302 Found\r\nLocation: ht!tp://bad url\r\nContent-Length: 1\r\n\r\nl",
    "otherscheme": "HTTP/1.1 302 Found\r\nLocation: foo://x\r\nContent-Length: 1\r\n\r\nl",
    "fragment": "HTTP/1.1 302 Found\r\nLocation: /json#part\r\nContent-Length: 0\r\n\r\n",
    "continued": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 307 Go\r\nLocation: /json\r\nContent-Length: 1\r\n\r\nl",
    "part": "HTTP/1.1 206 Part\r\nContent-Range: bytes 2-4/10\r\nContent-Length: 3\r\n\r\n234",
  ]
}
