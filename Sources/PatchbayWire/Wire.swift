import PatchbayStubs

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

  /// Header fields of one request or response that are read, as a count; those beyond are skipped.
  package static let headerLimit = 65_536

  /// Redirects in one message that are read, as a count; no loader follows as many.
  package static let hopLimit = 1_024

  /// Stubs in one message of a hook that are read, as a count.
  package static let stubLimit = 10_000

  /// Whether a peer of that version can be talked to.
  package static func speaks(_ version: UInt32) -> Bool { version >> 16 == Self.version >> 16 }
}

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

/// The kinds of frames.
enum MessageKind {
  static let part: UInt16 = 0
  /// Never a message's: skipped, and with it the parts before it.
  static let givenUp: UInt16 = 0xFFFF

  static let hello: UInt16 = 1
  static let applied: UInt16 = 2
  static let exchange: UInt16 = 3
  static let codeStubs: UInt16 = 4
  static let progress: UInt16 = 5
  static let shed: UInt16 = 6
  static let notice: UInt16 = 7
  static let scenarios: UInt16 = 8

  static let welcome: UInt16 = 257
  static let stubs: UInt16 = 258
  static let verdict: UInt16 = 259
  static let replay: UInt16 = 260
  static let settings: UInt16 = 261
  static let resetCounts: UInt16 = 262
  static let refused: UInt16 = 263
  static let setScenario: UInt16 = 264
}

/// A message that the codec can put into a frame: `HookMessage` or `ConsoleMessage`.
package protocol WireMessage: Sendable {
  /// The frame's kind.
  var wireKind: UInt16 { get }
  /// Appends the payload's fields.
  func write(to writer: inout WirePayload)
  /// Reads a payload; nil for a kind that this build does not know.
  static func read(kind: UInt16, payload: UnsafeRawBufferPointer) throws(WireError) -> Self?
}

/// A payload under construction.
package struct WirePayload {
  var fields = FieldWriter()
}

/// An enumeration on the wire: each value's number is its place in the list, from 1. Lists only ever grow at the end.
protocol WireCoded: Hashable {
  static var wireOrder: [Self] { get }
}

extension WireCoded {
  var wireCode: UInt64 { UInt64((Self.wireOrder.firstIndex(of: self) ?? 0) + 1) }

  /// nil where this build does not know the number.
  init?(wireCode: UInt64) {
    guard wireCode >= 1, wireCode <= UInt64(Self.wireOrder.count) else { return nil }
    self = Self.wireOrder[Int(wireCode) - 1]
  }
}

extension Hello.Entry: WireCoded {
  static let wireOrder: [Self] = [.preload, .attach, .configuration, .injected]
}

extension Exchange.TaskKind: WireCoded {
  static let wireOrder: [Self] = [.data, .upload, .download, .stream, .unknown]
}

extension Exchange.Answerer: WireCoded {
  static let wireOrder: [Self] = [.network, .stub, .code, .person, .console, .cache]
}

extension Exchange.Outcome: WireCoded {
  static let wireOrder: [Self] = [.responded, .failed, .cancelled, .abandoned]
}

extension ExchangeUpdate.Held: WireCoded {
  static let wireOrder: [Self] = [.request, .response, .released]
}

extension StubSet.Unmatched: WireCoded {
  static let wireOrder: [Self] = [.pass, .fail, .hold]
}

extension Action.HoldPoint: WireCoded {
  static let wireOrder: [Self] = [.request, .response, .both]
}

extension HookSettings.Degree: WireCoded {
  static let wireOrder: [Self] = [.full, .observe, .bypass]
}
