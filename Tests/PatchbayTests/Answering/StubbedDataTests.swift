import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Data tasks that a stub answers, in each way of asking.
@Suite(.bounded) struct StubbedDataTests {
  private let url = URL(string: "http://stubbed.test/users/7?page=2")!
  private let ann = CannedResponse(
    status: 201, headers: [HeaderField("X-Stub", "1")], body: .json(["name": "花子", "id": 7]))

  @Test func anAsyncCallerGetsStatusHeadersAndBody() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(ann))
    let (data, response) = try await hook.session().data(from: url)
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 201)
    #expect(http.value(forHTTPHeaderField: "x-stub") == "1")
    #expect(http.mimeType == "application/json")
    #expect(http.url == url)
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"花子","id":7}"#)
    let told = try await hook.sink.ended()
    #expect(told.count == 1)
    #expect(told[0].answer?.by == .stub)
    #expect(told[0].answer?.stub == "stub")
    #expect(told[0].head?.status == 201)
    #expect(told[0].data == data)
    #expect(told[0].end?.outcome == .responded)
    #expect(told[0].end?.bytesReceived == Int64(data.count))
    #expect(told[0].late == 0)
  }

  @Test func aHandlerGetsThem() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(ann))
    let session = hook.session()
    let (data, status): (Data?, Int?) = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { data, response, _ in
        continuation.resume(returning: (data, (response as? HTTPURLResponse)?.statusCode))
      }.resume()
    }
    #expect(status == 201)
    #expect(data?.count == 24)
  }

  @Test func aDelegateIsCalledInOrder() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("hello"))))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: url).resume()
    #expect(try await delegate.completed() == [.response(200), .data("hello"), .complete(nil)])
  }

  /// As the loading system has it (RFC 9112 §6.3): what is too much is cut off, what is too little is an error.
  @Test(arguments: [("3", "hel"), ("5", "hello"), ("0", ""), ("100", nil), ("x", "hello")] as [(String, String?)])
  func aBodyEndsWhereItsLengthSays(length: String, expected: String?) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .respond(CannedResponse(headers: [HeaderField("Content-Length", length)], body: .text("hello"))))
    let session = hook.session()
    if let expected {
      let (data, response) = try await session.data(from: url)
      #expect(String(decoding: data, as: UTF8.self) == expected)
      #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == length)
    } else {
      let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
      #expect(error?.code == .unknown)
    }
    var request = URLRequest(url: url)
    request.httpMethod = "HEAD"
    let (none, _) = try await session.data(for: request)
    #expect(none.isEmpty, "an answer to HEAD only tells the length")
  }

  @Test func anEmptyBodyIsNoPiece() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse()))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).dataTask(with: url).resume()
    #expect(try await delegate.completed() == [.response(200), .complete(nil)])
    let (data, _) = try await hook.session().data(from: url)
    #expect(data.isEmpty)
    #expect(try await hook.sink.ended(2).allSatisfy { $0.end?.hasBody == true })
  }

  @Test(.serialized, arguments: [204, 304]) func theseHaveNoBody(status: Int) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: status, body: .text("not this"))))
    let (data, response) = try await hook.session().data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == status)
    #expect(data.isEmpty)
  }

  @Test func aHeadRequestGetsNoBody() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(ann))
    var request = URLRequest(url: url)
    request.httpMethod = "HEAD"
    let (data, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    #expect(data.isEmpty)
  }

  @Test func aStubWithoutTypeHasNone() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("x"))))
    let (_, response) = try await hook.session().data(from: url)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") == nil)
  }

  @Test func aCompressedBodyArrivesDecoded() async throws {
    enum Tag {}
    let base64 = "H4sIAAAAAAACAytILEnOSEqsVEivyixQSMpPqdRReNw4/3HjgseNLY8b93EVjCoYVUBfBQDctCuQlAIAAA=="
    let body = try #require(Data(base64Encoded: base64))
    let hook = HookFixture<Tag>(
      .respond(
        CannedResponse(
          headers: [HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "\(body.count)")],
          body: .data(body))))
    let (data, response) = try await hook.session().data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == String(repeating: "patchbay gzip body, ただいま\n", count: 20))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "Content-Encoding") == nil)
    #expect(http.value(forHTTPHeaderField: "Content-Length") == nil)
  }

  /// Recorded answers have the field though their bodies were decoded; this one could be read as raw deflate.
  @Test(arguments: ["gzip", "deflate", "br"])
  func aBodyThatIsDecodedAlreadyStaysAsItIs(_ coding: String) async throws {
    enum Tag {}
    let text = #"{"gz": true, "t": "日本語"}"#
    let hook = HookFixture<Tag>(
      .respond(CannedResponse(headers: [HeaderField("Content-Encoding", coding)], body: .text(text))))
    #expect(String(decoding: try await hook.session().data(from: url).0, as: UTF8.self) == text)
  }

  @Test func repeatedHeadersAreJoined() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(headers: [HeaderField("X-A", "1"), HeaderField("x-a", "2")])))
    let (_, response) = try await hook.session().data(from: url)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-A") == "1, 2")
  }

  @Test func headersAreRecordedInTheStubsOrderWithRepeats() async throws {
    enum Tag {}
    let headers = [HeaderField("X-B", "0"), HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2")]
    let hook = HookFixture<Tag>(.respond(CannedResponse(headers: headers)))
    _ = try await hook.session().data(from: url)
    #expect(try await hook.sink.ended().first?.head?.headers == headers)
  }

  @Test func cookiesAreStoredAsTheConfigurationSays() async throws {
    enum Tag {}
    let cookies = [HeaderField("Set-Cookie", "a=1; Path=/"), HeaderField("Set-Cookie", "b=2; Path=/")]
    let hook = HookFixture<Tag>(.respond(CannedResponse(headers: cookies)))
    let session = hook.session()
    _ = try await session.data(from: url)
    let stored = session.configuration.httpCookieStorage?.cookies(for: url) ?? []
    #expect(Set(stored.map { "\($0.name)=\($0.value)" }) == ["a=1", "b=2"])
    let refusing = hook.session { $0.httpCookieAcceptPolicy = .never }
    _ = try await refusing.data(from: url)
    #expect(refusing.configuration.httpCookieStorage?.cookies(for: url)?.isEmpty ?? true)
  }

  @Test func aSequenceGivesOneStepAfterTheOther() async throws {
    enum Tag {}
    let steps: [Action] = [.respond(CannedResponse(status: 500)), .respond(CannedResponse(status: 200))]
    let hook = HookFixture<Tag>(.sequence(steps, afterwards: .last))
    var statuses: [Int] = []
    for _ in 0..<3 {
      let (_, response) = try await hook.session().data(from: url)
      statuses.append((response as? HTTPURLResponse)?.statusCode ?? 0)
    }
    #expect(statuses == [500, 200, 200])
  }

  @Test func headersOfTheSessionCountWhenMatching() async throws {
    enum Tag {}
    let pattern = RequestPattern(headers: [.init("X-Session", .glob("s"))])
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: 299)), when: pattern)
    let session = hook.session { $0.httpAdditionalHeaders = ["X-Session": "s"] }
    let (_, response) = try await session.data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 299)
    let told = try await hook.sink.ended()
    #expect(told[0].start?.request.headers.first(named: "x-session") == "s")
  }
}
