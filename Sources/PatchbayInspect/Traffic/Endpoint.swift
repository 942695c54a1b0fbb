import Foundation

/// Paths with their identifiers folded, so that requests for the same kind of thing count as one endpoint.
package enum Endpoint {
  /// The path with each segment that is a number, a UUID, a hash or another token as `{id}`; an extension stays.
  ///
  /// - Parameter path: as written, without a query; an empty one is `/`.
  package static func folded(_ path: String) -> String {
    var path = path
    return path.withUTF8 { folded($0) }
  }

  /// The endpoint of a whole URL.
  package static func folded(url: String) -> String {
    var url = url
    return url.withUTF8 { folded($0, URLParts($0)) }
  }

  /// An endpoint as it is stored and counted: a GraphQL operation stands behind `#`, which no path of a URL has.
  package static func text(path: String, operation: String?) -> String { operation.map { "\(path)#\($0)" } ?? path }

  /// What such a text is made of.
  package static func parts(_ text: String) -> (path: String, operation: String?) {
    guard let sign = text.firstIndex(of: "#") else { return (text, nil) }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  package static func folded(_ url: UnsafeBufferPointer<UInt8>, _ parts: URLParts) -> String {
    folded(Bytes(rebasing: url[parts.path]))
  }

  private static func folded(_ path: Bytes) -> String {
    if path.isEmpty { return "/" }
    var result: [UInt8] = []
    result.reserveCapacity(path.count)
    var start = 0
    while start <= path.count {
      let end = next(UInt8(ascii: "/"), in: path, from: start)
      append(Bytes(rebasing: path[start..<end]), to: &result)
      if end < path.count { result.append(UInt8(ascii: "/")) }
      start = end + 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Where the byte stands next; the end where it does not.
  private static func next(_ byte: UInt8, in text: Bytes, from start: Int) -> Int {
    guard start < text.count, let base = text.baseAddress,
      let found = memchr(base + start, Int32(byte), text.count - start)
    else { return text.count }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private static func append(_ segment: Bytes, to result: inout [UInt8]) {
    var stem = segment
    if let dot = segment.suffix(6).lastIndex(of: UInt8(ascii: ".")), dot > 0,
      segment[(dot + 1)...].contains(where: { !isDigit($0) })
    {
      stem = Bytes(rebasing: segment[..<dot])
    }
    if isIdentifier(stem) {
      result.append(contentsOf: placeholder)
      result.append(contentsOf: segment[stem.count...])
    } else {
      result.append(contentsOf: segment)
    }
  }

  private static let placeholder = Array("{id}".utf8)

  /// Of a segment that is longer no more is looked at: a URL of 100 kB would take as long as a thousand others.
  private static let longest = 1_024

  private static func isIdentifier(_ whole: Bytes) -> Bool {
    let text = Bytes(rebasing: whole.prefix(longest))
    guard !text.isEmpty else { return false }
    var (digits, hex, letters, dashes) = (0, 0, 0, 0)
    for byte in text {
      if isDigit(byte) {
        digits += 1
      } else if byte | 0x20 >= 0x61, byte | 0x20 <= 0x7A {
        letters += 1
        if byte | 0x20 <= 0x66 { hex += 1 }
      } else if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
        dashes += 1
      } else {
        return false
      }
    }
    if digits == text.count { return true }
    if dashes == 4, text.count == 36, digits + hex == 32 { return true }
    guard dashes == 0 else { return text.count >= 20 && digits >= 4 && dashes <= 2 }
    if digits + hex == text.count { return text.count >= 16 || text.count >= 7 && digits > 0 && hex > 0 }
    return text.count >= 20 && digits >= 4
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
