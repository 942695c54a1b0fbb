import Foundation
import PatchbayStubs
import PatchbayWire

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
    guard let plain = PercentDecoding.decoded(bytes) else { return false }
    return plain.withUnsafeBufferPointer { any(patterns, $0) }
  }

  private static func any(_ patterns: [FilterText], _ bytes: Bytes) -> Bool {
    patterns.contains { $0.matches(bytes) }
  }

  private static func any(_ patterns: [FilterText], _ text: String) -> Bool {
    patterns.contains { $0.matches(text) }
  }
}
