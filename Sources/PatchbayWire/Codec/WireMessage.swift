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
