/// Constants of the protocol between hook and console.
public enum Wire {
  /// The version of this build. A peer with another major version (the high 16 bits) is refused with a sentence.
  public static let version: UInt32 = 1 << 16

  /// The largest frame: what comes after the length. A longer one breaks the link.
  public static let frameLimit = 8 << 20

  /// Bodies longer than this travel in several frames.
  public static let pieceLimit = 1 << 20
}
