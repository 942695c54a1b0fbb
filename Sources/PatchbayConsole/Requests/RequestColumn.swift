import PatchbayInspect

/// A column of the request list. The raw value is its name in settings.
package enum RequestColumn: String, CaseIterable, Sendable {
  case number
  case startedAt = "time"
  case process
  case method
  case status
  case host
  case path
  case type
  case size
  case duration
  case by
  case timeline

  /// What stands above it.
  package var title: String {
    switch self {
    case .number: "#"
    case .startedAt: "time"
    case .duration: "took"
    default: rawValue
    }
  }

  var alignsRight: Bool { self == .number || self == .size || self == .duration }
}

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

/// How narrow and how wide a column of the request list may be.
struct ColumnMeasure: Equatable {
  /// Without so much it is left out.
  var least: Int
  /// So narrow it is made where the person made others wider.
  var floor: Int
  /// More is of no use to it.
  var most: Int
  /// What it needs for its head and all that is seen in it, where that is less than `least`.
  var content: Int
  /// The width that the person gave it.
  var own: Int?

  /// - Parameters:
  ///   - width: of the list.
  ///   - digits: of the highest id.
  ///   - want: how wide what is seen in it is at most; nil where that is not known.
  init(_ column: RequestColumn, width: Int, digits: Int, own: Int?, want: Int?, isSorted: Bool) {
    let usual = ColumnMeasure.usual(column, width: width, digits: digits)
    let head = column.title.count + (isSorted ? 1 : 0)
    least = max(usual.least, head)
    let narrowest = max(head, ColumnMeasure.narrowest(column))
    content = column.isFitted ? min(least, max(want ?? least, narrowest)) : least
    floor = column.isFitted ? min(least, narrowest) : least
    most = max(content, want ?? usual.most)
    guard let own else { return }
    let width = max(own, isSorted ? head : 0, ColumnMeasure.narrowest(column))
    self.own = width
    least = min(least, width)
    floor = least
  }

  /// Narrower it would tell nothing.
  static func narrowest(_ column: RequestColumn) -> Int {
    switch column {
    case .number, .method: 3
    case .size, .duration, .host, .process: 6
    case .by: 7
    case .startedAt, .path, .timeline: 8
    case .status: 5
    case .type: 4
    }
  }

  private static func usual(_ column: RequestColumn, width: Int, digits: Int) -> (least: Int, most: Int) {
    let isNarrow = width < ColumnLayout.narrow
    let isTiny = width < ColumnLayout.tiny
    return switch column {
    case .number: (max(4, digits), max(4, digits))
    case .startedAt: (isNarrow ? 8 : 12, 12)
    case .process: (isNarrow ? 9 : 14, 14)
    case .method: (6, 7)
    case .status: (11, 14)
    case .host: (isTiny ? 8 : isNarrow ? 10 : 15, 30)
    case .path: (isTiny ? 12 : 14, 400)
    case .type: (9, 9)
    case .size: (7, 8)
    case .duration: (7, 7)
    case .by: (isTiny ? 8 : isNarrow ? 10 : 14, 26)
    case .timeline: (20, 60)
    }
  }
}

extension RequestColumn {
  /// Its width goes by what is seen in it.
  var isFitted: Bool { [.host, .process, .by, .path, .timeline].contains(self) }
}
