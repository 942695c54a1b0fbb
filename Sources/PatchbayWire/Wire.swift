/// Constants of the protocol between hook and console. See <doc:Protocol>.
package enum Wire {
  /// The version of this build. A peer with another major version (the high 16 bits) is refused with a sentence.
  package static let version: UInt32 = 1 << 16

  /// The largest frame, in bytes after the length. A longer one breaks the link.
  package static let frameLimit = 8 << 20

  /// Payloads longer than this, in bytes, travel in several frames.
  package static let pieceLimit = 1 << 20

  /// The largest message, in bytes, put together from its pieces. A longer one breaks the link.
  package static let messageLimit = 256 << 20

  /// Whether a peer of that version can be talked to.
  package static func speaks(_ version: UInt32) -> Bool { version >> 16 == Self.version >> 16 }
}
