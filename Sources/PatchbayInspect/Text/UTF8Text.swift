import Foundation

extension Data {
  /// The text whose UTF-8 this is, byte for byte: Foundation's reading would leave out a byte order mark. Nil where it
  /// is not well-formed.
  var utf8Text: String? { String(validating: self, as: UTF8.self) }
}
