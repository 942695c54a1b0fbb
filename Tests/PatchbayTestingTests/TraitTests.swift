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

/// Each way to write the trait, by itself.
@Suite(.bounded) struct PlainTraitTests {
  private static let stub = Stub(.get("*/a"), respond: .text("a"))
  private let network: LoopbackServer

  init() throws { network = try LoopbackServer { $0.send(404, text: "network") } }

  private func status(_ path: String) async -> String {
    let session = URLSession(configuration: .ephemeral)
    do {
      let answer = try await session.data(from: network.url(path))
      return "\((answer.1 as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: answer.0, as: UTF8.self))"
    } catch let error as PatchbayError {
      return error.description.contains("strict mode") ? "strict" : "another error"
    } catch { return "\((error as? URLError)?.code.rawValue ?? 0)" }
  }

  @Test(.patchbay(strict: false)) func aScopeWithoutStubsIsThere() async {
    #expect(SessionScope.current?.isStrict == false)
    #expect(await status("/a") == "404 network")
  }

  @Test(.patchbay()) func whereNothingIsSaidItIsStrict() async {
    #expect(SessionScope.current?.isStrict == true)
    #expect(await status("/a") == "strict")
  }

  @Test(.patchbay(stubs: [stub])) func aListOfStubs() async {
    #expect(SessionScope.current?.isStrict == true)
    #expect(await [status("/a"), status("/b")] == ["200 a", "strict"])
  }

  @Test(.patchbay(stubs: [stub], strict: false)) func aListOfStubsThatLetsPass() async {
    #expect(SessionScope.current?.isStrict == false)
    #expect(await [status("/a"), status("/b")] == ["200 a", "404 network"])
  }

  @Test(.patchbay(stubs: stub, Stub(.get("*"), respond: .text("b", status: 201)))) func oneAfterTheOther() async {
    #expect(SessionScope.current?.isStrict == true)
    #expect(await [status("/a"), status("/b")] == ["200 a", "201 b"])
  }

  @Test(.patchbay(stubs: stub, strict: false)) func oneThatLetsPass() async {
    #expect(SessionScope.current?.isStrict == false)
    #expect(await [status("/a"), status("/b")] == ["200 a", "404 network"])
  }

  /// Where one of them is strict all are, whichever comes first.
  @Test(.patchbay(stubs: stub, strict: false), .patchbay(stubs: Stub(.get("*/c"), respond: .text("c"))))
  func oneStrictTraitIsEnough() async {
    #expect(SessionScope.current?.isStrict == true)
    #expect(await [status("/a"), status("/b"), status("/c")] == ["200 a", "strict", "200 c"])
  }

  @Test(.patchbay(), .patchbay(stubs: stub, strict: false)) func theOtherDoesNotTakeItBack() async {
    #expect(SessionScope.current?.isStrict == true)
    #expect(await [status("/a"), status("/b")] == ["200 a", "strict"])
  }

  /// When the test is over its sessions get nothing more.
  @Test func theScopeIsClosedAfterTheTest() async throws {
    let trait: PatchbayTrait = .patchbay(stubs: [Self.stub])
    let test = try #require(Test.current)
    try await trait.provideScope(for: test, testCase: nil) {}
    #expect(SessionScope.current == nil && trait.isRecursive)
    let kept = Kept()
    try await trait.provideScope(for: test, testCase: nil) {
      let scope = try #require(SessionScope.current)
      await kept.keep(scope.session())
    }
    let left = try #require(await kept.session)
    let error = await #expect(throws: PatchbayError.self) {
      _ = try await left.data(from: network.url("/a"))
    }
    #expect(error?.description.contains("closed") == true)
  }

  private actor Kept {
    var session: URLSession?
    func keep(_ session: URLSession) { self.session = session }
  }
}

@Test(.bounded) func withoutTheTraitThereIsNone() { #expect(SessionScope.current == nil) }
