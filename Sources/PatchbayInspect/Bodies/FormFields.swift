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

  /// Percent-decoded, `+` as space; broken escapes stay as they stand.
  static func decoded(_ text: Substring) -> String {
    var text = String(text)
    return text.withUTF8 { String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self) }
  }
}
