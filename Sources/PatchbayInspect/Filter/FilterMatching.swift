import Foundation
import PatchbayStubs
import PatchbayWire

extension Filter {
  /// Whether the exchange fits.
  ///
  /// - Parameters:
  ///   - marked: whether it is marked; nil takes the exchange's own word.
  ///   - now: what `since:10m` counts from.
  package func matches(_ exchange: Exchange, marked: Bool? = nil, now: Timestamp = .now) -> Bool {
    if isEmpty { return true }
    var summary = exchange.summary
    if let marked { summary.marked = marked }
    let holds = expression.evaluated { term in
      switch term {
      case .text(.header, let patterns): return Self.headers(of: exchange, patterns)
      case .text(.requestBody, let patterns): return Self.requestBody(of: exchange, patterns)
      case .text(.responseBody, let patterns): return Self.responseBody(of: exchange, patterns)
      case .text(.body, let patterns):
        return Self.requestBody(of: exchange, patterns) || Self.responseBody(of: exchange, patterns)
      case .text(let field, let patterns) where field.isOfURL:
        var url = exchange.request.url
        return url.withUTF8 { FilterMatching.url($0, field: field, patterns) }
      default: return Self.holds(term, for: summary, now: now)
      }
    }
    return holds ?? false
  }

  /// Whether the row fits, or nil where that takes headers or bodies to say.
  package func matches(_ summary: ExchangeSummary, now: Timestamp = .now) -> Bool? {
    expression.evaluated { Self.holds($0, for: summary, now: now) }
  }

  private static func holds(_ term: FilterTerm, for row: ExchangeSummary, now: Timestamp) -> Bool? {
    switch term {
    case .text(let field, let patterns): return holds(field, patterns, for: row)
    case .method(let patterns): return patterns.contains { $0.matches(row.method) }
    case .status(let ranges): return row.status.map { status in ranges.contains { $0.contains(status) } } ?? false
    case .by(let answerers): return answerers.contains(row.by)
    case .time(let ranges): return row.duration.map { time in ranges.contains { $0.contains(time) } } ?? false
    case .size(let ranges): return ranges.contains { $0.contains(row.size) }
    case .since(let moment): return row.startedAt >= moment.resolved(now: now)
    case .until(let moment): return row.startedAt < moment.resolved(now: now)
    case .marked(let marked): return row.marked == marked
    case .state(let states): return states.contains { $0.holds(for: row) }
    case .id(let ranges): return ranges.contains { $0.contains(row.id) }
    case .run(let runs): return runs.contains { holds($0, for: row) }
    }
  }

  /// What is judged in memory is told live: it belongs to the newest run.
  private static func holds(_ run: FilterRun, for row: ExchangeSummary) -> Bool {
    switch run {
    case .last: true
    case .numbers(let numbers): row.run.map { numbers.contains($0) } ?? false
    }
  }

  private static func holds(_ field: FilterField, _ patterns: [FilterText], for row: ExchangeSummary) -> Bool? {
    switch field {
    case .url, .host, .path, .query:
      if row.isURLCut { return nil }
      var url = row.url
      return url.withUTF8 { FilterMatching.url($0, field: field, patterns) }
    case .type:
      return FilterMatching.text(row.responseType, patterns) || FilterMatching.text(row.requestType, patterns)
    case .stub: return FilterMatching.text(row.stub, patterns)
    case .operation: return FilterMatching.text(row.operation, patterns)
    case .tag: return row.tags.contains { FilterMatching.text($0, patterns) }
    case .note: return FilterMatching.text(row.note, patterns)
    case .process: return FilterMatching.process(row.process, patterns)
    case .error:
      guard let error = row.error else { return false }
      return FilterMatching.error(domain: error.domain, code: error.code, name: error.name, patterns)
    case .header, .requestBody, .responseBody, .body: return nil
    }
  }

  private static func headers(of exchange: Exchange, _ patterns: [FilterText]) -> Bool {
    exchange.request.headers.contains { FilterMatching.header($0, patterns) }
      || exchange.response?.headers.contains { FilterMatching.header($0, patterns) } ?? false
  }

  private static func requestBody(of exchange: Exchange, _ patterns: [FilterText]) -> Bool {
    let request = exchange.request
    return FilterMatching.body(request.body, request.headers.first(named: "Content-Type"), patterns)
  }

  private static func responseBody(of exchange: Exchange, _ patterns: [FilterText]) -> Bool {
    guard let response = exchange.response else { return false }
    return FilterMatching.body(response.body, response.headers.first(named: "Content-Type"), patterns)
  }
}

extension FilterField {
  /// Whether it is a part of the URL.
  package var isOfURL: Bool { self == .url || self == .host || self == .path || self == .query }
}

/// How single texts are matched: the one place of these meanings, for values in memory and for stored ones alike.
package enum FilterMatching {
  /// - Parameter field: one of url, host, path and query.
  package static func url(_ url: UnsafeBufferPointer<UInt8>, field: FilterField, _ patterns: [FilterText]) -> Bool {
    if field == .url { return decoded(url, patterns) }
    let parts = URLParts(url)
    switch field {
    case .path:
      return decoded(Bytes(rebasing: url[parts.path]), patterns)
    case .query:
      let query = Bytes(rebasing: url[parts.query])
      return !query.isEmpty && decoded(query, patterns)
    default:
      return host(Bytes(rebasing: url[parts.authority]), hostLength: parts.host.count, patterns)
    }
  }

  /// - Parameter authority: host and port; either the host alone or both may fit.
  package static func host(_ authority: String, _ patterns: [FilterText]) -> Bool {
    var text = "//" + authority
    return text.withUTF8 { url($0, field: .host, patterns) }
  }

  private static func host(_ authority: Bytes, hostLength: Int, _ patterns: [FilterText]) -> Bool {
    guard !authority.isEmpty else { return false }
    if any(patterns, authority) || any(patterns, Bytes(rebasing: authority[..<hostLength])) { return true }
    guard let readable = ReadableHost.text(Bytes(rebasing: authority[..<hostLength])) else { return false }
    return any(patterns, readable)
  }

  /// - Parameter types: the media types of response and request as sent.
  package static func text(_ text: String?, _ patterns: [FilterText]) -> Bool {
    guard let text else { return false }
    return any(patterns, text)
  }

  package static func process(_ process: HarnessProcess, _ patterns: [FilterText]) -> Bool {
    any(patterns, process.name) || any(patterns, String(process.pid))
  }

  package static func error(domain: String, code: Int, name: String?, _ patterns: [FilterText]) -> Bool {
    any(patterns, domain) || any(patterns, String(code)) || text(name, patterns)
  }

  package static func header(_ field: HeaderField, _ patterns: [FilterText]) -> Bool {
    any(patterns, field.name + ": " + field.value)
  }

  /// - Parameter bytes: a body that is there, perhaps empty.
  package static func body(_ bytes: UnsafeBufferPointer<UInt8>, _ charset: Charset, _ patterns: [FilterText]) -> Bool {
    charset.withUTF8(bytes) { text in patterns.contains { $0.matches(text) || $0.matchesEscaped(text) } }
  }

  static func body(_ body: Data?, _ type: String?, _ patterns: [FilterText]) -> Bool {
    guard let body else { return false }
    let charset = Charset(contentType: type, body: body)
    return body.withUnsafeBytes { self.body($0.bindMemory(to: UInt8.self), charset, patterns) }
  }

  private static func decoded(_ bytes: Bytes, _ patterns: [FilterText]) -> Bool {
    if any(patterns, bytes) { return true }
    guard bytes.contains(UInt8(ascii: "%")) else { return false }
    return PercentEncoding.decode(bytes).withUnsafeBufferPointer { any(patterns, $0) }
  }

  private static func any(_ patterns: [FilterText], _ bytes: Bytes) -> Bool {
    patterns.contains { $0.matches(bytes) }
  }

  private static func any(_ patterns: [FilterText], _ text: String) -> Bool {
    patterns.contains { $0.matches(text) }
  }
}
