import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cookies of the network's answer, changed on its way: what the program does not get is not kept.
@Suite(.bounded) struct PatchedCookieTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private static let removal = PassChanges(headers: [.init("Set-Cookie", nil)])

  private func cookies(of session: URLSession) -> [String] {
    let cookies = session.configuration.httpCookieStorage?.cookies ?? []
    return cookies.map { "\($0.name)=\($0.value)" }.sorted()
  }

  @Test func oneThatIsAddedIsKept() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .pass(PassChanges(headers: [.init("set-cookie", ["added=1; Path=/", "more=2; Path=/"])])))
    let session = hook.session()
    _ = try await session.data(from: server.url("/json"))
    #expect(cookies(of: session) == ["added=1", "more=2"])
  }

  @Test func oneThatTakesAnothersPlaceIsKeptAlone() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("Set-Cookie", ["a=2; Path=/"])])))
    let session = hook.session()
    let (_, response) = try await session.data(from: server.url("/cookie/set?a=1&b=1"))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie") == "a=2; Path=/")
    #expect(cookies(of: session) == ["a=2"])
  }

  @Test func oneThatIsRemovedIsNotKept() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.removal))
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate)
    let url = server.url("/cookie/set?a=1")
    let (_, response) = try await session.data(from: url)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie") == nil)
    _ = try await session.download(from: url)
    session.dataTask(with: url).resume()
    session.downloadTask(with: url).resume()
    _ = try await delegate.completed(2)
    #expect(cookies(of: session) == [])
  }

  @Test func othersAreKeptWhereOtherFieldsAreChanged() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("X-New", ["1"])])))
    let session = hook.session()
    _ = try await session.data(from: server.url("/cookie/set?a=1"))
    #expect(cookies(of: session) == ["a=1"])
  }

  @Test(arguments: [true, false])
  func oneThatIsRemovedFromARedirectIsNeitherKeptNorSent(asked: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(Self.removal))
    let session = hook.session(delegate: asked ? CallbackRecorder() : nil)
    let (data, _) = try await session.data(from: server.url("/cookie/hop"))
    #expect(!String(decoding: data, as: UTF8.self).contains("hop=1"))
    #expect(cookies(of: session) == [])
    let hops = try await hook.sink.ended()[0].hops
    #expect(hops.map(\.status) == [302] && hops[0].headers.first(named: "Set-Cookie") == nil)
  }

  /// What is added is added to the answer and not to each redirect before it.
  @Test func aRedirectsOwnIsKeptWhereTheAnswerGetsAnother() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.pass(PassChanges(headers: [.init("Set-Cookie", ["added=1; Path=/"])])))
    let session = hook.session()
    let (data, _) = try await session.data(from: server.url("/cookie/hop"))
    #expect(String(decoding: data, as: UTF8.self).contains("hop=1"))
    #expect(cookies(of: session) == ["added=1", "hop=1"])
  }

  @Test(arguments: [nil, "edited=1; Path=/"])
  func aPersonDecidesWhatAHeldResponseSets(_ edit: String?) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.hold(.response))
    let session = hook.session()
    let url = server.url("/cookie/set?a=1")
    let task = Task { try await session.data(from: url) }
    try await until { hook.sink.isHolding }
    #expect(cookies(of: session) == [])
    let fields = edit.map { [HeaderField("Set-Cookie", $0)] } ?? []
    let edited = RecordedResponse(status: 200, headers: fields, body: Data("mine".utf8))
    try await hook.sink.decide(.continue(request: nil, response: edited))
    _ = try await task.value
    #expect(cookies(of: session) == (edit == nil ? [] : ["edited=1"]))
  }

  @Test func aHeldResponseThatGoesOnSetsItsOwn() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.hold(.response))
    let session = hook.session()
    let url = server.url("/cookie/set?a=1&b=2")
    let task = Task { try await session.data(from: url) }
    try await hook.sink.decide(.continue(request: nil, response: nil))
    _ = try await task.value
    #expect(cookies(of: session) == ["a=1", "b=2"])
  }
}
