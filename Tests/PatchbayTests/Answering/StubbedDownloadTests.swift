import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Downloads that a stub answers: a real file in each way of asking.
@Suite(.bounded) struct StubbedDownloadTests {
  private let url = URL(string: "http://stubbed.test/file")!
  private let answer = Action.respond(CannedResponse(body: .text("contents")))

  @Test func anAsyncCallerGetsAFile() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(answer)
    let (file, response) = try await hook.session().download(from: url)
    #expect(try String(contentsOf: file, encoding: .utf8) == "contents")
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    let told = try await hook.sink.ended()
    #expect(told[0].start?.task == .download)
    #expect(told[0].data == Data("contents".utf8))
  }

  @Test func aHandlerGetsAFile() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(answer)
    let session = hook.session()
    let text: String? = await withCheckedContinuation { continuation in
      session.downloadTask(with: url) { file, _, _ in
        continuation.resume(returning: file.flatMap { try? String(contentsOf: $0, encoding: .utf8) })
      }.resume()
    }
    #expect(text == "contents")
  }

  @Test func aDelegateIsToldOfProgressAndFile() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(answer)
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).downloadTask(with: url).resume()
    #expect(try await delegate.completed() == [.written(8, of: 8), .file("contents"), .complete(nil)])
  }

  @Test func aSlowOneIsToldOfEachPiece() async throws {
    enum Tag {}
    let pace = Pace.dribble(pieces: 4, over: .milliseconds(40))
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("contents"), pace: pace)))
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).downloadTask(with: url).resume()
    #expect(
      try await delegate.completed() == [
        .written(2, of: 8), .written(4, of: 8), .written(6, of: 8), .written(8, of: 8), .file("contents"),
        .complete(nil),
      ])
  }

  @Test func nothingIsLeftOfOneThatIsCancelled() async throws {
    enum Tag {}
    let text = UUID().uuidString
    let pace = Pace.dribble(pieces: 4, over: .seconds(60))
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text(text), pace: pace)))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).downloadTask(with: url)
    task.resume()
    try await until { hook.sink.exchanges.first?.head != nil }
    task.cancel()
    #expect(try await delegate.completed() == [.complete(URLError.cancelled.rawValue)])
    let folder = URL(fileURLWithPath: NSTemporaryDirectory())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".tmp") }
    #expect(!names.contains { (try? String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)) == text })
  }

  @Test func anEmptyOneIsAnEmptyFile() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(status: 204)))
    let (file, _) = try await hook.session().download(from: url)
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func aBigOneIsWhole() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .filler(bytes: 3_000_000))))
    let (file, _) = try await hook.session().download(from: url)
    #expect(try Data(contentsOf: file).count == 3_000_000)
  }

  @Test func aFailureIsAnError() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>(.fail(Fault(.named("networkConnectionLost"))))
    await #expect(throws: URLError.self) { try await hook.session().download(from: url) }
    let delegate = CallbackRecorder()
    hook.session(delegate: delegate).downloadTask(with: url).resume()
    #expect(try await delegate.completed() == [.complete(URLError.networkConnectionLost.rawValue)])
  }

  @Test(arguments: [nil, "8"] as [String?]) func theTaskCountsWhatHasCome(_ length: String?) async throws {
    enum Tag {}
    let headers = length.map { [HeaderField("Content-Length", $0)] } ?? []
    let hook = HookFixture<Tag>(.respond(CannedResponse(headers: headers, body: .text("contents"))))
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).downloadTask(with: url)
    task.resume()
    #expect(try await delegate.completed().last == .complete(nil))
    #expect(task.countOfBytesReceived == 8)
    #expect(task.countOfBytesExpectedToReceive == (length == nil ? -1 : 8))
  }
}
