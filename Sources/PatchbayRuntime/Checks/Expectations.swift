import Foundation
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayWire
import Synchronization

/// `--expect`, `--forbid` and `--expect-stubs-used`: what must and must not happen until the end.
final class Expectations: Sendable {
  /// What became of one check.
  struct Result: Sendable {
    /// The option, such as `--expect`.
    var option: String
    /// What was asked for, such as the filter; empty where the option has no value.
    var subject: String
    /// A sentence where it was not kept.
    var complaint: String?
    /// What came nearest, one a line.
    var details: [String] = []
  }

  private let expected: [CountedFilter]
  private let forbidden: [CountedFilter]
  private let checksStubs: Bool
  private let withSecrets: Bool
  private let seen: Mutex<Seen>

  private struct Seen {
    var expected: [Tally]
    var forbidden: [Tally]
    /// Names of stubs that took a request.
    var used: Set<String> = []
    /// Requests that were made, each method and URL once, for what came nearest to a stub.
    var samples: [String: Exchange] = [:]
  }

  /// How many fitted one filter, and what came near.
  private struct Tally {
    var count: Int64 = 0
    /// The first ones that fitted, as lines.
    var fitting: [String] = []
    var misses: [Miss] = []
  }

  private struct Miss {
    var line: String
    var near: CountedFilter.Miss

    func isNearer(than other: Miss) -> Bool {
      (near.holding, near.likeness) > (other.near.holding, other.near.likeness)
    }
  }

  /// So many lines are said of what fitted, or came near.
  private static let shown = 3
  /// So many requests are kept for the nearest one to a stub.
  private static let sampleLimit = 500

  /// - Throws: a sentence about a filter that cannot be read.
  init(expect: [String], forbid: [String], stubsUsed: Bool, withSecrets: Bool) throws {
    self.withSecrets = withSecrets
    checksStubs = stubsUsed
    expected = try expect.map { try FilterArgument.counted($0, option: "--expect") }
    forbidden = try forbid.map { try FilterArgument.counted($0, option: "--forbid") }
    seen = Mutex(
      Seen(
        expected: expected.map { _ in Tally() }, forbidden: forbidden.map { _ in Tally() }))
  }

  func received(_ event: ServerEvent) {
    switch event {
    case .exchanges(let exchanges):
      guard !expected.isEmpty || !forbidden.isEmpty || checksStubs else { return }
      let ended = exchanges.filter { $0.phase == .ended }
      seen.withLock { seen in for exchange in ended { note(exchange, &seen) } }
    case .progress(_, let list) where checksStubs:
      seen.withLock { seen in for one in list where one.hits > 0 { seen.used.insert(one.name) } }
    default: break
    }
  }

  private func note(_ exchange: Exchange, _ seen: inout Seen) {
    for (place, filter) in expected.enumerated() { note(exchange, filter, &seen.expected[place], isExpected: true) }
    for (place, filter) in forbidden.enumerated() { note(exchange, filter, &seen.forbidden[place], isExpected: false) }
    guard checksStubs else { return }
    if let stub = exchange.stub { seen.used.insert(stub) }
    if seen.samples.count < Self.sampleLimit { seen.samples[exchange.request.method + exchange.request.url] = exchange }
  }

  private func note(_ exchange: Exchange, _ filter: CountedFilter, _ tally: inout Tally, isExpected: Bool) {
    if filter.filter.matches(exchange) {
      tally.count += 1
      if tally.fitting.count < Self.shown { tally.fitting.append(line(exchange)) }
    } else if isExpected, let near = filter.miss(exchange) {
      var miss = Miss(line: "", near: near)
      guard tally.misses.count < Self.shown || tally.misses.contains(where: { miss.isNearer(than: $0) }) else { return }
      miss.line = line(exchange)
      guard !tally.misses.contains(where: { $0.line == miss.line }) else { return }
      // The first of those that are as near stays first.
      let place = tally.misses.firstIndex { miss.isNearer(than: $0) } ?? tally.misses.count
      tally.misses.insert(miss, at: place)
      tally.misses = Array(tally.misses.prefix(Self.shown))
    }
  }

  /// `GET http://a.example/x 503`.
  private func line(_ exchange: Exchange) -> String {
    let url = withSecrets ? exchange.request.url : Redaction.standard.url(exchange.request.url)
    let end = exchange.response.map { "\($0.status)" } ?? exchange.error.map { $0.name ?? "\($0.domain) \($0.code)" }
    return "\(exchange.request.method) \(url)\(end.map { " \($0)" } ?? "")"
  }

  // MARK: At the end

  /// What became of each check, in the order of the options.
  ///
  /// - Parameter board: the stubs as they were at the end.
  func results(_ board: StubBoard) -> [Result] {
    let seen = seen.withLock { $0 }
    let met = expected.indices.map { result(expected[$0], seen.expected[$0]) }
    let kept = forbidden.indices.map { forbiddenResult(forbidden[$0], seen.forbidden[$0]) }
    return met + kept + (checksStubs ? unused(board, seen) : [])
  }

  private func result(_ filter: CountedFilter, _ tally: Tally) -> Result {
    var result = Result(option: "--expect", subject: filter.text)
    guard !filter.fits(tally.count) else { return result }
    if filter.count == nil || tally.count == 0 {
      result.complaint = "no exchange fits --expect '\(filter.text)'."
    } else {
      let verb = tally.count == 1 ? "exchange fits" : "exchanges fit"
      result.complaint = "\(tally.count) \(verb) --expect '\(filter.text)', which asks for \(filter.wanted)."
    }
    let isTooMany = filter.count.map { tally.count > $0.upperBound } ?? false
    if isTooMany {
      result.details = tally.fitting.map { "fits: \($0)" } + more(tally)
    } else {
      result.details = tally.misses.map { "nearest: \($0.line), but not \($0.near.failing.joined(separator: " "))" }
    }
    return result
  }

  private func forbiddenResult(_ filter: CountedFilter, _ tally: Tally) -> Result {
    var result = Result(option: "--forbid", subject: filter.text)
    guard filter.fits(tally.count) else { return result }
    if filter.count == nil, let first = tally.fitting.first {
      // The status is not part of the sentence that scripts know.
      let request = first.split(separator: " ").prefix(2).joined(separator: " ")
      result.complaint = "\(request) fits --forbid '\(filter.text)'."
    } else {
      let verb = tally.count == 1 ? "exchange fits" : "exchanges fit"
      result.complaint = "\(tally.count) \(verb) --forbid '\(filter.text)', which forbids \(filter.wanted)."
    }
    result.details = tally.count > 1 ? tally.fitting.map { "fits: \($0)" } + more(tally) : []
    return result
  }

  private func more(_ tally: Tally) -> [String] {
    let rest = tally.count - Int64(tally.fitting.count)
    return rest > 0 ? ["and \(rest) more"] : []
  }

  /// A check for each stub that is switched on.
  private func unused(_ board: StubBoard, _ seen: Seen) -> [Result] {
    let stubs = board.entries.map(\.stub)
    let matcher = StubMatcher(StubSet(stubs: stubs))
    return board.entries.filter(\.stub.enabled).map { entry in
      let name = entry.stub.name
      var result = Result(option: "--expect-stubs-used", subject: name)
      guard !seen.used.contains(name) else { return result }
      result.complaint = "the stub `\(name)` took no request (--expect-stubs-used)."
      result.details = nearest(name, matcher, seen.samples).map { [$0] } ?? []
      return result
    }
  }

  /// The request of which the most of a stub's pattern holds, as far as explaining goes.
  private func nearest(_ name: String, _ matcher: StubMatcher, _ samples: [String: Exchange]) -> String? {
    var best: (rank: Int, line: String)?
    for (_, exchange) in samples.sorted(by: { $0.value.id < $1.value.id }) {
      let request = exchange.request
      let facts = RequestFacts(
        method: request.method, url: request.url, headers: request.headers, body: request.body,
        process: exchange.process.name, pid: exchange.process.pid)
      guard let why = matcher.explain(facts).first(where: { $0.stub == name }) else { continue }
      let rank = why.matches ? Self.order.count : Self.order.firstIndex { why.reason.hasPrefix($0) } ?? 0
      guard rank > best?.rank ?? -1 else { continue }
      best = (rank, "nearest: \(line(exchange)), but \(why.reason)")
    }
    return best?.line
  }

  /// How explanations begin, by the order in which patterns are looked at.
  private static let order = ["method", "process", "scheme", "host", "port", "path", "url", "query", "header", "body"]
}
