import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Uploads that a stub answers: their bodies are seen, and their progress is told.
@Suite(.bounded) struct StubbedUploadTests {
  private let url = URL(string: "http://stubbed.test/upload")!
  private let body = Data(#"{"user":{"id":7}}"#.utf8)
  private let stub = Stub(
    name: "by body", when: RequestPattern(body: BodyPattern(json: ["user": ["id": 7]])),
    then: .respond(CannedResponse(status: 202)))

  private var request: URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    return request
  }

  @Test func dataIsMatched() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    let (_, response) = try await hook.session().upload(for: request, from: body)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
    let told = try await hook.sink.ended()
    #expect(told[0].start?.request.body == body)
    #expect(told[0].start?.task == .upload)
    #expect(told[0].end?.bytesSent == Int64(body.count))
  }

  @Test func aFileIsMatched() async throws {
    enum Tag {}
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("body")
    try body.write(to: file)
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    let (_, response) = try await hook.session().upload(for: request, fromFile: file)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
    #expect(try await hook.sink.ended()[0].start?.request.body == body)
  }

  @Test func aFileThatTheProgramHasRemovedIsStillRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("body")
    try body.write(to: path)
    let kept = UploadFile(path)
    kept.keep()
    let other = UploadFile(path)
    #expect(other.length == Int64(body.count))
    try FileManager.default.removeItem(at: path)
    #expect(kept.read(upTo: .max) == body)
    #expect(kept.read(upTo: 3) == body.prefix(3))
    #expect(kept.length == Int64(body.count))
    #expect(other.read(upTo: .max) == nil)
  }

  @Test func aStreamIsMatchedAndTold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    var request = request
    request.httpBodyStream = InputStream(data: body)
    let (_, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
    let told = try await hook.sink.ended()[0]
    #expect(told.answer?.edited?.body == body)
    #expect(told.end?.bytesSent == Int64(body.count))
  }

  /// As with a mock in the program, and the record does not take it for an empty body.
  @Test func aStreamThatTheAnswerDoesNotNeedIsNotRead() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: 202)))
    var request = request
    let stream = InputStream(data: body)
    request.httpBodyStream = stream
    let (_, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
    #expect(stream.streamStatus == .notOpen)
    let told = try await hook.sink.ended()[0]
    let recorded = told.answer?.edited ?? told.start?.request
    #expect(recorded?.body == nil && recorded?.truncated == true)
    #expect(told.end?.bytesSent == 0)
  }

  @Test func theStreamOfADelegateIsMatched() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    let delegate = StreamingDelegate(text: #"{"user":{"id":7}}"#)
    hook.session(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
    #expect(try await delegate.recorder.completed() == [.response(202), .complete(nil)])
    #expect(delegate.asked == 1)
  }

  @Test func aStreamThatNoStubTakesGoesOutWhole() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    let hook = HookFixture<Tag>([stub])
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let bytes = Data(LoopbackServer.bytes(200_000))
    request.httpBodyStream = InputStream(data: bytes)
    let (_, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    let told = try await hook.sink.ended()[0]
    #expect(told.answer?.edited?.body == bytes)
    #expect(told.end?.bytesSent == 200_000)
  }

  @Test func theBodyOfARequestIsMatched() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    var request = request
    request.httpBody = body
    let (_, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
  }

  @Test func progressComesBeforeTheResponse() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("ok"))))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).uploadTask(with: request, from: body).resume()
    #expect(
      try await delegate.completed() == [.sent(Int64(body.count)), .response(200), .data("ok"), .complete(nil)])
  }

  @Test func whatNoStubTakesFailsAndSaysSo() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    let error = await #expect(throws: URLError.self) {
      try await hook.session().upload(for: request, from: Data("other".utf8))
    }
    #expect(error?.localizedDescription.contains("POST http://stubbed.test/upload") == true)
    #expect(try await hook.sink.ended()[0].answer?.by == .console)
  }

  @Test func aBodyOfNoBytesHasNoProgress() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("ok"))))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).uploadTask(with: request, from: Data()).resume()
    #expect(try await delegate.completed() == [.response(200), .data("ok"), .complete(nil)])
  }

  /// As the built-in classes have it.
  @Test(arguments: [true, false]) func theTaskCountsWhatADelegateHearsOf(_ hasDelegate: Bool) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("ok"))))
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: hasDelegate ? delegate : nil)
    let isDone = SeenLock(false)
    let task: URLSessionTask
    if hasDelegate {
      task = session.uploadTask(with: request, from: body)
    } else {
      task = session.uploadTask(with: request, from: body) { _, _, _ in isDone.withLock { $0 = true } }
    }
    task.resume()
    if hasDelegate { _ = try await delegate.completed() } else { try await until { isDone.withLock { $0 } } }
    #expect(task.countOfBytesSent == (hasDelegate ? Int64(body.count) : 0))
    #expect(task.countOfBytesExpectedToSend == Int64(body.count))
  }

  /// No timeout is none for reading it either.
  @Test func aStreamIsReadWhereThereIsNoTimeout() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([stub], unmatched: .fail)
    var request = request
    request.httpBodyStream = InputStream(data: body)
    request.timeoutInterval = 0
    let (_, response) = try await hook.session().data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
  }

  /// Nobody gives the stream that is to be looked at.
  @Test func aStreamThatIsNeverGivenIsNoBody() async throws {
    enum Tag {}
    let other = Stub(name: "other", then: .respond(CannedResponse(status: 299)))
    let hook = HookFixture<Tag>([stub, other])
    hook.session().uploadTask(withStreamedRequest: request).resume()
    let told = try await hook.sink.ended()[0]
    #expect(told.head?.status == 299 && told.answer?.stub == "other")
  }
}
