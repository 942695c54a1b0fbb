import PatchbayInspect
import PatchbayWire

/// A filter in terms of the columns that are stored: the one place in this module that says what each word of the filter
/// language means. `FilterSQL` writes it as SQL, `Segment` evaluates it on column segments; both know only these few cases.
///
/// A condition on a column that is NULL does not hold, so that "not" means the same here as with values in memory.
indirect enum StoredCondition: Sendable {
  typealias Column = SegmentNumbers.Column

  /// The number is in one of the ranges.
  case within(Column, [ClosedRange<Int64>])
  case isSet(Column)
  /// Has one of these bits.
  case hasBits(Column, Int64)
  /// The column is the id of a shared text that fits.
  case text(Column, SharedTexts)
  /// The number as text.
  case digits(Column, [FilterText])
  /// Marked by the person; with the ids that are, in rising order, or nil where they are too many.
  case marked([Int64]?)
  /// With a tag or a note that fits; with the ids of those that have one, as with marks.
  case remarked(FilterField, [FilterText], [Int64]?)
  /// A part of the URL.
  case url(FilterField, [FilterText])
  /// A header field of either side.
  case header([FilterText])
  case body(HistoryStore.Side, [FilterText])
  case not(StoredCondition)
  /// Empty holds always. What is cheap to say stands first.
  case all([StoredCondition])
  case any([StoredCondition])

  init(_ filter: Filter, now: Timestamp, _ texts: TextLookup) throws {
    self = try Self.condition(filter.expression, now, texts)
  }

  /// The same patterns in memory of their own, for one reader: threads that compare with one object each do not wait for
  /// one another's reference counts.
  func unshared() -> StoredCondition {
    func own(_ patterns: [FilterText]) -> [FilterText] { patterns.map { $0.unshared() } }
    switch self {
    case .text(let column, var texts):
      texts.patterns = own(texts.patterns)
      return .text(column, texts)
    case .digits(let column, let patterns): return .digits(column, own(patterns))
    case .url(let field, let patterns): return .url(field, own(patterns))
    case .header(let patterns): return .header(own(patterns))
    case .body(let side, let patterns): return .body(side, own(patterns))
    case .not(let inner): return .not(inner.unshared())
    case .all(let inner): return .all(inner.map { $0.unshared() })
    case .any(let inner): return .any(inner.map { $0.unshared() })
    case .remarked(let field, let patterns, let ids): return .remarked(field, own(patterns), ids)
    case .within, .isSet, .hasBits, .marked: return self
    }
  }

  /// Whether segments can say anything about it: they have no bodies.
  var isKnownToSegments: Bool {
    switch self {
    case .body: false
    case .marked(let ids), .remarked(_, _, let ids): ids != nil
    case .not(let inner): inner.isKnownToSegments
    case .all(let inner): inner.isEmpty || inner.contains { $0.isKnownToSegments }
    case .any(let inner): inner.allSatisfy { $0.isKnownToSegments }
    case .within, .isSet, .hasBits, .text, .digits, .url, .header: true
    }
  }

  /// What it costs to say, roughly: numbers and shared texts, numbers as text, URLs, headers, bodies.
  private var cost: Int {
    switch self {
    case .within, .isSet, .hasBits, .text, .marked, .remarked: 0
    case .digits: 1
    case .url: 2
    case .header: 3
    case .body: 4
    case .not(let inner): inner.cost
    case .all(let inner), .any(let inner): inner.map(\.cost).max() ?? 0
    }
  }

  // MARK: What the filter language means

  private static func condition(
    _ expression: FilterExpression, _ now: Timestamp, _ texts: TextLookup
  ) throws -> StoredCondition {
    switch expression {
    case .term(let term): try condition(term, now, texts)
    case .not(let inner): .not(try condition(inner, now, texts))
    case .and(let inner): .all(try cheapestFirst(inner, now, texts))
    case .or(let inner): .any(try cheapestFirst(inner, now, texts))
    }
  }

  private static func cheapestFirst(
    _ expressions: [FilterExpression], _ now: Timestamp, _ texts: TextLookup
  ) throws -> [StoredCondition] {
    let conditions = try expressions.map { try condition($0, now, texts) }
    return conditions.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
  }

  private static func condition(_ term: FilterTerm, _ now: Timestamp, _ texts: TextLookup) throws -> StoredCondition {
    switch term {
    case .text(let field, let patterns): try condition(field, patterns, texts)
    case .method(let patterns): .text(.method, try texts.shared(patterns))
    case .status(let ranges): .within(.status, ranges.map { Int64($0.lowerBound)...Int64($0.upperBound) })
    case .time(let ranges): .within(.duration, ranges)
    case .size(let ranges): .within(.size, ranges)
    case .id(let ranges): .within(.id, ranges)
    case .run(let runs): .any(try texts.ids(of: runs).map { .within(.id, [$0]) })
    case .by(let answerers): one(of: answerers.map { Codes.answerer[$0] }.sorted(), .answerer)
    case .since(let moment): started(atOrAfter: moment, now)
    case .until(let moment): .not(started(atOrAfter: moment, now))
    case .marked(let marked): marked ? .marked(try texts.marked()) : .not(.marked(try texts.marked()))
    case .state(let states): .any(states.sorted { $0.rawValue < $1.rawValue }.map(condition))
    }
  }

  private static func condition(
    _ field: FilterField, _ patterns: [FilterText], _ texts: TextLookup
  ) throws -> StoredCondition {
    switch field {
    case .url, .path, .query: return .url(field, patterns)
    case .host: return .text(.host, try texts.shared(patterns, as: .authority))
    case .type:
      let types = try texts.shared(patterns)
      return .any([.text(.type, types), .text(.requestType, types)])
    case .stub: return .text(.stub, try texts.shared(patterns))
    case .process: return .any([.text(.process, try texts.shared(patterns)), .digits(.pid, patterns)])
    case .error:
      let names = try texts.shared(patterns)
      return .any([.text(.errorDomain, names), .text(.errorName, names), .digits(.errorCode, patterns)])
    case .operation: return .text(.endpoint, try texts.shared(patterns, as: .endpoint))
    case .tag, .note: return .remarked(field, patterns, try texts.remarked(field, patterns))
    case .header: return .header(patterns)
    case .requestBody: return .body(.request, patterns)
    case .responseBody: return .body(.response, patterns)
    case .body: return .any([.body(.response, patterns), .body(.request, patterns)])
    }
  }

  /// What each `is:` means for stored rows; `FilterState.holds` says the same of rows in memory.
  private static func condition(_ state: FilterState) -> StoredCondition {
    switch state {
    case .held: one(of: [Codes.phase[.heldRequest], Codes.phase[.heldResponse]], .phase)
    case .failed: ended(.failed)
    case .responded: ended(.responded)
    case .cancelled: ended(.cancelled)
    case .abandoned: ended(.abandoned)
    case .observed: .all([one(of: [Codes.phase[.ended]], .phase), .not(.isSet(.outcome))])
    case .redirected: .within(.hops, [1...Int64.max])
    case .truncated: .hasBits(.flags, Flags([.requestTruncated, .responseTruncated]).rawValue)
    case .running: .not(one(of: [Codes.phase[.ended]], .phase))
    case .ended: one(of: [Codes.phase[.ended]], .phase)
    case .stubbed: .any([one(of: [Codes.answerer[.stub], Codes.answerer[.code]], .answerer), .isSet(.stub)])
    case .replayed: .isSet(.replayOf)
    case .bad: .any([ended(.failed), .within(.status, [400...Int64.max])])
    }
  }

  private static func one(of codes: [Int64], _ column: Column) -> StoredCondition {
    .within(column, codes.map { $0...$0 })
  }

  private static func ended(_ outcome: Exchange.Outcome) -> StoredCondition {
    one(of: [Codes.outcome[outcome]], .outcome)
  }

  private static func started(atOrAfter moment: FilterMoment, _ now: Timestamp) -> StoredCondition {
    .within(.started, [moment.resolved(now: now).microseconds...Int64.max])
  }
}
