import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Of many stubs only those are tried that may fit, in their order, and none is left out that does.
@Suite(.bounded) struct StubIndexTests {
  private static let facts = RequestFacts(
    method: "POST", url: "http://www.xn--bcher-kva.example/v1/a%20b-7x?page=7&q=a+b&n%61me=%C3%A4",
    headers: [HeaderField("X-Id", "item-7-end"), HeaderField("x-id", "second"), HeaderField("Accept", "*/*")],
    body: Data(#"{"user":{"id":7,"name":"Ann"},"items":[{"sku":"a-7"},{"on":true}],"none":null}"#.utf8))

  /// The stubs that are tried for a request, by their places.
  private static func tried(
    _ patterns: [RequestPattern], _ facts: RequestFacts = facts, from start: Int = 0, anyBody: Bool = false
  ) -> [Int] {
    let compiled = patterns.enumerated().map {
      CompiledStub(Stub(name: "\($0.offset)", when: $0.element, then: .code))
    }
    var seen: [Int] = []
    func visit(_ position: Int) -> Bool {
      seen.append(position)
      return false
    }
    let index = StubIndex(compiled, process: nil, pid: nil)
    let request = MatchedRequest(facts)
    let isFound =
      anyBody
      ? index.candidates(for: request, from: start, anyBody: true, visit)
      : index.candidates(for: request, from: start, visit)
    #expect(!isFound)
    let fitting = compiled.indices.filter {
      $0 >= start && compiled[$0].pattern.firstFailure(MatchedRequest(facts)) == nil
    }
    #expect(Set(seen).isSuperset(of: fitting), "one that fits was left out")
    #expect(seen == seen.sorted() && Set(seen).count == seen.count)
    return seen
  }

  private struct Kind: CustomTestStringConvertible {
    var testDescription: String
    var facts = StubIndexTests.facts
    /// Of twelve numbers, the one that fits is 7.
    var pattern: @Sendable (Int) -> RequestPattern
  }

  private static func body(_ text: String, _ type: String? = nil) -> RequestFacts {
    RequestFacts(
      method: "POST", url: "http://h/", headers: type.map { [HeaderField("Content-Type", $0)] } ?? [],
      body: Data(text.utf8))
  }

  private static let kinds: [Kind] = [
    Kind(testDescription: "hosts") {
      RequestPattern(host: .glob($0 == 7 ? "www.bücher.example" : "www.h\($0).example"))
    },
    Kind(testDescription: "host globs") { RequestPattern(host: .glob($0 == 7 ? "*.bücher.example" : "*.h\($0).org")) },
    Kind(testDescription: "hosts of URLs") {
      RequestPattern(url: .glob($0 == 7 ? "http://www.bücher.example/*" : "http://h\($0)/*"))
    },
    Kind(testDescription: "paths") { RequestPattern(path: .glob("/v1/a b-\($0)x")) },
    Kind(testDescription: "path globs") { RequestPattern(path: .glob("*b-\($0)x*")) },
    Kind(testDescription: "expressions on the decoded path") { RequestPattern(path: .matches("a b-\($0)x")) },
    Kind(testDescription: "URL globs") { RequestPattern(url: .glob("*page=\($0)&*")) },
    Kind(testDescription: "query values") { RequestPattern(query: [.init("page", .glob("\($0)"))]) },
    Kind(testDescription: "query names") { RequestPattern(query: [.init($0 == 7 ? "name" : "other\($0)", "*")]) },
    Kind(testDescription: "header values") {
      RequestPattern(headers: [.init("X-ID", .glob($0 == 7 ? "second" : "s\($0)"))])
    },
    Kind(testDescription: "header names") { RequestPattern(headers: [.init($0 == 7 ? "X-id" : "X-\($0)", "*")]) },
    Kind(testDescription: "joined headers") {
      RequestPattern(headers: [.init("X-ID", .glob("item-\($0)-end, second"))])
    },
    Kind(testDescription: "header globs") { RequestPattern(headers: [.init("x-id", .glob("*em-\($0)-e*"))]) },
    Kind(testDescription: "header expressions") { RequestPattern(headers: [.init("x-id", .matches("em-\($0)-e"))]) },
    Kind(testDescription: "lists of headers") {
      RequestPattern(headers: [.init("x-id", .any([.glob("item-\($0)-*"), .glob("none-\($0)")]))])
    },
    Kind(testDescription: "headers with all and not") {
      RequestPattern(headers: [.init("x-id", .all([.matches("em-\($0)-e"), .not(["x"])]))])
    },
    Kind(testDescription: "alternatives") {
      RequestPattern(any: [
        RequestPattern(headers: [.init("X-None", .glob("\($0)"))]),
        RequestPattern(query: [.init("page", .glob("\($0)"))]),
      ])
    },
    Kind(testDescription: "JSON") { RequestPattern(body: BodyPattern(json: ["user": ["id": .number("\($0).0")]])) },
    Kind(testDescription: "JSON in lists") {
      RequestPattern(body: BodyPattern(json: ["items": [["sku": .string("a-\($0)")]]]))
    },
    Kind(testDescription: "truths in JSON") {
      RequestPattern(body: BodyPattern(json: ["items": [["on": .bool($0 == 7)]]]))
    },
    Kind(testDescription: "nothing in JSON") {
      RequestPattern(body: BodyPattern(json: [$0 == 7 ? "none" : "no\($0)": nil]))
    },
    Kind(testDescription: "pointers") {
      RequestPattern(body: BodyPattern(pointer: [.init("/items/0/sku", .string("a-\($0)"))]))
    },
    Kind(testDescription: "pointers to other elements") {
      RequestPattern(body: BodyPattern(pointer: [.init("/items/\($0 == 7 ? 1 : $0 + 2)/on", true)]))
    },
    Kind(testDescription: "texts in the body") { RequestPattern(body: BodyPattern(contains: .glob("\"a-\($0)\""))) },
    Kind(testDescription: "expressions on the body") { RequestPattern(body: BodyPattern(matches: "\"a-\($0)\"")) },
    Kind(testDescription: "whole bodies", facts: body("number 7")) {
      RequestPattern(body: BodyPattern(equals: "number \($0)"))
    },
    Kind(testDescription: "form fields", facts: body("a=1&i+d=x%207")) {
      RequestPattern(body: BodyPattern(form: [.init("i d", .glob("x \($0)"))]))
    },
    Kind(
      testDescription: "parts", facts: body("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n7\r\n--b--")
    ) { RequestPattern(body: BodyPattern(multipart: [.init("f", .glob("\($0)"))])) },
    Kind(testDescription: "operations", facts: body(#"{"query":"query Op7 { a }","variables":{"v":7}}"#)) {
      RequestPattern(body: BodyPattern(graphql: .init(operation: .glob("Op\($0)"))))
    },
    Kind(testDescription: "variables", facts: body(#"[{"query":"{ a }"},{"query":"{ a }","variables":{"v":{"w":7}}}]"#))
    {
      RequestPattern(body: BodyPattern(graphql: .init(variables: ["v": ["w": .number("\($0)")]])))
    },
    Kind(testDescription: "the rarest of several") {
      RequestPattern(
        query: [.init("page", "7")], headers: [.init("Accept", "*/*"), .init("x-id", .glob("item-\($0)-*"))],
        body: BodyPattern(json: ["user": ["name": "Ann"]]))
    },
  ]

  @Test(arguments: kinds) private func oneOfManyIsTried(_ kind: Kind) {
    let patterns = (0..<12).map { kind.pattern($0) }
    #expect(Self.tried(patterns, kind.facts) == [7])
    let isOfBody = patterns[0].body != nil && patterns[0].headers.isEmpty
    #expect(Self.tried(patterns, kind.facts, from: 7) == [7])
    // Four that ask of the body alone are tried as they are.
    #expect(Self.tried(patterns, kind.facts, from: 8) == (isOfBody ? [8, 9, 10, 11] : []))
    // Between such as need nothing in particular, and twice.
    let mixed = patterns + [RequestPattern(), RequestPattern(port: 1)] + patterns + [RequestPattern()]
    #expect(Self.tried(mixed, kind.facts) == [7, 12, 13, 21, 26])
    // Of a body that is not known everything may be so.
    let anything = Self.tried(patterns, kind.facts, anyBody: true)
    #expect(anything == (isOfBody ? Array(0..<12) : [7]))
  }

  @Test func fewAreTriedOneByOneAndManyLookedUp() {
    func tried(_ count: Int) -> [Int] {
      Self.tried((0..<count).map { RequestPattern(headers: [.init("X", .glob("\($0)"))]) })
    }
    #expect(tried(0) == [] && tried(1) == [0] && tried(4) == [0, 1, 2, 3] && tried(5) == [])
  }

  /// Where few ask something of the body, they are tried without looking the body up; the search begins where it is told.
  @Test func fewThatAskOfTheBodyAreTriedAsTheyAre() {
    func patterns(_ count: Int) -> [RequestPattern] {
      (0..<8).map { RequestPattern(headers: [.init("X-Id", .glob("none \($0)"))]) }
        + (0..<count).map { RequestPattern(body: BodyPattern(equals: "\($0)")) }
    }
    #expect(Self.tried(patterns(4)) == [8, 9, 10, 11] && Self.tried(patterns(5)) == [])
    #expect(Self.tried(patterns(5), from: 9) == [9, 10, 11, 12])
    #expect(Self.tried(patterns(5), anyBody: true) == [8, 9, 10, 11, 12])
  }

  @Test func theSearchEndsWhereItIsTold() {
    let compiled = (0..<9).map { CompiledStub(Stub(name: "\($0)", then: .code)) }
    var seen: [Int] = []
    let index = StubIndex(compiled, process: nil, pid: nil)
    let isFound = index.candidates(for: MatchedRequest(Self.facts), from: 2) {
      seen.append($0)
      return $0 == 4
    }
    #expect(isFound && seen == [2, 3, 4] && !index.isEmpty && !index.someNeedBody)
    #expect(StubIndex([], process: nil, pid: nil).isEmpty)
  }

  @Test func thoseThatCannotFitAreNotEvenThere() {
    func index(_ stub: Stub, process: String? = nil, pid: Int32? = nil) -> Bool {
      StubIndex([CompiledStub(stub)], process: process, pid: pid).isEmpty
    }
    let stub = Stub(name: "a", when: RequestPattern(process: "demo 7"), then: .code)
    #expect(!index(stub) && !index(stub, process: "demo", pid: 7))
    #expect(index(stub, process: "demo", pid: 8) && index(stub, process: "other", pid: 7))
    #expect(index(Stub(name: "a", enabled: false, then: .code)))
    #expect(index(Stub(name: "a", when: RequestPattern(path: .matches("(")), then: .code)))
    #expect(!index(Stub(name: "a", when: RequestPattern(process: .not([.not(["d*"])])), then: .code), process: "demo"))
    let body = CompiledStub(Stub(name: "a", when: RequestPattern(body: BodyPattern(equals: "")), then: .code))
    #expect(StubIndex([body], process: nil, pid: nil).someNeedBody)
    let templated = CompiledStub(
      Stub(name: "a", then: .respond(CannedResponse(body: .text("{{request.body}}")))))
    #expect(StubIndex([templated], process: nil, pid: nil).someNeedBody)
  }

  /// Methods tell stubs apart; those that are not standard by their names alone.
  @Test func methodsTellApart() {
    func tried(_ method: String, _ asked: [[String]]) -> [Int] {
      Self.tried(asked.map { RequestPattern(methods: $0) }, RequestFacts(method: method, url: "http://h/"))
    }
    let all = HTTPMethod.standard.map { [$0] }
    for (place, method) in HTTPMethod.standard.enumerated() { #expect(tried(method, all) == [place]) }
    #expect(tried("PUT", [["get"], ["put", "GET"], [], ["PURGE"]]) == [1, 2])
    #expect(tried("PURGE", [["get"], ["put", "GET"], [], ["PURGE"], ["OTHER"]]) == [2, 3, 4])
  }

  // MARK: Clauses

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
