/// A size in cells; never negative.
public struct Size: Hashable, Sendable {
  public var width: Int
  public var height: Int

  public static let zero = Size(width: 0, height: 0)

  public init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  public var isEmpty: Bool { width == 0 || height == 0 }
}
