import PatchbayInspect

/// By which column the request list is sorted.
public struct SortOrder: Sendable, Equatable, Hashable {
  public var column: RequestColumn
  public var descending: Bool

  /// In the order in which they came, the newest at the foot: the only order in which live rows find their place.
  public static let arrival = SortOrder(.number)

  public init(_ column: RequestColumn, descending: Bool = false) {
    self.column = column
    self.descending = descending
  }

  public var isArrival: Bool { self == .arrival }
}
