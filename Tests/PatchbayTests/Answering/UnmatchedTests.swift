import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests that no stub takes, where these are made to fail.
@Suite(.bounded) struct UnmatchedTests {
  private let url = URL(string: "http://nowhere.invalid/kept")!

  /// A session whose cache keeps an answer to that URL.
  private func caching<Tag>(_ hook: HookFixture<Tag>) throws -> URLSession {
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let head = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=600"]))
    cache.storeCachedResponse(CachedURLResponse(response: head, data: Data("kept".utf8)), for: URLRequest(url: url))
    return hook.session { $0.urlCache = cache }
  }

  @Test func theErrorSaysWhatToDo() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(unmatched: .fail)
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let error = await #expect(throws: URLError.self) { try await hook.session().data(for: request) }
    #expect(error?.code == .resourceUnavailable && error?.failingURL == url)
    let told = try await hook.sink.ended()[0]
    #expect(
      told.end?.error?.message
        == "No stub matches PUT http://nowhere.invalid/kept, and unmatched requests are made to fail; add a stub or let "
        + "them pass.")
    #expect(told.answer?.by == .console && told.answer?.stub == nil)
  }

  /// A stub that is still to come may be for it.
  @Test func whatTheCacheKeepsIsNotGivenWhileTheStubsAreNotKnown() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(unmatched: .fail)
    let session = try caching(hook)
    #expect(try await session.data(from: url).0 == Data("kept".utf8))
    FixtureProtocol<Tag>.current.withLock {
      $0 = HookSnapshot(
        active: true, stubs: $0.stubs, unmatched: .fail, withoutStubs: "there is no console", sink: $0.sink)
    }
    await #expect(throws: URLError.self) { try await session.data(from: url) }
    let told = try await hook.sink.ended(2)
    #expect(told.map { $0.answer?.by } == [.cache, .console])
    #expect(
      told[1].end?.error?.message
        == "GET http://nowhere.invalid/kept was not sent, because there is no console, and requests that no stub takes "
        + "are made to fail.")
  }

  @Test func whatTheCacheKeepsIsNotGivenWhereAStubLedElsewhere() async throws {
    enum Tag {}
    let away = Stub(
      name: "away", when: RequestPattern(path: .glob("/kept")),
      then: .respond(CannedResponse(status: 302, headers: [HeaderField("Location", "/b")])))
    let hook = HookFixture<Tag>([away], unmatched: .fail)
    let session = try caching(hook)
    let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(error?.code == .resourceUnavailable)
    let told = try await hook.sink.ended()[0]
    #expect(told.hops.map(\.status) == [302] && told.answer?.by == .console && told.head == nil)
  }
}
