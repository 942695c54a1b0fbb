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

/// Punycode (RFC 3492), the ASCII form of one label of an international host name.
enum Punycode {
  private static let base = 36
  private static let minimum = 1
  private static let maximum = 26

  /// Without the prefix `xn--`; nil when the label is too long to count.
  static func encode(_ label: String) -> String? {
    let scalars = label.unicodeScalars.map { Int($0.value) }
    guard scalars.count <= 256 else { return nil }
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var code = 0x80
    var delta = 0
    var bias = 72
    var handled = basic
    while handled < scalars.count {
      guard let next = scalars.filter({ $0 >= code }).min() else { return nil }
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        var rest = delta
        var k = base
        while true {
          let threshold = min(max(k - bias, minimum), maximum)
          if rest < threshold { break }
          output.append(digit(threshold + (rest - threshold) % (base - threshold)))
          rest = (rest - threshold) / (base - threshold)
          k += base
        }
        output.append(digit(rest))
        bias = adapt(delta, handled + 1, first: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The label without its `xn--`; nil when it is no punycode.
  static func decode(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 256, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    let split = bytes.lastIndex(of: UInt8(ascii: "-"))
    var output = bytes[..<(split ?? 0)].map { UInt32($0) }
    var index = split.map { $0 + 1 } ?? 0
    var code = 0x80
    var position = 0
    var bias = 72
    while index < bytes.count {
      let old = position
      var weight = 1
      var k = base
      while true {
        guard index < bytes.count, let value = value(of: bytes[index]) else { return nil }
        index += 1
        position += value * weight
        guard position < 1 << 40 else { return nil }
        let threshold = min(max(k - bias, minimum), maximum)
        if value < threshold { break }
        weight *= base - threshold
        guard weight < 1 << 40 else { return nil }
        k += base
      }
      let count = output.count + 1
      bias = adapt(position - old, count, first: old == 0)
      code += position / count
      position %= count
      guard code < 0x11_0000, Unicode.Scalar(UInt32(code)) != nil else { return nil }
      output.insert(UInt32(code), at: position)
      position += 1
    }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: output.compactMap { Unicode.Scalar($0) })
    return String(scalars)
  }

  private static func adapt(_ delta: Int, _ count: Int, first: Bool) -> Int {
    var delta = first ? delta / 700 : delta / 2
    delta += delta / count
    var k = 0
    while delta > (base - minimum) * maximum / 2 {
      delta /= base - minimum
      k += base
    }
    return k + (base - minimum + 1) * delta / (delta + 38)
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }

  private static func value(of byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30 + 26
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x61...0x7A: Int(byte) - 0x61
    default: nil
    }
  }
}
