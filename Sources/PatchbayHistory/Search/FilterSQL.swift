import GRDB
import PatchbayInspect
import PatchbayWire

/// A filter as a condition on the exchange `e`.
///
/// Numbers are compared by SQLite. Texts that are shared are looked up once and compared by id. All other texts are
/// given to the SQL functions of `Probe`, which compare as the filter itself does with values in memory. Each
/// condition is 0 or 1 and never NULL, so that "not" means the same as there.
struct FilterSQL: Sendable {
  private(set) var condition = "1"
  private(set) var probes: [Probe] = []
  /// What the condition reads: the exchange `e`, and its details where it asks for them. As a join, and in rising order
  /// of ids, the details are read one after the other and not looked up one by one.
  private(set) var tables = "exchange e"

  init(_ filter: Filter, now: Timestamp, _ texts: TextLookup) throws {
    if !filter.isEmpty { condition = try sql(filter.expression, now, texts) }
  }

  /// Binds what the condition needs, at the numbers `?101` and up.
  func bind(to statement: RawStatement) {
    for (index, probe) in probes.enumerated() { statement.bind(Int32(Self.firstParameter + index), probe) }
  }

  /// The same condition for one reader alone; it must live as long as the statement that it is bound to.
  func unshared() -> FilterSQL {
    var copy = self
    copy.probes = probes.map { $0.unshared() }
    return copy
  }

  private static let firstParameter = 101
  /// So many ids at most stand in the condition itself.
  private static let inlineLimit = 1_000

  private mutating func sql(_ expression: FilterExpression, _ now: Timestamp, _ texts: TextLookup) throws -> String {
    switch expression {
    case .term(let term): return "(" + (try sql(term, now, texts)) + ")"
    case .not(let inner): return "(NOT " + (try sql(inner, now, texts)) + ")"
    case .and(let inner): return try joined(inner, " AND ", none: "1", now, texts)
    case .or(let inner): return try joined(inner, " OR ", none: "0", now, texts)
    }
  }

  private mutating func joined(
    _ inner: [FilterExpression], _ sign: String, none: String, _ now: Timestamp, _ texts: TextLookup
  ) throws -> String {
    if inner.isEmpty { return none }
    // What is cheap to say is asked first.
    let ordered = inner.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
    var parts: [String] = []
    for (_, expression) in ordered { parts.append(try sql(expression, now, texts)) }
    return "(" + parts.joined(separator: sign) + ")"
  }

  private mutating func sql(_ term: FilterTerm, _ now: Timestamp, _ texts: TextLookup) throws -> String {
    switch term {
    case .text(let field, let patterns): return try text(field, patterns, texts)
    case .method(let patterns): return try shared("e.method", "probe", Probe(.url, patterns), texts)
    case .status(let ranges): return Self.within("e.status", ranges.map { Int64($0.lowerBound)...Int64($0.upperBound) })
    case .time(let ranges): return Self.within("e.duration", ranges)
    case .size(let ranges): return Self.within("e.size", ranges)
    case .id(let ranges): return Self.within("e.id", ranges)
    case .by(let answerers):
      let codes = answerers.map { String(Codes.answerer[$0]) }.sorted()
      return "e.answerer IN (\(codes.joined(separator: ",")))"
    case .since(let moment): return "e.started >= \(moment.resolved(now: now).microseconds)"
    case .until(let moment): return "e.started < \(moment.resolved(now: now).microseconds)"
    case .marked(let marked):
      return (marked ? "" : "NOT ") + "EXISTS (SELECT 1 FROM mark WHERE mark.id = e.id)"
    case .state(let states): return states.map(Self.sql).sorted().joined(separator: " OR ")
    }
  }

  private mutating func text(_ field: FilterField, _ patterns: [FilterText], _ texts: TextLookup) throws -> String {
    let probe = Probe(field, patterns)
    switch field {
    case .url, .path, .query: return "probe_url(\(add(probe)), e.url)"
    case .host: return try shared("e.host", "probe_host", probe, texts)
    case .type:
      let ids = try list("probe", probe, texts)
      return
        "(e.type IS NOT NULL AND e.type IN (\(ids))) OR (e.request_type IS NOT NULL AND e.request_type IN (\(ids)))"
    case .stub: return try shared("e.stub", "probe", probe, texts)
    case .process:
      return try shared("e.process", "probe", probe, texts) + " OR probe(\(add(probe)), CAST(e.pid AS TEXT))"
    case .error:
      let ids = try list("probe", probe, texts)
      return """
        e.error_domain IS NOT NULL AND (e.error_domain IN (\(ids)) OR (e.error_name IS NOT NULL AND e.error_name IN \
        (\(ids))) OR probe(\(add(probe)), CAST(e.error_code AS TEXT)))
        """
    case .header:
      tables = "exchange e LEFT JOIN detail d ON d.id = e.id"
      return "probe_headers(\(add(probe)), d.facts)"
    case .requestBody: return body(probe, flag: .requestBody, charset: "e.charsets & 255", id: "e.id * 2")
    case .responseBody: return body(probe, flag: .responseBody, charset: "e.charsets >> 8", id: "e.id * 2 + 1")
    case .body:
      return body(probe, flag: .responseBody, charset: "e.charsets >> 8", id: "e.id * 2 + 1") + " OR "
        + body(probe, flag: .requestBody, charset: "e.charsets & 255", id: "e.id * 2")
    }
  }

  private mutating func body(_ probe: Probe, flag: Flags, charset: String, id: String) -> String {
    """
    (e.flags & \(flag.rawValue) != 0 AND \
    probe_body(\(add(probe)), \(charset), (SELECT data FROM body WHERE body.id = \(id))))
    """
  }

  /// The condition that a shared text fits, by the ids of those that do.
  private mutating func shared(
    _ column: String, _ function: String, _ probe: Probe, _ texts: TextLookup
  ) throws -> String {
    "(\(column) IS NOT NULL AND \(column) IN (\(try list(function, probe, texts))))"
  }

  /// The ids of the shared texts that fit: as a list, or as a query where they are many.
  private mutating func list(_ function: String, _ probe: Probe, _ texts: TextLookup) throws -> String {
    let ids = try texts.ids(function, probe.patterns)
    guard ids.count > Self.inlineLimit else { return ids.map { String($0) }.joined(separator: ",") }
    return "SELECT id FROM text WHERE \(function)(\(add(probe)), value)"
  }

  private mutating func add(_ probe: Probe) -> String {
    probes.append(probe)
    return "?\(Self.firstParameter + probes.count - 1)"
  }

  private static func within(_ column: String, _ ranges: [ClosedRange<Int64>]) -> String {
    let parts = ranges.map { range in
      if range.lowerBound == .min { return "\(column) <= \(range.upperBound)" }
      if range.upperBound == .max { return "\(column) >= \(range.lowerBound)" }
      return "\(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
    return "\(column) IS NOT NULL AND (" + parts.joined(separator: " OR ") + ")"
  }

  private static func sql(_ state: FilterState) -> String {
    switch state {
    case .held: "e.phase IN (\(Codes.phase[.heldRequest]),\(Codes.phase[.heldResponse]))"
    case .failed: ended(.failed)
    case .responded: ended(.responded)
    case .cancelled: ended(.cancelled)
    case .abandoned: ended(.abandoned)
    case .observed: "e.phase = \(Codes.phase[.ended]) AND e.outcome IS NULL"
    case .redirected: "e.hops > 0"
    case .truncated: "e.flags & \(Flags([.requestTruncated, .responseTruncated]).rawValue) != 0"
    case .running: "e.phase <> \(Codes.phase[.ended])"
    case .ended: "e.phase = \(Codes.phase[.ended])"
    case .stubbed:
      "e.answerer IN (\(Codes.answerer[.stub]),\(Codes.answerer[.code])) OR e.stub IS NOT NULL"
    case .replayed: "e.replay_of IS NOT NULL"
    case .bad: "(\(ended(.failed))) OR (e.status IS NOT NULL AND e.status >= 400)"
    }
  }

  private static func ended(_ outcome: Exchange.Outcome) -> String {
    "e.outcome IS NOT NULL AND e.outcome = \(Codes.outcome[outcome])"
  }
}

extension FilterExpression {
  /// What it costs to say, roughly: numbers and shared texts, then URLs, headers, bodies.
  fileprivate var cost: Int {
    switch self {
    case .not(let inner): return inner.cost
    case .and(let inner), .or(let inner): return inner.map(\.cost).max() ?? 0
    case .term(.text(let field, _)):
      switch field {
      case .url, .path, .query: return 2
      case .process: return 1
      case .header: return 3
      case .body, .requestBody, .responseBody: return 4
      default: return 0
      }
    case .term: return 0
    }
  }
}
