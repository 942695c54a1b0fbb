import PatchbayGrid
import PatchbayStubs

/// One tab of the detail: lines above, a body below, and where the person stands in it.
struct DetailPage: Sendable {
  /// Start line, headers, facts.
  var head: [PageLine] = []
  /// How many of `head` are header fields that can be folded into one line, and where they begin.
  var fields: Range<Int> = 0..<0
  var foldsFields = false
  /// What one of them is called.
  var fieldsName = "header"
  var body: BodyPane?
  /// The line that has the cursor.
  var cursor = 0
  /// The first line in sight, and the first of its rows when it is wrapped.
  var top = 0
  var topRow = 0
  var search = PageSearch()
  /// How many levels are shown; nil is all.
  var level: Int?
  /// The cursor stays on the last line while more of a large body is found.
  var sticksToEnd = false
  /// The room in which its cursor was last brought into sight; nil where its lines have changed since.
  private(set) var settled: Geometry?

  var headCount: Int { foldsFields ? head.count - fields.count + 1 : head.count }
  var count: Int { headCount + (body?.count ?? 0) }

  func line(_ number: Int) -> PageLine {
    if number >= headCount { return body?.line(number - headCount) ?? PageLine([]) }
    guard number >= 0 else { return PageLine([]) }
    guard foldsFields, number >= fields.lowerBound else { return head[number] }
    if number == fields.lowerBound {
      return PageLine([
        .init("▸ ", .dim), .init(Wording.count(fields.count, fieldsName), .key),
        .init("  space shows them", .dim),
      ])
    }
    return head[number + fields.count - 1]
  }

  func lineNumber(_ number: Int) -> Int? {
    number >= headCount ? body?.lineNumber(number - headCount) : nil
  }

  mutating func toggleFold() {
    if cursor < headCount {
      guard !fields.isEmpty, fields.lowerBound <= cursor, foldsFields || cursor < fields.upperBound else { return }
      if foldsFields ? cursor == fields.lowerBound : true {
        foldsFields.toggle()
        cursor = fields.lowerBound
      }
    } else {
      let above = headCount
      let line = cursor - above
      if let place = body?.toggleFold(line) { cursor = above + place }
    }
  }

  /// Folds one level more, from below; the first time all but the top one.
  mutating func foldLevel() {
    guard body != nil else { return }
    level = max(1, (level ?? 2) - 1)
    keepingLine { [level] in $0.fold(level: level ?? 1) }
  }

  /// Shows one level more.
  mutating func unfoldLevel() {
    guard body != nil, let shown = level else { return unfoldAll() }
    level = shown + 1
    keepingLine { $0.fold(level: shown + 1) }
  }

  mutating func unfoldAll() {
    level = nil
    keepingLine { $0.unfoldAll() }
  }

  /// Changes what is folded; the cursor stays on its line, or on that which hides it.
  private mutating func keepingLine(_ change: (inout BodyPane) -> Void) {
    guard var pane = body else { return }
    let number = lineNumber(cursor)
    let first = lineNumber(top)
    change(&pane)
    body = pane
    if let number { cursor = headCount + pane.shownIndex(lineNumber: number) }
    if let first { top = headCount + pane.shownIndex(lineNumber: first) }
  }

  /// Goes to the byte of a hit.
  mutating func goTo(hit: Int) {
    guard let offset = search.offset(hit) else { return }
    search.current = hit
    while let body, !body.isComplete, body.lineNumber(showing: offset) == nil { self.body?.layOutMore() }
    guard let line = body?.lineNumber(showing: offset) else { return }
    goTo(line: line)
  }

  /// Whether a large body or a search in it has not been gone through.
  var hasMore: Bool { body.map { !$0.isComplete || !search.isComplete || $0.isFolding } ?? false }

  /// Goes on through a large body.
  mutating func goOn() {
    guard let body else { return }
    if !body.isComplete { self.body?.layOutMore() }
    if body.isFolding { keepingLine { $0.foldMore() } }
    if !search.isComplete, let found = self.body { search.goOn(in: found) }
    if sticksToEnd { cursor = max(0, count - 1) }
  }

  mutating func goTo(line: Int) {
    guard let place = body?.reveal(lineNumber: line) else { return }
    cursor = headCount + place
  }

  /// The path of the JSON value under the cursor.
  var path: String? { cursor >= headCount ? body?.path(at: cursor - headCount) : nil }
  var value: String? { cursor >= headCount ? body?.value(at: cursor - headCount) : nil }

  /// The way to the value that begins on a line; nil where none does.
  func steps(at number: Int) -> [JSONStep]? { number >= headCount ? body?.steps(at: number - headCount) : nil }
}

extension DetailPage {
  /// How much room there is for its lines.
  struct Geometry: Sendable, Equatable {
    var width: Int
    var height: Int
    var wraps: Bool
    /// The pictures that the terminal shows.
    var pictures: Set<Picture.Format> = []
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

  /// The lines are others.
  mutating func unsettle() { settled = nil }

  /// Keeps the cursor's line in sight.
  mutating func settle(in room: Geometry) {
    settled = room
    cursor = max(0, min(count - 1, cursor))
    let height = max(1, room.height)
    if cursor < top || (cursor == top && rows(of: cursor, in: room) <= height) {
      top = cursor
      topRow = 0
      return fill(room)
    }
    if cursor - top >= height { top = cursor - height + 1 }
    var used = (top...max(top, cursor)).reduce(0) { $0 + rows(of: $1, in: room) } - topRow
    while used > height, top < cursor {
      used -= rows(of: top, in: room) - topRow
      topRow = 0
      top += 1
    }
    fill(room)
    giveRoomToPicture(in: room)
  }

  /// Shows more above where nothing is below the last line.
  private mutating func fill(_ room: Geometry) {
    guard top > 0 || topRow > 0, body?.isComplete ?? true else { return }
    var used = -topRow
    for number in top..<max(top, count) {
      used += rows(of: number, in: room)
      if used >= room.height { return }
    }
    let back = min(topRow, room.height - used)
    topRow -= back
    used += back
    while top > 0, topRow == 0 {
      used += rows(of: top - 1, in: room)
      if used > room.height { return }
      top -= 1
    }
  }

  /// Moves what is seen, the cursor only as far as it must.
  mutating func scroll(by step: Int, in room: Geometry) {
    top = max(0, min(count - 1, top + step))
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
