import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests, their bodies and streams as they are told.
@Suite(.bounded) struct ReportPartsTests {
  private let url = URL(string: "http://a.example/x")!

  private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 250) }) }

  private func note(_ data: Data, in capture: StreamCapture) {
    data.withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
  }

  // MARK: Requests

  @Test func theSessionsFieldsGoWhereTheRequestHasNone() {
    var request = URLRequest(url: url)
    let session = [HeaderField("Z", "1"), HeaderField("accept", "s"), HeaderField("B", "2")]
    #expect(RequestSnapshot(request: request).headers == [])
    #expect(
      RequestSnapshot(request: request, sessionHeaders: session).headers == [
        HeaderField("B", "2"), HeaderField("Z", "1"), HeaderField("accept", "s"),
      ])
    request.setValue("r", forHTTPHeaderField: "Accept")
    request.setValue("7", forHTTPHeaderField: "X")
    #expect(
      RequestSnapshot(request: request, sessionHeaders: session).headers == [
        HeaderField("Accept", "r"), HeaderField("B", "2"), HeaderField("X", "7"), HeaderField("Z", "1"),
      ])
  }

  @Test func matchingSeesTheBodyOnlyWhereItIsWanted() {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let snapshot = RequestSnapshot(request: request, sessionHeaders: [HeaderField("A", "1")], body: .data(bytes(3)))
    let process = HarnessProcess(name: "p", pid: 7)
    let facts = snapshot.facts(of: process, withBody: true)
    #expect(facts.method == "PUT" && facts.url == "http://a.example/x" && facts.headers == [HeaderField("A", "1")])
    #expect(facts.body == bytes(3) && facts.process == "p" && facts.pid == 7)
    #expect(snapshot.facts(of: process, withBody: false).body == nil)
  }

  @Test func aStreamIsNotedToBeThereAndLetGoOf() {
    var plain = RequestSnapshot(request: URLRequest(url: url))
    #expect(plain.hasNoStream)
    plain.letGoOfStream()
    #expect(plain.hasNoStream && plain.request.httpBodyStream == nil)
    let stream = InputStream(data: bytes(3))
    plain.request.httpBodyStream = stream
    #expect(!plain.hasNoStream)
    plain.letGoOfStream()
    #expect(plain.request.httpBodyStream != nil && plain.request.httpBodyStream !== stream)
    #expect(!RequestSnapshot(request: URLRequest(url: url), body: .stream(nil)).hasNoStream)
  }

  @Test(arguments: [(2, true), (3, false), (4, false), (0, true)])
  func aBodyIsToldUpToTheLimit(_ limit: Int, _ isCut: Bool) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("body")
    try bytes(3).write(to: file)
    let capture = StreamCapture(limit: 100)
    note(bytes(3), in: capture)
    for body in [RequestBody.data(bytes(3)), .file(UploadFile(file)), .stream(capture)] {
      let told = RequestSnapshot(request: URLRequest(url: url), body: body).recorded(bodyLimit: limit)
      #expect(told.body == bytes(3).prefix(limit) && told.truncated == isCut)
    }
    #expect(RequestSnapshot(request: URLRequest(url: url)).recorded(bodyLimit: limit).body == nil)
    var cut = RequestSnapshot(request: URLRequest(url: url))
    cut.isCut = true
    #expect(cut.recorded(bodyLimit: limit).truncated)
  }

  @Test func howLongABodyIs() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("body")
    try bytes(70_000).write(to: file)
    #expect(RequestBody.none.length == 0 && RequestBody.data(bytes(4)).length == 4)
    #expect(RequestBody.file(UploadFile(file)).length == 70_000 && RequestBody.stream(nil).length == nil)
    #expect(RequestBody.file(UploadFile(file)).bytes(limit: .max)?.data == bytes(70_000))
    let gone = RequestBody.file(UploadFile(folder.url.appendingPathComponent("no")))
    #expect(gone.length == nil && gone.bytes(limit: 5) == nil)
  }

  // MARK: The header lines that are added

  private func added(
    _ method: String? = nil, _ body: RequestBody = .none, _ text: String = "http://a.example/",
    _ headers: [HeaderField] = [],
    change: (inout URLRequest) -> Void = { _ in }
  ) -> [String] {
    var request = URLRequest(url: URL(string: text)!)
    request.httpMethod = method
    change(&request)
    let usual = ["Accept", "Accept-Encoding", "Accept-Language", "Connection", "User-Agent"]
    return SentHeaders.added(to: headers, of: request, body: body).filter { !usual.contains($0.name) }
      .map { "\($0.name): \($0.value)" }
  }

  @Test(arguments: [
    ("http://a.example/", "a.example"), ("http://a.example:80/", "a.example"),
    ("http://a.example:443/", "a.example:443"),
    ("https://a.example:443/", "a.example"), ("HTTPS://a.example:443/", "a.example"),
    ("https://a.example:80/", "a.example:80"),
    ("http://[::1]:8080/", "[::1]:8080"), ("http://[::1]/", "[::1]"),
  ])
  func theHostIsNamedWithAPortThatIsNotTheUsualOne(_ url: String, _ host: String) {
    #expect(added("GET", .none, url) == ["Host: \(host)"])
  }

  @Test func aBodyIsDescribed() {
    let data = RequestBody.data(bytes(3))
    #expect(
      added("GET", data) == ["Host: a.example"] && added("HEAD", data) == ["Host: a.example"]
        && added(nil, data) == ["Host: a.example"])
    #expect(added("PUT", data) == ["Content-Length: 3", "Host: a.example"])
    #expect(added("DELETE") == ["Content-Length: 0", "Host: a.example"])
    let form = "Content-Type: application/x-www-form-urlencoded"
    func posted(_ method: String, _ count: Int) -> [String] {
      added(method, .data(bytes(count))) { $0.httpBody = Data(count: count) }
    }
    #expect(posted("POST", 3) == ["Content-Length: 3", form, "Host: a.example"])
    #expect(posted("POST", 0) == ["Content-Length: 0", "Host: a.example"])
    #expect(posted("PUT", 3) == ["Content-Length: 3", "Host: a.example"])
    let chunked = "Transfer-Encoding: chunked"
    #expect(added("POST", .stream(nil)) == [form, "Expect: 100-continue", "Host: a.example", chunked])
    #expect(
      added("POST", .stream(nil)) { $0.httpBodyStream = InputStream(data: Data()) } == [
        form, "Host: a.example", chunked,
      ])
    #expect(
      added("PUT", data, headers: [HeaderField("transfer-encoding", "x")]) == [
        "Host: a.example", "transfer-encoding: x",
      ])
  }

  private func added(_ method: String, _ body: RequestBody, headers: [HeaderField]) -> [String] {
    added(method, body, "http://a.example/", headers)
  }

  @Test func whatTheRequestNamesStays() {
    let own = [HeaderField("HOST", "other"), HeaderField("content-length", "9"), HeaderField("authorization", "own")]
    #expect(
      added("PUT", .data(bytes(3)), "http://u:p@a.example/", own) == [
        "HOST: other", "authorization: own", "content-length: 9",
      ])
    let names = SentHeaders.added(to: [HeaderField("accept", "x")], of: URLRequest(url: url), body: .none).map(\.name)
    #expect(names.contains("accept") && !names.contains("Accept") && names.contains("Connection"))
    #expect(names == names.sorted())
  }

  @Test func aPasswordInTheURLIsBasicCredentials() {
    #expect(
      added("GET", .none, "http://ann:p%40w@a.example/").first == "Authorization: Basic "
        + Data("ann:p@w".utf8).base64EncodedString())
    #expect(
      added("GET", .none, "http://ann@a.example/").first == "Authorization: Basic "
        + Data("ann:".utf8).base64EncodedString())
  }

  // MARK: Streams

  @Test func theBeginningOfAStreamIsKeptAndAllOfItCounted() {
    let capture = StreamCapture(limit: 5)
    #expect(
      !capture.isRead && capture.count == 0 && capture.bytes(limit: 9).data.isEmpty && capture.bytes(limit: 9).truncated
    )
    note(Data(), in: capture)
    #expect(capture.isRead && capture.bytes(limit: 9).truncated == false)
    note(bytes(3), in: capture)
    #expect(capture.bytes(limit: 9) == (bytes(3), false) && capture.bytes(limit: 3) == (bytes(3), false))
    #expect(capture.bytes(limit: 2) == (bytes(2), true))
    note(bytes(5).dropFirst(3), in: capture)
    #expect(capture.bytes(limit: 9) == (bytes(5), false))
    note(Data([9]), in: capture)
    #expect(capture.count == 6 && capture.bytes(limit: 9) == (bytes(5), true))
    capture.restart()
    #expect(!capture.isRead && capture.count == 0)
  }

  private func all(_ stream: InputStream, by size: Int) -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: size)
    while stream.hasBytesAvailable {
      let count = stream.read(&buffer, maxLength: size)
      guard count > 0 else { break }
      data.append(contentsOf: buffer[..<count])
    }
    return data
  }

  @Test func whatIsReadGoesBy() {
    let capture = StreamCapture(limit: 100)
    let stream = CapturingStream(InputStream(data: bytes(10)), capture)
    #expect(stream.streamStatus == .notOpen && !capture.isRead)
    #expect(all(stream, by: 4) == bytes(10) && capture.count == 10 && capture.bytes(limit: 100).data == bytes(10))
    #expect(stream.streamStatus == .closed)
  }

  /// The beginning that was read for the stubs goes out first, whatever it is of the whole.
  @Test(arguments: [0, 1, 9, 10, 11, 65_536, 70_000], [1, 3, 100_000])
  func aStreamThatWasReadGoesOutWhole(_ limit: Int, _ size: Int) {
    for count in [0, 10, 66_000] where count / size < 70_000 {
      let capture = StreamCapture(limit: 1 << 20)
      let stream = ReplayedStream(InputStream(data: bytes(count)), upTo: limit, capture)
      #expect(capture.count == min(limit, count) && capture.isRead)
      #expect(capture.bytes(limit: .max).data == bytes(count).prefix(limit))
      #expect(stream.hasBytesAvailable || count == 0 || limit == 0 || count <= limit)
      let other = CapturingStream(stream, capture)
      #expect(all(other, by: size) == bytes(count))
      #expect(capture.count == count && capture.bytes(limit: .max).data == bytes(count))
    }
  }

  @Test func aStreamThatWasReadIsOpenUntilItsBeginningIsGivenAgain() {
    let stream = ReplayedStream(InputStream(data: bytes(4)), upTo: 10, StreamCapture(limit: 10))
    #expect(stream.streamStatus == .open && stream.hasBytesAvailable)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(stream.read(&buffer, maxLength: 3) == 3 && stream.streamStatus == .open)
    #expect(stream.read(&buffer, maxLength: 3) == 1 && buffer[0] == 3)
    #expect(stream.streamStatus == .atEnd && stream.read(&buffer, maxLength: 3) == 0)
  }

  // MARK: The files of uploads

  @Test func onlyAFileIsRead() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("body")
    try bytes(200_000).write(to: file)
    let upload = UploadFile(file)
    for limit in [0, 1, 65_535, 65_536, 65_537, 199_999, 200_000, 200_001] {
      #expect(upload.read(upTo: limit) == bytes(200_000).prefix(limit), "\(limit)")
    }
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, folder.path, folder.file("no")] {
      let other = UploadFile(URL(fileURLWithPath: path))
      other.keep()
      #expect(other.length == nil && other.read(upTo: 5) == nil, "\(path)")
    }
  }

  /// So many are kept open that a program keeps enough for itself; the others are found while they are there.
  @Test(.alone) func noMoreAreKeptOpenThanThirtyTwo() throws {
    let folder = try TemporaryFolder()
    var files: [UploadFile] = []
    // The log of an earlier test may have some.
    let before = UploadFile.kept.withLock { $0 }
    for number in 0..<34 {
      let file = folder.url.appendingPathComponent("\(number)")
      try bytes(number + 1).write(to: file)
      let upload = UploadFile(file)
      upload.keep()
      upload.keep()
      files.append(upload)
      try FileManager.default.removeItem(at: file)
    }
    #expect(files.map { $0.length != nil } == (0..<34).map { $0 < 32 - before })
    files.removeFirst()
    let file = folder.url.appendingPathComponent("more")
    try bytes(3).write(to: file)
    let more = UploadFile(file)
    more.keep()
    let none = UploadFile(file)
    none.keep()
    try FileManager.default.removeItem(at: file)
    #expect(more.length == 3 && none.length == nil, "one that ends makes room for one")
  }

  // MARK: The log

  @Test func theLogKnowsEachScopesExchanges() {
    let log = ExchangeLog(limit: 10)
    let (one, two) = (SessionScope.Mark(number: 1), SessionScope.Mark(number: 2))
    func note(_ key: UInt64, _ scope: SessionScope.Mark?) {
      var report = ExchangeReport(key: key)
      var request = URLRequest(url: URL(string: "http://x/\(key)")!)
      request.httpBodyStream = InputStream(data: Data())
      report.start = ExchangeReport.Start(
        at: .now, request: RequestSnapshot(request: request), task: .data, revision: 0, scope: scope)
      log.note(report)
    }
    func urls(_ scope: SessionScope.Mark? = nil) -> [String] { log.exchanges(of: scope).map { $0.request.url } }
    for (key, scope) in [(1, nil), (2, one), (3, two), (4, one), (5, nil)] as [(UInt64, SessionScope.Mark?)] {
      note(key, scope)
    }
    #expect(
      urls() == (1...5).map { "http://x/\($0)" } && urls(one) == ["http://x/2", "http://x/4"]
        && urls(two) == ["http://x/3"])
    #expect(log.exchanges().map(\.id) == [1, 2, 3, 4, 5])
    log.forget()
    #expect(urls() == [] && urls(one) == ["http://x/2", "http://x/4"] && urls(two) == ["http://x/3"])
    note(6, nil)
    note(7, one)
    #expect(urls() == ["http://x/6", "http://x/7"] && urls(one) == ["http://x/2", "http://x/4", "http://x/7"])
    #expect(log.exchanges().map(\.id) == [6, 7])
    var late = ExchangeReport(key: 1)
    late.end = ExchangeUpdate.End(at: 1, outcome: .responded)
    log.note(late)
    #expect(urls() == ["http://x/6", "http://x/7"])
    for key in 8...40 as ClosedRange<UInt64> { note(key, one) }
    #expect(urls(one) == (31...40).map { "http://x/\($0)" })
  }

  /// Tests read the log whenever they like: it is no reason for the program's streams to live on.
  @Test func theLogKeepsFactsAndNoStreams() {
    let log = ExchangeLog()
    weak var asked: InputStream?
    weak var sent: InputStream?
    weak var recorder: ExchangeRecorder?
    func streamed(_ stream: InputStream) -> RequestSnapshot {
      var request = URLRequest(url: url)
      request.httpBodyStream = stream
      return RequestSnapshot(request: request)
    }
    func note() {
      let (first, second) = (InputStream(data: bytes(3)), InputStream(data: bytes(4)))
      var report = ExchangeReport(key: 1)
      var start = ExchangeReport.Start(at: .now, request: streamed(first), task: .data, revision: 4)
      let telling = ExchangeRecorder(key: 1, snapshot: .dormant, start: start)
      start.recorder = telling
      report.start = start
      report.sent = streamed(second)
      log.note(report)
      asked = first
      sent = second
      recorder = telling
    }
    note()
    #expect(asked == nil && sent == nil && recorder == nil)
    #expect(log.exchanges().map(\.revision) == [4])
  }

  @Test func theOldestGoAlsoOnceSomethingWasForgotten() {
    let log = ExchangeLog(limit: 2)
    let scope = SessionScope.Mark(number: 1)
    func note(_ key: UInt64, _ scope: SessionScope.Mark?) {
      var report = ExchangeReport(key: key)
      let request = RequestSnapshot(request: URLRequest(url: URL(string: "http://x/\(key)")!))
      report.start = ExchangeReport.Start(at: .now, request: request, task: .data, revision: 0, scope: scope)
      log.note(report)
    }
    func urls() -> [String] { log.exchanges(of: scope).map { $0.request.url } }
    for key in 1...3 as ClosedRange<UInt64> { note(key, scope) }
    #expect(urls() == ["http://x/2", "http://x/3"])
    log.forget()
    #expect(urls() == ["http://x/2", "http://x/3"])
    note(4, nil)
    #expect(urls() == ["http://x/3"])
    note(5, scope)
    #expect(urls() == ["http://x/5"])
  }

  /// A program that runs for days with one stub in code would else keep all that it ever loaded.
  @Test func ofBodiesTheOldestGoFirst() {
    let log = ExchangeLog(bodyLimit: 100)
    func note(_ key: UInt64, asked: Int = 0, answered: Int, ends: Bool = true) {
      var report = ExchangeReport(key: key)
      var request = URLRequest(url: URL(string: "http://x/\(key)")!)
      if asked > 0 { request.httpBody = bytes(asked) }
      var snapshot = RequestSnapshot(request: request)
      if asked > 0 { snapshot.body = .data(bytes(asked)) }
      report.start = ExchangeReport.Start(at: .now, request: snapshot, task: .data, revision: 0)
      report.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([]))
      log.note(report)
      more(key, answered, ends: ends)
    }
    func more(_ key: UInt64, _ count: Int, ends: Bool) {
      var report = ExchangeReport(key: key)
      report.data = bytes(count)
      if ends { report.end = ExchangeUpdate.End(at: 2, outcome: .responded, hasBody: true) }
      log.note(report)
    }
    /// What is kept of each: bytes of the request and of the response, with a `!` where that is not all.
    func kept() -> [String] {
      log.exchanges().map { exchange in
        let (request, response) = (exchange.request, exchange.response)
        return "\(request.body?.count ?? 0)\(request.truncated ? "!" : "")"
          + " \(response?.body?.count ?? 0)\(response?.truncated == true ? "!" : "")"
      }
    }
    note(1, asked: 10, answered: 40)
    note(2, answered: 0)
    note(3, answered: 50)
    #expect(kept() == ["10 40", "0 0", "0 50"])
    note(4, answered: 1, ends: false)
    #expect(kept() == ["0! 0!", "0 0", "0 50", "0 1"])
    // One that is under way when it is the oldest has none of the rest either; the newest is whole, whatever it takes.
    note(5, answered: 60)
    #expect(kept() == ["0! 0!", "0 0", "0 0!", "0 1", "0 60"])
    note(6, answered: 200)
    #expect(kept() == ["0! 0!", "0 0", "0 0!", "0 0!", "0 0!", "0 200"])
    more(4, 7, ends: true)
    #expect(kept() == ["0! 0!", "0 0", "0 0!", "0 0!", "0 0!", "0 200"])
    log.forget()
    note(7, answered: 100)
    note(8, answered: 1)
    #expect(kept() == ["0 0!", "0 1"])
  }

  @Test func aStreamsBodyGoesWithTheOthers() {
    let log = ExchangeLog(limit: 3, bodyLimit: 10)
    func note(_ key: UInt64, _ count: Int) {
      let capture = StreamCapture(limit: 1000)
      var snapshot = RequestSnapshot(request: URLRequest(url: url))
      snapshot.body = .stream(capture)
      var report = ExchangeReport(key: key)
      report.start = ExchangeReport.Start(at: .now, request: snapshot, task: .upload, revision: 0)
      log.note(report)
      bytes(count).withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
      var end = ExchangeReport(key: key)
      end.end = ExchangeUpdate.End(at: 2, outcome: .failed)
      log.note(end)
    }
    func kept() -> [Int?] { log.exchanges().map { $0.request.truncated ? -1 : $0.request.body?.count } }
    note(1, 5)
    note(2, 5)
    #expect(kept() == [5, 5])
    note(3, 1)
    #expect(kept() == [-1, 5, 1])
    // What has gone as a whole takes no room.
    for key in 4...20 as ClosedRange<UInt64> { note(key, 3) }
    #expect(kept() == [3, 3, 3])
  }

  /// Events of a stream that never ends: each piece kept for itself took many times what is in it.
  @Test func smallPiecesOfABodyAreKeptAsOne() {
    let log = ExchangeLog()
    var start = ExchangeReport(key: 1)
    start.start = ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: URLRequest(url: url)), task: .data, revision: 4)
    start.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([]))
    log.note(start)
    for index in 0..<20_000 {
      var piece = ExchangeReport(key: 1)
      piece.data = Data("data: \(index % 10)\n\n".utf8)
      log.note(piece)
    }
    #expect(log.exchanges().first?.response?.body == Data((0..<20_000).flatMap { "data: \($0 % 10)\n\n".utf8 }))
    #expect((1...4).contains(log.reportCount), "180,000 bytes, and 65,536 in each")
  }

  @Test func theLogPutsAnExchangeTogether() {
    let log = ExchangeLog()
    var start = ExchangeReport(key: 1)
    start.start = ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: URLRequest(url: url)), task: .data, revision: 4)
    var rest = ExchangeReport(key: 1)
    rest.sent = RequestSnapshot(request: URLRequest(url: URL(string: "http://b.example/")!))
    rest.head = ExchangeReport.Head(at: 3, status: 201, fields: .list([HeaderField("A", "1")]))
    rest.data = bytes(3)
    rest.end = ExchangeUpdate.End(at: 9, outcome: .responded, bytesReceived: 3, hasBody: true)
    log.note(start)
    log.note(rest)
    let exchange = log.exchanges().first
    #expect(exchange?.sent?.url == "http://b.example/" && exchange?.revision == 4 && exchange?.phase == .ended)
    #expect(exchange?.response == RecordedResponse(status: 201, headers: [HeaderField("A", "1")], body: bytes(3)))
    #expect(exchange?.timing.head == 3 && exchange?.timing.end == 9)
  }
}
