import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A stubbed 401 that names a scheme: Foundation would wait for ever, the program must get it.
@Suite(.bounded) struct StubbedChallengeTests {
  private let url = URL(string: "http://stubbed.test/private")!
  private let refusal = Action.respond(
    CannedResponse(
      status: 401, headers: [HeaderField("WWW-Authenticate", "Basic realm=\"secret\"")], body: .text("who are you")))

  private func withCredential(_ configuration: URLSessionConfiguration) {
    let space = URLProtectionSpace(
      host: "stubbed.test", port: 80, protocol: "http", realm: "secret",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let credential = URLCredential(user: "user", password: "password", persistence: .forSession)
    configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
  }

  @Test func anAsyncCallerGetsIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(refusal)
    for _ in 0..<20 {
      let (data, response) = try await hook.session(change: withCredential).data(from: url)
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.statusCode == 401)
      #expect(http.value(forHTTPHeaderField: "WWW-Authenticate") == "Basic realm=\"secret\"")
      #expect(String(decoding: data, as: UTF8.self) == "who are you")
    }
  }

  @Test func aHandlerGetsIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(refusal)
    let session = hook.session(change: withCredential)
    let field: String? = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { _, response, _ in
        let http = response as? HTTPURLResponse
        continuation.resume(returning: http?.value(forHTTPHeaderField: "WWW-Authenticate"))
      }.resume()
    }
    #expect(field == "Basic realm=\"secret\"")
  }

  @Test func aDelegateGetsItUnasked() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(refusal)
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: delegate, change: withCredential)
    let task = session.dataTask(with: url)
    task.resume()
    #expect(try await delegate.completed() == [.response(401), .data("who are you"), .complete(nil)])
    let response = task.response as? HTTPURLResponse
    #expect(response?.value(forHTTPHeaderField: "WWW-Authenticate") == "Basic realm=\"secret\"")
  }

  @Test func aDownloadGetsIt() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(refusal)
    let (file, response) = try await hook.session(change: withCredential).download(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 401)
    #expect(try String(contentsOf: file, encoding: .utf8) == "who are you")
  }
}
