import PatchbayInspect

/// By which column the request list is sorted.
package struct SortOrder: Sendable, Equatable, Hashable {
  package var column: RequestColumn
  package var descending: Bool

  /// In the order in which they came, the newest at the foot: the only order in which live rows find their place.
  package static let arrival = SortOrder(.number)

  package init(_ column: RequestColumn, descending: Bool = false) {
    self.column = column
    self.descending = descending
  }

  package var isArrival: Bool { self == .arrival }
}
