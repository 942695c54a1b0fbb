import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What a thousand stubs cost a request over one. The bound holds in release; in debug only the answers are compared.
@Suite(.serialized, .bounded) struct StubMatcherCostTests {
  private static let order =
    "{\"user\":{\"id\":555,\"name\":\"Ann\"},\"items\":[{\"sku\":\"a-555\"}],\"note\":\"no-555-x\"}"

  private static func request(_ body: String, _ type: String = "text/plain") -> RequestFacts {
    RequestFacts(
      method: "POST", url: "https://api.example.com/v1/users/555?page=555&sort=name",
      headers: [
        HeaderField("Accept", "application/json"), HeaderField("Authorization", "Bearer token-555-end"),
        HeaderField("Content-Type", type), HeaderField("X-Request-Id", "555"),
      ], body: Data(body.utf8), process: "demo")
  }

  private struct Kind: CustomTestStringConvertible {
    var testDescription: String
    var body = StubMatcherCostTests.order
    /// The pattern of each stub; the one with the number 555 fits.
    var pattern: @Sendable (Int) -> RequestPattern
  }

  private static let kinds: [Kind] = [
    Kind(testDescription: "whole URLs") {
      RequestPattern(url: .glob("https://api.example.com/v1/users/\($0)?page=\($0)&sort=name"))
    },
    Kind(testDescription: "URL globs") { RequestPattern(url: .glob("*/users/\($0)*")) },
    Kind(testDescription: "paths") { RequestPattern(methods: ["POST"], path: .glob("/v1/users/\($0)")) },
    Kind(testDescription: "hosts") {
      RequestPattern(host: .glob($0 == 555 ? "api.example.com" : "h\($0).example.com"))
    },
    Kind(testDescription: "host globs") { RequestPattern(host: .glob($0 == 555 ? "*.example.com" : "*.h\($0).org")) },
    Kind(testDescription: "methods") {
      RequestPattern(methods: [$0 == 555 ? "POST" : "PUT"], path: .glob("/v1/users/555"))
    },
    Kind(testDescription: "regular expressions") { RequestPattern(path: .matches("^/v1/users/\($0)$")) },
    Kind(testDescription: "query values") { RequestPattern(query: [.init("page", .glob("\($0)"))]) },
    Kind(testDescription: "header values") { RequestPattern(headers: [.init("x-request-ID", .glob("\($0)"))]) },
    Kind(testDescription: "header globs") {
      RequestPattern(headers: [.init("Authorization", .glob("Bearer *-\($0)-*"))])
    },
    Kind(testDescription: "JSON") { RequestPattern(body: BodyPattern(json: ["user": ["id": .number("\($0)")]])) },
    Kind(testDescription: "JSON in lists") {
      RequestPattern(body: BodyPattern(json: ["items": [["sku": .string("a-\($0)")]]]))
    },
    Kind(testDescription: "pointers") {
      RequestPattern(body: BodyPattern(pointer: [.init("/user/id", .number("\($0).0"))]))
    },
    Kind(testDescription: "texts in the body") { RequestPattern(body: BodyPattern(contains: "no-\($0)-x")) },
    Kind(testDescription: "fields", body: "a=1&id=555") {
      RequestPattern(body: BodyPattern(form: [.init("id", .glob("\($0)"))]))
    },
    Kind(testDescription: "lists of hosts") {
      RequestPattern(
        host: .any($0 == 555 ? ["api.example.com", "*.api.example.com"] : ["h\($0).example.com", "*.h\($0).org"]))
    },
    Kind(testDescription: "lists of header values") {
      RequestPattern(headers: [.init("X-Request-Id", .any(["\($0)", "a-\($0)", "b-\($0)-*"]))])
    },
    Kind(testDescription: "expressions but not") {
      RequestPattern(path: .all([.matches("^/v1/users/\($0)$"), .not(["/health*"])]))
    },
    Kind(testDescription: "alternatives") {
      RequestPattern(any: [
        RequestPattern(path: .glob("/v1/none/\($0)")), RequestPattern(query: [.init("page", .glob("\($0)"))]),
      ])
    },
    Kind(testDescription: "alternatives in the body") {
      RequestPattern(any: [
        RequestPattern(body: BodyPattern(json: ["user": ["id": .number("\($0)")]])),
        RequestPattern(body: BodyPattern(contains: "none-\($0)-y")),
      ])
    },
    Kind(testDescription: "exclusions") {
      RequestPattern(headers: [.init("X-Request-Id", "\($0)")], not: [RequestPattern(path: "/health*")])
    },
    Kind(testDescription: "GraphQL", body: #"{"query":"query Get555 { a }","variables":{"id":555}}"#) {
      RequestPattern(body: BodyPattern(graphql: .init(operation: "Get\($0)")))
    },
    Kind(testDescription: "GraphQL variables", body: #"{"query":"query Get { a }","variables":{"id":555}}"#) {
      RequestPattern(body: BodyPattern(graphql: .init(operation: "Get", variables: ["id": .number("\($0)")])))
    },
    Kind(
      testDescription: "parts", body: "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n555\r\n--b--\r\n"
    ) {
      RequestPattern(body: BodyPattern(multipart: [.init("id", .glob("\($0)"))]))
    },
  ]

  /// Microseconds for one decision, the best of several runs.
  private func cost(_ stubs: [Stub], _ request: RequestFacts) -> Double {
    let matcher = StubMatcher(StubSet(stubs: stubs), process: "demo")
    #if DEBUG
      let (runs, count) = (1, 20)
    #else
      let (runs, count) = (9, 3_000)
    #endif
    var best = Double.infinity
    for _ in 0..<runs {
      var counters = StubCounters(salt: 1)
      var answers = 0
      let time = ContinuousClock().measure {
        for _ in 0..<count {
          if case .answer(let match) = matcher.decide(request, counters: &counters).step, match.stub == "555" {
            answers += 1
          }
        }
      }
      #expect(answers == count)
      best = min(best, time / .microseconds(1) / Double(count))
    }
    return best
  }

  @Test(arguments: kinds) private func aThousandStubs(_ kind: Kind) {
    func stub(_ number: Int) -> Stub {
      Stub(name: "\(number)", when: kind.pattern(number), then: .fail(Fault(.named("offline"))))
    }
    let request = Self.request(kind.body)
    let others = (1_000..<2_000).map { stub($0) }
    let one = cost([stub(555)], request)
    let many = cost(others + [stub(555)], request)
    #if !DEBUG
      print("a thousand stubs (\(kind.testDescription)): \(one) µs alone, \(many - one) µs more")
      #expect(many - one < 10)
    #endif
    // A stub further up that fits is found in spite of the index.
    var above = stub(555)
    above.name = "above"
    var counters = StubCounters(salt: 1)
    let found = StubMatcher(StubSet(stubs: others + [above, stub(555)])).decide(request, counters: &counters).step
    guard case .answer(let match) = found else {
      Issue.record("nothing answers")
      return
    }
    #expect(match.stub == "above")
    #expect(many.isFinite && one.isFinite)
  }
}
