import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Stubs that are in force where nobody listens.
@Suite(.bounded) struct UnheardTests {
  private let url = URL(string: "http://stubbed.test/a")!
  private let body = Data("from the program".utf8)

  private func unheard<Tag>(
    _ tag: Tag.Type, _ stubs: [Stub], unmatched: StubSet.Unmatched = .pass
  ) -> HookFixture<Tag> {
    let hook = HookFixture<Tag>(stubs, unmatched: unmatched)
    FixtureProtocol<Tag>.current.withLock {
      $0 = HookSnapshot(active: true, stubs: $0.stubs, revision: 1, unmatched: unmatched)
    }
    return hook
  }

  @Test(arguments: [Action.HoldPoint.request, .response, .both])
  func whatIsHeldGoesOn(_ point: Action.HoldPoint) async throws {
    enum Tag {}
    let answer = Stub(name: "answer", then: .respond(CannedResponse(status: 299, body: .text("answered"))))
    let hook = unheard(Tag.self, [Stub(name: "hold", then: .hold(point)), answer])
    let (data, response) = try await hook.session().data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 299 && data == Data("answered".utf8))
    #expect(hook.sink.exchanges.isEmpty && !hook.sink.isHolding)
  }

  @Test func whatNoStubTakesGoesOnThoughItIsToBeHeld() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    let hook = unheard(Tag.self, [], unmatched: .hold)
    #expect(try await hook.session().data(from: server.url("/json")).0.count == 31)
  }

  @Test(arguments: [true, false]) func theSessionsHeadersAndBodiesAreLookedAt(_ isStream: Bool) async throws {
    enum Tag {}
    let pattern = RequestPattern(
      headers: [.init("X-Session", .glob("s"))], body: BodyPattern(contains: .glob("the program")))
    let stub = Stub(name: "stub", when: pattern, then: .respond(CannedResponse(status: 299)))
    let hook = unheard(Tag.self, [stub], unmatched: .fail)
    let session = hook.session { $0.httpAdditionalHeaders = ["X-Session": "s"] }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    if isStream { request.httpBodyStream = InputStream(data: body) } else { request.httpBody = body }
    let (_, response) = try await session.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 299)
  }

  @Test func aStreamArrivesWhole() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    let hook = unheard(Tag.self, [])
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: body)
    let (data, _) = try await hook.session().data(for: request)
    #expect(String(decoding: data, as: UTF8.self).contains("body \(body.count) \(FNVHash(body))"))
  }
}
