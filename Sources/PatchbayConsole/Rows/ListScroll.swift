import PatchbayGrid

/// Where a list stands: the selected row and the first row that is seen, both by place.
struct ListScroll: Sendable, Equatable {
  var selected = 0
  var top = 0

  /// Moves the selection and keeps it within the list.
  mutating func move(by step: Int, count: Int) {
    selected = max(0, min(count - 1, selected + step))
  }

  /// Keeps the selection in the list and in sight, with a margin where there is room.
  mutating func settle(count: Int, height: Int, margin: Int = 2) {
    selected = max(0, min(count - 1, selected))
    let height = max(1, height)
    let margin = max(0, min(margin, (height - 1) / 2))
    top = min(top, selected - margin)
    top = max(top, selected + margin - height + 1)
    top = max(0, min(top, count - height))
  }

  /// Moves what is seen; the selection comes along only as far as it must.
  mutating func scroll(by step: Int, count: Int, height: Int) {
    let height = max(1, height)
    top = max(0, min(max(0, count - height), top + step))
    selected = max(top, min(min(count - 1, top + height - 1), selected))
    selected = max(0, selected)
  }

  /// Selects the row under the pointer. Returns false where there is none.
  mutating func press(_ point: Point, in rows: Rect, count: Int) -> Bool {
    let place = top + point.y - rows.y
    guard rows.contains(point), place < count else { return false }
    selected = place
    return true
  }
}
