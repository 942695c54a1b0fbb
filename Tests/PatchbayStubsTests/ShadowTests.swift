import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Which patterns take everything that another would.
@Suite(.bounded) struct ShadowTests {
  private static func pattern(_ json: String) throws -> RequestPattern {
    try Stub(json: JSONValue(parsing: #"{"name":"a","when":\#(json),"then":{"pass":{}}}"#)).when
  }

  @Test(
    arguments: [
      (#"{"method":"GET"}"#, #"{"method":"get"}"#, true), (#"{"method":["GET","PUT"]}"#, #"{"method":"PUT"}"#, true),
      (#"{"method":"PUT"}"#, #"{"method":["GET","PUT"]}"#, false), (#"{"method":"GET"}"#, "{}", false),
      ("{}", #"{"method":"GET"}"#, true),
      (#"{"port":80}"#, #"{"port":80}"#, true), (#"{"port":80}"#, #"{"port":81}"#, false),
      (#"{"port":80}"#, "{}", false),
      ("{}", #"{"port":80}"#, true),
      (#"{"scheme":"HTTP*"}"#, #"{"scheme":"https"}"#, true), (#"{"scheme":"http"}"#, #"{"scheme":"https"}"#, false),
      (#"{"host":"*.Example"}"#, #"{"host":"a.EXAMPLE"}"#, true),
      (#"{"host":"*.example"}"#, #"{"host":"*.b.example"}"#, true),
      (#"{"host":"*.b.example"}"#, #"{"host":"*.example"}"#, false),
      (#"{"host":"bücher.example"}"#, #"{"host":"bücher.example"}"#, true),
      (#"{"host":"b*"}"#, #"{"host":"bücher.example"}"#, false), (#"{"process":"d*"}"#, #"{"process":"demo"}"#, true),
      (#"{"process":"demo"}"#, #"{"process":"demo"}"#, true),
      (#"{"url":"http://h/*"}"#, #"{"url":"http://H:80/a"}"#, true),
      (#"{"url":"http://h/*"}"#, #"{"url":"http://h/a*"}"#, true), (#"{"url":"*"}"#, "{}", true),
      (#"{"url":"http://h/A*"}"#, #"{"url":"http://h/a"}"#, false), (#"{"path":"/*"}"#, "{}", true),
      (#"{"path":"*"}"#, "{}", true), (#"{"url":"/*"}"#, "{}", false),
      (#"{"path":"/a*"}"#, #"{"path":"/a"}"#, true), (#"{"path":"/a*c"}"#, #"{"path":"/abc"}"#, true),
      (#"{"path":"/a*c"}"#, #"{"path":"/ab*"}"#, false),
      (#"{"path":"/A"}"#, #"{"path":"/a"}"#, false), (#"{"path":"/%61"}"#, #"{"path":"/a"}"#, true),
      (#"{"path":{"matches":"a"}}"#, #"{"path":{"matches":"a"}}"#, true),
      (#"{"path":{"matches":"a"}}"#, #"{"path":"/a"}"#, false),
      (#"{"path":"/a"}"#, #"{"path":{"matches":"^/a$"}}"#, false),
      (#"{"path":["/a","/b"]}"#, #"{"path":["/b","/a"]}"#, true),
      (#"{"path":["/a","/b"]}"#, #"{"path":["/a","/c"]}"#, false), (#"{"path":["/a","*"]}"#, "{}", false),
      (#"{"path":"/a"}"#, #"{"path":{"matches":"x","not":"/b"}}"#, false),
      (#"{"path":{"matches":"x","not":"/b"}}"#, #"{"path":{"matches":"x","not":"/b"}}"#, true),
      (#"{"path":{"matches":"x"}}"#, #"{"path":{"matches":"x","not":"/b"}}"#, true),
      (#"{"path":{"not":"/b"}}"#, #"{"path":{"matches":"x","not":"/b"}}"#, true),
      (#"{"path":{"matches":"x","not":"/b"}}"#, #"{"path":{"matches":"x"}}"#, false),
      (#"{"path":{"not":"/b"}}"#, #"{"path":{"not":["/b","/c"]}}"#, true),
      (#"{"path":{"not":["/b","/c"]}}"#, #"{"path":{"not":"/b"}}"#, false), (#"{"path":{"not":"/b"}}"#, "{}", false),
      (#"{"query":{"a":"1"}}"#, #"{"query":{"a":"1","b":"2"}}"#, true),
      (#"{"query":{"a":"1","b":"2"}}"#, #"{"query":{"a":"1"}}"#, false),
      (#"{"query":{"a":"*"}}"#, #"{"query":{"a":"1"}}"#, true),
      (#"{"query":{"A":"1"}}"#, #"{"query":{"a":"1"}}"#, false),
      (#"{"query":{"a":null}}"#, #"{"query":{"a":null}}"#, true),
      (#"{"query":{"a":null}}"#, #"{"query":{"a":"1"}}"#, false),
      (#"{"query":{"a":"1"}}"#, #"{"query":{"a":null}}"#, false),
      (#"{"query":{"a":"*"}}"#, #"{"query":{"a":{"not":"1"}}}"#, false),
      (#"{"query":{"a":{"not":"1"}}}"#, #"{"query":{"a":{"not":"1"}}}"#, true),
      (#"{"headers":{"A":"1"}}"#, #"{"headers":{"a":"1"}}"#, true),
      (#"{"headers":{"A":"x*"}}"#, #"{"headers":{"a":"xy"}}"#, true),
      (#"{"headers":{"A":"X*"}}"#, #"{"headers":{"a":"xy"}}"#, false),
      (#"{"any":[{"port":80},{"port":81}]}"#, #"{"any":[{"port":80},{"port":81}]}"#, true),
      (#"{"any":[{"port":80},{"port":81}]}"#, #"{"port":81,"path":"/a"}"#, true),
      (#"{"any":[{"port":80},{"port":81}]}"#, #"{"port":82}"#, false), ("{}", #"{"any":[{"port":80}]}"#, true),
      (#"{"not":{"port":80}}"#, #"{"not":{"port":80}}"#, true),
      (#"{"not":{"port":80}}"#, #"{"not":[{"port":80},{"port":81}]}"#, true),
      (#"{"not":[{"port":80},{"port":81}]}"#, #"{"not":{"port":80}}"#, false), ("{}", #"{"not":{"port":80}}"#, true),
      (#"{"body":{}}"#, "{}", true), (#"{"body":{"contains":"a"}}"#, "{}", false),
      ("{}", #"{"body":{"contains":"a"}}"#, true),
      (#"{"body":{"contains":"a"}}"#, #"{"body":{"contains":"a","equals":"ab"}}"#, true),
      (#"{"body":{"contains":"a"}}"#, #"{"body":{"contains":"ab"}}"#, false),
      (#"{"body":{"equals":"a"}}"#, #"{"body":{"equals":"a"}}"#, true),
      (#"{"body":{"equals":"a"}}"#, #"{"body":{"equals":"b"}}"#, false),
      (#"{"body":{"matches":"a"}}"#, #"{"body":{"matches":"a"}}"#, true),
      (#"{"body":{"matches":"a"}}"#, #"{"body":{"matches":"b"}}"#, false),
      (#"{"body":{"matches":"a"}}"#, #"{"body":{"contains":"a"}}"#, false),
      (#"{"body":{"json":{"a":1}}}"#, #"{"body":{"json":{"b":2,"a":1.0}}}"#, true),
      (#"{"body":{"json":{"a":1,"b":2}}}"#, #"{"body":{"json":{"a":1}}}"#, false),
      (#"{"body":{"json":{"a":1}}}"#, #"{"body":{"contains":"a"}}"#, false),
      (#"{"body":{"pointer":{"/a":1}}}"#, #"{"body":{"pointer":{"/b":2,"/a":1}}}"#, true),
      (#"{"body":{"pointer":{"/a":1}}}"#, #"{"body":{"pointer":{"/a":2}}}"#, false),
      (#"{"body":{"graphql":{"operation":"A"}}}"#, #"{"body":{"graphql":{"operation":"A"}}}"#, true),
      (#"{"body":{"graphql":{"operation":"A"}}}"#, #"{"body":{"graphql":{"operation":"B"}}}"#, false),
      (#"{"body":{"form":{"a":"*"}}}"#, #"{"body":{"form":{"a":"1"}}}"#, true),
      (#"{"body":{"form":{"a":"1"}}}"#, #"{"body":{"form":{"A":"1"}}}"#, false),
      (#"{"body":{"multipart":{"a":"*"}}}"#, #"{"body":{"multipart":{"a":"1"}}}"#, true),
      (#"{"body":{"multipart":{"a":"1"}}}"#, #"{"body":{"form":{"a":"1"}}}"#, false),
      (#"{"body":{"contains":"a","equals":"b"}}"#, #"{"body":{"contains":"a"}}"#, false),
      (#"{"host":"h","path":"/a*"}"#, #"{"host":"h","path":"/ab"}"#, true),
      (#"{"host":"h","path":"/a*"}"#, #"{"path":"/ab"}"#, false),
    ] as [(String, String, Bool)])
  func covers(_ wide: String, _ narrow: String, _ expected: Bool) throws {
    #expect(ShadowCheck.covers(try Self.pattern(wide), try Self.pattern(narrow)) == expected)
  }

  @Test func onlyWhatTakesEverythingShadows() {
    func stub(_ then: Action = .pass(PassChanges()), _ change: (inout Stub) -> Void = { _ in }) -> Stub {
      var stub = Stub(name: "a", then: then)
      change(&stub)
      return stub
    }
    func shadows(_ first: Stub) -> Bool { ShadowCheck.findings([first, stub()]) == [.init(index: 1, by: 0)] }
    let takers = [
      stub(), stub(.code), stub(.respond(CannedResponse())), stub(.fail(Fault(.named("x")))), stub { $0.skip = -1 },
      stub { $0.chance = 1 }, stub { $0.chance = 2 },
      stub { $0.scenario = .init("s", to: "x") }, stub(.sequence([.code, .pass(PassChanges())], afterwards: .last)),
    ]
    for taker in takers { #expect(shadows(taker), "\(taker)") }
    let others = [
      stub { $0.enabled = false }, stub { $0.skip = 1 }, stub { $0.times = 5 }, stub { $0.chance = 0.99 },
      stub { $0.scenario = .init("s", in: "x") }, stub(.hold(.response)),
      stub(.sequence([], afterwards: .last)), stub(.sequence([.code, .hold(.both)], afterwards: .last)),
    ]
    for other in others { #expect(!shadows(other), "\(other)") }
    let off = stub { $0.enabled = false }
    #expect(
      ShadowCheck.findings([stub(), off, stub()]) == [.init(index: 2, by: 0)] && ShadowCheck.findings([stub()]).isEmpty
        && ShadowCheck.findings([]).isEmpty)
    #expect(ShadowCheck.findings([stub(), stub(), stub()]) == [.init(index: 1, by: 0), .init(index: 2, by: 0)])
    #expect(
      ShadowCheck.takesEverything(RequestPattern(path: "/*")) && !ShadowCheck.takesEverything(RequestPattern(port: 1)))
  }

  @Test(
    arguments: [
      ("url", "http://h", nil), ("url", "h", nil), ("url", "*x", nil), ("url", "HTTPS://h", nil), ("url", "", nil),
      ("url", "http", nil), ("url", "https*", nil),
      (
        "url", "/v1",
        "no URL is `/v1`: a URL begins with its scheme, or write `*` for what stands before; a path alone is `path`"
      ),
      (
        "url", "ftp://h",
        "no URL is `ftp://h`: a URL begins with its scheme, or write `*` for what stands before; a path alone is `path`"
      ),
      ("path", "/a", nil), ("path", "*a", nil), ("path", "", nil),
      ("path", "a", "no path is `a`: a path begins with `/`, or with `*` for what may stand before"),
      ("path", "/a?b", "no path is `/a?b`: what follows the `?` is said with `query`"),
      ("path", "*?b", "no path is `*?b`: what follows the `?` is said with `query`"),
      ("host", "h", nil), ("host", "::1", nil), ("host", "[::1]", nil), ("host", "[a:b", nil),
      ("host", "h/a", "no host is `h/a`: scheme and path have keys of their own"),
      ("host", "h:80", "no host is `h:80`: the port has a key of its own, `port`"), ("scheme", "http", nil),
      ("scheme", "HTTP*", nil), ("scheme", "*s", nil),
      ("scheme", "ftp", "no scheme is `ftp`: only requests of http and https are seen"),
      ("scheme", "", "no scheme is ``: only requests of http and https are seen"), ("process", "/", nil),
    ] as [(String, String, String?)])
  func globsThatNothingFits(_ key: String, _ glob: String, _ sentence: String?) {
    let found = PatternDoubt.sentence(glob, in: key)
    #expect(found == sentence)
    #expect(PatternDoubt.keys == ["url", "scheme", "host", "path"])
  }
}
