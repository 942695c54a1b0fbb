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
    // What has no value, or more than one, stays.
    (#"{"token":["s"],"a":"b"}"#, #"{"token":["s"],"a":"b"}"#), (#"{"token":}"#, #"{"token":}"#),
    (#"{"token":"#, #"{"token":"#),
    ("[1, \"password\"]", "[1, \"password\"]"), (#"{"token":null,"jwt":true}"#, #"{"token":null,"jwt":"***"}"#),
  ])
  func json(_ body: String, _ expected: String) {
    #expect(redaction.body(Data(body.utf8), type: "application/json") == Data(expected.utf8))
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
