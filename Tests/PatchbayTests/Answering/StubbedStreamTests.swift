import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Streams of events: each by itself, in its time.
@Suite(.bounded) struct StubbedStreamTests {
  private static let url = "http://stubbed.test/v1/chat?n=7"

  private func events(_ pause: Duration?) -> [CannedResponse.Event] {
    let after = pause.map { Delay.fixed($0) }
    return [
      .init(event: "token", id: "1", data: ["delta": "こ", "n": "{{request.query.n}}"], after: after),
      .init(data: "two\nlines", after: after), .init(data: "[DONE]", after: after),
    ]
  }

  private static let written = [
    "event: token\nid: 1\ndata: {\"delta\":\"こ\",\"n\":\"7\"}\n\n", "data: two\ndata: lines\n\n", "data: [DONE]\n\n",
  ]

  @Test(arguments: [nil, 0, 20]) func eachReachesADelegateByItself(_ pause: Int?) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(
      .respond(CannedResponse(body: .events(events(pause.map { .milliseconds($0) })))))
    let delegate = CallbackRecorder()
    let began = ContinuousClock.now
    hook.session(delegate: delegate).dataTask(with: URL(string: Self.url)!).resume()
    let callbacks = try await delegate.completed()
    #expect(callbacks == [.response(200)] + Self.written.map { .data($0) } + [.complete(nil)])
    #expect(ContinuousClock.now - began >= .milliseconds(3 * (pause ?? 0)))
    let told = try await hook.sink.ended()
    #expect(told[0].data == Data(Self.written.joined().utf8))
  }

  @Test func aHandlerGetsThemWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: 201, body: .events(events(.milliseconds(5))))))
    let (data, response) = try await hook.session().data(from: URL(string: Self.url)!)
    #expect(data == Data(Self.written.joined().utf8))
    let head = try #require(response as? HTTPURLResponse)
    #expect(head.statusCode == 201 && head.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
  }

  @Test func aCancelEndsTheStream() async throws {
    enum Tag {}
    var long = events(.milliseconds(5))
    long.append(.init(data: "never", after: .fixed(.seconds(60))))
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .events(long))))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: URL(string: Self.url)!)
    task.resume()
    try await until { delegate.callbacks.count == 4 }
    task.cancel()
    #expect(try await delegate.completed().last == .complete(URLError.cancelled.rawValue))
  }
}

/// Folders, and files whose names requests fill in.
@Suite(.bounded) struct StubbedFolderTests {
  /// A folder with a file beside it that nobody may get.
  private final class Place {
    let base: String

    init() throws {
      base = NSTemporaryDirectory() + "patchbay-folder-\(UUID().uuidString)"
      let files = FileManager.default
      try files.createDirectory(atPath: base + "/mocks/assets/deep", withIntermediateDirectories: true)
      try files.createDirectory(atPath: base + "/mocks-beside", withIntermediateDirectories: true)
      for (path, text) in [
        ("secret.txt", "secret"), ("mocks-beside/x.txt", "secret"), ("mocks/assets/a b.json", "{\"a\":1}"),
        ("mocks/assets/ten.txt", "0123456789"), ("mocks/assets/deep/index.html", "<p>"), ("mocks/empty", ""),
        ("mocks/7.json", "seven"),
      ] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: base + "/" + path))
      }
      try files.createSymbolicLink(atPath: base + "/mocks/out.txt", withDestinationPath: "../secret.txt")
      try files.createSymbolicLink(atPath: base + "/mocks/outside", withDestinationPath: "../mocks-beside")
      try files.createSymbolicLink(atPath: base + "/mocks/inside.txt", withDestinationPath: "assets/ten.txt")
      mkfifo(base + "/mocks/pipe", 0o600)
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }
  }

  private func ask(
    _ session: URLSession, _ path: String, _ headers: [String: String] = [:], method: String = "GET"
  ) async throws -> (status: Int, body: String, head: HTTPURLResponse) {
    var request = URLRequest(url: URL(string: "http://stubbed.test" + path)!)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await session.data(for: request)
    let head = try #require(response as? HTTPURLResponse)
    return (head.statusCode, String(decoding: data, as: UTF8.self), head)
  }

  @Test func answersAsASmallServer() async throws {
    enum Tag {}
    let place = try Place()
    let hook = HookFixture<Tag>(
      .respond(
        CannedResponse(headers: [HeaderField("X-Own", "1")], body: .folder(place.base + "/mocks", otherwise: .notFound))
      ))
    let session = hook.session()
    let json = try await ask(session, "/assets/a%20b.json?q=1")
    #expect(json.status == 200 && json.body == "{\"a\":1}")
    #expect(json.head.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(json.head.value(forHTTPHeaderField: "X-Own") == "1")
    let modified = try #require(json.head.value(forHTTPHeaderField: "Last-Modified"))
    let tag = try #require(json.head.value(forHTTPHeaderField: "ETag"))
    #expect(modified.hasSuffix(" GMT") && modified.count == 29)
    #expect(try await ask(session, "/assets/a%20b.json", ["If-None-Match": "\"x\", W/\(tag)"]).status == 304)
    #expect(try await ask(session, "/assets/a%20b.json", ["If-None-Match": "\"x\""]).status == 200)
    #expect(try await ask(session, "/assets/a%20b.json", ["If-Modified-Since": modified]).status == 304)
    #expect(try await ask(session, "/assets/deep").body == "<p>")
    #expect(try await ask(session, "/assets/deep/").body == "<p>")
    #expect(try await ask(session, "/inside.txt").body == "0123456789")
    #expect(try await ask(session, "/empty").body == "")
    let head = try await ask(session, "/assets/ten.txt", method: "HEAD")
    #expect(head.body == "" && head.head.value(forHTTPHeaderField: "Content-Length") == "10")
  }

  @Test(
    arguments: [
      ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
      ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=0-99", 206, "0123456789", "bytes 0-9/10"),
      ("bytes=10-", 416, "", "bytes */10"), ("bytes=-0", 416, "", "bytes */10"),
      ("bytes=1-2,4-5", 200, "0123456789", nil),
      ("bytes=4-2", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
      ("bytes=99999999999999999999-", 200, "0123456789", nil),
    ] as [(String, Int, String, String?)])
  func ranges(_ range: String, _ status: Int, _ body: String, _ told: String?) async throws {
    enum Tag {}
    let place = try Place()
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .folder(place.base + "/mocks", otherwise: .notFound))))
    let answer = try await ask(hook.session(), "/assets/ten.txt", ["Range": range])
    #expect(answer.status == status && answer.body == body)
    #expect(answer.head.value(forHTTPHeaderField: "Content-Range") == told)
  }

  @Test(arguments: [
    "/none", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/out.txt", "/outside/x.txt", "/pipe",
    "/assets/%00", "/assets", "/%2e%2e/mocks-beside/x.txt", "/assets/../../secret.txt", "/assets/ten.txt/x", "/%FF",
  ])
  func givesNothingFromOutside(_ path: String) async throws {
    enum Tag {}
    let place = try Place()
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .folder(place.base + "/mocks", otherwise: .notFound))))
    let answer = try await ask(hook.session(), path)
    #expect(answer.status == 404 && !answer.body.contains("secret"))
  }

  @Test func whatIsNotThereGoesToTheNetwork() async throws {
    enum Tag {}
    let place = try Place()
    let server = try LoopbackServer()
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .folder(place.base + "/mocks", otherwise: .pass))))
    _ = try await hook.session().data(from: server.url("/hello"))
    #expect(try await hook.sink.ended()[0].answer?.by == .network)
  }

  @Test(arguments: [
    ("/files/7", 200, "seven"), ("/files/8", 404, "Not Found\n"), ("/files/..%2f..%2fsecret", 404, "Not Found\n"),
    ("/files/%2e%2e", 404, "Not Found\n"),
  ])
  func aRequestNamesTheFile(_ path: String, _ status: Int, _ body: String) async throws {
    enum Tag {}
    let place = try Place()
    let file = CannedResponse(body: .file(place.base + "/mocks/{{request.path.1}}.json"))
    let hook = HookFixture<Tag>(.respond(file))
    let answer = try await ask(hook.session(), path)
    #expect(answer.status == status && answer.body == body)
  }

  /// The person is told of one that is not there.
  @Test func aFileThatARequestNamesInVainIsTold() async throws {
    enum Tag {}
    let place = try Place()
    let file = CannedResponse(body: .file(place.base + "/mocks/{{request.path.1}}.json"))
    let hook = HookFixture<Tag>(.respond(file))
    #expect(try await ask(hook.session(), "/files/7").status == 200)
    #expect(hook.sink.notices == [])
    #expect(try await ask(hook.session(), "/files/8").status == 404)
    #expect(
      hook.sink.notices == ["A stub's file \(place.base)/mocks/8.json is not there (or lies outside): 404."])
  }
}
