/// A place in cells: column `x`, row `y`, both from 0 at the top left.
public struct Point: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public static let zero = Point(x: 0, y: 0)

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  public func moved(x dx: Int = 0, y dy: Int = 0) -> Point {
    Point(x: x + dx, y: y + dy)
  }
}
