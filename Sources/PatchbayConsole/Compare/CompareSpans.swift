import PatchbayGrid

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
