import PatchbayGrid

extension DetailPage {
  /// How much room there is for its lines.
  struct Geometry: Sendable, Equatable {
    var width: Int
    var height: Int
    var wraps: Bool
  }

  /// Rows that a line takes.
  func rows(of number: Int, in room: Geometry) -> Int {
    guard room.wraps else { return 1 }
    return LineWrap.rows(of: line(number), width: room.width)
  }

  /// Moves the cursor by lines; within a line that is taller than the pane by rows first.
  mutating func move(by step: Int, in room: Geometry) {
    guard count > 0 else { return }
    if abs(step) == 1, room.wraps {
      let tall = rows(of: cursor, in: room)
      if tall > room.height, top == cursor {
        let next = topRow + step
        if next >= 0, next <= tall - room.height {
          topRow = next
          return
        }
      }
    }
    if step > 0 { body?.layOut(toShow: min(cursor + step, cursor + 20_000)) }
    cursor = max(0, min(count - 1, cursor + step))
    sticksToEnd = step > 1 << 30
    settle(in: room)
  }

  /// Keeps the cursor's line in sight.
  mutating func settle(in room: Geometry) {
    cursor = max(0, min(count - 1, cursor))
    let height = max(1, room.height)
    if cursor < top || (cursor == top && rows(of: cursor, in: room) <= height) {
      top = cursor
      topRow = 0
      return
    }
    if cursor - top >= height { top = cursor - height + 1 }
    var used = (top...max(top, cursor)).reduce(0) { $0 + rows(of: $1, in: room) } - topRow
    while used > height, top < cursor {
      used -= rows(of: top, in: room) - topRow
      topRow = 0
      top += 1
    }
    fill(room)
  }

  /// Shows more above where nothing is below the last line.
  private mutating func fill(_ room: Geometry) {
    guard top > 0, topRow == 0, body?.isComplete ?? true else { return }
    var used = 0
    for number in top..<max(top, count) {
      used += rows(of: number, in: room)
      if used >= room.height { return }
    }
    while top > 0 {
      used += rows(of: top - 1, in: room)
      if used > room.height { return }
      top -= 1
    }
  }

  /// Moves what is seen, the cursor only as far as it must.
  mutating func scroll(by step: Int, in room: Geometry) {
    top = max(0, min(max(0, count - 1), top + step))
    topRow = 0
    fill(room)
    var last = top
    var used = 0
    while last < count, used + rows(of: last, in: room) <= room.height {
      used += rows(of: last, in: room)
      last += 1
    }
    cursor = max(top, min(max(top, last - 1), cursor))
  }
}
