import Foundation
import Synchronization

/// The routes of ``LoopbackServer``: each shows one thing that a client has to cope with.
///
/// `/bytes?n=N` a fixed body, `/chunked?n=N` pieces, `/slow?n=N&ms=M` pieces with pauses, `/sse?n=N&ms=M` events,
/// `/redirect/CODE?to=URL`, `/chain/N` N redirects, `/loop` for ever, `/basic` 401 without the password,
/// `/cookie/set?NAME=VALUE`, `/cookie/hop` sets one and redirects to `/echo`, `/echo` what was asked (but for the User-Agent), `/gzip`, `/deflate`,
/// `/drop` no answer, `/cut` half a body, `/garbage` no HTTP, `/status/CODE`, `/big?mb=N`, `/delay?ms=M`, `/hang`,
/// `/stall?n=N` N bytes and then silence, `/connection` the connection's number, `/ws` a socket that echoes two messages,
/// `/ws/close` one that closes, `/ws/drop` one that breaks off,
/// `/odd/NAME` rare and broken answers, `/hostile/NAME` malicious ones, `/cached` a body that counts and may be kept, `/close` a body without length, `/json`, `/empty`, `/repeat` headers.
final class LoopbackRoutes: Sendable {
  /// How often each target was asked for.
  private let asked = Mutex<[String: Int]>([:])

  func answer(_ answer: ServerAnswer) {
    let request = answer.request
    let query = request.query
    let parts = request.path.split(separator: "/").map(String.init)
    let count = query["n"].flatMap { Int($0) } ?? 3
    let pause = Double(query["ms"].flatMap { Int($0) } ?? 20) / 1_000
    switch parts.first ?? "" {
    case "bytes":
      answer.send(200, [("Content-Type", "application/octet-stream")], body: Self.bytes(count))
    case "chunked": pieces(answer, count, every: 0, type: "text/plain") { "piece \($0);" }
    case "slow": pieces(answer, count, every: pause, type: "text/plain") { "slow \($0);" }
    case "sse": pieces(answer, count, every: pause, type: "text/event-stream") { "data: event \($0)\n\n" }
    case "redirect", "chain", "loop", "cookie": redirect(answer, parts)
    case "basic": basic(answer)
    case "echo": echo(answer)
    case "gzip": encoded(answer, "gzip", Self.gzip)
    case "deflate": encoded(answer, "deflate", Self.deflate)
    case "odd": odd(answer, parts.last ?? "")
    case "hostile": hostile(answer, parts.last ?? "")
    case "drop": answer.drop()
    case "garbage":
      answer.raw(Array("this is not HTTP\r\n\r\n".utf8))
      answer.drop()
    case "cut":
      answer.head(200, [("Content-Type", "text/plain"), ("Content-Length", "100")])
      answer.raw(Array("only this".utf8))
      answer.drop()
    case "status":
      answer.send(Int(parts.last ?? "") ?? 200, text: "status \(parts.last ?? "")")
    case "big": big(answer, megabytes: query["mb"].flatMap { Int($0) } ?? 1)
    case "delay":
      Thread.sleep(forTimeInterval: pause)
      answer.send(text: "after a while")
    case "hang": answer.waitForClient()
    case "stall":
      answer.head(200, [("Content-Type", "text/plain"), ("Content-Length", "1000000")])
      answer.raw(Array(repeating: 0x61, count: count))
      answer.waitForClient()
    case "connection": answer.send(text: "connection \(request.connection)")
    case "ws": webSocket(answer, parts.last ?? "")
    case "cached":
      let number = asked.withLock { asked in
        asked[request.target, default: 0] += 1
        return asked[request.target] ?? 0
      }
      let headers = [("Content-Type", "text/plain"), ("Cache-Control", "max-age=60")]
      answer.send(200, headers, body: Array("answer \(number)".utf8))
    case "close":
      answer.head(200, [("Content-Type", "text/plain"), ("Connection", "close")])
      answer.raw(Array("until the end".utf8))
      answer.drop()
    case "json":
      answer.send(200, [("Content-Type", "application/json; charset=utf-8")], body: Array(Self.json.utf8))
    case "empty": answer.send(200, [("Content-Type", "text/plain")])
    case "repeat":
      answer.send(200, [("X-Many", "one"), ("X-Many", "two"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
    default: answer.send(404, text: "no such route")
    }
  }

  private func pieces(
    _ answer: ServerAnswer, _ count: Int, every pause: Double, type: String, _ piece: (Int) -> String
  ) {
    answer.head(200, [("Content-Type", type), ("Transfer-Encoding", "chunked")])
    for number in 0..<count {
      if number > 0, pause > 0 { Thread.sleep(forTimeInterval: pause) }
      guard answer.chunk(Array(piece(number).utf8)) else { return }
    }
    answer.chunk([])
  }

  private func redirect(_ answer: ServerAnswer, _ parts: [String]) {
    let body = Array("go elsewhere".utf8)
    let type = ("Content-Type", "text/plain")
    switch (parts.first, parts.dropFirst().first) {
    case ("redirect", let code):
      let target = answer.request.query["to"] ?? "/echo"
      answer.send(Int(code ?? "") ?? 302, [type, ("Location", target)], body: body)
    case ("chain", let left):
      let left = Int(left ?? "") ?? 0
      guard left > 0 else { return answer.send(text: "end of the chain") }
      answer.send(302, [type, ("Location", "/chain/\(left - 1)")], body: body)
    case ("cookie", "hop"):
      answer.send(302, [type, ("Location", "/echo"), ("Set-Cookie", "hop=1; Path=/")], body: body)
    case ("cookie", _):
      let cookies = answer.request.query.sorted { $0.key < $1.key }.map { ("Set-Cookie", "\($0)=\($1); Path=/") }
      answer.send(200, [type] + cookies, body: Array("cookies set".utf8))
    default: answer.send(302, [type, ("Location", "/loop")], body: body)
    }
  }

  private func basic(_ answer: ServerAnswer) {
    let expected = "Basic " + Data("user:secret".utf8).base64EncodedString()
    guard answer.request.header("Authorization") == expected else {
      let challenge = [("WWW-Authenticate", "Basic realm=\"patchbay\""), ("Content-Type", "text/plain")]
      return answer.send(401, challenge, body: Array("who are you".utf8))
    }
    answer.send(text: "welcome")
  }

  private func echo(_ answer: ServerAnswer) {
    let request = answer.request
    // Without the name of the program, so that two programs that ask the same get the same.
    let headers = request.headers.map { "\($0.name.lowercased()): \($0.value)" }
      .filter { !$0.hasPrefix("user-agent:") }.sorted()
    let lines = ["\(request.method) \(request.target)"] + headers + ["body \(request.bodyLength) \(request.bodyHash)"]
    answer.send(text: lines.joined(separator: "\n") + "\n")
  }

  private func encoded(_ answer: ServerAnswer, _ name: String, _ base64: String) {
    let headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Encoding", name)]
    answer.send(200, headers, body: Array(Data(base64Encoded: base64) ?? Data()))
  }

  private func big(_ answer: ServerAnswer, megabytes: Int) {
    let piece = Self.bytes(1 << 20)
    answer.head(200, [("Content-Type", "application/octet-stream"), ("Content-Length", "\(megabytes << 20)")])
    for _ in 0..<megabytes {
      guard answer.raw(piece) else { return }
    }
  }

  /// `count` bytes that look random and are the same in every process.
  static func bytes(_ count: Int) -> [UInt8] { random.withLock { $0.first(count) } }

  private static let random = Mutex(RandomBytes())

  /// Made once, as many as were wanted so far.
  private struct RandomBytes {
    private var made: [UInt8] = []
    private var state: UInt32 = 0x9e37_79b9

    mutating func first(_ count: Int) -> [UInt8] {
      while made.count < count {
        state = state &* 1_664_525 &+ 1_013_904_223
        made.append(UInt8(truncatingIfNeeded: state >> 24))
      }
      return made.count == count ? made : Array(made.prefix(count))
    }
  }

  static let json = "{\"name\":\"花子\",\"ids\":[1,2,3]}"
  /// 20 lines of text, compressed.
  static let gzip = """
    H4sIAAAAAAACAytILEnOSEqsVEivyixQSMpPqdRReNw4/3HjgseNLY8b93EVjCoYVUBfBQDctCuQlAIAAA==
    """
  static let deflate = "eJwrSCxJzkhKrFRIr8osUEjKT6nUUXjcOP9x44LHjS2PG/dxFYwqGFVAXwUAqkwzLA=="
}

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

extension LoopbackRoutes {
  /// A WebSocket (RFC 6455) that sends back what it is sent, message by message; with the name `close` it closes after
  /// the first, with `drop` it breaks off there.
  func webSocket(_ answer: ServerAnswer, _ name: String) {
    answer.head(
      101,
      [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept(answer.request)),
      ])
    var input: [UInt8] = []
    func take(_ count: Int) -> [UInt8]? {
      while input.count < count {
        let more = answer.socket.read(atMost: 4_096)
        if more.isEmpty { return nil }
        input += more
      }
      defer { input.removeFirst(count) }
      return Array(input.prefix(count))
    }
    while let start = take(2) {
      var length = Int(start[1] & 0x7f)
      if length == 126 { length = take(2).map { Int($0[0]) << 8 | Int($0[1]) } ?? 0 }
      guard let mask = take(4), let masked = take(length) else { return }
      let message = masked.enumerated().map { $1 ^ mask[$0 % 4] }
      let isClose = start[0] & 0x0f == 8
      if name == "drop" { return answer.drop() }
      if name == "close" || isClose {
        let code: [UInt8] = isClose ? message : [0x03, 0xe9]
        answer.raw([0x88, UInt8(code.count)] + code)
        return answer.drop()
      }
      guard message.count < 126, answer.raw([start[0], UInt8(message.count)] + message) else { return }
    }
  }

  /// Clients under test do not look at it.
  private func accept(_ request: ReceivedRequest) -> String { request.header("Sec-WebSocket-Key") ?? "" }
}
