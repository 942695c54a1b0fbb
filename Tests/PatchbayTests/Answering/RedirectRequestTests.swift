import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a redirect leads, which cookies go along, and errors as Foundation has them.
@Suite(.bounded) struct RedirectRequestTests {
  private let url = URL(string: "http://a.example/dir/x?q=1")!

  private func next(_ status: Int, _ method: String = "GET", location: String? = "/y", body: String? = nil)
    -> URLRequest?
  {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.setValue("1", forHTTPHeaderField: "X-A")
    let fields = location.map { [HeaderField("location", $0)] } ?? []
    let response = ResolvedResponse(url: url, method: method, status: status, headers: fields, body: Data())
    return RedirectRequest.next(after: response, from: request)
  }

  /// The rules of Foundation on Linux.
  @Test(
    arguments: [
      (200, "GET", nil), (299, "GET", nil), (300, "GET", nil), (301, "GET", "GET"), (302, "GET", "GET"),
      (303, "GET", "GET"),
      (304, "GET", nil), (305, "GET", "GET"), (306, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
      (309, "GET", nil),
      (399, "GET", nil), (400, "GET", nil), (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"),
      (305, "POST", "POST"), (307, "POST", "POST"), (308, "POST", "POST"), (301, "PUT", "PUT"),
      (302, "DELETE", "DELETE"),
      (303, "PUT", "GET"), (303, "HEAD", "GET"), (301, "HEAD", "HEAD"),
    ] as [(Int, String, String?)])
  func theMethodFollowsTheStatus(_ status: Int, _ method: String, _ expected: String?) {
    let next = next(status, method, body: "body")
    #expect(next?.httpMethod == expected, "\(status) after \(method)")
    guard let next else { return }
    #expect(next.url?.absoluteString == "http://a.example/y" && next.value(forHTTPHeaderField: "X-A") == "1")
    let becameGet = expected == "GET" && (method != "GET" || status == 303)
    #expect(next.httpBody == (becameGet ? nil : Data("body".utf8)), "\(status) after \(method)")
  }

  @Test(arguments: [
    ("/y", "http://a.example/y"), ("z", "http://a.example/dir/z"), ("?a=2", "http://a.example/dir/x?a=2"),
    ("https://b.example:8443/w#f", "https://b.example:8443/w#f"), ("//c.example/v", "http://c.example/v"),
    ("../u", "http://a.example/u"),
  ])
  func theLocationIsRelativeToTheRequest(_ location: String, _ expected: String) {
    #expect(next(302, location: location)?.url?.absoluteString == expected)
  }

  @Test func withoutALocationThereIsNone() {
    #expect(next(302, location: nil) == nil && RedirectRequest.limit == 20)
  }

  // MARK: Cookies

  private func configuration(_ cookies: [(name: String, value: String, domain: String, path: String)]) throws
    -> URLSessionConfiguration
  {
    let configuration = URLSessionConfiguration.ephemeral
    for cookie in cookies {
      let made = HTTPCookie(properties: [
        .name: cookie.name, .value: cookie.value, .domain: cookie.domain, .path: cookie.path,
      ])
      configuration.httpCookieStorage?.setCookie(try #require(made))
    }
    return configuration
  }

  @Test func whatTheStorageHasForTheURLGoesAlong() throws {
    let configuration = try configuration([
      ("a", "1", "a.example", "/"), ("b", "2", "b.example", "/"), ("c", "3", "a.example", "/dir"),
    ])
    func cookie(_ text: String, _ change: (URLSessionConfiguration) -> Void = { _ in }) -> String? {
      var request = URLRequest(url: URL(string: text)!)
      request.setValue("own=0", forHTTPHeaderField: "Cookie")
      let configuration = configuration.copy() as! URLSessionConfiguration
      change(configuration)
      return Cookies.added(to: request, by: configuration).value(forHTTPHeaderField: "Cookie")
    }
    #expect(cookie("http://b.example/") == "b=2")
    #expect(Set((cookie("http://a.example/dir/x") ?? "").components(separatedBy: "; ")) == ["a=1", "c=3"])
    #expect(cookie("http://c.example/") == "own=0", "where it has none the program's stays")
    #expect(cookie("http://b.example/") { $0.httpShouldSetCookies = false } == "own=0")
    #expect(cookie("http://b.example/") { $0.httpCookieStorage = nil } == "own=0")
  }

  /// The field of a request that goes to another URL.
  @Test func aCookieGoesAlongUnlessItWasTheStorages() throws {
    let configuration = try configuration([("a", "1", "a.example", "/"), ("b", "2", "b.example", "/")])
    let (a, b, c) = (
      URL(string: "http://a.example/")!, URL(string: "http://b.example/")!, URL(string: "http://c.example/")!
    )
    let rows: [(String?, URL, URL, String?)] = [
      ("a=1", a, b, "b=2"), ("own=0", a, b, "b=2"), (nil, a, b, "b=2"), ("a=1", a, c, nil), ("own=0", a, c, "own=0"),
      (nil, a, c, nil), ("a=1", c, c, "a=1"), (nil, c, c, nil),
    ]
    for (field, from, to, expected) in rows {
      #expect(Cookies.moved(field, from: from, to: to, by: configuration) == expected, "\(field ?? "-") to \(to)")
    }
    configuration.httpShouldSetCookies = false
    #expect(Cookies.moved("a=1", from: a, to: b, by: configuration) == "a=1")
    configuration.httpShouldSetCookies = true
    configuration.httpCookieStorage = nil
    #expect(Cookies.moved("a=1", from: a, to: b, by: configuration) == "a=1")
  }

  @Test(arguments: [HTTPCookie.AcceptPolicy.always, .onlyFromMainDocumentDomain, .never])
  func whatAnAnswerSetsIsKept(_ policy: HTTPCookie.AcceptPolicy) throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieAcceptPolicy = policy
    let fields = [HeaderField("Set-Cookie", "a=1; Path=/"), HeaderField("X", "y"), HeaderField("set-cookie", "b=2")]
    Cookies.store(fields, for: url, by: configuration)
    let kept = configuration.httpCookieStorage?.cookies(for: url) ?? []
    #expect(Set(kept.map { "\($0.name)=\($0.value)" }) == (policy == .never ? [] : ["a=1", "b=2"]))
    Cookies.store(fields, for: url, by: nil)
  }

  // MARK: Errors

  @Test func anErrorNamesItsURL() throws {
    let error = FaultError.urlError(.timedOut, url: url)
    #expect(error.code == .timedOut && error.failingURL == url && (error as any Error) is URLError)
    #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
    #expect(error.localizedDescription == "The request failed: timedOut.")
    #expect(FaultError.urlError(.timedOut, url: nil).failingURL == nil)
    #expect(FaultError.urlError(.timedOut, url: nil).userInfo["NSErrorFailingURLStringKey"] == nil)
    #expect(FaultError.urlError(.timedOut, url: url, message: "too late").localizedDescription == "too late")
    let unnamed = FaultError.error(.custom(domain: NSURLErrorDomain, code: -4_711, message: nil), url: url)
    #expect(unnamed.localizedDescription == "The request failed: error -4711.")
    let other = try #require(URL(string: "http://b.example/z"))
    let renamed = FaultError.renamed(error, url: other)
    #expect(renamed.code == .timedOut && renamed.failingURL == other)
    #expect(renamed.userInfo["NSErrorFailingURLStringKey"] as? String == "http://b.example/z")
    #expect(renamed.localizedDescription == error.localizedDescription)
  }

  @Test func aStubsFailureIsAnErrorOfItsDomain() {
    let named = FaultError.error(.named("cannotFindHost"), url: url)
    #expect((named as? URLError)?.code == .cannotFindHost && (named as? URLError)?.failingURL == url)
    let own = FaultError.error(.custom(domain: "My", code: 7, message: "no"), url: url) as NSError
    #expect(own.domain == "My" && own.code == 7 && own.localizedDescription == "no")
    #expect(own.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
    let bare = FaultError.error(.custom(domain: "My", code: 7, message: nil), url: nil) as NSError
    #expect(bare.userInfo.isEmpty)
    let url = FaultError.error(.custom(domain: NSURLErrorDomain, code: -1_001, message: "m"), url: url)
    #expect((url as? URLError)?.code == .timedOut && url.localizedDescription == "m")
  }

  @Test func anErrorIsRecordedAsTheProgramSeesIt() {
    let named = RecordedError(FaultError.urlError(.timedOut, url: url, message: "late"))
    #expect(named == RecordedError(domain: NSURLErrorDomain, code: -1_001, name: "timedOut", message: "late"))
    let other = RecordedError(NSError(domain: "My", code: -1_001))
    #expect(other == RecordedError(domain: "My", code: -1_001))
  }

  /// A 401 that says how to sign in is one that Foundation would begin to talk with.
  @Test(
    arguments: [
      (401, "Basic realm=x", true, true), (401, "bAsIc", true, true), (401, "Digest realm=x", true, false),
      (401, nil, false, false), (403, "Basic", false, false), (407, "Basic", false, false),
      (400, "Basic", false, false),
    ] as [(Int, String?, Bool, Bool)])
  func challengesAreKnown(_ status: Int, _ scheme: String?, _ isNeeded: Bool, _ leadsToOne: Bool) throws {
    let fields = scheme.map { ["www-authenticate": $0] } ?? [:]
    let response = try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    #expect(ChallengeSuppression.isNeeded(for: response) == isNeeded)
    #expect(ChallengeSuppression.leadsToOne(response) == leadsToOne)
    #expect(!ChallengeSuppression.leadsToOne(nil))
  }

  // MARK: The program's cache

  private func isUsed(
    _ status: Int = 200, _ fields: [String: String] = [:], method: String = "GET", asked: [String: String] = [:],
    data: String = "x",
    after seconds: Double = 0
  ) throws -> Bool {
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    let kept = CachedURLResponse(response: head, data: Data(data.utf8))
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in asked { request.setValue(value, forHTTPHeaderField: name) }
    return KeptAnswer(kept, for: request, now: Date().addingTimeInterval(seconds)) != nil
  }

  @Test func whatTheCacheKeepsIsUsedByFoundationsRules() throws {
    for status in 100..<600 {
      let isKept = [200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501].contains(status)
      #expect(try isUsed(status) == isKept, "\(status)")
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] { #expect(try !isUsed(method: method)) }
    #expect(try isUsed(method: "HEAD", data: "") && !isUsed(method: "HEAD", data: "x"))
    for name in ["Authorization", "Proxy-Authorization"] { #expect(try !isUsed(asked: [name: "x"])) }
    #expect(try isUsed(asked: ["Accept": "x"]) && isUsed(200, ["X-Vary": "x"]))
    for name in ["WWW-Authenticate", "Proxy-Authenticate", "Vary"] { #expect(try !isUsed(200, [name: "x"])) }
    #expect(KeptAnswer(nil, for: URLRequest(url: url)) == nil)
    let plain = CachedURLResponse(
      response: URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil), data: Data())
    #expect(KeptAnswer(plain, for: URLRequest(url: url)) == nil)
    #expect(
      try KeptAnswer(
        CachedURLResponse(
          response: #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)),
          data: Data()), for: nil) == nil)
  }

  @Test func andWhileItIsFresh() throws {
    #expect(try isUsed(200, [:], after: 1e9), "without a word about it for ever")
    for rule in ["no-cache", "No-Store", "max-age=60, no-store", "private,no-cache"] {
      #expect(try !isUsed(200, ["Cache-Control": rule]))
    }
    for rule in ["max-age=60", "private, max-age=60", "max-age=\"60\"", "max-age=60 , x", "s-maxage=1, max-age=60"] {
      #expect(
        try isUsed(200, ["Cache-Control": rule], after: 45) && !isUsed(200, ["Cache-Control": rule], after: 75),
        "\(rule)")
    }
    #expect(try isUsed(200, ["Cache-Control": "max-age=x"], after: 75))
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    func text(_ seconds: Double) -> String { format.string(from: Date().addingTimeInterval(seconds)) }
    // The age counts from when it was made, and not from a time to come.
    let early = ["Cache-Control": "max-age=60", "Date": text(-40)]
    #expect(try isUsed(200, early, after: 8) && !isUsed(200, early, after: 35))
    let late = ["Cache-Control": "max-age=60", "Date": text(400)]
    #expect(try isUsed(200, late, after: 45) && !isUsed(200, late, after: 75))
    let expires = ["Expires": text(60)]
    #expect(try isUsed(200, expires, after: 45) && !isUsed(200, expires, after: 75))
    #expect(try !isUsed(200, ["Expires": "soon"]))
    #expect(try isUsed(200, ["Expires": "soon", "Cache-Control": "s-maxage=5"], after: 75))
    #expect(try isUsed(200, ["Expires": text(-60), "Cache-Control": "max-age=60"]))
  }

  @Test func andNoMomentLonger() throws {
    let made = Date(timeIntervalSince1970: 784_111_777)
    for fields in [
      ["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
      ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"],
    ] {
      let head = try #require(
        HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
      let kept = CachedURLResponse(response: head, data: Data())
      for (seconds, isFresh) in [(0, true), (59.5, true), (60, false), (60.5, false)] as [(Double, Bool)] {
        let answer = KeptAnswer(kept, for: URLRequest(url: url), now: made.addingTimeInterval(seconds))
        #expect((answer != nil) == isFresh, "\(fields) after \(seconds)")
      }
    }
  }
}
