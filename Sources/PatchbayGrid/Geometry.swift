/// A place in cells: column `x`, row `y`, both from 0 at the top left.
package struct Point: Hashable, Sendable {
  package var x: Int
  package var y: Int

  package static let zero = Point(x: 0, y: 0)

  package init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  package func moved(x dx: Int = 0, y dy: Int = 0) -> Point {
    Point(x: x + dx, y: y + dy)
  }
}

/// A size in cells; never negative.
package struct Size: Hashable, Sendable {
  package var width: Int
  package var height: Int

  package static let zero = Size(width: 0, height: 0)

  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  package var isEmpty: Bool { width == 0 || height == 0 }
}

/// A rectangle of cells. Its size is never negative; its origin may be, and drawing clips it.
package struct Rect: Hashable, Sendable {
  package var origin: Point
  package var size: Size

  package static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  package init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  package init(_ size: Size) {
    self.init(origin: .zero, size: size)
  }

  package var x: Int { origin.x }
  package var y: Int { origin.y }
  package var width: Int { size.width }
  package var height: Int { size.height }
  /// The first column to the right of the rectangle.
  package var maxX: Int { origin.x + size.width }
  /// The first row below the rectangle.
  package var maxY: Int { origin.y + size.height }
  package var isEmpty: Bool { size.isEmpty }

  package func contains(_ point: Point) -> Bool {
    point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
  }

  package func intersection(_ other: Rect) -> Rect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return Rect(x: left, y: top, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - top)
  }

  package func moved(x dx: Int = 0, y dy: Int = 0) -> Rect {
    Rect(origin: origin.moved(x: dx, y: dy), size: size)
  }

  /// The rectangle without `horizontal` columns at either side and `vertical` rows at top and foot.
  package func inset(horizontal: Int = 0, vertical: Int = 0) -> Rect {
    Rect(
      x: x + min(horizontal, width), y: y + min(vertical, height),
      width: width - 2 * horizontal, height: height - 2 * vertical)
  }

  /// A rectangle of at most this size in the middle of this one.
  package func centered(width: Int, height: Int) -> Rect {
    let size = Size(width: min(width, self.width), height: min(height, self.height))
    return Rect(
      x: x + (self.width - size.width) / 2, y: y + (self.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}

extension Rect {
  /// Cut into the first `rows` rows (at most all) and the rest.
  package func splitTop(_ rows: Int) -> (top: Rect, rest: Rect) {
    let cut = clamped(rows, to: height)
    return (
      Rect(x: x, y: y, width: width, height: cut), Rect(x: x, y: y + cut, width: width, height: height - cut)
    )
  }

  /// Cut into the last `rows` rows (at most all) and the rest above.
  package func splitBottom(_ rows: Int) -> (rest: Rect, bottom: Rect) {
    let parts = splitTop(height - clamped(rows, to: height))
    return (parts.top, parts.rest)
  }

  /// Cut into the first `columns` columns (at most all) and the rest.
  package func splitLeft(_ columns: Int) -> (left: Rect, rest: Rect) {
    let cut = clamped(columns, to: width)
    return (
      Rect(x: x, y: y, width: cut, height: height), Rect(x: x + cut, y: y, width: width - cut, height: height)
    )
  }

  private func clamped(_ value: Int, to limit: Int) -> Int {
    min(max(0, value), limit)
  }
}
