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

  static let welcome: UInt16 = 257
  static let stubs: UInt16 = 258
  static let verdict: UInt16 = 259
  static let replay: UInt16 = 260
  static let settings: UInt16 = 261
  static let resetCounts: UInt16 = 262
  static let refused: UInt16 = 263
}
