import PatchbayGrid

/// Which picture is wanted on the screen, and which one stands there. A value: what is to be sent comes out of it.
struct TerminalPictures {
  private var known: PictureProtocol?
  private var wanted: PlacedPicture?
  private var shown: PlacedPicture?
  /// The answer to our question has not come.
  private(set) var isAnswerDue = false

  /// How a picture goes away.
  enum Removal: Equatable {
    case send(String)
    /// The cells that stand in its place are all drawn again.
    case redraw
  }

  /// The pictures that the terminal shows, as far as it has said so.
  var formats: Set<Picture.Format> { known?.formats ?? [] }

  /// The picture that is wanted and not shown.
  var due: PlacedPicture? { wanted == shown ? nil : wanted }

  /// What the environment says; what it does not say is to be asked with the text that is returned.
  mutating func learn(from environment: [String: String]) -> String? {
    known = PictureProtocol.named(in: environment)
    isAnswerDue = PictureProtocol.isAsked(in: environment)
    return isAnswerDue ? TerminalAnswer.question : nil
  }

  mutating func answered(_ answer: TerminalAnswer) {
    switch answer {
    case .showsPictures: known = known ?? .kitty
    case .done: isAnswerDue = false
    }
  }

  mutating func noLongerDue() { isAnswerDue = false }

  /// A grid is about to be drawn. Returns how the picture that stands there goes away, where it has to.
  ///
  /// - Parameter isDrawn: whether cells in a rectangle are drawn anew; a picture that stands in the cells goes with them.
  mutating func want(_ picture: PlacedPicture?, drawsIn isDrawn: (Rect) -> Bool) -> Removal? {
    wanted = picture.flatMap { formats.contains($0.picture.format) ? $0 : nil }
    guard let shown, shown != wanted || known == .iTerm && isDrawn(shown.area) else { return nil }
    return remove()
  }

  /// The picture that is due is sent now: once.
  mutating func show(cell: Size) -> String? {
    guard let due, let known else { return nil }
    shown = due
    return known.show(due, cell: cell)
  }

  mutating func remove() -> Removal? {
    guard shown != nil, let known else { return nil }
    shown = nil
    return known.removal.map { .send($0) } ?? .redraw
  }
}
