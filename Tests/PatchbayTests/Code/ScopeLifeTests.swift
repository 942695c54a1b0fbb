import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How long a scope lives, and that what is not its own leaves it alone.
@Suite(.bounded) struct ScopeLifeTests {
  private static let url = URL(string: "http://x.example/a")!

  private func text(_ session: URLSession, from url: URL = Self.url) async throws -> String {
    String(decoding: try await session.data(from: url).0, as: UTF8.self)
  }

  /// Made in a function of its own, so that nothing of it is left here but what it gives.
  private func stubbed<Made>(_ make: (SessionScope) -> Made) -> (made: Made, mark: SessionScope.Mark) {
    let scope = Patchbay.scope()
    scope.stub(.get("*"), respond: .text("stubbed"))
    return (make(scope), scope.mark)
  }

  /// Others come and go, which is when those that nobody has any more are looked for.
  private func passTime() {
    for _ in 0..<600 {
      let other = Patchbay.scope()
      other.stub(.get("*"), respond: .text("other"))
    }
  }

  private func isThere(_ mark: SessionScope.Mark) -> Bool {
    Hook.current.controller.code.stubs.contains { $0.scope == mark }
  }

  @Test func itLivesAsLongAsItsSession() async throws {
    func use() async throws -> SessionScope.Mark {
      let (session, mark) = stubbed { $0.session() }
      passTime()
      #expect(try await text(session) == "stubbed")
      return mark
    }
    let mark = try await use()
    try await until {
      _ = Patchbay.scope()
      return !isThere(mark)
    }
  }

  @Test(.enabled(if: LinkedSessions.areSeen))
  func itLivesAsLongAsASessionOfItsConfiguration() async throws {
    var configuration: URLSessionConfiguration? = stubbed { $0.configuration(.default) }.made
    passTime()
    let session = URLSession(configuration: try #require(configuration))
    configuration = nil
    passTime()
    #expect(try await text(session) == "stubbed")
    let further = URLSession(configuration: session.configuration, delegate: nil, delegateQueue: nil)
    #expect(try await text(further) == "stubbed")
  }

  @Test func aClosedScopeRefuses() async throws {
    let server = try LoopbackServer()
    let scope = Patchbay.scope()
    scope.stub(.url("*"), respond: .text("stubbed"))
    let session = scope.session()
    let configuration = scope.configuration()
    let url = server.url("/json")
    _ = try await session.data(from: url)
    scope.close()
    scope.close()
    scope.stub(.url("*"), respond: .text("too late")).remove()
    scope.stub(.url("*"), respond: .text("too late"))
    scope.handle { _ in .text("too late") }
    scope.isStrict = true
    #expect(!isThere(scope.mark) && !scope.isStrict)
    for session in [session, URLSession(configuration: configuration), scope.session()] {
      let error = await #expect(throws: (any Error).self) { try await session.data(from: url) }
      #expect(error as? PatchbayError == .scopeClosed(method: "GET", url: url.absoluteString))
      #expect(error?.localizedDescription.contains("GET \(url.absoluteString) is closed") == true)
    }
    #expect(server.requests.isEmpty)
    #expect(scope.exchanges.map(\.outcome) == [.responded, .failed, .failed, .failed])
  }

  /// Without any session.
  @Test func aScopeThatIsHeldStaysOpen() {
    let scope = Patchbay.scope()
    for _ in 0..<3 { _ = Patchbay.scope() }
    #expect(ScopeRegister.isOpen(scope.mark) && ScopeRegister.isOpen(scope.protocolClass))
    #expect(ScopeRegister.mark(of: scope.protocolClass) == scope.mark)
    scope.close()
    #expect(!ScopeRegister.isOpen(scope.mark) && !ScopeRegister.isOpen(scope.protocolClass))
    #expect(ScopeRegister.mark(of: scope.protocolClass) == scope.mark)
  }

  @Test func theClassOfAllSessionsMarksNoScope() {
    let all: PatchbayURLProtocol.Type = PatchbayURLProtocol.self
    #expect(ScopeRegister.mark(of: all) == nil && !ScopeRegister.isOpen(all))
    #expect(ScopeRegister.countOfUsers(of: all) == 0)
    #expect(!all.marksScope && all.scope == nil)
  }

  @Test func strictnessIsGivenUp() {
    let scope = Patchbay.scope()
    for isStrict in [true, false, false, true, false] {
      scope.isStrict = isStrict
      #expect(scope.isStrict == isStrict)
    }
  }

  /// Some other test's tearDown.
  @Test func aResetLeavesItAlone() async throws {
    // What all sessions of these tests asked for is in one log, so that nobody else may ask for this.
    let url = URL(string: "http://\(UUID().uuidString).example/a")!
    let asked = { Hook.current.controller.log.exchanges().count { $0.request.url == url.absoluteString } }
    let scope = Patchbay.scope()
    scope.isStrict = true
    scope.stub(.get("*"), respond: .text("A"), times: 2)
    let session = scope.session()
    #expect(try await text(session, from: url) == "A")
    Patchbay.reset()
    #expect(scope.isStrict && scope.exchanges.count == 1)
    // Not by `Patchbay.exchanges`, which would put the hook into every session of these tests.
    #expect(asked() == 0)
    #expect(try await text(session, from: url) == "A")
    // It has counted on.
    await #expect(throws: PatchbayError.unstubbed(method: "GET", url: url.absoluteString)) {
      try await session.data(from: url)
    }
    #expect(scope.exchanges.count == 3)
    #expect(asked() == 2)
  }

  @Test func manySessionsOfOneScopeLeaveNothingBehind() {
    let scope = Patchbay.scope()
    for _ in 0..<1_000 { scope.session().invalidateAndCancel() }
    #expect(ScopeRegister.countOfUsers(of: scope.protocolClass) < 300)
  }
}
