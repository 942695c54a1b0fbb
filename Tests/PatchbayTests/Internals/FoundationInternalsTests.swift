import Dispatch
import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is read of objects and values by their layout.
@Suite(.bounded) struct FieldTests {
  private class Base {
    var number = 7
    var text = "seven"
    var object: NSObject? = NSObject()
  }

  private final class Sub: Base {
    var flag = true
    let pair: (Int, String) = (1, "x")
  }

  private enum Plain: CaseIterable { case one, two, three }

  private enum Carrying {
    case none
    case text(String)
    case numbers(UInt, UInt, UInt)
    case object(NSObject)
    case last
  }

  @Test func aFieldIsFoundByItsNameAndSize() throws {
    let word = MemoryLayout<Int>.size
    let object = Sub()
    #expect(try #require(StoredField("number", in: Base.self)).value(in: object) as? Int == 7)
    #expect(try #require(StoredField("text", in: Sub.self, size: 2 * word)).value(in: object) as? String == "seven")
    #expect(try #require(StoredField("flag", in: Sub.self, size: 1)).value(in: object) as? Bool == true)
    let pair = try #require(StoredField("pair", in: Sub.self)).value(in: object) as? (Int, String)
    #expect(pair?.0 == 1 && pair?.1 == "x")
    #expect(StoredField("number", in: Base.self)?.type == Int.self)
    for (name, size) in [("number", 4), ("number", 16), ("numbe", nil), ("numbers", nil), ("", nil), ("flag", 8)]
      as [(
        String, Int?
      )]
    {
      #expect(StoredField(name, in: Sub.self, size: size) == nil, "\(name)")
    }
    #expect(StoredField("flag", in: Base.self) == nil)
  }

  private struct Value {
    var object = NSObject()
    var flag = true
    var count = 3
  }

  @Test func theFieldOfAValueIsFoundByItsNameAndType() {
    #expect(StoredField.offset(of: "object", in: Value.self, as: NSObject.self) == 0)
    #expect(StoredField.offset(of: "flag", in: Value.self, as: Bool.self) == MemoryLayout<Value>.offset(of: \.flag))
    #expect(StoredField.offset(of: "count", in: Value.self, as: Int.self) == MemoryLayout<Value>.offset(of: \.count))
    #expect(StoredField.offset(of: "count", in: Value.self, as: Bool.self) == nil)
    #expect(StoredField.offset(of: "none", in: Value.self, as: Bool.self) == nil)
  }

  @Test func itIsReadWrittenAndCopied() throws {
    let (one, two) = (Sub(), Sub())
    let number = try #require(StoredField("number", in: Base.self))
    number.address(in: one).assumingMemoryBound(to: Int.self).pointee = 9
    #expect(one.number == 9 && two.number == 7 && one.text == "seven")
    let text = try #require(StoredField("text", in: Base.self))
    one.text = String(repeating: "long enough to lie elsewhere ", count: 4)
    text.copy(from: one, to: two)
    #expect(two.text == one.text && two.number == 7)
    let object = try #require(StoredField("object", in: Base.self))
    #expect(object.object(in: one) === one.object && object.object(in: one) !== two.object)
    one.object = nil
    #expect(object.object(in: one) == nil)
  }

  @Test func casesAreToldApart() {
    let all = Plain.allCases.map { EnumCase($0) }
    #expect(Set(all).count == 3 && !all.contains(nil))
    #expect(EnumCase(Plain.two) == EnumCase(of: Plain.two) && EnumCase(Plain.one) != EnumCase(of: Plain.two))
    #expect(EnumCase(Carrying.text("a")) == EnumCase(Carrying.text("another")))
    let others: [Carrying] = [.none, .text(""), .numbers(1, 2, 3), .object(NSObject()), .last]
    #expect(Set(others.map { EnumCase($0) }).count == 5)
    for value in [7, "text", [1], FieldTests()] as [Any] { #expect(EnumCase(value) == nil) }
    #expect(EnumCase(Plain.one) != EnumCase(Carrying.none), "of another enum")
  }

  @Test func whatACaseCarriesIsReadByWords() {
    let value = Carrying.numbers(11, 22, 33)
    for (index, word) in [11, 22, 33].enumerated() as EnumeratedSequence<[UInt]> {
      #expect(EnumCase.payloadWord(index, of: value) == word && EnumCase.payloadWord(index, in: value) == word)
    }
    #expect(EnumCase.payloadWord(MemoryLayout<Carrying>.size / 8, of: value) == nil, "it has no more")
    let object = NSObject()
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    #expect(EnumCase.payloadWord(0, of: Carrying.object(object)) == address)
    #expect(EnumCase.payloadWord(0, of: 7) == nil && EnumCase.payloadWord(0, of: Plain.one) == nil)
  }

  private enum Whole {
    case nothing
    case object(NSObject)
  }

  @Test func theOnlyWordOfAValueIsReadToo() {
    let value = Whole.object(NSObject())
    guard case .object(let object) = value else { return }
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    #expect(MemoryLayout<Whole>.size == MemoryLayout<UInt>.size)
    #expect(EnumCase.payloadWord(0, of: value) == address && EnumCase.payloadWord(0, in: value) == address)
    #expect(EnumCase.payloadWord(1, of: value) == nil)
    #expect(EnumCase(value) != EnumCase(Whole.nothing))
  }
}

/// What is read of and written to tasks that are never resumed.
@Suite(.bounded) struct TaskInternalsTests {
  private final class Delegate: NSObject, URLSessionTaskDelegate {}

  private let url = URL(string: "http://a.example/x")!

  private func withTask(
    _ body: (URLSession, URLSessionDataTask) throws -> Void
  ) rethrows {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    try body(session, session.dataTask(with: url))
  }

  @Test func aTaskNamesItsSessionAndItsQueue() throws {
    withTask { session, task in
      #expect(TaskInternals.session(of: task) === session)
      #expect(TaskInternals.workQueue(of: task) != nil)
      let other = session.dataTask(with: url)
      #expect(TaskInternals.workQueue(of: task) !== TaskInternals.workQueue(of: other))
      #expect(TaskInternals.state(of: task) == .suspended && task.state == .suspended)
      #expect(TaskInternals.loading(of: task) == nil)
    }
  }

  @Test func whatItSaysCanBeSet() throws {
    try withTask { _, task in
      var request = URLRequest(url: URL(string: "http://b.example/y")!)
      request.setValue("1", forHTTPHeaderField: "X-A")
      TaskInternals.setCurrentRequest(request, of: task)
      #expect(task.currentRequest == request && task.originalRequest?.url == url)
      #expect(TaskInternals.response(of: task) == nil)
      let head = try #require(
        HTTPURLResponse(url: url, statusCode: 299, httpVersion: nil, headerFields: ["Content-Length": "12"]))
      #expect(TaskInternals.setResponse(head, of: task))
      #expect(task.response === head && TaskInternals.response(of: task) === head)
      #expect(TaskInternals.setResponse(nil, of: task) && task.response == nil)
      TaskInternals.setError(URLError(.timedOut), of: task)
      #expect((task.error as? URLError)?.code == .timedOut)
      TaskInternals.setExpectedBytes(head, of: task)
      #expect(task.countOfBytesExpectedToReceive == 12)
      for (count, said) in [(1, 1), (0, -1), (-1, -1), (Int64.max, Int64.max)] as [(Int64, Int64)] {
        TaskInternals.setExpectedBytes(count, of: task)
        #expect(task.countOfBytesExpectedToReceive == said)
      }
      TaskInternals.setSentBytes(3, of: 8, task: task)
      #expect(task.countOfBytesSent == 3 && task.countOfBytesExpectedToSend == 8)
      TaskInternals.setReceivedBytes(5, of: task)
      #expect(task.countOfBytesReceived == 5 && task.countOfBytesSent == 3)
      #expect(TaskInternals.requestWithCredential(of: task) == nil)
      let was = TaskInternals.completesInline(task)
      TaskInternals.completeOnDelegateQueue(task)
      #expect(!TaskInternals.completesInline(task), "it was \(was)")
    }
  }

  @Test func itsStateIsWhatWasSaid() {
    withTask { _, task in
      for state in [URLSessionTask.State.running, .suspended] {
        #expect(TaskInternals.setState(state, of: task))
        #expect(task.state == state && TaskInternals.state(of: task) == state)
      }
    }
  }

  @Test func anEncodedBodyHasNoLengthBeforehand() throws {
    for (fields, count) in [
      (["Content-Length": "12"], 12), ([:], -1), (["Content-Length": "12", "Content-Encoding": "gzip"], -1),
      (["Content-Length": "0"], 0),
    ] as [([String: String], Int64)] {
      let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
      #expect(TaskInternals.expectedBytes(of: head) == count, "\(fields)")
    }
  }

  /// On this system the program's code finds a task's own delegate, whoever stands in its place.
  @Test func whoStandsInATasksDelegatesPlaceIsHidden() { #expect(DelegateOverride.isHidden) }

  @Test func itsDelegateIsTakenAndGivenBack() throws {
    withTask { _, task in
      let (first, second) = (Delegate(), Delegate())
      task.delegate = first
      let before = TaskInternals.exchangeDelegate(of: task, for: second)
      #expect(before != nil && before! === first && task.delegate === second)
      let after = TaskInternals.exchangeDelegate(of: task, for: nil)
      #expect(after != nil && after! === second)
      let none = TaskInternals.exchangeDelegate(of: task, for: first)
      #expect(none != nil && none! == nil && task.delegate === first)
    }
  }

  /// Its own where it was set, also to the usual 60 seconds; else the session's.
  @Test func theTimeoutIsTheRequestsOrTheSessions() {
    for (own, expected) in [(nil, 7), (60, 60), (5, 5), (100, 100)] as [(Double?, Double)] {
      withTask { session, _ in
        session.configuration.timeoutIntervalForRequest = 7
        var request = URLRequest(url: url)
        if let own { request.timeoutInterval = own }
        #expect(TaskInternals.timeout(of: request, session: session) == expected)
        #expect(TaskInternals.timeout(of: request, session: nil) == own ?? 60)
      }
    }
  }

  // MARK: Bodies

  private func described(_ body: RequestBody) -> String {
    switch body {
    case .none: "none"
    case .data(let data): "data " + String(decoding: data, as: UTF8.self)
    case .file(let file): "file \(file.url.lastPathComponent)"
    case .stream(let capture): capture == nil ? "stream" : "captured stream"
    }
  }

  @Test func theBodyIsTheOneThatTheTaskHas() throws {
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: folder.file("body.txt"))
    try Data("filed".utf8).write(to: file)
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    var own = post
    own.httpBody = Data("own".utf8)
    var empty = post
    empty.httpBody = Data()
    var streamed = post
    streamed.httpBodyStream = InputStream(data: Data("s".utf8))
    let tasks: [(URLSessionTask, String)] = [
      (session.dataTask(with: url), "none"), (session.dataTask(with: own), "data own"),
      (session.dataTask(with: empty), "none"), (session.dataTask(with: streamed), "stream"),
      (session.downloadTask(with: own), "data own"), (session.downloadTask(with: url), "none"),
      (session.uploadTask(with: post, from: Data("up".utf8)), "data up"),
      (session.uploadTask(with: post, fromFile: file), "file body.txt"),
      (session.uploadTask(withStreamedRequest: streamed), "stream"),
      (session.uploadTask(withStreamedRequest: post), "stream"),
    ]
    for (task, expected) in tasks {
      let request = try #require(task.originalRequest)
      #expect(described(TaskBody.body(of: task, request: request)) == expected)
      #expect(TaskBody.isEmpty(of: task) == (expected == "none"), "\(expected)")
    }
    #expect(TaskBody.stream(of: session.dataTask(with: streamed)) != nil)
    #expect(TaskBody.stream(of: session.dataTask(with: own)) == nil)
    #expect(TaskBody.stream(of: session.uploadTask(with: post, from: Data("up".utf8))) == nil)
  }
}

/// The file of a download, and Foundation's notes about it.
@Suite(.bounded) struct DownloadedFileTests {
  private final class Reports: ExchangeSink {
    private let all = SeenLock<[ExchangeUpdate]>([])

    func report(_ report: consuming ExchangeReport) {
      let update = report.update(bodyLimit: .max)
      all.withLock { $0.append(update) }
    }

    func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {}
    func unhold(_ key: UInt64) {}
    func notice(_ sentence: String) {}
    var updates: [ExchangeUpdate] { all.withLock { $0 } }
  }

  private func recorder(_ sink: Reports, limit: UInt64) -> ExchangeRecorder {
    var settings = HookSettings()
    settings.bodyLimit = limit
    let request = RequestSnapshot(request: URLRequest(url: URL(string: "http://a.example/")!))
    return ExchangeRecorder(
      key: 1, snapshot: HookSnapshot(active: true, settings: settings, sink: sink),
      start: ExchangeReport.Start(at: .now, request: request, task: .download, revision: 1))
  }

  @Test func aBodyIsWrittenAndRemoved() async throws {
    for body in [Data(), Data("x".utf8), Data(count: 3_000_000)] {
      let file = try #require(DownloadedFile.make(body))
      #expect(try Data(contentsOf: file) == body && file.pathExtension == "tmp" && file.isFileURL)
      DownloadedFile.remove(file)
      try await until { !FileManager.default.fileExists(atPath: file.path) }
    }
  }

  /// Of the file as much is told as is wanted, and its length in any case.
  @Test(
    arguments: [
      (0, 100, 0), (1, 100, 1), (100, 100, 100), (101, 100, 100), (5, 0, 0), (1 << 20, 1 << 21, 1 << 20),
      ((1 << 20) + 1, 1 << 21, (1 << 20) + 1), (3 << 20, (1 << 20) + 7, (1 << 20) + 7),
    ]) func itsBeginningIsTold(_ count: Int, _ limit: Int, _ told: Int) async throws
  {
    let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    let file = try #require(DownloadedFile.make(bytes))
    let sink = Reports()
    let recorder = recorder(sink, limit: UInt64(limit))
    await withCheckedContinuation { done in DownloadedFile.report(file, to: recorder) { done.resume() } }
    recorder.end(.responded)
    let body = sink.updates.reduce(Data()) { $0 + ($1.data ?? Data()) }
    #expect(body == bytes.prefix(told))
    let end = sink.updates.last?.end
    #expect(end?.bytesReceived == Int64(count) && end?.responseTruncated == (count > told) && end?.hasBody == true)
    // A small one waits for the end.
    #expect(count > 1 << 20 || sink.updates.count == 1)
    DownloadedFile.remove(file)
    try await until { !FileManager.default.fileExists(atPath: file.path) }
  }

  @Test func aFileThatIsGoneTellsNothing() async throws {
    let sink = Reports()
    let recorder = recorder(sink, limit: 10)
    await withCheckedContinuation { done in
      DownloadedFile.report(URL(fileURLWithPath: "/nowhere/at/all"), to: recorder) { done.resume() }
    }
    recorder.end(.responded)
    #expect(sink.updates.count == 1 && sink.updates[0].data == nil && sink.updates[0].end?.hasBody == false)
  }

  @Test func onlyADownloadHasAFile() throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "http://a.example/"))
    let built = try #require(BuiltInClass.http as? URLProtocol.Type)
    let file = URL(fileURLWithPath: "/tmp/x")
    for (task, found) in [(session.downloadTask(with: url), file), (session.dataTask(with: url), nil)]
      as [(
        URLSessionTask, URL?
      )]
    {
      let loading = built.init(request: URLRequest(url: url), cachedResponse: nil, client: nil)
      #expect(DownloadedFile.location(of: loading, task: task) == nil)
      #expect(ProtocolProperties.value(named: "temporaryFileURL", of: loading) == nil)
      #expect(ProtocolProperties.set("temporaryFileURL", to: file, of: loading))
      #expect(DownloadedFile.location(of: loading, task: task) == found)
      #expect(ProtocolProperties.value(named: "temporaryFileURL", of: loading) as? URL == file)
      #expect(!ProtocolProperties.set("noSuchNote", to: file, of: loading))
      #expect(ProtocolProperties.value(named: "noSuchNote", of: loading) == nil)
    }
  }

  @Test func aTransferThatHasNotBegunKnowsNothing() throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: try #require(URL(string: "http://a.example/")))
    let built = try #require(BuiltInClass.http as? URLProtocol.Type)
    let loading = built.init(task: task, cachedResponse: nil, client: nil)
    let transfer = try #require(CurlTransfer(of: loading))
    #expect(transfer.firstByte == nil && transfer.sinceFirstByte == nil && transfer.received == 0)
    let status = transfer.head(isCut: true)?.status
    #expect(status == nil && TransferResponse.response(of: loading) == nil)
  }

  @Test func whatHasNoTransferIsNotAsked() throws {
    let url = try #require(URL(string: "http://a.example/"))
    let loading = FixtureProtocol<Int>(request: URLRequest(url: url), cachedResponse: nil, client: nil)
    #expect(CurlTransfer(of: loading) == nil && TransferResponse.response(of: loading) == nil)
    #expect(CurlTransfer.keepsHeads)
  }
}
