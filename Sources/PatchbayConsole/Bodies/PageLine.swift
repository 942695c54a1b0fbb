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
