import PatchbayStubs
import PatchbayWire

/// How much of each body is recorded, such as `1MiB`: of requests and of responses alike.
package struct BodyLimit: Hashable, Sendable {
  /// In bytes.
  var bytes: UInt64

  /// More would not fit into one message of the link.
  static let largest = UInt64(Wire.messageLimit) / 2

  /// - Throws: a sentence about what a limit is.
  package init(parsing text: String) throws {
    try self.init(bytes: SizeText.parse(text) ?? -1)
  }

  /// - Throws: a sentence about what a limit is.
  init(bytes: Int) throws {
    guard let bytes = UInt64(exactly: bytes), bytes <= Self.largest else {
      throw RuntimeError("A limit of bodies is a size of at most 128MiB, such as 500kB or 16MiB")
    }
    self.bytes = bytes
  }
}
