extension Grid {
  /// What becomes of text that does not fit.
  public enum Overflow: Sendable {
    /// Cut between characters, with `…` in the last column that is left.
    case ellipsis
    /// Cut between characters.
    case clip
  }

  /// Draws one line of text from `point` on and returns the columns taken.
  ///
  /// - Parameter maxWidth: columns at most; the rest of the current area's row where it is nil or more than that.
  @inlinable
  @discardableResult
  public mutating func put(
    _ text: some StringProtocol, at point: Point, style: Style = .plain, maxWidth: Int? = nil,
    overflow: Overflow = .ellipsis
  ) -> Int {
    withUTF8(text) { put(utf8: $0, at: point, style: style, maxWidth: maxWidth, overflow: overflow) }
  }

  /// Draws text so that it ends before the column `point.x + width`.
  @discardableResult
  public mutating func put(
    _ text: some StringProtocol, at point: Point, alignedRightIn width: Int, style: Style = .plain
  ) -> Int {
    let taken = min(textWidth(text), max(0, width))
    return put(text, at: point.moved(x: max(0, width) - taken), style: style, maxWidth: taken)
  }

  /// Draws pieces of text of different styles one after another and returns the columns taken.
  @discardableResult
  public mutating func put(spans: [Span], at point: Point, maxWidth: Int? = nil) -> Int {
    let limit = max(0, min(maxWidth ?? .max, areaSize.width - point.x))
    var taken = 0
    for (index, span) in spans.enumerated() where taken < limit {
      let rest = limit - taken
      let fits = withUTF8(span.text) { TextMeasure.fits($0, rest) }
      let width = fits ? textWidth(span.text) : rest
      let isLast = spans[(index + 1)...].allSatisfy(\.text.isEmpty)
      // A span that fills the row while more is to come ends with the ellipsis too.
      let text = fits && width == rest && !isLast ? span.text + " " : span.text
      taken += put(text, at: point.moved(x: taken), style: span.style, maxWidth: rest)
    }
    return taken
  }

  @usableFromInline
  mutating func put(
    utf8: UnsafeBufferPointer<UInt8>, at point: Point, style: Style, maxWidth: Int?, overflow: Overflow
  ) -> Int {
    let limit = max(0, min(maxWidth ?? .max, areaSize.width - point.x))
    let row = origin.y + point.y
    guard limit > 0, !utf8.isEmpty else { return 0 }
    guard row >= clip.y, row < clip.maxY, !clip.isEmpty else {
      return min(limit, TextMeasure.prefix(utf8, width: limit).width)
    }
    let writer = RowWriter(row: row, start: origin.x + point.x, limit: limit, paint: Paint(style))
    return writer.write(utf8, overflow, into: &self)
  }
}
