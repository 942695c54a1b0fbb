import PatchbayGrid

/// One line of a comparison.
struct CompareRow: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case pair
    case heading
    /// A sentence about rows that are left out; stands across both sides.
    case note
  }

  var kind = Kind.pair
  var label: String
  var left: String
  var right: String
  var differs: Bool

  init(_ label: String, _ left: some StringProtocol, _ right: some StringProtocol) {
    self.label = label
    differs = !left.utf8.elementsEqual(right.utf8)
    (self.left, self.right) = CompareRow.excerpts(left, right)
  }

  static func heading(_ text: String) -> CompareRow { CompareRow(.heading, text, differs: false) }

  static func note(_ text: String, differs: Bool = false) -> CompareRow { CompareRow(.note, text, differs: differs) }

  private init(_ kind: Kind, _ text: String, differs: Bool) {
    self.kind = kind
    label = text
    left = ""
    right = ""
    self.differs = differs
  }

  /// Bytes of a value that are kept: around the place where the two begin to differ.
  private static let limit = 2_000

  private static func excerpts(_ left: some StringProtocol, _ right: some StringProtocol) -> (String, String) {
    guard max(left.utf8.count, right.utf8.count) > limit else { return (String(left), String(right)) }
    let same = sharedCount(left.utf8, right.utf8)
    let isSame = same == left.utf8.count && same == right.utf8.count
    let start = isSame ? 0 : max(0, same - 200)
    return (excerpt(left, from: start), excerpt(right, from: start))
  }

  private static func excerpt(_ text: some StringProtocol, from start: Int) -> String {
    let bytes = text.utf8.dropFirst(start)
    guard start > 0 || bytes.count > limit else { return String(text) }
    // A character that is cut at either end is left out.
    let isContinuation: (UInt8) -> Bool = { $0 & 0xC0 == 0x80 }
    var piece = Array(bytes.prefix(limit).drop(while: isContinuation))
    while let last = piece.last, bytes.count > limit, last >= 0x80 {
      piece.removeLast()
      if !isContinuation(last) { break }
    }
    return (start > 0 ? "…" : "") + String(decoding: piece, as: UTF8.self) + (bytes.count > limit ? "…" : "")
  }
}

/// Two values cut into what they begin with alike, what is each one's own, and what they end with alike.
struct CompareSpans {
  struct Side: Equatable {
    var same: String
    var own: String
    var rest: String
  }

  let left: Side
  let right: Side

  /// - Parameters:
  ///   - dropping: Letters that are scrolled off.
  ///   - width: Columns that there are: where the difference would lie behind them, it is brought into sight.
  init(_ left: String, _ right: String, dropping: Int, width: Int) {
    let (one, other) = (Array(left), Array(right))
    let head = sharedCount(one, other)
    let tail = sharedCount(one.dropFirst(head).reversed(), other.dropFirst(head).reversed())
    let isSame = head == one.count && head == other.count
    var drop = dropping
    var lead = ""
    if dropping == 0, !isSame, textWidth(String(one.prefix(head))) > max(8, width - 10) {
      drop = max(0, head - 8)
      lead = "…"
    }
    func side(_ text: [Character]) -> Side {
      let (same, own) = (head, text.count - tail)
      return Side(
        same: lead + String(text[min(drop, same)..<same]), own: String(text[max(same, min(drop, own))..<own]),
        rest: String(text[max(own, min(drop, text.count))...]))
    }
    self.left = side(one)
    self.right = side(other)
  }
}
