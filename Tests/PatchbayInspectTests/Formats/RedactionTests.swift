import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire
import Testing

@Suite struct RedactionTests {
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
    ("[1, \"password\"]", "[1, \"password\"]"), (#"{"token":null,"jwt":true}"#, #"{"token":null,"jwt":"***"}"#),
  ])
  func json(_ body: String, _ expected: String) {
    #expect(redaction.body(Data(body.utf8), type: "application/json") == Data(expected.utf8))
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
