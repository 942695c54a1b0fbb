/// Finds what was probably meant.
enum Suggestion {
  /// The candidate at the least distance, if it is near enough to be a slip of the keys.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let word = word.lowercased()
    guard word.count <= 24 else { return nil }
    let reach = word.count <= 3 ? 1 : 2
    let ranked = candidates.map { (name: $0, distance: distance(Array(word), Array($0.lowercased()))) }
    if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= reach { return best.name }
    return word.count >= 3
      ? candidates.first { $0.lowercased().hasPrefix(word) || word.hasPrefix($0.lowercased()) } : nil
  }

  /// Edits of one letter, exchanges of neighbours counted as one.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for i in 0...left.count { rows[i][0] = i }
    for j in 0...right.count { rows[0][j] = j }
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    for i in 1...left.count {
      for j in 1...right.count {
        let cost = left[i - 1] == right[j - 1] ? 0 : 1
        rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
        }
      }
    }
    return rows[left.count][right.count]
  }
}
