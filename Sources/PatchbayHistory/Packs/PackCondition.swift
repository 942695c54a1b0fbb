import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// A filter as a condition on the rows of a pack. What a pack does not know is `unknown`.
indirect enum PackCondition: Sendable {
  case always
  case unknown
  case within(PackNumbers.Column, [ClosedRange<Int64>])
  case text(PackNumbers.Column, TextIDs)
  /// Has one of these bits.
  case bits(PackNumbers.Column, Int64)
  case isSet(PackNumbers.Column)
  /// The number as text.
  case digits(PackNumbers.Column, [FilterText])
  /// In rising order.
  case ids([Int64])
  case url(FilterField, [FilterText])
  case header([FilterText])
  case not(PackCondition)
  case all([PackCondition])
  case any([PackCondition])

  /// - Returns: nil where packs say nothing about the filter.
  static func reading(_ filter: Filter, now: Timestamp, _ texts: TextLookup) throws -> PackCondition? {
    if filter.isEmpty { return .always }
    let condition = try reading(filter.expression, now, texts)
    return condition.isOfUse ? condition : nil
  }

  /// The same for one reader alone.
  func unshared() -> PackCondition {
    switch self {
    case .digits(let column, let patterns): .digits(column, patterns.map { $0.unshared() })
    case .url(let field, let patterns): .url(field, patterns.map { $0.unshared() })
    case .header(let patterns): .header(patterns.map { $0.unshared() })
    case .not(let inner): .not(inner.unshared())
    case .all(let inner): .all(inner.map { $0.unshared() })
    case .any(let inner): .any(inner.map { $0.unshared() })
    case .always, .unknown, .within, .text, .bits, .isSet, .ids: self
    }
  }

  private var isOfUse: Bool {
    switch self {
    case .unknown: false
    case .not(let inner): inner.isOfUse
    case .all(let inner): inner.contains { $0.isOfUse }
    case .any(let inner): inner.allSatisfy { $0.isOfUse }
    default: true
    }
  }

  /// What it costs to say, roughly: numbers, then URLs, headers, and what is unknown.
  private var cost: Int {
    switch self {
    case .url: 2
    case .header: 3
    case .unknown: 4
    case .digits: 1
    case .not(let inner): inner.cost
    case .all(let inner), .any(let inner): inner.map(\.cost).max() ?? 0
    default: 0
    }
  }

  private static func reading(
    _ expression: FilterExpression, _ now: Timestamp, _ texts: TextLookup
  ) throws -> PackCondition {
    switch expression {
    case .term(let term): try reading(term, now, texts)
    case .not(let inner): .not(try reading(inner, now, texts))
    case .and(let inner): .all(try cheapestFirst(inner, now, texts))
    case .or(let inner): .any(try cheapestFirst(inner, now, texts))
    }
  }

  private static func cheapestFirst(
    _ expressions: [FilterExpression], _ now: Timestamp, _ texts: TextLookup
  ) throws -> [PackCondition] {
    try expressions.map { try reading($0, now, texts) }.sorted { $0.cost < $1.cost }
  }

  private static func reading(_ term: FilterTerm, _ now: Timestamp, _ texts: TextLookup) throws -> PackCondition {
    switch term {
    case .text(let field, let patterns): try reading(field, patterns, texts)
    case .method(let patterns): .text(.method, TextIDs(try texts.ids("probe", patterns)))
    case .status(let ranges): .within(.status, ranges.map { Int64($0.lowerBound)...Int64($0.upperBound) })
    case .time(let ranges): .within(.duration, ranges)
    case .size(let ranges): .within(.size, ranges)
    case .id(let ranges): .within(.id, ranges)
    case .by(let answerers): .within(.answerer, answerers.map { Codes.answerer[$0]...Codes.answerer[$0] })
    case .since(let moment): .within(.started, [moment.resolved(now: now).microseconds...Int64.max])
    case .until(let moment): .not(.within(.started, [moment.resolved(now: now).microseconds...Int64.max]))
    case .marked(let marked):
      try texts.marked().map { marked ? .ids($0) : .not(.ids($0)) } ?? .unknown
    case .state(let states): .any(states.map(reading))
    }
  }

  private static func reading(
    _ field: FilterField, _ patterns: [FilterText], _ texts: TextLookup
  ) throws -> PackCondition {
    func shared(_ column: PackNumbers.Column, _ function: String = "probe") throws -> PackCondition {
      .text(column, TextIDs(try texts.ids(function, patterns)))
    }
    switch field {
    case .url, .path, .query: return .url(field, patterns)
    case .host: return try shared(.host, "probe_host")
    case .type: return .any([try shared(.type), try shared(.requestType)])
    case .stub: return try shared(.stub)
    case .process: return .any([try shared(.process), .digits(.pid, patterns)])
    case .error:
      return .any([try shared(.errorDomain), try shared(.errorName), .digits(.errorCode, patterns)])
    case .header: return .header(patterns)
    case .requestBody, .responseBody, .body: return .unknown
    }
  }

  private static func reading(_ state: FilterState) -> PackCondition {
    func isOne(_ column: PackNumbers.Column, of codes: [Int64]) -> PackCondition {
      .within(column, codes.map { $0...$0 })
    }
    func ended(_ outcome: Exchange.Outcome) -> PackCondition { isOne(.outcome, of: [Codes.outcome[outcome]]) }
    switch state {
    case .held: return isOne(.phase, of: [Codes.phase[.heldRequest], Codes.phase[.heldResponse]])
    case .failed: return ended(.failed)
    case .responded: return ended(.responded)
    case .cancelled: return ended(.cancelled)
    case .abandoned: return ended(.abandoned)
    case .observed: return .all([isOne(.phase, of: [Codes.phase[.ended]]), .not(.isSet(.outcome))])
    case .redirected: return .within(.hops, [1...Int64.max])
    case .truncated: return .bits(.flags, Flags([.requestTruncated, .responseTruncated]).rawValue)
    case .running: return .not(isOne(.phase, of: [Codes.phase[.ended]]))
    case .ended: return isOne(.phase, of: [Codes.phase[.ended]])
    case .stubbed:
      return .any([isOne(.answerer, of: [Codes.answerer[.stub], Codes.answerer[.code]]), .isSet(.stub)])
    case .replayed: return .isSet(.replayOf)
    case .bad: return .any([ended(.failed), .within(.status, [400...Int64.max])])
    }
  }
}
