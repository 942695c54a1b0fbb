/// A rectangle of cells. Its size is never negative; its origin may be, and drawing clips it.
public struct Rect: Hashable, Sendable {
  public var origin: Point
  public var size: Size

  public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  public init(_ size: Size) {
    self.init(origin: .zero, size: size)
  }

  public var x: Int { origin.x }
  public var y: Int { origin.y }
  public var width: Int { size.width }
  public var height: Int { size.height }
  /// The first column to the right of the rectangle.
  public var maxX: Int { origin.x + size.width }
  /// The first row below the rectangle.
  public var maxY: Int { origin.y + size.height }
  public var isEmpty: Bool { size.isEmpty }

  public func contains(_ point: Point) -> Bool {
    point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
  }

  public func intersection(_ other: Rect) -> Rect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return Rect(x: left, y: top, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - top)
  }

  public func moved(x dx: Int = 0, y dy: Int = 0) -> Rect {
    Rect(origin: origin.moved(x: dx, y: dy), size: size)
  }

  /// The rectangle without `horizontal` columns at either side and `vertical` rows at top and foot.
  public func inset(horizontal: Int = 0, vertical: Int = 0) -> Rect {
    Rect(
      x: x + min(horizontal, width), y: y + min(vertical, height),
      width: width - 2 * horizontal, height: height - 2 * vertical)
  }

  /// A rectangle of at most this size in the middle of this one.
  public func centered(width: Int, height: Int) -> Rect {
    let size = Size(width: min(width, self.width), height: min(height, self.height))
    return Rect(
      x: x + (self.width - size.width) / 2, y: y + (self.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}
