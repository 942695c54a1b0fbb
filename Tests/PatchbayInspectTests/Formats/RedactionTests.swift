import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct RedactionTests {
  let redaction = Redaction.standard

  @Test func headerFields() {
    let headers = redaction.headers([
      HeaderField("authorization", "Bearer abc.def"), HeaderField("Cookie", "a=1; session=x=y"),
      HeaderField("Set-Cookie", "sid=31; Path=/; HttpOnly"), HeaderField("Proxy-Authorization", "abc"),
      HeaderField("X-Auth-Token", "t"), HeaderField("X-API-Key", "k"), HeaderField("Accept", "a/b"),
      HeaderField("Location", "https://a.example/cb?code=1&access_token=zz#id_token=q"),
    ])
    #expect(
      headers.map(\.value) == [
        "Bearer ***", "a=***; session=***", "sid=***; Path=/; HttpOnly", "***", "***", "***", "a/b",
        "https://a.example/cb?code=1&access_token=***#id_token=***",
      ])
  }

  @Test(arguments: [
    ("https://a.example/x?token=1&page=2", "https://a.example/x?token=***&page=2"),
    ("https://ann:pw@a.example/x", "https://ann:***@a.example/x"), ("https://ann@a.example", "https://ann@a.example"),
    ("https://a.example/x?apiKey=&Client-Secret=a%20b", "https://a.example/x?apiKey=&Client-Secret=***"),
    ("https://a.example/token", "https://a.example/token"), ("", ""), ("?token", "?token"),
    ("https://a.example/x?a=1;token=2;b=3", "https://a.example/x?a=1;token=***;b=3"),
    ("https://a.example/?a=1?token=2", "https://a.example/?a=1?token=***"),
    ("https://a.example/#/x?token=2", "https://a.example/#/x?token=***"),
  ])
  func urls(_ url: String, _ expected: String) {
    #expect(redaction.url(url) == expected)
  }

  @Test(arguments: [
    (
      #"{"user":"a","password":"p\"q","n":[{"refresh_token": 12.5}], "token": {"secret":"s"}}"#,
      #"{"user":"a","password":"***","n":[{"refresh_token": "***"}], "token": {"secret":"***"}}"#
    ),
    (#"{"password":"cut off"#, #"{"password":"***""#), (#"{"a":"token"}"#, #"{"a":"token"}"#),
    // Cut behind a backslash, in the value and in the name.
    ("{\"password\":\"cut\\", "{\"password\":\"***\""), ("{\"password\\", "{\"password\\"),
    // Any white space may stand around, and ends a number.
    ("\r\n\t {\"token\"\n\t:\r\n \"s\"\t}", "\r\n\t {\"token\"\n\t:\r\n \"***\"\t}"),
    ("{\"token\":1\n,\"a\":2}", "{\"token\":\"***\"\n,\"a\":2}"), ("{\"token\":1\t}", "{\"token\":\"***\"\t}"),
    ("{\"token\":1\r}", "{\"token\":\"***\"\r}"), (#"["token":2]"#, #"["token":"***"]"#),
    // A list has several; what is an object has names of its own.
    (#"{"token":["s", 2 ,null],"a":"b"}"#, #"{"token":["***", "***" ,null],"a":"b"}"#),
    (#"{"token":["s",{"a":"b","pwd":"c"}],"a":"b"}"#, #"{"token":["***",{"a":"b","pwd":"***"}],"a":"b"}"#),
    (#"{"token":[null,"x", null , "y"]}"#, #"{"token":[null,"***", null , "***"]}"#),
    (#"{"tokens":[],"token":[],"a":"b"}"#, #"{"tokens":[],"token":[],"a":"b"}"#),
    (#"{"token":["s"#, #"{"token":["***""#),
    ("\u{FEFF}{\"token\":1}", "\u{FEFF}{\"token\":\"***\"}"), (")]}',\n{\"token\":1}", ")]}',\n{\"token\":\"***\"}"),
    (#"{"pass\u0077ord":"s","a\\b":1}"#, #"{"pass\u0077ord":"***","a\\b":1}"#),
    (#"{"token":{"value":"x"}}"#, #"{"token":{"value":"x"}}"#), (#"{"token":}"#, #"{"token":}"#),
    (#"{"token":"#, #"{"token":"#),
    ("[1, \"password\"]", "[1, \"password\"]"), (#"{"token":null,"jwt":true}"#, #"{"token":null,"jwt":"***"}"#),
  ])
  func json(_ body: String, _ expected: String) {
    #expect(redaction.body(Data(body.utf8), type: "application/json") == Data(expected.utf8))
  }

  /// Foundation makes one field of several.
  @Test(arguments: [
    ("a=1; Path=/, sid=s; Path=/; HttpOnly", "a=***; Path=/, sid=***; Path=/; HttpOnly"),
    (
      "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/,b=2",
      "a=***; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/,b=***"
    ),
    ("a=1,  b=2,c=3", "a=***,  b=***,c=***"), ("a=x,y", "a=***"), ("a", "a=***"),
  ])
  func cookiesThatAreSet(_ field: String, _ expected: String) {
    #expect(redaction.headers([HeaderField("Set-Cookie", field)]).map(\.value) == [expected])
  }

  @Test(arguments: [
    ("prefs=x LEAK; b=2", "prefs=***; b=***"), ("LEAK", "***"), ("a=1;LEAK; b=", "a=***;***; b="), ("", ""), (" ", " "),
  ])
  func cookiesThatAreSent(_ field: String, _ expected: String) {
    #expect(redaction.headers([HeaderField("Cookie", field)]).map(\.value) == [expected])
  }

  @Test(arguments: [
    ("https://h/app;jsessionid=s/x;a=1?b=2", "https://h/app;jsessionid=***/x;a=1?b=2"),
    ("https://sk_live:@h/", "https://***:@h/"), ("https://h/a;b", "https://h/a;b"),
    ("https://u:p@h/app;sid=1", "https://u:***@h/app;sid=***"),
  ])
  func secretsInOtherPlacesOfAURL(_ url: String, _ expected: String) {
    #expect(redaction.url(url) == expected)
  }

  @Test func secretsInTheMessageOfAnError() {
    var exchange = Exchange.sample()
    exchange.error = RecordedError(
      domain: "d", code: 1, message: "No stub matches GET http://h/x?token=s, (see http://h/?a=1&pwd=2). A  b")
    #expect(
      redaction.redacted(exchange).error?.message
        == "No stub matches GET http://h/x?token=***, (see http://h/?a=1&pwd=***). A  b")
  }

  @Test(
    arguments: [
      ("text/event-stream", "data: {\"access_token\":\"s\"}\n\n", "data: {\"access_token\":\"***\"}\n\n"),
      ("text/javascript", "{\"token\":\"s\"}", "{\"token\":\"***\"}"),
      ("application/octet-stream", "{\"token\":\"s\"}", "{\"token\":\"***\"}"),
      ("application/x-protobuf", "\n\u{1C}{\"password\":\"longer\"}\u{10}", "\n\u{1C}{\"password\":\"longer\"}\u{10}"),
      (nil, "grant_type=password&password=s", "grant_type=password&password=***"),
      ("text/plain", "password=s", "password=***"), ("text/plain", "see password=s", "see password=s"),
      (nil, "http://h/?password=s", "http://h/?password=s"),
    ] as [(String?, String, String)])
  func bodiesOfOtherTypes(_ type: String?, _ body: String, _ expected: String) {
    #expect(redaction.body(Data(body.utf8), type: type) == Data(expected.utf8))
  }

  /// As many as there is room for in a body: the stack holds.
  @Test func partsInParts() throws {
    let deep = Data((0..<20_000).map { "--\(String($0, radix: 16))\r\nA: b\r\n\r\n" }.joined().utf8)
    let masked = try #require(redaction.body(deep, type: "multipart/form-data; boundary=0"))
    #expect(masked.count < deep.count / 2)
    #expect(masked.starts(with: Data("--0\r\nA: b".utf8)))
    var shown = Data("x".utf8)
    for level in 0..<2_000 {
      let type = "Content-Type: multipart/mixed; boundary=b\(level)\r\n\r\n"
      shown =
        Data("--b\(level)\r\n".utf8) + (level > 0 ? Data(type.utf8) : Data("\r\n".utf8)) + shown
        + Data("\r\n--b\(level)--\r\n".utf8)
    }
    #expect(BodyDocument(shown, contentType: "multipart/mixed; boundary=b1999").layout.lineCount > 0)
  }

  @Test(arguments: ["multipart/form-data; boundary=\"x y\"", "multipart/form-data", nil])
  func parts(_ type: String?) {
    func body(_ secret: String, _ code: String) -> Data {
      Data(
        ("--x y\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nann\r\n"
          + "--x y\r\ncontent-disposition: form-data; name=\"user[password]\"\r\n\r\n\(secret)\r\n"
          + "--x y\r\nContent-Disposition: form-data; name=meta\r\nContent-Type: application/json\r\n\r\n"
          + "{\"token\":\(code)}\r\n"
          + "--x y\r\nContent-Disposition: form-data; name=\"token\"; filename=\"t\"\r\n\r\n\(secret)\r\n--x y--\r\n")
          .utf8)
    }
    let clear = body("p\u{0}q\r\n\r\nrs", "\"zz\"")
    let masked = body("***", "\"***\"")
    #expect(redaction.body(clear, type: type) == masked)
    // A body that was cut in its last secret.
    #expect(redaction.body(clear.dropLast(12), type: type) == masked.dropLast(11))
    #expect(redaction.body(masked.prefix(40), type: type) == masked.prefix(40))
  }

  @Test func aPartWithoutContentStaysWithout() {
    let body = Data("--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\r\n--b--\r\n".utf8)
    #expect(redaction.body(body, type: "multipart/form-data; boundary=b") == body)
  }

  @Test func encodedNamesOfForms() {
    let body = Data("user%5Bpassword%5D=a&q=1".utf8)
    #expect(
      redaction.body(body, type: "application/x-www-form-urlencoded") == Data("user%5Bpassword%5D=***&q=1".utf8))
  }

  @Test func wholeExchange() throws {
    let secret = "s3cr3t"
    var exchange = Exchange.sample(
      url: "https://u:\(secret)@a.example/?api_key=\(secret)",
      requestHeaders: [
        HeaderField("Cookie", "a=\(secret)"), HeaderField("Content-Type", "application/x-www-form-urlencoded"),
      ],
      requestBody: "user=x&password=\(secret)", body: "{\"accessToken\":\"\(secret)\"}")
    exchange.redirects = [
      RedirectHop(status: 302, url: exchange.request.url, headers: [HeaderField("Set-Cookie", "b=\(secret)")])
    ]
    let line = JSONLines.line(redaction.redacted(exchange))
    #expect(!line.contains(secret))
    #expect(line.contains("user=x&password=***"))
    let plain = Exchange.sample()
    #expect(redaction.redacted(plain) == plain)
    let read = try JSONLines.exchange(Data(JSONLines.line(exchange).utf8))
    #expect(JSONLines.line(read) == JSONLines.line(exchange))
  }
}
