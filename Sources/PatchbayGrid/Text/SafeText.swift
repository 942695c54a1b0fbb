/// Hostile text made fit to be shown: what would steer a terminal, or hide from the reader, becomes a visible sign.
///
/// Text from the network or from a harness goes through here wherever it is printed. A grid never sends controls
/// either, but it leaves hidden scalars out in silence; here they are shown.
public enum SafeText {
  /// The text as one line: controls as their pictures (`␛`, `␊`, `␡`), hidden, bidi and C1 scalars as `‹U+202E›`,
  /// a tab as a space. Joiners and selectors stay where scripts and emoji need them.
  public static func line(_ text: some StringProtocol) -> String {
    withUTF8(text) { bytes in
      if isHarmless(bytes) { return String(text) }
      var cleaner = SafeTextCleaner(keepsLineEnds: false, tabWidth: 0)
      cleaner.append(bytes)
      return cleaner.finished()
    }
  }

  /// The text with its line ends kept (CR LF becomes LF), tabs as spaces up to the next multiple of `tabWidth`
  /// columns, everything else as `line(_:)` shows it.
  public static func lines(_ text: some StringProtocol, tabWidth: Int = 8) -> String {
    withUTF8(text) { bytes in
      if isHarmless(bytes) { return String(text) }
      var cleaner = SafeTextCleaner(keepsLineEnds: true, tabWidth: max(1, tabWidth))
      cleaner.append(bytes)
      return cleaner.finished()
    }
  }

  /// The picture of a C0 control or DEL; nil for other scalars.
  static func picture(_ scalar: UInt32) -> UInt32? {
    scalar < 0x20 ? 0x2400 + scalar : scalar == 0x7F ? 0x2421 : nil
  }

  private static func isHarmless(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    TextMeasure.isPrintableASCII(bytes)
  }
}
