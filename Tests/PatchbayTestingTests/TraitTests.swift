import Foundation
import PatchbayTestSupport
import PatchbayTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a user of the trait writes.
@Suite(.bounded, .patchbay(stubs: Stub(.get("*/suite"), respond: .text("of the suite"))))
struct TraitTests {
  private func text(_ path: String, _ session: URLSession = URLSession(configuration: .ephemeral)) async throws
    -> String
  {
    let url = try #require(URL(string: "http://trait.invalid\(path)"))
    return String(decoding: try await session.data(from: url).0, as: UTF8.self)
  }

  @Test(.patchbay(stubs: Stub(.get("*/own"), respond: .text("of the test")), Stub(.get("*"), fail: .timedOut)))
  func stubsAreThoseOfSuiteAndTest() async throws {
    #expect(try await text("/suite") == "of the suite")
    #expect(try await text("/own") == "of the test")
    await #expect { try await text("/else") } throws: { ($0 as? URLError)?.code == .timedOut }
    let scope = try #require(SessionScope.current)
    #expect(scope.exchanges.count == 3)
    try scope.verify(.get("*/own"), count: 1)
    try scope.verify(.get("*"), count: 1...3)
    let error = try #require(throws: PatchbayError.self) { try scope.verify(.post("*/own"), count: 2) }
    #expect(error.description.contains("0 requests fit POST */own, not 2") && error.description.contains("GET"))
  }

  @Test func whatNoStubTakesFails() async throws {
    await #expect(throws: PatchbayError.self) { try await text("/nothing") }
  }

  @Test(.patchbay(stubs: Stub(.get("*/number"), respond: .text("one"), times: 1)), arguments: 0..<16)
  func eachCaseHasAScopeOfItsOwn(_ number: Int) async throws {
    #expect(try await text("/number") == "one")
    #expect(SessionScope.current?.exchanges.count == 1)
  }

  @Test func sessionsThatAreHandedOverWork() async throws {
    let scope = try #require(SessionScope.current)
    #expect(try await text("/suite", scope.session()) == "of the suite")
    async let other = Task { try await text("/suite") }.value
    #expect(try await other == "of the suite")
  }
}

@Test(.bounded, .patchbay(strict: false)) func aScopeWithoutStubsIsThere() {
  #expect(SessionScope.current?.isStrict == false)
}

@Test(.bounded) func withoutTheTraitThereIsNone() { #expect(SessionScope.current == nil) }
