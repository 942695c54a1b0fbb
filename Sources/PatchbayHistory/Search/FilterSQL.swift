import PatchbayInspect

/// A condition on stored exchanges as SQL on the exchange `e`.
///
/// Numbers are compared by SQLite. Texts that are shared were looked up once and are compared by id. All other texts are
/// given to the SQL functions of `FilterFunction`, which compare as the filter itself does with values in memory. Each
/// condition is 0 or 1 and never NULL.
///
/// Not `Sendable`: the functions belong to the statement to which they are bound, and must live as long.
struct FilterSQL {
  private(set) var condition = ""
  private var functions: [FilterFunction] = []
  /// What the condition reads: the exchange `e`, and its details where it asks for them. As a join, and in rising order
  /// of ids, the details are read one after the other and not looked up one by one.
  private(set) var tables = "exchange e"

  init(_ condition: StoredCondition) { self.condition = sql(condition) }

  /// Binds what the condition needs, at the numbers `?101` and up.
  func bind(to statement: RawStatement) {
    for (index, function) in functions.enumerated() { statement.bind(Int32(Self.firstParameter + index), function) }
  }

  private static let firstParameter = 101
  /// At most this many ids stand in the condition itself.
  private static let inlineLimit = 1_000

  private mutating func sql(_ condition: StoredCondition) -> String {
    switch condition {
    case .within(let column, let ranges): return Self.within("e." + column.sql, ranges)
    case .isSet(let column): return "(e.\(column.sql) IS NOT NULL)"
    case .hasBits(let column, let bits): return "(e.\(column.sql) & \(bits) != 0)"
    case .text(let column, let texts): return "(e.\(column.sql) IS NOT NULL AND e.\(column.sql) IN (\(ids(texts))))"
    case .digits(let column, let patterns):
      return "filter_text(\(add(FilterFunction(.url, patterns))), CAST(e.\(column.sql) AS TEXT))"
    case .marked: return "EXISTS (SELECT 1 FROM mark WHERE mark.id = e.id)"
    case .remarked(let field, let patterns, _):
      let (name, column) = field == .tag ? ("filter_words", "tags") : ("filter_text", "note")
      let function = add(FilterFunction(.url, patterns))
      return "EXISTS (SELECT 1 FROM remark r WHERE r.id = e.id AND \(name)(\(function), r.\(column)))"
    case .url(let field, let patterns): return "filter_url(\(add(FilterFunction(field, patterns))), e.url)"
    case .header(let patterns):
      tables = "exchange e LEFT JOIN detail d ON d.id = e.id"
      return "filter_headers(\(add(FilterFunction(.header, patterns))), d.facts)"
    case .body(let side, let patterns): return body(side, add(FilterFunction(.body, patterns)))
    case .not(let inner): return "(NOT " + sql(inner) + ")"
    case .all(let inner): return joined(inner, " AND ", none: "1")
    case .any(let inner): return joined(inner, " OR ", none: "0")
    }
  }

  private mutating func joined(_ inner: [StoredCondition], _ sign: String, none: String) -> String {
    if inner.isEmpty { return none }
    var parts: [String] = []
    for condition in inner { parts.append(sql(condition)) }
    return "(" + parts.joined(separator: sign) + ")"
  }

  private func body(_ side: HistoryStore.Side, _ function: String) -> String {
    let (flag, charset): (Flags, String) =
      switch side {
      case .request: (.requestBody, "e.charsets & 255")
      case .response: (.responseBody, "e.charsets >> 8")
      }
    return """
      (e.flags & \(flag.rawValue) != 0 AND filter_body(\(function), \(charset), \
      (SELECT data FROM body WHERE body.id = e.id * 2 + \(side.rawValue))))
      """
  }

  /// The ids of the shared texts that fit: as a list, or as a query where they are many.
  private mutating func ids(_ texts: SharedTexts) -> String {
    guard texts.ids.count > Self.inlineLimit else { return texts.ids.map { String($0) }.joined(separator: ",") }
    return "SELECT id FROM text WHERE \(texts.function)(\(add(FilterFunction(.url, texts.patterns))), value)"
  }

  private mutating func add(_ function: FilterFunction) -> String {
    functions.append(function)
    return "?\(Self.firstParameter + functions.count - 1)"
  }

  private static func within(_ column: String, _ ranges: [ClosedRange<Int64>]) -> String {
    let parts = ranges.map { range in
      if range.lowerBound == .min { return "\(column) <= \(range.upperBound)" }
      if range.upperBound == .max { return "\(column) >= \(range.lowerBound)" }
      if range.lowerBound == range.upperBound { return "\(column) = \(range.lowerBound)" }
      return "\(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
    return "(\(column) IS NOT NULL AND (" + parts.joined(separator: " OR ") + "))"
  }
}
