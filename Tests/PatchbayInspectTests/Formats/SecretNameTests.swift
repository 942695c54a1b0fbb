import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Whose values are masked, name by name: a secret that stands in an export is in the world.
@Suite(.bounded) struct SecretNameTests {
  private let redaction = Redaction.standard

  static let names = [
    "password", "passwd", "pwd", "pass", "passphrase", "secret", "token", "auth", "authorization", "apikey", "sig",
    "signature", "session", "sessionid", "sid", "jwt", "otp", "assertion", "credential", "credentials", "privatekey",
    "cvv", "cvc", "cardnumber", "X-Amz-Signature", "X-Amz-Credential", "X-Goog-Signature", "code_verifier",
    // By their ends, however they are written.
    "accessToken", "access_token", "refresh-token", "id_token", "csrfToken", "client_secret", "ClientSecret",
    "user[password]", "newPassword", "x-api-key", "API_KEY", "awsAccessKey", "secret_key", "rsaPrivateKey",
    "PHPSESSIONID", "wallet.passphrase",
  ]

  static let plain = [
    "page", "q", "user", "code", "state", "tokens_used", "passenger", "sidebar", "author", "authors", "keys", "key",
    "secretary", "signal", "design", "", "otps", "sessions",
  ]

  @Test(arguments: names) func isMaskedWhereverItStands(_ name: String) {
    let encoded = name.replacingOccurrences(of: "[", with: "%5B").replacingOccurrences(of: "]", with: "%5D")
    #expect(redaction.url("https://a.example/?a=1&\(encoded)=zz&b=2") == "https://a.example/?a=1&\(encoded)=***&b=2")
    #expect(redaction.url("https://a.example/#\(name)=zz") == "https://a.example/#\(name)=***")
    let form = Data("a=1&\(name)=zz&b=2".utf8)
    #expect(
      redaction.body(form, type: "application/x-www-form-urlencoded") == Data("a=1&\(name)=***&b=2".utf8))
    for (value, type) in [("\"zz\"", "application/json"), ("-1.5e3", "application/problem+json"), ("false", nil)] {
      let body = Data("{\"a\": 1, \"\(name)\" : \(value) ,\"b\":2}".utf8)
      #expect(redaction.body(body, type: type) == Data("{\"a\": 1, \"\(name)\" : \"***\" ,\"b\":2}".utf8))
    }
  }

  @Test(arguments: plain) func isLeftAlone(_ name: String) {
    #expect(redaction.url("https://a.example/?\(name)=zz") == "https://a.example/?\(name)=zz")
    let body = Data("{\"\(name)\":\"zz\"}".utf8)
    #expect(redaction.body(body, type: "application/json") == body)
    #expect(redaction.headers([HeaderField("X-\(name)", "zz")]) == [HeaderField("X-\(name)", "zz")])
  }

  @Test(arguments: [
    "Authentication", "X-Auth", "X-Session", "X-JWT-Assertion", "X-Amz-Credential", "X-Goog-IAM-Authorization-Token",
    "X-Functions-Key", "Ocp-Apim-Subscription-Key", "X-CSRF", "X-Access-Key", "Private-Token", "X-Goog-Api-Key",
    // By their ends.
    "X-Auth-Token", "X-API-Key", "X_API_KEY", "X-Amz-Security-Token", "X-CSRF-Token", "X-Client-Secret", "X-Password",
    "X-Session-ID", "X-Secret-Key",
  ])
  func isMaskedAsAHeaderField(_ name: String) {
    #expect(redaction.headers([HeaderField(name, "zz"), HeaderField("A", "b")]).map(\.value) == ["***", "b"])
  }

  @Test func headerFieldsThatHoldURLsAndCookies() {
    let url = "https://ann:pw@a.example/?token=zz&page=2"
    for name in ["Location", "Content-Location", "Referer", "Link"] {
      #expect(
        redaction.headers([HeaderField(name, url)]).map(\.value) == ["https://ann:***@a.example/?token=***&page=2"])
    }
    let values = [
      ("Authorization", "Bearer zz", "Bearer ***"), ("Authorization", "zz", "***"), ("Authorization", "", "***"),
      ("Proxy-Authorization", "Basic zz yy", "Basic ***"), ("Cookie", "a=1; b=2;c=", "a=***; b=***;c="),
      ("Cookie", "plain", "***"), ("Set-Cookie", "a=1", "a=***"),
      ("Set-Cookie", "a=1=2; Path=/; token=x", "a=***; Path=/; token=x"),
    ]
    for (name, value, expected) in values {
      #expect(redaction.headers([HeaderField(name, value)]).map(\.value) == [expected], "\(name): \(value)")
    }
  }

  @Test func whatAnExchangeHoldsIsMaskedEverywhere() {
    var exchange = Exchange.sample(url: "https://a.example/?token=zz")
    exchange.request.headers = [HeaderField("Cookie", "a=zz"), HeaderField("Content-Type", "application/json")]
    exchange.request.body = Data("{\"password\":\"zz\"}".utf8)
    exchange.response?.headers = [HeaderField("Set-Cookie", "a=zz"), HeaderField("Content-Type", "application/json")]
    exchange.response?.body = Data("{\"token\":\"zz\"}".utf8)
    let hop = RedirectHop(
      status: 302, url: "https://b.example/?token=zz", headers: [HeaderField("Location", "https://c.example/#token=zz")]
    )
    exchange.redirects = [hop, hop]
    let masked = redaction.redacted(exchange)
    #expect(masked.request.url == "https://a.example/?token=***")
    #expect(masked.request.headers.first?.value == "a=***")
    #expect(masked.request.body == Data("{\"password\":\"***\"}".utf8))
    #expect(masked.response?.headers.first?.value == "a=***")
    #expect(masked.response?.body == Data("{\"token\":\"***\"}".utf8))
    #expect(masked.redirects.map(\.url) == ["https://b.example/?token=***", "https://b.example/?token=***"])
    #expect(
      masked.redirects.map { $0.headers[0].value } == ["https://c.example/#token=***", "https://c.example/#token=***"])
  }
}
