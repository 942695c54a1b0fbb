import PatchbayStubs

/// Where the parts of an absolute URL stand in its UTF-8 (RFC 3986 §3), found without making a `URL`.
///
/// Never fails: what has no authority has an empty host, and everything after the scheme is its path.
package struct URLParts: Hashable, Sendable {
  /// Byte offsets of the host and its port, without user information.
  package var authority: Range<Int>
  /// Byte offsets of the host alone, without the port.
  package var host: Range<Int>
  package var path: Range<Int>
  /// Without the question mark; empty where there is none.
  package var query: Range<Int>
  /// Where the URL ends, or its fragment begins.
  package var end: Int

  package init(_ url: String) {
    var url = url
    self = url.withUTF8 { URLParts($0) }
  }

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    var index = 0
    while index < count, bytes[index] != UInt8(ascii: ":"), bytes[index] != UInt8(ascii: "/") { index += 1 }
    var start = index < count && bytes[index] == UInt8(ascii: ":") ? index + 1 : 0
    var authority = start..<start
    if start + 1 < count, bytes[start] == UInt8(ascii: "/"), bytes[start + 1] == UInt8(ascii: "/") {
      start += 2
      var stop = start
      var from = start
      while stop < count, !Self.endsAuthority(bytes[stop]) {
        if bytes[stop] == UInt8(ascii: "@") { from = stop + 1 }
        stop += 1
      }
      authority = from..<stop
      start = stop
    }
    var pathEnd = start
    while pathEnd < count, bytes[pathEnd] != UInt8(ascii: "?"), bytes[pathEnd] != UInt8(ascii: "#") { pathEnd += 1 }
    var end = pathEnd
    while end < count, bytes[end] != UInt8(ascii: "#") { end += 1 }
    self.authority = authority
    host = Self.host(of: authority, in: bytes)
    path = start..<pathEnd
    query = pathEnd < end ? pathEnd + 1..<end : end..<end
    self.end = end
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The port is what follows the last colon, unless that stands within the brackets of an IPv6 address.
  private static func host(of authority: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var index = authority.upperBound
    while index > authority.lowerBound {
      index -= 1
      let byte = bytes[index]
      if byte == UInt8(ascii: ":") { return authority.lowerBound..<index }
      if byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") { break }
    }
    return authority
  }
}

extension String {
  /// The text at these offsets of its UTF-8.
  func utf8Slice(_ range: Range<Int>) -> String {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    let end = utf8.index(start, offsetBy: range.count)
    return String(self[start..<end])
  }
}

/// International host names as people write them (RFC 5890).
enum ReadableHost {
  /// The host with its `xn--` labels in their own script, or nil where it has none that can be read.
  static func text(_ host: Bytes) -> String? {
    guard host.count > 4, TextSearch("xn--", isCaseSensitive: false).find(in: host) != nil else { return nil }
    let ascii = String(decoding: host, as: UTF8.self).lowercased()
    let readable = HostName.unicode(ascii)
    return readable == ascii ? nil : readable
  }
}
