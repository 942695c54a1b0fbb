import Foundation
import PatchbayStubs

/// What a thousand stubs cost a request over one, by what the thousand look at.
enum RulesBench {
  static func run() {
    print("µs a request, the best of 9 runs of 2,000 (one stub, a thousand, the difference)")
    var worst = 0.0
    for kind in RuleKind.all {
      let one = cost([kind.target], kind.request, kind.target.name)
      let many = cost(kind.others + [kind.target], kind.request, kind.target.name)
      worst = max(worst, many - one)
      let name = kind.name.padding(toLength: 24, withPad: " ", startingAt: 0)
      print(name + String(format: "%8.2f %8.2f %8.2f", one, many, many - one))
    }
    print(String(format: "at most %.2f µs more", worst))
  }

  private static func cost(_ stubs: [Stub], _ request: RequestFacts, _ wanted: String) -> Double {
    let matcher = StubMatcher(StubSet(stubs: stubs), process: "bench")
    var counters = StubCounters(salt: 1)
    var best = Double.infinity
    for _ in 0..<9 {
      var answers = 0
      let time = ContinuousClock().measure {
        for _ in 0..<2_000 {
          if case .answer(let match) = matcher.decide(request, counters: &counters).step, match.stub == wanted {
            answers += 1
          }
        }
      }
      precondition(answers == 2_000, "the wrong stub answered")
      best = min(best, time / .microseconds(1) / 2_000)
    }
    return best
  }
}

/// A thousand stubs that do not fit, of one kind, and one that does.
struct RuleKind {
  var name: String
  var target: Stub
  var others: [Stub]
  var request: RequestFacts

  init(_ name: String, _ request: RequestFacts = plain, _ pattern: (Int) -> RequestPattern) {
    self.name = name
    self.request = request
    func stub(_ number: Int) -> Stub {
      Stub(name: "stub \(number)", when: pattern(number), then: .respond(CannedResponse(body: .text("x"))))
    }
    others = (1_000..<2_000).map { stub($0) }
    target = stub(555)
  }

  static let plain = RequestFacts(
    method: "GET", url: "https://api.example.com/v1/users/555?page=555&sort=name",
    headers: [
      HeaderField("Accept", "application/json"), HeaderField("Authorization", "Bearer token-555-end"),
      HeaderField("User-Agent", "bench/1"), HeaderField("X-Request-Id", "555"),
    ], process: "bench")

  private static func posting(_ body: String, _ type: String) -> RequestFacts {
    RequestFacts(
      method: "POST", url: "https://api.example.com/v1/orders", headers: [HeaderField("Content-Type", type)],
      body: Data(body.utf8), process: "bench")
  }

  static let all: [RuleKind] = [
    RuleKind("whole URLs") {
      RequestPattern(url: .glob("https://api.example.com/v1/users/\($0)?page=\($0)&sort=name"))
    },
    RuleKind("URL globs") { RequestPattern(url: .glob("*/users/\($0)*")) },
    RuleKind("methods and paths") { RequestPattern(methods: ["GET"], path: .glob("/v1/users/\($0)")) },
    RuleKind("hosts") { RequestPattern(host: .glob($0 == 555 ? "api.example.com" : "h\($0).example.com")) },
    RuleKind("host globs") { RequestPattern(host: .glob($0 == 555 ? "*.example.com" : "*.h\($0).example.com")) },
    RuleKind("methods") { RequestPattern(methods: [$0 == 555 ? "GET" : "PUT"], path: .glob("/v1/users/555")) },
    RuleKind("regular expressions") { RequestPattern(path: .matches("^/v1/users/\($0)$")) },
    RuleKind("query values") { RequestPattern(query: [.init("page", .glob("\($0)"))]) },
    RuleKind("query globs") { RequestPattern(query: [.init("page", .glob("\($0)*"))]) },
    RuleKind("headers") { RequestPattern(headers: [.init("x-request-id", .glob("\($0)"))]) },
    RuleKind("header globs") { RequestPattern(headers: [.init("Authorization", .glob("Bearer *-\($0)-*"))]) },
    RuleKind("header expressions") { RequestPattern(headers: [.init("Authorization", .matches("token-\($0)-"))]) },
    RuleKind("JSON subsets", posting("{\"user\":{\"id\":555,\"name\":\"Ann\"},\"items\":[1,2,3]}", "application/json"))
    {
      RequestPattern(body: BodyPattern(json: ["user": ["id": .number("\($0)")]]))
    },
    RuleKind("JSON pointers", posting("{\"user\":{\"id\":555,\"name\":\"Ann\"},\"items\":[1,2,3]}", "application/json"))
    {
      RequestPattern(body: BodyPattern(pointer: [.init("/user/id", .number("\($0)"))]))
    },
    RuleKind("form fields", posting("a=1&id=555&b=2", "application/x-www-form-urlencoded")) {
      RequestPattern(body: BodyPattern(form: [.init("id", .glob("\($0)"))]))
    },
    RuleKind("text in the body", posting("<order><id>no-555-x</id></order>", "text/xml")) {
      RequestPattern(body: BodyPattern(contains: "<id>no-\($0)-x</id>"))
    },
    RuleKind("whole bodies", posting("order 555", "text/plain")) {
      RequestPattern(body: BodyPattern(equals: "order \($0)"))
    },
    RuleKind("expressions in the body", posting("<order><id>no-555-x</id></order>", "text/xml")) {
      RequestPattern(body: BodyPattern(matches: "<id>no-\($0)-[a-z]</id>"))
    },
    RuleKind(
      "multipart parts",
      posting(
        "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n555\r\n--b--\r\n", "multipart/form-data; boundary=b")
    ) {
      RequestPattern(body: BodyPattern(multipart: [.init("id", .glob("\($0)"))]))
    },
  ]
}
