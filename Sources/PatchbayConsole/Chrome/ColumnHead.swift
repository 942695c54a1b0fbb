import PatchbayGrid

/// What stands above a column.
enum ColumnHead {
  /// The title with the arrow of the sorted column, which is seen however narrow the column is: the title is cut first.
  static func text(_ title: String, isSorted: Bool, descending: Bool, width: Int) -> String {
    guard isSorted else { return title }
    let arrow = descending ? "↓" : "↑"
    let room = width - textWidth(title)
    if room >= 2 { return "\(title) \(arrow)" }
    if room == 1 { return title + arrow }
    return truncated(title, toWidth: width - 1, ellipsis: "") + arrow
  }
}
