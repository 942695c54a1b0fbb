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

  /// Of two things that are as rare a stub is filed under what costs less to look for, and tells more.
  @Test func ofThingsAsRareTheHeadAndTheValueAreLookedFor() {
    func asked(_ name: String, _ value: String, _ body: String) -> RequestFacts {
      RequestFacts(
        method: "POST", url: "http://h/", headers: [HeaderField(name, value)], body: Data(body.utf8))
    }
    let headAndBody = (0..<12).map {
      RequestPattern(headers: [.init("X", .glob("\($0)"))], body: BodyPattern(equals: "\($0)"))
    }
    #expect(Self.tried(headAndBody, asked("X", "7", "3")) == [7])
    let names = (0..<12).map { RequestPattern(headers: [.init("X-\($0)", "v")]) }
    #expect(Self.tried(names, asked("X-3", "v", "")) == [3] && Self.tried(names, asked("X-3", "w", "")) == [])
    let either = (0..<12).map {
      RequestPattern(any: [
        RequestPattern(headers: [.init("X-\($0)", "v")]), RequestPattern(headers: [.init("Y-\($0)", "v")]),
      ])
    }
    #expect(Self.tried(either, asked("Y-3", "v", "")) == [3] && Self.tried(either, asked("Y-3", "w", "")) == [])
  }

  /// What is found by the head, by the body, and without either comes in one order.
  @Test func headBodyAndOthersAreTriedInOneOrder() {
    func asked(_ header: String, _ body: String) -> RequestFacts {
      RequestFacts(method: "POST", url: "http://h/", headers: [HeaderField("X", header)], body: Data(body.utf8))
    }
    func ofBody(_ number: Int) -> RequestPattern { RequestPattern(body: BodyPattern(equals: "\(number)")) }
    func ofHead(_ number: Int) -> RequestPattern { RequestPattern(headers: [.init("X", .glob("\(number)"))]) }
    let plain = (0..<12).map { $0 % 2 == 0 ? ofBody($0) : RequestPattern() }
    #expect(Self.tried(plain, asked("", "0")) == [0, 1, 3, 5, 7, 9, 11])
    #expect(Self.tried(plain, asked("", "4")) == [1, 3, 4, 5, 7, 9, 11])
    let both = (0..<12).map { $0 % 2 == 0 ? ofBody($0) : ofHead($0) }
    #expect(Self.tried(both, asked("11", "4")) == [4, 11] && Self.tried(both, asked("1", "10")) == [1, 10])
    // Of few that ask of the body the order is the same.
    let few = (0..<3).map(ofBody) + (3..<11).map(ofHead)
    #expect(Self.tried(few, asked("7", "none")) == [0, 1, 2, 7])
  }
}
