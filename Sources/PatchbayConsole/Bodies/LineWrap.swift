import PatchbayGrid

/// Breaks a line of a body into rows.
enum LineWrap {
  /// Rows that a line takes at a width; continued rows are indented like the line.
  static func rows(of line: PageLine, width: Int) -> Int {
    let indent = min(line.depth * 2, max(0, width - 8))
    let room = max(1, width - indent)
    let columns = line.pieces.reduce(0) { $0 + textWidth($1.text) }
    if columns <= room { return 1 }
    return split(line.pieces, room: room).count
  }

  /// The pieces of each row.
  static func split(_ pieces: [PageLine.Piece], room: Int) -> [[PageLine.Piece]] {
    var rows: [[PageLine.Piece]] = [[]]
    var left = room
    for piece in pieces {
      var rest = Substring(piece.text)
      while !rest.isEmpty {
        let part = truncated(rest, toWidth: left, ellipsis: "")
        if part.isEmpty {
          if left == room { break }
          rows.append([])
          left = room
          continue
        }
        rows[rows.count - 1].append(.init(part, piece.role))
        left -= textWidth(part)
        rest = rest[rest.utf8.index(rest.startIndex, offsetBy: part.utf8.count)...]
        if !rest.isEmpty {
          rows.append([])
          left = room
        }
      }
    }
    return rows
  }
}
