import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What stubs are filed under and requests are looked up by: keys, runs of four bytes, and what a URL holds.
@Suite(.bounded) struct IndexKeyTests {
  private static func clauses(_ pattern: RequestPattern) -> [[[IndexKey]]] {
    var collector = KeyCollector()
    return collector.clauses(of: CompiledPattern(pattern)).map(\.alternatives)
  }

  private static func grams(_ place: IndexKey.Place, _ name: Int, _ text: String) -> [[[IndexKey]]] {
    Grams.all(in: Array(text.utf8)).map { [[.gram(place, name, $0)]] }
  }

  @Test func whatAPatternNeedsIsKnown() {
    func value(_ place: IndexKey.Place, _ name: Int, _ text: String) -> IndexKey {
      .value(place, name, Array(text.utf8)[...])
    }
    func whole(_ place: IndexKey.Place, _ text: String) -> IndexKey { value(place, 0, text) }
    let x = IndexKey.folded("X-iD")
    #expect(x == IndexKey.folded("x-ID") && x == IndexKey.number(Array("x-id".utf8)[...]) && x != IndexKey.folded("y"))
    let q = IndexKey.number(Array("q".utf8)[...])
    #expect(Self.clauses(RequestPattern()) == [])
    #expect(Self.clauses(RequestPattern(methods: ["GET"], scheme: "http", port: 1, process: "p")) == [])
    #expect(Self.clauses(RequestPattern(path: "/abc")) == [[[whole(.path, "/abc")]]])
    #expect(
      Self.clauses(RequestPattern(path: "/abcd*xy*efgh")) == Self.grams(.path, 0, "/abcd")
        + Self.grams(.path, 0, "efgh"))
    #expect(Self.clauses(RequestPattern(path: .matches("^/abcd[0-9]"))) == Self.grams(.path, 0, "/abcd"))
    #expect(
      Self.clauses(RequestPattern(host: "h.example")) == [[[whole(.host, "h.example")]]]
        + Self.grams(.host, 0, "h.example"))
    #expect(Self.clauses(RequestPattern(host: "bü*")) == [])
    #expect(
      Self.clauses(RequestPattern(url: "http://h.e/ab"))
        == [[[whole(.host, "h.e")]]] + Self.grams(.url, 0, "http://h.e/ab"))
    #expect(
      Self.clauses(RequestPattern(query: [.init("q", "1")])) == [[[.named(.query, q)]], [[value(.query, q, "1")]]])
    #expect(Self.clauses(RequestPattern(query: [.init("q", nil)])) == [])
    #expect(Self.clauses(RequestPattern(query: [.init("q", .not(["1"]))])) == [])
    #expect(
      Self.clauses(RequestPattern(headers: [.init("X-Id", .any(["1", "2"]))]))
        == [[[.named(.header, x)]], [[value(.header, x, "1")], [value(.header, x, "2")]]])
    #expect(Self.clauses(RequestPattern(headers: [.init("X-Id", .any(["1", "*"]))])) == [[[.named(.header, x)]]])
    #expect(
      Self.clauses(RequestPattern(headers: [.init("X-Id", .all(["1", .not(["2"]), "*abcd"]))]))
        == [[[.named(.header, x)]], [[value(.header, x, "1")]]] + Self.grams(.header, x, "abcd"))
    #expect(Self.clauses(RequestPattern(not: [RequestPattern(path: "/a")])) == [])
    #expect(
      Self.clauses(
        RequestPattern(any: [
          RequestPattern(path: "/a"), RequestPattern(path: .any(["/b", "/c"])),
          RequestPattern(query: [.init("q", "1")]),
        ]))
        == [
          [
            [whole(.path, "/a")], [whole(.path, "/b")], [whole(.path, "/c")],
            [.named(.query, q), value(.query, q, "1")],
          ]
        ])
    #expect(Self.clauses(RequestPattern(any: [RequestPattern(path: "/a"), RequestPattern(port: 1)])) == [])
    #expect(
      Self.clauses(RequestPattern(body: BodyPattern(contains: "abcd", equals: "e", matches: "^fghi")))
        == Self.grams(.body, 0, "abcd") + [[[whole(.body, "e")]]] + Self.grams(.body, 0, "fghi"))
    let f = IndexKey.number(Array("f".utf8)[...])
    #expect(
      Self.clauses(
        RequestPattern(
          body: BodyPattern(form: [.init("f", "1"), .init("g", nil)], multipart: [.init("f", "2"), .init("g", nil)])))
        == [
          [[.named(.form, f)]], [[value(.form, f, "1")]], [[.named(.multipart, f)]], [[value(.multipart, f, "2")]],
        ])
    #expect(
      Self.clauses(RequestPattern(body: BodyPattern(graphql: .init(operation: "Op")))) == [[[whole(.graphql, "Op")]]])
    #expect(Self.clauses(RequestPattern(body: BodyPattern(graphql: .init()))) == [])
  }

  /// One list of which nothing is known makes that nothing is known; and very many keys are none.
  @Test func clausesOfAlternatives() {
    func key(_ number: Int) -> IndexKey { .named(.query, number) }
    func clause(_ lists: [[IndexClause]]) -> [[IndexKey]]? { IndexClause(anyOf: lists)?.alternatives }
    let one = IndexClause(key(1))
    let two = IndexClause(anyOf: [[IndexClause(key(2))], [IndexClause(key(3))]])
    let many = IndexClause(anyOf: (0..<64).map { [IndexClause(key($0))] })
    #expect(clause([]) == nil && clause([[]]) == nil && clause([[one], []]) == nil)
    #expect(clause([[one]]) == [[key(1)]] && clause([[one, IndexClause(key(4))]]) == [[key(1), key(4)]])
    #expect(two?.alternatives == [[key(2)], [key(3)]] && many?.alternatives.count == 64)
    guard let two, let many else { return }
    #expect(clause([[one], [two]]) == [[key(1)], [key(2)], [key(3)]] && clause([[two, one]]) == [[key(1)]])
    #expect(clause([[many]])?.count == 64 && clause([[many], [one]]) == nil)
  }

  /// Which scalars of a body are found at the places at which stubs want some.
  @Test(
    arguments: [
      (#"{"a":1}"#, #"{"a":1.0}"#, true), (#"{"a":1}"#, #"{"a":2}"#, false), (#"{"a":1}"#, #"{"b":1}"#, false),
      (#"{"a":1}"#, #"{"a":"1"}"#, false), (#"{"a":{"b":true}}"#, #"{"a":{"b":true,"c":1}}"#, true),
      (#"{"a":{"b":true}}"#, #"{"a":{"b":false}}"#, false), (#"{"a":{"b":null}}"#, #"{"a":{"b":null}}"#, true),
      (#"{"a":[1,2]}"#, #"{"a":[3,2,1]}"#, true), (#"{"a":[1,2]}"#, #"{"a":[3,2]}"#, false),
      (#"[{"x":1},{"y":2}]"#, #"[{"y":2,"x":1}]"#, true), ("7", "7", true), ("7", "[7]", false),
      (#""é""#, "\"e\u{301}\"", true),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), (#"{"a":1,"a":2}"#, #"{"a":1}"#, false),
      (#"{"a":1}"#, #"{"a":3,"a":1}"#, true),
      (#"{"a":[[1]]}"#, #"{"a":[1,[2,1]]}"#, true), (#"{"a":{}}"#, "{}", true),
      (#"{"a":[1]}"#, #"{"a":{"0":1}}"#, false),
    ] as [(String, String, Bool)])
  func scalarsOfABodyAreFound(_ wanted: String, _ body: String, _ isFound: Bool) throws {
    var (tree, keys, found): (JSONKeyTree, [IndexKey], Set<IndexKey>) = (JSONKeyTree(.json), [], [])
    tree.keys(of: try JSONValue(parsing: wanted), into: &keys)
    tree.visit(try JSONValue(parsing: body)) { found.insert($0) }
    #expect(found.isSuperset(of: keys) == isFound)
    #expect(keys.allSatisfy { $0.place == .json && $0.kind == .value })
  }

  @Test(
    arguments: [
      ("/a/1", #"{"a":[7,8]}"#, "8", true), ("/a/0", #"{"a":[7,8]}"#, "8", false),
      ("/a/1", #"{"a":{"1":8}}"#, "8", true),
      ("/a/01", #"{"a":[7,8]}"#, "8", false), ("/a/2", #"{"a":[7,8]}"#, "8", false), ("", "8", "8", true),
      ("/", #"{"":8}"#, "8", true), ("/a~1b", #"{"a/b":8}"#, "8", true), ("/a/-1", #"{"a":[8]}"#, "8", false),
      ("/a", #"{"a":{"b":[8]}}"#, #"{"b":[8]}"#, true),
    ] as [(String, String, String, Bool)])
  func scalarsAtAPointerAreFound(_ pointer: String, _ body: String, _ wanted: String, _ isFound: Bool) throws {
    var (tree, keys, found): (JSONKeyTree, [IndexKey], Set<IndexKey>) = (JSONKeyTree(.variables), [], [])
    tree.keys(of: try JSONValue(parsing: wanted), pointer: pointer, into: &keys)
    tree.visit(try JSONValue(parsing: body)) { found.insert($0) }
    #expect(!keys.isEmpty && keys.allSatisfy { $0.place == .variables })
    #expect(found.isSuperset(of: keys) == isFound)
    var none: [IndexKey] = []
    tree.keys(of: 1, pointer: "a", into: &none)
    #expect(none.isEmpty)
  }

  // MARK: Grams and signatures

  @Test func longTextsAreLookedForAtBothEnds() {
    func count(_ length: Int) -> Int { Grams.all(in: (0..<length).map { UInt8($0 % 251) }).count }
    #expect([0, 3, 4, 5, 66, 67, 68, 500].map(count) == [0, 0, 1, 2, 63, 64, 64, 64])
    let long = (0..<200).map { UInt8($0) }
    let all = Grams.all(in: long)
    #expect(all.first == 0x0001_0203 && all[31] == 0x1F20_2122 && all[32] == 0xA5A6_A7A8 && all.last == 0xC4C5_C6C7)
    #expect(Grams.all(in: Array("AbCd".utf8)) == [0x6162_6364])
  }

  @Test func gramsAreFoundInTexts() {
    var grams = Grams()
    #expect(grams.isEmpty)
    grams.insert(0x6162_6364)
    grams.insert(0x0000_6162)
    #expect(!grams.isEmpty)
    func found(_ text: String) -> Int {
      var count = 0
      Array(text.utf8).withUnsafeBufferPointer { grams.visit($0) { if $0 == 0x6162_6364 { count += 1 } } }
      return count
    }
    #expect(["", "abc", "abcd", "xABCDx", "abcdabcd", "abxcd"].map(found) == [0, 0, 1, 1, 2, 0])
    // What stands before the text is not part of it.
    var zeros = 0
    Array("abyz".utf8).withUnsafeBufferPointer { grams.visit($0) { if $0 == 0x6162 { zeros += 1 } } }
    #expect(zeros == 0)
  }

  @Test(
    arguments: [
      (RequestPattern(path: "/v1/*"), true), (RequestPattern(path: "/qzjxkvw*"), false),
      (RequestPattern(url: "HTTP://*"), true), (RequestPattern(url: "https*"), false),
      (RequestPattern(url: "*PAGE*"), true),
      (RequestPattern(host: "*bücher*"), true), (RequestPattern(host: "*.example"), true),
      (RequestPattern(host: "*.org"), false),
      (RequestPattern(path: .matches("/v1/a b")), true), (RequestPattern(path: .matches("/v2")), false),
      (RequestPattern(host: .matches("qzjxkvw")), true), (RequestPattern(path: .any(["/w*", "/v1/*"])), true),
      (RequestPattern(path: .any(["/qzjxkvw*", "/qzjxkvwx*"])), false),
      (RequestPattern(path: .any(["/qzjxkvw*", "/kjhgfds*"])), true),
      (RequestPattern(path: .all(["/v1/*", "*qzjxkvw*"])), false), (RequestPattern(path: .not(["*qzjxkvw*"])), true),
      (RequestPattern(query: [.init("page", "7")]), true), (RequestPattern(query: [.init("qzjxkvw", "7")]), false),
      (RequestPattern(query: [.init("page", "qzjxkvw")]), false), (RequestPattern(query: [.init("z z z", "7")]), true),
      (RequestPattern(query: [.init("page", "z z")]), true), (RequestPattern(query: [.init("qzjxkvw", nil)]), true),
      (RequestPattern(query: [.init("qzjxkvw", .not(["1"]))]), true),
      (RequestPattern(query: [.init("page", .matches("qzjxkvw"))]), true),
      (RequestPattern(any: [RequestPattern(path: "*qzjxkvw*"), RequestPattern(path: "*qzjxkvw")]), false),
      (RequestPattern(any: [RequestPattern(path: "*qzjxkvw*"), RequestPattern()]), true), (RequestPattern(), true),
    ] as [(RequestPattern, Bool)])
  func aURLTellsWhatCannotFit(_ pattern: RequestPattern, _ mayFit: Bool) {
    let request = MatchedRequest(
      RequestFacts(method: "GET", url: "http://www.xn--bcher-kva.example/v1/a%20b?page=7&%7Aa"))
    let signature = CompiledPattern(pattern).signature
    #expect(signature.isCovered(by: request.signature) == mayFit)
    #expect(signature.isCovered(by: .all) && URLSignature().isCovered(by: signature))
  }

  @Test func signaturesHoldPairsOfNeighbours() {
    func covers(_ whole: String, _ part: String) -> Bool {
      URLSignature(Array(part.utf8)).isCovered(by: URLSignature(Array(whole.utf8)))
    }
    #expect(
      covers("abcd", "bc") && covers("abcd", "BCD") && covers("ABCD", "abcd") && covers("", "a") && covers("x", ""))
    #expect(!covers("abcd", "cb") && !covers("abcd", "de") && !covers("", "ab"))
    let both = URLSignature(common: [URLSignature(Array("abc".utf8)), URLSignature(Array("bcd".utf8))])
    #expect(both.bits == URLSignature(Array("bc".utf8)).bits && URLSignature(common: []).bits == URLSignature().bits)
  }

  @Test func eachPairOfLettersCounts() {
    let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    for first in letters {
      let missed = letters.filter { URLSignature([first, $0]).isCovered(by: URLSignature()) }
      #expect(missed == [])
    }
  }

  @Test(
    arguments: [
      (RequestPattern(), nil), (RequestPattern(host: "H.Example"), "h.example"),
      (RequestPattern(host: "*.example"), nil),
      (RequestPattern(host: "bücher.example"), nil), (RequestPattern(host: "::1"), nil),
      (RequestPattern(host: "[::1]"), "[::1]"), (RequestPattern(host: "a:b"), nil),
      (RequestPattern(host: .any(["a", "b"])), nil), (RequestPattern(url: "http://H:80/*"), "h"),
      (RequestPattern(url: "http://h*/"), nil), (RequestPattern(url: "*h/"), nil),
      (RequestPattern(url: "http://h"), "h"),
      (RequestPattern(url: "http://a/", host: "b"), "b"), (RequestPattern(url: "http*://h/"), nil),
    ] as [(RequestPattern, String?)])
  func theOneHostThatFitsIsKnown(_ pattern: RequestPattern, _ host: String?) {
    #expect(CompiledPattern(pattern).host == host)
  }
}
