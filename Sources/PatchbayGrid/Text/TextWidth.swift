/// The columns that text takes in a grid: control and unknown scalars one, hidden ones none, wide ones two.
@inlinable
public func textWidth(_ text: some StringProtocol) -> Int {
  withUTF8(text) { TextMeasure.width($0) }
}

/// The text cut to at most `width` columns, with `ellipsis` for what is left out; unchanged where it fits.
///
/// Cuts between characters, never through a wide one, so that the result may be a column narrower.
public func truncated(_ text: some StringProtocol, toWidth width: Int, ellipsis: String = "…") -> String {
  withUTF8(text) { bytes in
    guard !TextMeasure.fits(bytes, width) else { return String(text) }
    let mark = textWidth(ellipsis)
    guard mark <= width else { return "" }
    let kept = TextMeasure.prefix(bytes, width: width - mark).bytes
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[..<kept]), as: UTF8.self) + ellipsis
  }
}

/// The text filled up with spaces to `width` columns, or cut to it.
public func padded(_ text: some StringProtocol, toWidth width: Int, alignRight: Bool = false) -> String {
  let cut = truncated(text, toWidth: width)
  let blanks = String(repeating: " ", count: max(0, width - textWidth(cut)))
  return alignRight ? blanks + cut : cut + blanks
}

/// Calls `body` with the text's UTF-8, without a copy where the text is native.
@usableFromInline
func withUTF8<Result>(
  _ text: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
) rethrows -> Result {
  if let result = try text.utf8.withContiguousStorageIfAvailable(body) { return result }
  var copy = String(text)
  return try copy.withUTF8(body)
}
