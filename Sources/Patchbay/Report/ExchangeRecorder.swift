import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tells one exchange's story to the sink: keeps the counts and the clock, sees to it that there is one end and
/// nothing after it, and that no more of the body is reported than the limit allows. Any thread.
///
/// The sink is told under its lock, so that it hears things in the order in which they happened, whatever threads they
/// happen on. It calls nothing of the recorder meanwhile.
final class ExchangeRecorder: Sendable {
  let key: UInt64
  private let sink: (any ExchangeSink)?
  private let limit: Int
  private let requestLimit: Int
  private let body: RequestBody
  private let began: MonotonicTime
  private let counts: Mutex<Counts>

  private struct Counts {
    /// What is known but not yet told; goes out with the next report that must.
    var pending: ExchangeReport?
    var received: Int64 = 0
    var reported = 0
    var hasBody = false
    var hasHead = false
    var held: Int64 = 0
    var heldSince: MonotonicTime?
    /// Who answers was said last with this.
    var answer: (by: Exchange.Answerer, stub: String?)?
    /// A request whose body, or header fields, are known only when it has been sent.
    var sent: RequestSnapshot?
    /// The request as it was told when it was held, before anyone knew whether it would go out.
    var asked: RequestSnapshot?
    /// The request as it goes out, where a rule or a person has changed it.
    var rewritten: RequestSnapshot?
    /// More is known of that than was told.
    var isRewrittenBehind = false
    var ended = false
    /// What is wanted once the request turns out to be slow.
    var whenSlow: (@Sendable () -> Void)?

    /// Adds to the pending report where it lies.
    mutating func add<Result>(_ key: UInt64, _ body: (inout ExchangeReport) -> Result) -> Result {
      if pending == nil { pending = ExchangeReport(key: key) }
      return body(&pending!)
    }

    /// Counts a piece of the body, and adds what is wanted of it; false where that is nothing.
    @discardableResult
    mutating func add(_ data: Data, _ key: UInt64, limit: Int) -> Bool {
      hasBody = true
      received += Int64(data.count)
      let room = max(0, limit - reported)
      let piece = data.count <= room ? data : data.prefix(room)
      reported += piece.count
      guard !piece.isEmpty else { return false }
      add(key) { report in
        if report.data == nil { report.data = piece } else { report.data?.append(piece) }
      }
      return true
    }

    mutating func restart() {
      received = 0
      reported = 0
      hasBody = false
      hasHead = false
      if pending?.data != nil { pending?.data = nil }
    }
  }

  /// - Parameters:
  ///   - start: Kept back until something else is known, so that a request answered at once is one report.
  ///   - began: The moment that `start` names.
  init(key: UInt64, snapshot: HookSnapshot, start: ExchangeReport.Start, began: MonotonicTime = .now) {
    self.key = key
    self.began = began
    sink = snapshot.sink
    limit = Int(clamping: snapshot.settings.bodyLimit)
    requestLimit = Int(clamping: snapshot.settings.requestBodyLimit)
    body = start.request.body
    var counts = Counts()
    if sink != nil {
      if case .stream = start.request.body { counts.sent = start.request }
      var pending = ExchangeReport(key: key)
      pending.start = start
      counts.pending = pending
    }
    self.counts = Mutex(counts)
  }

  /// Where to note what is read of a new body stream; nil where nobody listens, or the request was to have none.
  func newStream() -> StreamCapture? {
    guard sink != nil, case .stream(let capture?) = body else { return nil }
    capture.restart()
    return capture
  }

  /// Whether anyone listens; if not, nothing need be gathered.
  var listens: Bool { sink != nil }

  /// Microseconds since the start.
  var elapsed: Int64 { began.microseconds(to: .now) }

  /// How many more bytes of the body are wanted.
  var room: Int { counts.withLock { max(0, limit - $0.reported) } }

  var hasHead: Bool { counts.withLock { $0.hasHead } }

  var isEnded: Bool { counts.withLock { $0.ended } }

  /// The request goes to the network. To be called before anything is told of it.
  func willBeSent() {
    counts.withLock { counts in
      guard counts.rewritten == nil else {
        counts.rewritten?.isSent = true
        if counts.pending?.sent != nil { counts.pending?.sent?.isSent = true }
        return
      }
      counts.pending?.start?.request.isSent = true
      if counts.sent == nil { counts.sent = counts.asked }
      counts.sent?.isSent = true
    }
  }

  /// A rule or a person has changed the request, which goes on as this one.
  ///
  /// - Parameter isHop: A redirect led to it. What went out before that is what was sent.
  func rewritten(_ request: RequestSnapshot, isHop: Bool) {
    guard sink != nil else { return }
    counts.withLock { counts in
      guard !counts.ended, !isHop || counts.rewritten == nil else { return }
      counts.rewritten = request
      if case .stream = request.body { counts.isRewrittenBehind = true }
      counts.add(key) { $0.sent = request }
    }
  }

  /// Tells what has been kept back: the request is on its way and may take a while.
  ///
  /// - Parameter whenSlow: Called on any thread, at most once, if the request has no answer when what was told is read.
  /// - Returns: Whether it may be: the beginning had not been told yet.
  @discardableResult
  func flush(whenSlow: (@Sendable () -> Void)? = nil) -> Bool {
    guard let sink else { return false }
    return counts.withLock { counts in
      guard !counts.ended, var report = counts.pending.take() else { return false }
      let isFirst = whenSlow != nil && report.start != nil
      if isFirst {
        counts.whenSlow = whenSlow
        report.start?.recorder = self
      }
      sink.report(report)
      return isFirst
    }
  }

  /// The beginning has been read, and nothing else was told by then.
  func becameSlow() { counts.withLock { $0.whenSlow.take() }?() }

  func answered(by: Exchange.Answerer, stub: String?) {
    guard sink != nil else { return }
    counts.withLock { counts in
      guard !counts.ended else { return }
      counts.answer = (by, stub)
      counts.add(key) { $0.answer = ExchangeUpdate.Answer(by: by, stub: stub) }
    }
  }

  /// The answer comes out of the program's own `URLCache`; a stub that let the request pass is still named.
  func answeredFromCache() {
    answered(by: .cache, stub: counts.withLock { $0.answer?.stub })
  }

  /// It goes out once more, with a credential: that is how it is told in the end.
  func sentAgain(_ request: RequestSnapshot) {
    guard sink != nil else { return }
    counts.withLock { counts in
      guard counts.rewritten == nil else {
        counts.rewritten = request
        counts.rewritten?.isSent = true
        counts.isRewrittenBehind = true
        return
      }
      counts.sent = request
      counts.sent?.isSent = true
    }
  }

  func redirected(_ hop: RedirectHop) {
    var hop = hop
    hop.at = elapsed
    // What goes out from here on is another one.
    counts.withLock { $0.asked = nil }
    tell { [hop] report in
      report.hops.append(hop)
      return true
    }
  }

  /// The program's delegate was asked about the redirect that was just told.
  ///
  /// - Parameter agreed: Where it goes; nil does not follow it.
  func turned(_ proposed: URLRequest, into agreed: URLRequest?) {
    guard agreed?.url != proposed.url else { return }
    tell { report in
      report.turn(to: agreed?.url?.absoluteString ?? "")
      return false
    }
  }

  /// The head, which may come again when a later answer takes the place of an earlier one.
  ///
  /// - Parameters:
  ///   - soon: The rest follows at once, so it may wait for it.
  ///   - age: How many microseconds ago it came.
  func head(_ status: Int, _ fields: ExchangeReport.Head.Fields, soon: Bool = false, age: Int64 = 0) {
    let at = max(0, elapsed - age)
    counts.withLock {
      $0.hasHead = true
      $0.whenSlow = nil
    }
    tell { report in
      report.head = ExchangeReport.Head(at: at, status: status, fields: fields)
      return !soon
    }
  }

  /// The head of the network's answer, unless it was told already. Interim ones (RFC 9110 §15.2) are not the answer's.
  func head(_ response: URLResponse?, soon: Bool = false, age: () -> Int64 = { 0 }) {
    guard sink != nil, let response = response as? HTTPURLResponse, !response.isInterim,
      !hasHead
    else { return }
    head(response.statusCode, .response(response), soon: soon, age: age())
  }

  /// An answer that is handed over at once, in the place of what may have been told of an earlier one; its end follows.
  ///
  /// - Parameter body: nil where the answer breaks off before its body.
  func whole(_ status: Int, _ headers: [HeaderField], body: Data?) {
    let at = elapsed
    counts.withLock { counts in
      guard !counts.ended else { return }
      counts.restart()
      counts.hasHead = true
      counts.whenSlow = nil
      guard sink != nil else { return }
      counts.add(key) { $0.head = ExchangeReport.Head(at: at, status: status, fields: .list(headers)) }
      if let body { counts.add(body, key, limit: limit) }
    }
  }

  /// A piece of the response's body. An empty one says that there is a body.
  func piece(_ data: Data, soon: Bool = false) {
    guard let sink else { return }
    counts.withLock { counts in
      guard !counts.ended, counts.add(data, key, limit: limit), !soon else { return }
      if let report = counts.pending.take() { sink.report(report) }
    }
  }

  /// The whole body of a response that is held before it is delivered: told once, counted when it is delivered.
  func preview(_ data: Data) {
    tell { report in
      report.data = data.prefix(limit)
      return false
    }
  }

  /// What was told of a body so far is not what the program gets; another one follows with a new head.
  func restart() {
    counts.withLock { $0.restart() }
  }

  /// Body bytes that were not handed to the hook, only counted.
  func counted(_ bytes: Int64) {
    counts.withLock {
      $0.hasBody = true
      $0.received = max($0.received, bytes)
    }
  }

  func held(_ point: ExchangeUpdate.Held) {
    counts.withLock { counts in
      if let since = counts.heldSince { counts.held += since.microseconds(to: .now) }
      counts.heldSince = point == .released ? nil : .now
      if point == .request { counts.asked = counts.pending?.start?.request ?? counts.asked }
    }
    tell { report in
      report.held = point
      return true
    }
  }

  /// The request has ended; later calls of anything do nothing.
  func end(_ outcome: Exchange.Outcome, error: (any Error)? = nil, sent: Int64? = nil) {
    let at = elapsed
    counts.withLock { counts in
      guard !counts.ended else { return }
      counts.ended = true
      counts.whenSlow = nil
      if let since = counts.heldSince { counts.held += since.microseconds(to: .now) }
      guard let sink else { return }
      var answer: ExchangeUpdate.Answer?
      if let sent = counts.sent {
        // Only now has a stream been read.
        answer = ExchangeUpdate.Answer(
          by: counts.answer?.by ?? .network, stub: counts.answer?.stub, edited: sent.recorded(bodyLimit: requestLimit))
      }
      let end = ExchangeUpdate.End(
        at: at, outcome: outcome, error: error.map { RecordedError($0) }, held: counts.held,
        bytesSent: sent ?? Self.sent(counts.rewritten?.body ?? body), bytesReceived: counts.received,
        responseTruncated: counts.received > Int64(counts.reported), hasBody: counts.hasBody)
      let rewritten = counts.isRewrittenBehind ? counts.rewritten : nil
      counts.add(key) { report in
        if let answer { report.answer = answer }
        if let rewritten { report.sent = rewritten }
        report.end = end
      }
      counts.sent = nil
      counts.asked = nil
      counts.rewritten = nil
      if let report = counts.pending.take() { sink.report(report) }
    }
  }

  private static func sent(_ body: RequestBody) -> Int64 {
    if case .stream(let capture) = body { return Int64(capture?.count ?? 0) }
    return body.length ?? 0
  }

  /// Adds to what is pending, and tells it all where `add` says so.
  private func tell(_ add: (inout ExchangeReport) -> Bool) {
    guard let sink else { return }
    counts.withLock { counts in
      guard !counts.ended, counts.add(key, add), let report = counts.pending.take() else { return }
      sink.report(report)
    }
  }
}

/// A moment on the clock that never jumps.
struct MonotonicTime: Sendable {
  private let nanoseconds: Int64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  func microseconds(to later: MonotonicTime) -> Int64 {
    (later.nanoseconds - nanoseconds) / 1_000
  }
}
