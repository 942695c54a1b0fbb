/// A token (RFC 9110 §5.6.2): the name of a method or of a header field.
package enum FieldToken {
  package static func isOne(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        signs.contains(byte) || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
      }
  }

  private static let signs = Set("!#$%&'*+-.^_`|~".utf8)
}
