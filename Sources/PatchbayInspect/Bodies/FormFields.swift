import Foundation
import PatchbayStubs

/// The fields of `application/x-www-form-urlencoded` (WHATWG URL §5), in order.
package enum FormFields {
  package static func parse(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// Whether a body whose type is not known is a form: one line of `name=value` between `&`, as names and values are written there.
  static func looksLikeOne(_ body: Data) -> Bool {
    let name = body.prefix { $0 != UInt8(ascii: "=") }
    guard !name.isEmpty, name.count < body.count, name.count <= 200 else { return false }
    return body.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>{}".utf8.contains($0) }
      && name.allSatisfy { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
  }

  /// Percent-decoded, `+` as space; broken escapes stay as they stand.
  static func decoded(_ text: Substring) -> String {
    var text = String(text)
    return text.withUTF8 { String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self) }
  }
}
