import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

/// What was asked, in order, for tests to look at. Keeps the reports as they came and makes exchanges of them when it
/// is read. Bounded: the oldest go first, and before them their bodies.
final class ExchangeLog: Sendable {
  private struct Entry {
    var number: Int64
    var scope: SessionScope.Mark?
    /// Only its scope still knows of it.
    var isForgotten = false
    var reports: [ExchangeReport] = []
    /// Bytes that its bodies take.
    var bodyBytes = 0
    /// Its bodies are not kept. Which of them there were is said of the exchange.
    var isWithoutBodies = false
    var gaveUpRequest = false
    var gaveUpResponse = false

    init(number: Int64, scope: SessionScope.Mark?) {
      self.number = number
      self.scope = scope
    }

    /// Returns how many bytes more its bodies take.
    mutating func add(_ report: ExchangeReport) -> Int {
      // Of a stream of events there are millions of small pieces.
      let isMerged = reports.last != nil && reports[reports.count - 1].merge(report)
      if !isMerged { reports.append(report) }
      let before = bodyBytes
      if isWithoutBodies {
        giveUpBodies(of: reports.count - 1)
      } else if report.end == nil {
        bodyBytes += report.bodyBytes
      } else {
        // What was read of a stream is known at the end.
        bodyBytes = reports.reduce(0) { $0 + $1.bodyBytes }
      }
      return bodyBytes - before
    }

    /// Returns how many bytes they took.
    mutating func giveUpBodies() -> Int {
      isWithoutBodies = true
      for index in reports.indices { giveUpBodies(of: index) }
      defer { bodyBytes = 0 }
      return bodyBytes
    }

    private mutating func giveUpBodies(of index: Int) {
      if reports[index].dropWholeRequestBodies() { gaveUpRequest = true }
      if reports[index].dropResponseBody() != nil { gaveUpResponse = true }
    }
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    /// Keys in order of their start; those before `first` are gone.
    var order: [UInt64] = []
    var first = 0
    /// Where bodies begin to be given up; those before it are without.
    var firstWithBodies = 0
    /// Bytes that all bodies take.
    var bodyBytes = 0
    var count: Int64 = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let bodyLimit: Int

  /// - Parameters:
  ///   - limit: How many exchanges are kept.
  ///   - bodyLimit: How many bytes of their bodies in all. Those of the newest are kept whatever they take.
  init(limit: Int = 10_000, bodyLimit: Int = 256 << 20) {
    self.limit = limit
    self.bodyLimit = bodyLimit
  }

  func note(_ report: ExchangeReport) {
    var report = report
    if report.start != nil {
      report.start?.recorder = nil
      report.start?.request.letGoOfStream()
    }
    if report.sent != nil { report.sent?.letGoOfStream() }
    state.withLock { state in
      if let start = report.start {
        state.count += 1
        state.entries[report.key] = Entry(number: state.count, scope: start.scope)
        state.order.append(report.key)
      }
      let more = state.entries[report.key]?.add(report) ?? 0
      state.bodyBytes += more
      if report.start != nil { trim(&state) }
      if more > 0 { trimBodies(&state) }
    }
  }

  private func trim(_ state: inout State) {
    while state.order.count - state.first > limit {
      remove(state.order[state.first], from: &state)
      state.first += 1
    }
    guard state.first > limit else { return }
    state.order.removeFirst(state.first)
    state.firstWithBodies = max(0, state.firstWithBodies - state.first)
    state.first = 0
  }

  private func trimBodies(_ state: inout State) {
    state.firstWithBodies = max(state.firstWithBodies, state.first)
    while state.bodyBytes > bodyLimit, state.firstWithBodies < state.order.count - 1 {
      state.bodyBytes -= state.entries[state.order[state.firstWithBodies]]?.giveUpBodies() ?? 0
      state.firstWithBodies += 1
    }
  }

  private func remove(_ key: UInt64, from state: inout State) {
    state.bodyBytes -= state.entries.removeValue(forKey: key)?.bodyBytes ?? 0
  }

  /// How many reports are in memory.
  var reportCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.reports.count } } }

  /// All that is kept, oldest first; of one scope's sessions, or of all.
  func exchanges(of scope: SessionScope.Mark? = nil) -> [Exchange] {
    let entries = state.withLock { state in
      state.order[state.first...].compactMap { state.entries[$0] }
        .filter { scope == nil ? !$0.isForgotten : $0.scope == scope }
    }
    return entries.compactMap { Self.exchange($0) }
  }

  /// What was asked so far is known to the scopes that it belongs to, and to nobody else.
  func forget() {
    state.withLock { state in
      for key in state.order[state.first...] {
        if state.entries[key]?.scope == nil {
          remove(key, from: &state)
        } else {
          state.entries[key]?.isForgotten = true
        }
      }
      state.order = state.order[state.first...].filter { state.entries[$0] != nil }
      state.first = 0
      state.firstWithBodies = 0
    }
  }

  private static func exchange(_ entry: Entry) -> Exchange? {
    var builder: ExchangeBuilder?
    for report in entry.reports {
      let update = report.update(bodyLimit: .max)
      if let start = update.start {
        builder = ExchangeBuilder(id: entry.number, process: HookState.shared.process, start: start)
      }
      builder?.apply(update)
    }
    builder?.updateBody()
    var exchange = builder?.exchange
    if entry.gaveUpRequest { exchange?.request.truncated = true }
    if entry.gaveUpResponse { exchange?.response?.truncated = true }
    return exchange
  }
}

extension ExchangeReport {
  /// Bytes that its bodies take, as far as they are known.
  fileprivate var bodyBytes: Int {
    (start?.request.body.keptBytes ?? 0) + (answer?.edited?.body?.count ?? 0) + (sent?.body.keptBytes ?? 0)
      + (data?.count ?? 0)
  }

  /// Also those of streams, and what the requests themselves have of them. Returns whether there were any.
  fileprivate mutating func dropWholeRequestBodies() -> Bool {
    var hadAny = !dropRequestBodies().isEmpty
    if start != nil, start?.request.letGoOfBody() == true { hadAny = true }
    if sent != nil, sent?.letGoOfBody() == true { hadAny = true }
    return hadAny
  }
}

extension RequestBody {
  /// Bytes of it that are in memory.
  fileprivate var keptBytes: Int {
    switch self {
    case .none, .file: 0
    case .data(let data): data.count
    case .stream(let capture): capture?.keptCount ?? 0
    }
  }
}

extension RequestSnapshot {
  /// Returns whether there was one, of a stream.
  fileprivate mutating func letGoOfBody() -> Bool {
    if request.httpBody != nil { request.httpBody = nil }
    guard case .stream = body else { return false }
    body = .none
    isCut = true
    return true
  }
}
