import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is told of one exchange, report by report.
@Suite(.bounded) struct ExchangeRecorderTests {
  /// Keeps reports as they come.
  private final class Reports: ExchangeSink {
    private let all = SeenLock<[ExchangeReport]>([])

    func report(_ report: consuming ExchangeReport) {
      let report = report
      all.withLock { $0.append(report) }
    }

    func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {}
    func unhold(_ key: UInt64) {}
    func notice(_ sentence: String) {}

    var reports: [ExchangeReport] { all.withLock { $0 } }
    var count: Int { reports.count }
    var last: ExchangeUpdate? { reports.last?.update(bodyLimit: .max) }
  }

  private let url = URL(string: "http://a.example/x")!
  private let told = Reports()

  private func request(_ body: RequestBody = .none, method: String = "POST") -> RequestSnapshot {
    var request = URLRequest(url: url)
    request.httpMethod = method
    return RequestSnapshot(request: request, body: body)
  }

  private func recorder(
    _ body: RequestBody = .none, limit: UInt64 = 1_000, requestLimit: UInt64 = 1_000, listens: Bool = true
  )
    -> ExchangeRecorder
  {
    var settings = HookSettings()
    settings.bodyLimit = limit
    settings.requestBodyLimit = requestLimit
    let snapshot = HookSnapshot(active: true, settings: settings, sink: listens ? told : nil)
    let start = ExchangeReport.Start(at: .now, request: request(body), task: .data, revision: 3)
    return ExchangeRecorder(key: 7, snapshot: snapshot, start: start)
  }

  private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 250) }) }

  // MARK: The beginning

  @Test func theBeginningIsKeptBackUntilSomethingElseIsKnown() {
    let recorder = recorder()
    recorder.answered(by: .stub, stub: "a")
    recorder.head(200, .list([HeaderField("A", "1")]), soon: true)
    recorder.piece(bytes(3), soon: true)
    #expect(told.count == 0 && recorder.hasHead && !recorder.isEnded)
    recorder.end(.responded)
    #expect(told.count == 1 && recorder.isEnded)
    let update = told.last
    #expect(update?.key == 7 && update?.start?.revision == 3 && update?.answer == .init(by: .stub, stub: "a"))
    #expect(update?.head?.status == 200 && update?.head?.headers == [HeaderField("A", "1")] && update?.data == bytes(3))
    #expect(update?.end?.outcome == .responded && update?.end?.bytesReceived == 3 && update?.end?.hasBody == true)
    let (head, end) = (update?.head?.at ?? -1, update?.end?.at ?? -1)
    #expect(0 <= head && head <= end && end <= recorder.elapsed)
  }

  /// Of one that was held before it was known to go out, the end tells what was added on the way.
  @Test func whatWasToldBeforeItWasSentIsToldAgainInTheEnd() {
    func host(_ request: RecordedRequest?) -> String? { request?.headers.first(named: "Host") }
    for (step, isTold) in ["sent", "sent twice", "redirected", "not sent", "rewritten"].map({
      ($0, $0.hasPrefix("sent"))
    }) {
      let recorder = recorder(.data(bytes(3)))
      let before = told.count
      recorder.held(.request)
      #expect(told.count == before + 1 && host(told.last?.start?.request) == nil)
      recorder.held(.released)
      switch step {
      case "redirected": recorder.redirected(RedirectHop(status: 302, url: "u"))
      case "rewritten": recorder.rewritten(request(.data(bytes(2)), method: "PUT"), isHop: false)
      case "sent twice": recorder.held(.request)
      default: break
      }
      if step != "not sent" { recorder.willBeSent() }
      recorder.answered(by: .network, stub: "s")
      recorder.end(.responded)
      let edited = told.last?.answer?.edited
      #expect((host(edited) == "a.example") == isTold, "\(step)")
      #expect((edited != nil) == isTold && (!isTold || edited?.body == bytes(3)), "\(step)")
      #expect(told.last?.answer?.by == .network && told.last?.answer?.stub == "s")
      #expect(host(told.last?.sent) == (step == "rewritten" ? "a.example" : nil), "\(step)")
    }
    let recorder = recorder()
    recorder.willBeSent()
    recorder.held(.response)
    recorder.end(.responded)
    #expect(told.last?.answer?.edited == nil, "it was told as sent at once")
  }

  @Test func aHeadIsNoOlderThanItsRequest() {
    let recorder = recorder()
    recorder.head(200, .list([]), soon: true, age: .max)
    recorder.end(.responded)
    #expect(told.last?.head?.at == 0)
  }

  @Test func afterTheEndNothingIsTold() {
    let recorder = recorder()
    recorder.end(.cancelled)
    recorder.end(.responded)
    recorder.answered(by: .network, stub: nil)
    recorder.head(200, .list([]))
    recorder.whole(200, [], body: bytes(3))
    recorder.piece(bytes(3))
    recorder.held(.request)
    recorder.redirected(RedirectHop(status: 302, url: "u"))
    recorder.rewritten(request(), isHop: false)
    recorder.flush()
    #expect(told.count == 1 && told.last?.end?.outcome == .cancelled && told.last?.end?.hasBody == false)
  }

  @Test func whatIsSlowIsToldAndKnowsItOnce() {
    let recorder = recorder()
    let slow = SeenLock(0)
    #expect(recorder.flush { slow.withLock { $0 += 1 } })
    #expect(told.count == 1 && told.reports[0].start?.recorder === recorder)
    #expect(!recorder.flush { slow.withLock { $0 += 100 } }, "its beginning has been told")
    #expect(told.count == 1)
    for _ in 0..<2 { told.reports[0].wasRead() }
    #expect(slow.withLock { $0 } == 1)
  }

  @Test func itIsNotSlowOnceItHasAHeadOrAnEnd() {
    for step in 0..<4 {
      let recorder = recorder()
      let slow = SeenLock(0)
      recorder.flush { slow.withLock { $0 += 1 } }
      switch step {
      case 0: recorder.head(200, .list([]))
      case 1: recorder.whole(200, [], body: nil)
      case 2: recorder.end(.failed)
      default: break
      }
      recorder.becameSlow()
      #expect(slow.withLock { $0 } == (step == 3 ? 1 : 0), "step \(step)")
    }
    var report = ExchangeReport(key: 1)
    let recorder = recorder()
    let slow = SeenLock(0)
    recorder.flush { slow.withLock { $0 += 1 } }
    report.start = told.reports.last?.start
    report.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([]))
    report.wasRead()
    report.head = nil
    report.end = ExchangeUpdate.End(at: 1, outcome: .failed)
    report.wasRead()
    #expect(slow.withLock { $0 } == 0, "who reads a head with it need not ask")
    report.end = nil
    report.wasRead()
    #expect(slow.withLock { $0 } == 1)
  }

  @Test func aPlainFlushAsksForNothing() {
    let recorder = recorder()
    #expect(!recorder.flush() && told.count == 1 && told.reports[0].start?.recorder == nil)
    #expect(!recorder.flush() && told.count == 1, "there is nothing more to tell")
    recorder.end(.responded)
    #expect(told.count == 2 && told.last?.start == nil)
  }

  @Test func withoutAListenerNothingIsGathered() {
    let capture = StreamCapture(limit: 10)
    let recorder = recorder(.stream(capture), listens: false)
    #expect(!recorder.listens && !recorder.flush {} && recorder.newStream() == nil)
    recorder.answered(by: .stub, stub: "a")
    recorder.redirected(RedirectHop(status: 302, url: "u"))
    recorder.rewritten(request(), isHop: false)
    recorder.sentAgain(request())
    recorder.head(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    #expect(!recorder.hasHead)
    recorder.head(200, .list([]))
    #expect(recorder.hasHead)
    recorder.end(.responded)
    #expect(recorder.isEnded && told.count == 0)
    #expect(self.recorder().listens)
  }

  // MARK: The body

  /// Up to the limit it is told, and all of it is counted.
  @Test(arguments: [
    ([4, 4, 2], [4, 4, 2], false), ([4, 4, 3], [4, 4, 2], true), ([10], [10], false), ([11], [10], true),
    ([9], [9], false),
    ([0], [], false), ([0, 3], [3], false), ([10, 1], [10], true), ([10, 0], [10], false), ([], [], false),
    ([25, 25], [10], true),
  ])
  func theBodyIsToldUpToItsLimit(_ pieces: [Int], _ toldPieces: [Int], _ isCut: Bool) {
    let recorder = recorder(limit: 10)
    recorder.flush()
    #expect(recorder.room == 10)
    for piece in pieces { recorder.piece(bytes(piece)) }
    #expect(recorder.room == 10 - toldPieces.reduce(0, +))
    recorder.end(.responded)
    #expect(told.reports.compactMap(\.data?.count) == toldPieces)
    let end = told.last?.end
    #expect(end?.bytesReceived == Int64(pieces.reduce(0, +)) && end?.responseTruncated == isCut)
    #expect(end?.hasBody == !pieces.isEmpty)
  }

  @Test func aPieceIsItsBeginning() {
    let recorder = recorder(limit: 5)
    recorder.piece(bytes(3))
    recorder.piece(bytes(30).dropFirst(3))
    #expect(told.reports.compactMap(\.data).reduce(Data(), +) == bytes(5))
  }

  @Test func anAnswerThatTakesThePlaceOfAnotherBeginsAnew() {
    let recorder = recorder(limit: 5)
    recorder.head(200, .list([]))
    recorder.piece(bytes(9))
    #expect(recorder.room == 0)
    recorder.piece(bytes(1), soon: true)
    recorder.restart()
    #expect(recorder.room == 5 && !recorder.hasHead)
    recorder.head(503, .list([]), soon: true)
    recorder.piece(bytes(2), soon: true)
    recorder.end(.responded)
    #expect(told.last?.head?.status == 503 && told.last?.data == bytes(2) && told.last?.end?.bytesReceived == 2)
    #expect(told.last?.end?.responseTruncated == false)
  }

  @Test func aWholeAnswerIsOneReport() {
    for body in [nil, Data(), bytes(4), bytes(12)] {
      let recorder = recorder(limit: 10)
      recorder.head(200, .list([]), soon: true)
      recorder.piece(bytes(3), soon: true)
      let before = told.count
      recorder.whole(404, [HeaderField("B", "2")], body: body)
      #expect(told.count == before && recorder.hasHead)
      recorder.end(.responded)
      let update = told.last
      #expect(
        told.count == before + 1 && update?.head?.status == 404 && update?.head?.headers == [HeaderField("B", "2")])
      #expect(update?.data == (body.map { $0.isEmpty } ?? true ? nil : body?.prefix(10)))
      #expect(update?.end?.hasBody == (body != nil) && update?.end?.bytesReceived == Int64(body?.count ?? 0))
      #expect(update?.end?.responseTruncated == (body?.count == 12))
    }
  }

  @Test func bytesThatWereOnlyCountedCount() {
    let recorder = recorder()
    recorder.counted(5)
    recorder.counted(3)
    recorder.end(.responded)
    let end = told.last?.end
    #expect(end?.bytesReceived == 5 && end?.hasBody == true && end?.responseTruncated == true && told.last?.data == nil)
  }

  @Test func aHeldAnswerIsShownWithItsBodyAndNotCounted() {
    let recorder = recorder(limit: 4)
    recorder.head(200, .list([]), soon: true)
    recorder.preview(bytes(9))
    #expect(told.count == 0)
    recorder.held(.response)
    #expect(
      told.count == 1 && told.last?.held == .response && told.last?.data == bytes(4) && told.last?.head?.status == 200)
    recorder.end(.cancelled)
    #expect(told.last?.end?.bytesReceived == 0 && told.last?.end?.hasBody == false)
  }

  // MARK: Heads

  @Test func onlyTheFirstHeadOfTheNetworkThatIsNoInterimOneCounts() {
    func response(_ status: Int) -> HTTPURLResponse? {
      HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["C": "3", "A": "1", "B": "2"])
    }
    let recorder = recorder()
    for status in [100, 102, 103, 199] {
      recorder.head(response(status))
      #expect(!recorder.hasHead, "\(status)")
    }
    recorder.head(nil)
    recorder.head(URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil))
    #expect(!recorder.hasHead && told.count == 0)
    recorder.head(response(204))
    recorder.head(response(500))
    #expect(told.count == 1 && told.last?.head?.status == 204)
    #expect(told.last?.head?.headers == [HeaderField("A", "1"), HeaderField("B", "2"), HeaderField("C", "3")])
    for (status, isInterim) in [(99, false), (100, true), (101, false), (102, true), (199, true), (200, false)] {
      #expect(response(status)?.isInterim == isInterim, "\(status)")
    }
  }

  @Test func aHeadThatCameEarlierHasItsTime() {
    let early = recorder()
    early.head(200, .list([]), age: 1_000_000_000)
    #expect(told.last?.head?.at == 0, "not before the beginning")
    let recorder = recorder()
    usleep(3_000)
    let elapsed = recorder.elapsed
    recorder.head(200, .list([]), age: 2_000)
    let at = told.last?.head?.at ?? -1
    #expect(at >= elapsed - 2_000 && at <= recorder.elapsed - 2_000 && elapsed >= 3_000)
    let other = self.recorder()
    other.head(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil), soon: true,
      age: { 1_000_000_000 })
    other.flush()
    #expect(told.last?.head?.at == 0)
  }

  // MARK: Who answers, and redirects

  @Test func whoAnswersIsToldWithTheNext() {
    let recorder = recorder()
    recorder.flush()
    recorder.answered(by: .network, stub: "slow")
    recorder.answeredFromCache()
    #expect(told.count == 1)
    recorder.end(.responded)
    #expect(told.last?.answer == ExchangeUpdate.Answer(by: .cache, stub: "slow"))
  }

  @Test func redirectsHaveTheirTimeAndWhatTheProgramMadeOfThem() throws {
    let recorder = recorder()
    let (there, elsewhere) = (
      URLRequest(url: try #require(URL(string: "http://b/"))), URLRequest(url: try #require(URL(string: "http://c/")))
    )
    recorder.redirected(RedirectHop(status: 301, url: "http://a/"))
    #expect(told.count == 1 && told.last?.hops.map(\.url) == ["http://a/"])
    #expect((told.last?.hops[0].at ?? -1) >= 0)
    recorder.turned(there, into: there)
    recorder.flush()
    #expect(told.count == 1, "where the program agrees nothing is told")
    recorder.turned(there, into: elsewhere)
    #expect(told.count == 1)
    recorder.flush()
    #expect(told.last?.turn == "http://c/")
    recorder.turned(there, into: nil)
    recorder.flush()
    #expect(told.last?.turn == "")
  }

  // MARK: Holding

  @Test func theTimeOfHoldingIsCounted() {
    let recorder = recorder()
    recorder.held(.request)
    usleep(2_000)
    recorder.held(.released)
    usleep(2_000)
    let between = recorder.elapsed
    recorder.held(.response)
    usleep(2_000)
    recorder.end(.responded)
    #expect(told.reports.compactMap(\.held) == [.request, .released, .response])
    let held = told.last?.end?.held ?? 0
    #expect(held >= 4_000 && held <= recorder.elapsed - 2_000 && between >= 4_000)
    let other = self.recorder()
    other.end(.responded)
    #expect(told.last?.end?.held == 0)
  }

  /// One that is held where it is held already goes on being held.
  @Test func holdingTwiceCountsTheWholeTime() {
    let recorder = recorder()
    recorder.held(.request)
    usleep(2_000)
    recorder.held(.response)
    usleep(2_000)
    recorder.held(.released)
    recorder.end(.responded)
    #expect((told.last?.end?.held ?? 0) >= 4_000)
  }

  // MARK: What was sent

  @Test func aRequestThatGoesToTheNetworkHasTheFieldsThatAreAdded() {
    for isSent in [false, true] {
      let recorder = recorder()
      if isSent { recorder.willBeSent() }
      recorder.end(.responded)
      #expect((told.last?.start?.request.headers.first(named: "Host") == "a.example") == isSent)
    }
  }

  @Test func aRewrittenRequestIsToldBesideTheOneThatWasAsked() {
    let recorder = recorder()
    recorder.rewritten(request(.data(bytes(3)), method: "PUT"), isHop: false)
    recorder.willBeSent()
    recorder.end(.responded)
    let update = told.last
    #expect(update?.start?.request.method == "POST" && update?.start?.request.headers.isEmpty == true)
    #expect(update?.sent?.method == "PUT" && update?.sent?.body == bytes(3) && update?.end?.bytesSent == 3)
    #expect(update?.sent?.headers.first(named: "Host") == "a.example" && update?.answer == nil)
  }

  @Test func aHopOfARewrittenRequestIsNotWhatWasSent() {
    let recorder = recorder()
    recorder.rewritten(request(method: "PUT"), isHop: false)
    recorder.rewritten(request(method: "GET"), isHop: true)
    recorder.flush()
    #expect(told.last?.sent?.method == "PUT")
    recorder.rewritten(request(method: "PATCH"), isHop: false)
    recorder.flush()
    #expect(told.last?.sent?.method == "PATCH")
    let other = self.recorder()
    other.rewritten(request(method: "GET"), isHop: true)
    other.flush()
    #expect(told.last?.sent?.method == "GET", "the first that is changed is, whatever led to it")
  }

  @Test func aStreamIsToldOnceItHasBeenRead() {
    let capture = StreamCapture(limit: 100)
    let recorder = recorder(.stream(capture), requestLimit: 4)
    recorder.answered(by: .stub, stub: "a")
    recorder.willBeSent()
    recorder.flush()
    #expect(told.last?.start?.request.body == nil && told.last?.start?.request.truncated == true)
    bytes(6).withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
    recorder.end(.responded)
    let answer = told.last?.answer
    #expect(
      answer?.by == .stub && answer?.stub == "a" && answer?.edited?.body == bytes(4)
        && answer?.edited?.truncated == true)
    #expect(answer?.edited?.headers.first(named: "Transfer-Encoding") == "chunked" && told.last?.end?.bytesSent == 6)
  }

  @Test func aStreamThatIsMadeAnewIsNotedAnew() {
    let capture = StreamCapture(limit: 100)
    bytes(6).withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
    let recorder = recorder(.stream(capture))
    #expect(recorder.newStream() === capture && capture.count == 0)
    #expect(self.recorder(.data(bytes(1))).newStream() == nil && self.recorder(.stream(nil)).newStream() == nil)
  }

  @Test func aRewrittenStreamIsToldAgainAtTheEnd() {
    let capture = StreamCapture(limit: 100)
    let recorder = recorder()
    recorder.rewritten(request(.stream(capture)), isHop: false)
    recorder.flush()
    #expect(told.last?.sent?.body == nil)
    bytes(6).withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
    recorder.end(.responded)
    #expect(told.last?.sent?.body == bytes(6) && told.last?.end?.bytesSent == 6)
    let plain = self.recorder()
    plain.rewritten(request(.data(bytes(2))), isHop: false)
    plain.flush()
    plain.end(.responded)
    #expect(told.last?.sent == nil, "what was told need not be told again")
  }

  /// What was told before it went out is told again with all that went out.
  @Test func aRewrittenStreamThatWasSentHasTheFieldsThatAreAdded() {
    let recorder = recorder()
    recorder.rewritten(request(.stream(StreamCapture(limit: 9)), method: "PUT"), isHop: false)
    recorder.flush()
    #expect(told.last?.sent?.headers.first(named: "Host") == nil)
    recorder.willBeSent()
    recorder.end(.responded)
    #expect(told.last?.sent?.headers.first(named: "Host") == "a.example")
  }

  /// A task keeps its recorder for as long as the program keeps the task.
  @Test(arguments: ["asked", "held", "rewritten"]) func afterTheEndNoStreamIsKept(_ step: String) {
    weak var seen: InputStream?
    func ended() -> ExchangeRecorder {
      let stream = InputStream(data: bytes(3))
      seen = stream
      var streamed = request(step == "held" ? .data(bytes(3)) : .stream(StreamCapture(limit: 9)))
      streamed.request.httpBodyStream = stream
      let snapshot = HookSnapshot(active: true, sink: RecordingSink())
      let start = ExchangeReport.Start(
        at: .now, request: step == "rewritten" ? request() : streamed, task: .data, revision: 3)
      let recorder = ExchangeRecorder(key: 7, snapshot: snapshot, start: start)
      if step == "held" { recorder.held(.request) }
      if step == "rewritten" { recorder.rewritten(streamed, isHop: false) }
      recorder.end(.responded)
      return recorder
    }
    let recorder = ended()
    #expect(recorder.isEnded && seen == nil)
  }

  @Test func whatGoesOutOnceMoreIsToldAtTheEnd() {
    var signed = request(method: "PUT")
    signed.request.setValue("Basic x", forHTTPHeaderField: "Authorization")
    let recorder = recorder()
    recorder.flush()
    recorder.sentAgain(signed)
    recorder.end(.responded)
    let edited = told.last?.answer?.edited
    #expect(told.last?.answer?.by == .network && edited?.headers.first(named: "Authorization") == "Basic x")
    #expect(edited?.headers.first(named: "Host") == "a.example" && told.last?.sent == nil)
    let rewritten = self.recorder()
    rewritten.rewritten(request(method: "PATCH"), isHop: false)
    rewritten.flush()
    rewritten.sentAgain(signed)
    rewritten.end(.responded)
    #expect(told.last?.answer == nil && told.last?.sent?.headers.first(named: "Authorization") == "Basic x")
    #expect(told.last?.sent?.headers.first(named: "Host") == "a.example")
  }

  @Test func whatWasSentIsCountedByWhoKnowsIt() {
    let rows: [(RequestBody, Int64?, Int64)] = [
      (.none, nil, 0), (.data(bytes(5)), nil, 5), (.data(bytes(5)), 9, 9), (.stream(nil), nil, 0), (.none, 0, 0),
      (.file(UploadFile(URL(fileURLWithPath: "/nowhere/body"))), nil, 0),
    ]
    for (body, sent, expected) in rows {
      let recorder = recorder(body)
      recorder.end(.failed, error: URLError(.timedOut), sent: sent)
      #expect(told.last?.end?.bytesSent == expected && told.last?.end?.error?.name == "timedOut")
    }
    let other = recorder()
    other.end(.responded)
    #expect(told.last?.end?.error == nil)
  }

  // MARK: The clock

  @Test func itsClockCountsMicroseconds() {
    let clock = SuspendingClock()
    let outer = clock.now
    let began = MonotonicTime.now
    let inner = clock.now
    while clock.now - inner < .milliseconds(2) {}
    let least = (clock.now - inner) / .microseconds(1)
    let passed = Double(began.microseconds(to: .now))
    let most = (clock.now - outer) / .microseconds(1)
    #expect(passed >= least - 1 && passed <= most + 1)
  }
}
