import Foundation

/// Host names by meaning: letter case, percent-encoding, international names, a dot at the end, spellings of IPv6.
package enum HostName {
  /// The one ASCII spelling; `*` stays, so that host globs may pass too.
  static func ascii(_ host: String) -> String {
    let bytes = Array(host.utf8)
    if bytes.allSatisfy({ isPlain($0) }), bytes.last != UInt8(ascii: ".") { return host }
    if let address = addressV6(host) { return address }
    let decoded = String(decoding: PercentEncoding.decode(bytes), as: UTF8.self)
    var name = folded(decoded)
    if name.hasSuffix("."), name.count > 1 { name.removeLast() }
    return name.split(separator: ".", omittingEmptySubsequences: false).map { label in
      guard !label.utf8.allSatisfy({ $0 < 0x80 }), !label.contains("*") else { return String(label) }
      return Punycode.encode(String(label)).map { "xn--" + $0 } ?? String(label)
    }.joined(separator: ".")
  }

  /// The spelling with international letters of a name in its ASCII form.
  package static func unicode(_ ascii: String) -> String {
    guard ascii.contains("xn--") else { return ascii }
    return ascii.split(separator: ".", omittingEmptySubsequences: false).map { label in
      guard label.hasPrefix("xn--") else { return String(label) }
      return Punycode.decode(String(label.dropFirst(4))) ?? String(label)
    }.joined(separator: ".")
  }

  /// Small letters, composed, with the full stops of East Asian input as dots.
  static func folded(_ host: String) -> String {
    let lower = host.lowercased()
    guard !lower.utf8.allSatisfy({ $0 < 0x80 }) else { return lower }
    let dots: [Unicode.Scalar] = ["\u{3002}", "\u{FF0E}", "\u{FF61}"]
    var scalars = String.UnicodeScalarView()
    for scalar in lower.precomposedStringWithCompatibilityMapping.unicodeScalars {
      scalars.append(dots.contains(scalar) ? "." : scalar)
    }
    return String(scalars)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x2A: true
    default: false
    }
  }

  /// `[::1]` and all its spellings (RFC 5952), in brackets; nil when it is no such address.
  private static func addressV6(_ host: String) -> String? {
    guard host.contains(":") else { return nil }
    var text = host
    if text.hasPrefix("["), text.hasSuffix("]"), text.count > 2 { text = String(text.dropFirst().dropLast()) }
    let parts = text.split(separator: "%", maxSplits: 1)
    guard let first = parts.first else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(first), &address) == 1 else { return nil }
    var buffer = [CChar](repeating: 0, count: 64)
    guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    let spelled = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let zone = parts.count > 1 ? "%" + parts[1].lowercased() : ""
    return "[" + spelled + zone + "]"
  }
}
