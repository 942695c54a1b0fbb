import Foundation
import Testing

@testable import PatchbayStubs

/// What a thousand stubs cost a request over one. The bound holds in release; in debug only the answers are compared.
@Suite(.serialized) struct StubMatcherCostTests {
  private let request = RequestFacts(
    method: "GET", url: "https://api.example.com/v1/users/555?page=2&sort=name",
    headers: [HeaderField("Accept", "application/json"), HeaderField("Authorization", "Bearer abc")], process: "demo")

  private let target = Stub(
    name: "target", when: RequestPattern(methods: ["GET"], path: .glob("/v1/users/555")),
    then: .fail(Fault(.named("offline"))))

  /// Microseconds for one decision, the best of several runs.
  private func cost(_ stubs: [Stub]) -> Double {
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
          if case .answer(let match) = matcher.decide(request, counters: &counters).step, match.stub.name == "target" {
            answers += 1
          }
        }
      }
      #expect(answers == count)
      best = min(best, time / .microseconds(1) / Double(count))
    }
    return best
  }

  @Test(arguments: ["whole URLs", "URL globs", "paths", "hosts", "methods", "regular expressions", "other queries"])
  func aThousandStubs(_ kind: String) {
    let stubs = (0..<1_000).map { number in
      let pattern =
        switch kind {
        case "whole URLs": RequestPattern(url: .glob("https://api.example.com/v1/items/\(number)"))
        case "URL globs": RequestPattern(url: .glob("*/items-\(number)*"))
        case "paths": RequestPattern(methods: ["GET"], path: .glob("/v1/users/\(number + 1_000)"))
        case "hosts": RequestPattern(host: .glob("h\(number).example.com"))
        case "methods": RequestPattern(methods: ["POST", "PUT"], path: .glob("/v1/users/555"))
        case "regular expressions": RequestPattern(path: .matches("^/v1/items/\(number)$"))
        default: RequestPattern(path: .glob("/v1/users/*"), query: [.init("page", .glob("\(number + 1_000)"))])
        }
      return Stub(name: "stub \(number)", when: pattern, then: .fail(Fault(.named("offline"))))
    }
    let one = cost([target])
    let many = cost(stubs + [target])
    #if !DEBUG
      print("a thousand stubs (\(kind)): \(one) µs alone, \(many - one) µs more")
      #expect(many - one < 10)
    #endif
  }
}
