import PatchbayGrid

/// A picture in the place of the body's bytes, until one goes down to them.
extension DetailPage {
  struct ShownPicture {
    let picture: Picture
    /// The room for it, in the pane without its gutter.
    let area: Rect
    /// The row of the first bytes, which it takes the place of.
    let bytesTop: Int

    /// A page in few rows has no room below the facts, and much beside them.
    fileprivate var cells: Int {
      // Only compared: what a cell measures does not matter here.
      let fitted = picture.fitted(in: area.size, cell: Size(width: 8, height: 16))
      return fitted.width * fitted.height
    }
  }

  /// Nil where there is none, where the terminal does not show it or there is no room, and where one looks at the bytes.
  func picture(in room: Geometry) -> ShownPicture? {
    guard let (picture, facts) = body?.picture, room.pictures.contains(picture.format), search.text.isEmpty else {
      return nil
    }
    let bytes = headCount + facts
    guard cursor < bytes, top < bytes else { return nil }
    let factsTop = rows(before: headCount, in: room)
    let bytesTop = rows(before: bytes, in: room)
    let beside = (headCount..<bytes).reduce(0) { max($0, textWidth(line($1).pieces.map(\.text).joined())) } + 2
    let places = [
      Rect(x: 1, y: bytesTop, width: room.width - 1, height: room.height - bytesTop),
      Rect(x: 1 + beside, y: factsTop, width: room.width - 1 - beside, height: room.height - factsTop),
    ]
    return places.filter { $0.height >= 3 && $0.width >= 8 }
      .map { ShownPicture(picture: picture, area: $0, bytesTop: bytesTop) }
      .reduce(nil) { best, next in best.map { $0.cells >= next.cells } == true ? best : next }
  }

  /// Once the cursor is in the facts of the body, the lines above them make room where the picture gets larger by it.
  mutating func giveRoomToPicture(in room: Geometry) {
    guard body?.picture != nil, cursor >= headCount, top < headCount else { return }
    var moved = self
    moved.top = headCount
    moved.topRow = 0
    if let shown = moved.picture(in: room), shown.cells > picture(in: room)?.cells ?? 0 { self = moved }
  }

  /// From the top of the pane.
  private func rows(before line: Int, in room: Geometry) -> Int {
    max(0, (top..<max(top, line)).reduce(-topRow) { $0 + rows(of: $1, in: room) })
  }
}
