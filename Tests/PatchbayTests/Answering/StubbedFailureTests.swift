import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Failures that a stub causes.
@Suite(.bounded) struct StubbedFailureTests {
  private let url = URL(string: "http://stubbed.test/fails")!

  @Test(
    .serialized, arguments: ["timedOut", "notConnectedToInternet", "cannotFindHost", "cancelled", "badServerResponse"])
  func namedOnesAreURLErrors(name: String) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.fail(Fault(.named(name))))
    let error = await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    #expect(error?.errorCode == URLErrorCode.code(named: name))
    #expect(error?.failingURL == url)
    #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
    #expect(try await hook.sink.ended()[0].end?.error?.name == name)
  }

  @Test func theTaskKnowsItsError() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.fail(Fault(.named("networkConnectionLost"))))
    let task = hook.session().dataTask(with: url)
    task.resume()
    try await until { task.state == .completed }
    #expect((task.error as? URLError)?.code == .networkConnectionLost)
  }

  @Test func oneOfItsOwnKeepsDomainCodeAndMessage() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.fail(Fault(.custom(domain: "test.api.error", code: 7, message: "no"))))
    do {
      _ = try await hook.session().data(from: url)
      Issue.record("It did not fail.")
    } catch {
      let bridged = error as NSError
      #expect(bridged.domain == "test.api.error")
      #expect(bridged.code == 7)
      #expect(bridged.localizedDescription == "no")
    }
  }

  @Test func thePartOfTheAnswerMayBeLate() async throws {
    enum Tag {}
    let partial = Fault.Partial(response: CannedResponse(delay: .fixed(.milliseconds(60))))
    let hook = HookFixture<Tag>(.fail(Fault(.named("networkConnectionLost"), after: partial)))
    let began = ContinuousClock.now
    await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    #expect(ContinuousClock.now - began >= .milliseconds(60))
  }

  @Test func itMayComeAfterAPartOfTheAnswer() async throws {
    enum Tag {}
    let partial = Fault.Partial(response: CannedResponse(body: .text("{\"half\":")), bytes: 4)
    let hook = HookFixture<Tag>(.fail(Fault(.named("networkConnectionLost"), after: partial)))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: url).resume()
    #expect(
      try await delegate.completed() == [
        .response(200), .data("{\"ha"), .complete(URLError.networkConnectionLost.rawValue),
      ])
    await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    let told = try await hook.sink.ended(2)
    #expect(told.allSatisfy { $0.end?.outcome == .failed && $0.data == Data("{\"ha".utf8) })
  }

  @Test func itMayComeLate() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.fail(Fault(.named("timedOut"), delay: .fixed(.milliseconds(50)))))
    let began = ContinuousClock.now
    await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    #expect(ContinuousClock.now - began >= .milliseconds(50))
  }

  @Test(.serialized, arguments: FaultPreset.all.map(\.name)) func everyFaultByNameEndsTheRequest(name: String)
    async throws
  {
    enum Tag {}
    let fault = try #require(FaultPreset[name])
    let hook = HookFixture<Tag>(Self.quick(fault.action))
    _ = try? await hook.session().data(from: url)
    let told = try await hook.sink.ended()
    switch fault.action {
    case .fail: #expect(told[0].end?.outcome == .failed)
    default: #expect(told[0].end?.outcome == .responded)
    }
  }

  /// The same without its delay, which is another test's matter.
  private static func quick(_ action: Action) -> Action {
    switch action {
    case .respond(var response):
      response.delay = nil
      response.pace = nil
      return .respond(response)
    case .fail(var fault):
      fault.delay = nil
      fault.after?.response.delay = nil
      fault.after?.response.pace = nil
      return .fail(fault)
    case .pass: return .respond(CannedResponse())
    default: return action
    }
  }

  @Test(
    arguments: [(-1, ""), (0, ""), (3, "abc"), (7, "abcdefg"), (99, "abcdefg"), (nil, "abcdefg")] as [(Int?, String)])
  func asMuchOfTheAnswerComesAsItSays(_ bytes: Int?, _ expected: String) async throws {
    enum Tag {}
    let partial = Fault.Partial(response: CannedResponse(body: .text("abcdefg")), bytes: bytes)
    let hook = HookFixture<Tag>(.fail(Fault(.named("networkConnectionLost"), after: partial)))
    await #expect(throws: URLError.self) { try await hook.session().data(from: url) }
    let told = try await hook.sink.ended()[0]
    #expect(String(decoding: told.data, as: UTF8.self) == expected && told.end?.outcome == .failed)
  }
}
