import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  /// Notes how wide the rows in sight would like their columns. Columns only grow by it, so that nothing sways while
  /// rows come and go.
  mutating func measureVisible() {
    guard tab == .requests else { return }
    for id in visibleIDs {
      guard let summary = requests.cache[id] else { continue }
      for column in RequestColumn.measured {
        let cell = RequestCell(column, of: summary, width: .max, now: now, utcOffset: setup.utcOffset)
        let width = textWidth(cell.text)
        if width > requests.wants[column] ?? 0 { requests.wants[column] = width }
      }
    }
  }
}

extension RequestColumn {
  /// Those whose texts are of very different lengths.
  static let measured: [RequestColumn] = [.process, .status, .host, .path, .by]
}
