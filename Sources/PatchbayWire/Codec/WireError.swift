/// Why the bytes of a link cannot be understood. The link must be closed; its description is the sentence to show.
package enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The frame says that it is that long (in bytes).
  case frameLength(Int)
  /// The pieces of a message are longer than `Wire.messageLimit` together.
  case messageLength(Int)
  /// A field's count passes the end of what holds it, or a number is cut off or too large.
  case field(kind: UInt16)
  /// A field that must be there is missing.
  case missing(kind: UInt16, tag: UInt64)
  /// A stub that cannot be read, and why.
  case stub(String)
  /// The peer's major version is not ours.
  case otherVersion(UInt32)

  package var description: String {
    switch self {
    case .frameLength(let length):
      """
      A frame on the link claims \(length) bytes, and only 2 to \(Wire.frameLimit) are possible: \
      the other end is not a Patchbay hook or console.
      """
    case .messageLength(let length):
      "A message on the link has \(length) bytes, more than the \(Wire.messageLimit) that are possible."
    case .field(let kind):
      "A message of kind \(kind) has a field that cannot be read: the other end is not a Patchbay hook or console."
    case .missing(let kind, let tag):
      "A message of kind \(kind) lacks its field \(tag): build the hook and the console from the same release."
    case .stub(let reason):
      "A stub on the link cannot be read (\(reason)): build the hook and the console from the same release."
    case .otherVersion(let version):
      """
      The other end speaks version \(version >> 16).\(version & 0xFFFF) of Patchbay's protocol and this one \
      \(Wire.version >> 16).\(Wire.version & 0xFFFF): build the hook and the console from the same release.
      """
    }
  }
}
