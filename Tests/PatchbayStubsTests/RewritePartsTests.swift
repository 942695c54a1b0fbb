import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What goes out in the place of a request, part by part.
@Suite(.bounded) struct RewritePartsTests {
  private static let fields = [
    HeaderField("Host", "h"), HeaderField("content-length", "1"), HeaderField("Content-MD5", "2"),
    HeaderField("Digest", "3"), HeaderField("Content-Digest", "4"),
    HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Type", "a/b"), HeaderField("X", "1"),
  ]
  private static let asked = RequestParts(method: "POST", url: "http://h:80/p?q=1", headers: fields)

  private static func sent(
    _ changes: PassChanges, _ asked: RequestParts = asked, body: String? = nil
  ) throws -> (parts: RequestParts, notices: [String]) {
    var notices: [String] = []
    let parts = try changes.apply(to: asked, body: body.map { Data($0.utf8) }, notices: &notices)
    return (parts, notices)
  }

  private static func names(_ changes: PassChanges, body: String? = nil) throws -> String {
    try sent(changes, body: body).parts.headers.map(\.name).joined(separator: " ")
  }

  private static let all = "Host content-length Content-MD5 Digest Content-Digest Content-Encoding Content-Type X"

  @Test func whatIsSaidOfTheBodyGoesWithIt() throws {
    #expect(try Self.names(PassChanges()) == Self.all && Self.names(PassChanges(request: RequestChanges())) == Self.all)
    #expect(try Self.names(PassChanges(request: RequestChanges(body: .text("x")))) == "Host Content-Type X")
    #expect(try Self.sent(PassChanges(request: RequestChanges(body: .text("x")))).parts.headers[1].value == "a/b")
    #expect(
      try Self.sent(PassChanges(request: RequestChanges(body: .json(1)))).parts.headers[1].value == "application/json")
    // Changed in part, it stays encoded as it was.
    let patch = PassChanges(request: RequestChanges(mergePatch: ["a": 1]))
    #expect(
      try Self.names(patch, body: "{}") == "Host Content-Encoding Content-Type X"
        && Self.names(patch, body: #"{"a":1}"#) == Self.all)
    #expect(try Self.names(patch, body: "no JSON") == Self.all && Self.names(patch) == Self.all)
    #expect(try Self.names(PassChanges(request: RequestChanges(method: "GET"))) == "Host Content-Type X")
    #expect(try Self.names(PassChanges(request: RequestChanges(method: "HEAD"))) == "Host Content-Type X")
    #expect(try Self.names(PassChanges(request: RequestChanges(method: "PUT"))) == Self.all)
  }

  @Test func noticesOfWhatCouldNotBeDone() throws {
    func notices(_ changes: RequestChanges, _ method: String = "POST", body: String? = nil) throws -> [String] {
      var asked = Self.asked
      asked.method = method
      return try Self.sent(PassChanges(request: changes), asked, body: body).notices
    }
    let patch = RequestChanges(mergePatch: ["a": 1])
    #expect(try notices(patch) == ["The request has no body that `mergePatch` or `replace` could change."])
    #expect(
      try notices(RequestChanges(replace: [.init(find: "a", with: "b")])) == [
        "The request has no body that `mergePatch` or `replace` could change."
      ])
    #expect(try notices(patch, body: "x") == ["The request's body is not JSON: `mergePatch` did not change it."])
    #expect(
      try notices(RequestChanges(body: .text("x"), mergePatch: ["a": 1])) == [
        "The request's body is not JSON: `mergePatch` did not change it."
      ])
    for method in ["GET", "HEAD"] {
      #expect(
        try notices(RequestChanges(body: .text("x")), method) == [
          "A \(method) carries no body, so the stub's was left out; give the stub a `method`."
        ])
      #expect(try notices(patch, method) == [] && notices(RequestChanges(port: 1), method) == [])
    }
    #expect(
      try notices(patch, body: "{}") == [] && notices(RequestChanges(body: .text("x"))) == []
        && notices(RequestChanges()) == [])
  }

  @Test func methodsAndBodies() throws {
    func parts(_ changes: RequestChanges, _ method: String = "POST", body: String? = nil) throws -> String {
      var asked = Self.asked
      asked.method = method
      let parts = try Self.sent(PassChanges(request: changes), asked, body: body).parts
      switch parts.body {
      case .kept: return "\(parts.method) kept"
      case .dropped: return "\(parts.method) dropped"
      case .bytes(let bytes): return "\(parts.method) \(String(decoding: bytes, as: UTF8.self))"
      }
    }
    #expect(
      try parts(RequestChanges()) == "POST kept" && parts(RequestChanges(method: "put")) == "PUT kept"
        && parts(RequestChanges(method: "Purge")) == "Purge kept")
    #expect(
      try parts(RequestChanges(method: "GET")) == "GET dropped"
        && parts(RequestChanges(method: "head")) == "HEAD dropped")
    #expect(
      try parts(RequestChanges(method: "GET"), "GET") == "GET kept"
        && parts(RequestChanges(body: .text("x")), "GET") == "GET kept")
    #expect(
      try parts(RequestChanges(method: "GET", body: .text("x"))) == "GET dropped"
        && parts(RequestChanges(method: "HEAD"), "GET") == "HEAD dropped")
    #expect(
      try parts(RequestChanges(method: "POST", body: .text("x")), "GET") == "POST x"
        && parts(RequestChanges(body: .data(Data("y".utf8)))) == "POST y")
    #expect(
      try parts(RequestChanges(body: .json(["a": 1]), mergePatch: ["b": 2], replace: [.init(find: "2", with: "3")]))
        == #"POST {"a":1,"b":3}"#)
    #expect(
      try parts(
        RequestChanges(
          body: .text("aXa"),
          replace: [.init(find: "a", with: "b"), .init(find: "bX", with: "c"), .init(find: "", with: "z")]))
        == "POST cb")
    #expect(
      try parts(RequestChanges(mergePatch: ["b": nil]), body: #"{"b":1}"#) == "POST {}"
        && parts(RequestChanges(mergePatch: ["b": nil]), body: "{}") == "POST kept")
    #expect(
      try parts(RequestChanges(replace: [.init(find: "a", with: "b")]), body: "aa") == "POST bb"
        && parts(RequestChanges(replace: [.init(find: "x", with: "b")]), body: "aa") == "POST kept")
    #expect(
      try parts(RequestChanges(body: .text("same")), body: "same") == "POST same",
      "a body that is given is sent, whatever stood there")
  }

  /// The field stays where host and port do.
  @Test(
    arguments: [
      (PassChanges(to: "http://h:80"), "h"), (PassChanges(to: "http://h"), nil), (PassChanges(to: "http://other"), nil),
      (PassChanges(request: RequestChanges(path: "/x")), "h"),
      (PassChanges(request: RequestChanges(host: "H")), "h"), (PassChanges(request: RequestChanges(host: "o")), nil),
      (PassChanges(request: RequestChanges(port: 81)), nil),
      (PassChanges(request: RequestChanges(port: 80)), "h"),
      (PassChanges(request: RequestChanges(scheme: "https")), "h"),
      (PassChanges(to: "http://h:80/x", request: RequestChanges()), "h"),
      (PassChanges(to: "http://h:80/x"), nil), (PassChanges(), "h"),
    ] as [(PassChanges, String?)])
  func theHostIsSaidAnewWhereItIsAnother(_ changes: PassChanges, _ host: String?) throws {
    #expect(try Self.sent(changes).parts.headers.first(named: "Host") == host)
  }

  private static func url(_ changes: RequestChanges, _ url: String = "http://h:80/p?q=1") throws -> String {
    try sent(PassChanges(request: changes), RequestParts(method: "GET", url: url)).parts.url
  }

  @Test func partsOfTheURL() throws {
    #expect(
      try Self.url(RequestChanges(scheme: "HTTPS")) == "https://h:80/p?q=1"
        && Self.url(RequestChanges(port: 1)) == "http://h:1/p?q=1")
    #expect(
      try Self.url(RequestChanges(host: "o")) == "http://o:80/p?q=1"
        && Self.url(RequestChanges(host: "[::1]")) == "http://[::1]:80/p?q=1")
    #expect(try Self.url(RequestChanges(host: "::1")) == "http://[::1]:80/p?q=1")
    for (path, sent) in [
      ("/a", "/a"), ("a", "/a"), ("", "/"), ("/a b", "/a%20b"), ("/ä", "/%C3%A4"), ("/%41", "/%41"), ("/%4", "/%254"),
      ("/%zz", "/%25zz"), ("/%", "/%25"), ("/a?b#c", "/a%3Fb%23c"),
      ("/-._~!$&'()*+,;=:@/x", "/-._~!$&'()*+,;=:@/x"), ("/[\"<>^`{|}]", "/%5B%22%3C%3E%5E%60%7B%7C%7D%5D"),
      ("/\u{1}", "/%01"), ("/azAZ09", "/azAZ09"), ("/%4a%aF", "/%4a%aF"),
    ] {
      #expect(try Self.url(RequestChanges(path: path)) == "http://h:80\(sent)?q=1", "\(path)")
    }
  }

  @Test func itemsOfTheQuery() throws {
    func query(_ text: String, _ changes: RequestChanges.QueryChange...) throws -> String {
      String(try Self.url(RequestChanges(query: changes), "http://h/" + text).dropFirst("http://h/".count))
    }
    #expect(
      try query("?a=1", .init("b", ["2"])) == "?a=1&b=2" && query("", .init("b", ["2"])) == "?b=2"
        && query("?", .init("b", ["2"])) == "?b=2")
    #expect(
      try query("?a=1&b=2&c=3", .init("b", ["x", "y"])) == "?a=1&b=x&b=y&c=3"
        && query("?b=1&a=2&b=3", .init("b", ["x"])) == "?b=x&a=2")
    #expect(
      try query("?a=1&b=2", .init("a", nil)) == "?b=2" && query("?a=1", .init("a", nil)) == ""
        && query("?a=1", .init("a", [])) == "")
    #expect(
      try query("?a=1&&b", .init("c", ["3"])) == "?a=1&&b&c=3" && query("?b", .init("b", ["1"])) == "?b=1"
        && query("?b=", .init("b", nil)) == "")
    #expect(try query("?a=1", .init("a", ["2"]), .init("a", ["3"]), .init("b", ["4"])) == "?a=3&b=4")
    #expect(
      try query("", .init("ä b&=", ["-._~!$'()*,;:@/? +&=#%"]))
        == "?%C3%A4%20b%26%3D=-._~!$'()*,;:@/?%20%2B%26%3D%23%25")
    #expect(try query("?%61=1&a+b=2", .init("a", ["x"]), .init("a b", ["y"])) == "?a=x&a%20b=y")
    #expect(try query("", .init("%41", ["%41"])) == "?%2541=%2541", "an escape means itself in an item")
  }

  @Test func whatCannotBeSentIsSaid() {
    func sentence(_ changes: PassChanges, _ url: String = "http://h/") -> String? {
      do throws(StubError) {
        var notices: [String] = []
        _ = try changes.apply(to: RequestParts(method: "GET", url: url), body: nil, notices: &notices)
        return nil
      } catch { return error.message }
    }
    #expect(
      sentence(PassChanges(request: RequestChanges(host: "a b")))
        == "`a b` is no host; scheme, port and path have keys of their own")
    #expect(
      sentence(PassChanges(request: RequestChanges(host: "")))
        == "`` is no host; scheme, port and path have keys of their own")
    #expect(sentence(PassChanges(), "http://[") == "the URL `http://[` cannot be taken apart")
    let long = "http://[" + String(repeating: "x", count: 100)
    #expect(sentence(PassChanges(), long) == "the URL `\(long.prefix(59))…` cannot be taken apart")
    for (to, reason) in [
      ("x", "is none"), ("http:/x", "is none"), ("ftp://h", "is neither http nor https"), ("http://", "has no host"),
      ("http://h:0", "has no port from 1 to 65535"),
      ("http://h:65536", "has no port from 1 to 65535"),
      ("http://h?x", "has a query or a fragment; the request's query is kept, and `request: { query: … }` changes it"),
      ("http://h#x", "has a query or a fragment; the request's query is kept, and `request: { query: … }` changes it"),
    ] {
      let expected = "`to` must be a URL such as http://127.0.0.1:8080, and `\(to)` \(reason)"
      #expect(sentence(PassChanges(to: to)) == expected && PassChanges(to: to).mistakeOfTarget == expected)
    }
    for to in ["http://h:1", "https://h:65535/", "HTTP://h"] {
      #expect(PassChanges(to: to).mistakeOfTarget == nil && sentence(PassChanges(to: to)) == nil)
    }
    #expect(PassChanges(to: "x {{count}}").mistakeOfTarget == nil && PassChanges().mistakeOfTarget == nil)
    for (host, isOne) in [
      ("h", true), ("", false), ("a/b", false), ("a?b", false), ("a#b", false), ("a@b", false), ("a b", false),
      ("h:80", false), ("::1", true), ("[::1]", true), ("[::1]:80", true),
      ("[a/b]", false), ("1:2:3", true),
    ] {
      #expect((RequestChanges.mistake(inHost: host) == nil) == isOne, "\(host)")
    }
  }

  @Test func longTextsAreSaidInPart() {
    let long = String(repeating: "x", count: 59)
    #expect(
      RequestChanges.mistake(inHost: long + "/y")
        == "`\(long)…` is no host; scheme, port and path have keys of their own")
    #expect(
      RequestChanges.mistake(inHost: long + "/")
        == "`\(long)/` is no host; scheme, port and path have keys of their own")
    let start = "`to` must be a URL such as http://127.0.0.1:8080, and "
    #expect(PassChanges(to: long + "xx").mistakeOfTarget == start + "`\(long)…` is none")
    #expect(PassChanges(to: long + "x").mistakeOfTarget == start + "`\(long)x` is none")
  }

  @Test func templatesStandInAllPartsThatAreTexts() {
    let facts = RequestFacts(method: "GET", url: "http://a.example/?s=https&h=b.example")
    func filled(_ changes: RequestChanges) -> RequestChanges? {
      PassChanges(request: changes).filled(in: TemplateContext(facts, count: 3)).request
    }
    #expect(
      filled(
        RequestChanges(
          scheme: "{{request.query.s}}", host: "{{request.query.h}}", port: 1, path: "/{{count}}",
          query: [.init("q{{count}}", ["{{count}}", "c"]), .init("r", nil)],
          headers: [.init("X", ["{{count}}"]), .init("Y", nil)], body: .text("to {{request.query.h}}")))
        == RequestChanges(
          scheme: "https", host: "b.example", port: 1, path: "/3",
          query: [.init("q{{count}}", ["3", "c"]), .init("r", nil)],
          headers: [.init("X", ["3"]), .init("Y", nil)], body: .text("to b.example")))
    let bytes = RequestChanges(body: .data(Data("{{count}}".utf8)))
    #expect(filled(bytes) == bytes)
  }

  @Test(
    arguments: [
      ("http://t/x", "http://h/p", "http://t/x/p"), ("http://t/x///", "http://h/p", "http://t/x/p"),
      ("http://t", "http://h", "http://t"), ("https://u:p@t:8/", "http://a:b@h:9/p?q#f", "https://u:p@t:8/p?q#f"),
      ("http://t/a%20b", "http://h/c%20d", "http://t/a%20b/c%20d"),
    ] as [(String, String, String)])
  func whereItGoesInstead(_ to: String, _ asked: String, _ sent: String) throws {
    #expect(try Self.sent(PassChanges(to: to), RequestParts(method: "GET", url: asked)).parts.url == sent)
  }

  /// A redirect that stays at the target is not led below it again.
  @Test(
    arguments: [
      ("http://t/x", "http://t/x/p", true), ("http://t/x", "http://t/x", true), ("http://t/x", "http://t/xy", false),
      ("http://t/x", "http://t/", false), ("http://t/x", "http://T:80/x/p", true),
      ("http://t:80/x", "http://t/x/p", true), ("https://t/x", "https://t:443/x/p", true),
      ("http://t/x", "https://t/x/p", false), ("http://t/x", "http://t:81/x/p", false),
      ("http://t/x", "http://o/x/p", false), ("http://t", "http://t/p", true),
    ] as [(String, String, Bool)])
  func redirectsBelowTheTarget(_ to: String, _ asked: String, _ isThere: Bool) throws {
    var notices: [String] = []
    let path = URLComponents(string: asked)?.path ?? ""
    func sent(_ isRedirected: Bool) throws -> String? {
      URLComponents(
        string: try PassChanges(to: to).apply(
          to: RequestParts(method: "GET", url: asked), body: nil, isRedirected: isRedirected, notices: &notices
        ).url)?.path
    }
    let prefix = URLComponents(string: to)?.path ?? ""
    #expect(try sent(true) == (isThere ? path : prefix + path) && sent(false) == prefix + path)
  }
}
