import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Parts of one exchange, as cheap to hand over as they can be: the program's own values, nothing copied or encoded.
/// Whoever sends them makes an `ExchangeUpdate` of each on a thread of its own.
///
/// A value, but what is in it lies behind a reference and is copied only where it is changed while others have it too:
/// a report goes through many hands.
struct ExchangeReport: Sendable {
  var key: UInt64
  private var box = Box(Parts())

  struct Parts {
    var start: Start?
    var answer: ExchangeUpdate.Answer?
    /// The request as it goes out, where that is not as the program asked.
    var sent: RequestSnapshot?
    /// Of the last hop that was reported before; see ``ExchangeUpdate/turn``.
    var turn: String?
    var hops: [RedirectHop] = []
    var held: ExchangeUpdate.Held?
    var head: Head?
    /// The next piece of the response's body, already within the limit.
    var data: Data?
    var end: ExchangeUpdate.End?
  }

  private final class Box: @unchecked Sendable {  // Changed only by the one report that refers to it.
    @exclusivity(unchecked) var parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  init(key: UInt64) {
    self.key = key
  }

  var parts: Parts {
    _read { yield box.parts }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.parts) }
      yield &box.parts
    }
  }

  struct Start: Sendable {
    var at: Timestamp
    var request: RequestSnapshot
    var task: Exchange.TaskKind
    var revision: UInt64
    var replay: UInt64?
    /// The scope of the session, for stubs in code.
    var scope: SessionScope.Mark?
    /// To be told when this is read before anything else is known; nil if it does not care.
    var recorder: ExchangeRecorder?
  }

  struct Head: Sendable {
    /// Microseconds after the start.
    var at: Int64
    var status: Int
    var fields: Fields

    enum Fields: Sendable {
      case response(HTTPURLResponse)
      case list([HeaderField])
    }
  }
}

extension ExchangeReport {
  var start: Start? {
    _read { yield parts.start }
    _modify { yield &parts.start }
  }

  var answer: ExchangeUpdate.Answer? {
    _read { yield parts.answer }
    _modify { yield &parts.answer }
  }

  var sent: RequestSnapshot? {
    _read { yield parts.sent }
    _modify { yield &parts.sent }
  }

  var turn: String? {
    _read { yield parts.turn }
    _modify { yield &parts.turn }
  }

  var hops: [RedirectHop] {
    _read { yield parts.hops }
    _modify { yield &parts.hops }
  }

  var held: ExchangeUpdate.Held? {
    _read { yield parts.held }
    _modify { yield &parts.held }
  }

  var head: Head? {
    _read { yield parts.head }
    _modify { yield &parts.head }
  }

  var data: Data? {
    _read { yield parts.data }
    _modify { yield &parts.data }
  }

  var end: ExchangeUpdate.End? {
    _read { yield parts.end }
    _modify { yield &parts.end }
  }
}

extension ExchangeReport.Head {
  /// The fields in order. Foundation keeps neither order nor repeats, so those of a response are sorted by name.
  var headers: [HeaderField] {
    switch fields {
    case .list(let list): list
    case .response(let response): response.headerFields
    }
  }
}

extension HTTPURLResponse {
  /// Another head follows; 101 is the last one.
  var isInterim: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

  /// All header fields, sorted by name, since Foundation gives them in no order.
  var headerFields: [HeaderField] {
    allHeaderFields
      .compactMap { name, value in (name as? String).map { HeaderField($0, value as? String ?? "\(value)") } }
      .sorted { $0.name < $1.name }
  }
}

extension ExchangeReport {
  /// Says to whoever made it that nothing more was known when it was read.
  func wasRead() {
    if head == nil, end == nil { start?.recorder?.becameSlow() }
  }

  /// Up to so many bytes pieces become one.
  private static let joined = 64 << 10

  /// Adds what became known later, where one report can say both; false, and nothing is changed, where it cannot.
  mutating func merge(_ later: ExchangeReport) -> Bool {
    guard held == nil, later.held == nil, later.start == nil, end == nil, answer == nil || later.answer == nil else {
      return false
    }
    // A head begins the body anew, and a report says its hops before its head.
    let isHeadless = head == nil && data == nil
    guard later.head == nil || isHeadless, later.hops.isEmpty && later.turn == nil || isHeadless else { return false }
    if let piece = later.data {
      // Many small pieces would each keep a report, which is more than they are. A large one is not copied.
      guard data.map({ $0.count + piece.count <= Self.joined }) ?? true else { return false }
      if parts.data == nil { data = piece } else { parts.data?.append(piece) }
    }
    if let answer = later.answer { self.answer = answer }
    if let sent = later.sent { self.sent = sent }
    if let head = later.head { self.head = head }
    if let turn = later.turn { self.turn(to: turn) }
    hops += later.hops
    end = later.end
    return true
  }

  /// What the program made of the last redirect, which may have been reported already.
  mutating func turn(to target: String) {
    if hops.isEmpty { turn = target } else { hops.turn(to: target) }
  }

  /// The report as the wire has it. Reads an upload's file if there is one, so call it off the request's path.
  ///
  /// - Parameter bodyLimit: At most that many bytes of the request's body are taken.
  func update(bodyLimit: Int) -> ExchangeUpdate {
    var update = ExchangeUpdate(key: key, answer: answer, turn: turn, hops: hops, held: held, data: data, end: end)
    update.start = start.map { start in
      ExchangeUpdate.Start(
        at: start.at, request: start.request.recorded(bodyLimit: bodyLimit), task: start.task,
        revision: start.revision, replay: start.replay)
    }
    update.sent = sent?.recorded(bodyLimit: bodyLimit)
    update.head = head.map { ExchangeUpdate.Head(at: $0.at, status: $0.status, headers: $0.headers) }
    return update
  }
}

/// Who listens to the engine: the link to the console, and the log of exchanges in code.
///
/// Called on the request's path, from any thread, also under the queue that all sessions share: an implementation
/// appends to a list under a lock and returns.
protocol ExchangeSink: AnyObject, Sendable {
  /// Parts of one exchange as they become known. The last one of a key has an `end`.
  func report(_ report: consuming ExchangeReport)

  /// An exchange waits for a verdict; the report of it comes just after.
  ///
  /// - Parameter resume: To be called once, from any thread: with the person's decision, or with nil to let it go on
  ///   as if it had never been held. Later calls do nothing.
  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void)

  /// The hold has ended without a verdict: the program cancelled, or the timeout came.
  func unhold(_ key: UInt64)

  /// A sentence for the person: something could not be done as they asked.
  func notice(_ sentence: String)
}
