import PatchbayGrid

/// One line of a body, ready to be drawn.
struct PageLine: Sendable, Equatable {
  var pieces: [Piece]
  /// Levels of indentation, two columns each.
  var depth = 0

  struct Piece: Sendable, Equatable {
    var text: String
    var role: ThemeRole

    init(_ text: String, _ role: ThemeRole = .text) {
      self.text = text
      self.role = role
    }
  }

  init(_ pieces: [Piece], depth: Int = 0) {
    self.pieces = pieces
    self.depth = depth
  }

  init(_ text: String, _ role: ThemeRole = .text) {
    pieces = [Piece(text, role)]
  }

  var text: String { String(repeating: "  ", count: depth) + pieces.map(\.text).joined() }
}

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
