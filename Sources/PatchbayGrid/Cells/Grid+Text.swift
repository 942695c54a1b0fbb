extension Grid {
  /// What becomes of text that does not fit.
  package enum Overflow: Sendable {
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
  package mutating func put(
    _ text: some StringProtocol, at point: Point, style: Style = .plain, maxWidth: Int? = nil,
    overflow: Overflow = .ellipsis
  ) -> Int {
    withUTF8(text) { put(utf8: $0, at: point, style: style, maxWidth: maxWidth, overflow: overflow) }
  }

  /// Draws text so that it ends before the column `point.x + width`.
  @discardableResult
  package mutating func put(
    _ text: some StringProtocol, at point: Point, alignedRightIn width: Int, style: Style = .plain
  ) -> Int {
    let taken = min(textWidth(text), max(0, width))
    return put(text, at: point.moved(x: max(0, width) - taken), style: style, maxWidth: taken)
  }

  /// Draws pieces of text of different styles one after another and returns the columns taken.
  @discardableResult
  package mutating func put(spans: [Span], at point: Point, maxWidth: Int? = nil) -> Int {
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
    let writer = TextLineWriter(row: row, start: origin.x + point.x, limit: limit, paint: Paint(style))
    return writer.write(utf8, overflow, into: &self)
  }
}

/// Writes one line of text into one row of a grid.
private struct TextLineWriter {
  let row: Int
  /// First column in the whole grid; may be left of the clip.
  let start: Int
  /// Columns at most, from `start` on.
  let limit: Int
  let paint: Paint

  /// Returns the columns taken. The row is inside the clip.
  func write(_ utf8: UnsafeBufferPointer<UInt8>, _ overflow: Grid.Overflow, into grid: inout Grid) -> Int {
    let seen = UnsafeBufferPointer(rebasing: utf8.prefix(limit + 1))
    if TextMeasure.isPrintableASCII(seen) { return writeASCII(seen, overflow, into: &grid) }
    var scanner = TextScanner(utf8)
    guard var element = scanner.next() else { return 0 }
    let left = max(grid.clip.x, start)
    let isCut = grid.isInside(row: row, column: left)
    var taken = 0
    var last = 0
    while true {
      if taken + element.width > limit {
        if overflow == .ellipsis { taken = endWithEllipsis(taken == limit ? last : taken, &grid) }
        break
      }
      set(element, at: start + taken, &grid)
      last = taken
      taken += element.width
      guard let next = scanner.next() else { break }
      element = next
    }
    let right = min(grid.clip.maxX, start + taken)
    // Nothing of it is in sight: what stands there is not its to mend.
    guard left < right else { return taken }
    if isCut { grid.blankText(row * grid.size.width + left - 1) }
    grid.mendAfter(row: row, column: right)
    return taken
  }

  /// The common case: a byte is a column. `utf8` has at most one byte more than fits.
  private func writeASCII(
    _ utf8: UnsafeBufferPointer<UInt8>, _ overflow: Grid.Overflow, into grid: inout Grid
  ) -> Int {
    let taken = min(utf8.count, limit)
    let left = max(grid.clip.x, start)
    let right = min(grid.clip.maxX, start + taken)
    guard left < right else { return taken }
    grid.mendBefore(row: row, column: left)
    let base = row * grid.size.width
    let rest = 1 << 21 | paint.attributes
    grid.cells.withUnsafeMutableBufferPointer { cells in
      for column in left..<right {
        cells[base + column] = Cell(text: UInt64(utf8[column - start]) | rest, colors: paint.colors)
      }
    }
    if utf8.count > limit, overflow == .ellipsis { _ = endWithEllipsis(limit - 1, &grid) }
    grid.mendAfter(row: row, column: right)
    return taken
  }

  private func set(_ element: TextScanner.Element, at column: Int, _ grid: inout Grid) {
    let clip = grid.clip
    guard column < clip.maxX, column + element.width > clip.x else { return }
    let index = row * grid.size.width + column
    if element.width == 1 {
      let marks = element.markCount == 0 ? 0 : grid.keep(element.marks)
      grid.cells[index] = Cell(scalar: element.scalar, width: 1, paint: paint, marks: marks)
    } else if column >= clip.x, column + 1 < clip.maxX {
      let marks = element.markCount == 0 ? 0 : grid.keep(element.marks)
      grid.cells[index] = Cell(scalar: element.scalar, width: 2, paint: paint, marks: marks)
      grid.cells[index + 1] = Cell(scalar: 0x20, width: 0, paint: paint)
    } else {
      grid.cells[column >= clip.x ? index : index + 1] = .blank(paint)
    }
  }

  /// Puts `…` at an offset that no character straddles, and spaces after it up to the limit.
  private func endWithEllipsis(_ offset: Int, _ grid: inout Grid) -> Int {
    for column in (start + offset)..<(start + limit) where column >= grid.clip.x && column < grid.clip.maxX {
      let scalar: UInt32 = column == start + offset ? 0x2026 : 0x20
      grid.cells[row * grid.size.width + column] = Cell(scalar: scalar, width: 1, paint: paint)
    }
    return limit
  }
}

extension Grid {
  /// Before a row is written from `column` on: a wide character across that edge becomes a space outside.
  mutating func mendBefore(row: Int, column: Int) {
    if isInside(row: row, column: column) { blankText(row * size.width + column - 1) }
  }

  /// Whether the column is the second half of a wide character.
  func isInside(row: Int, column: Int) -> Bool {
    column > 0 && column < size.width && cells[row * size.width + column].isContinuation
  }

  /// After a row was written up to `column`: what is left there of a wide character becomes a space.
  mutating func mendAfter(row: Int, column: Int) {
    if isInside(row: row, column: column) { blankText(row * size.width + column) }
  }

  mutating func blankText(_ index: Int) {
    cells[index] = .blank(cells[index].paint)
  }

  mutating func keep(_ four: SIMD4<UInt32>) -> UInt32 {
    marks.append(four)
    return UInt32(marks.count)
  }
}
