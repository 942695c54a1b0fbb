/// Finds the name that was probably meant, by the fewest slips of the keys (the restricted Damerau-Levenshtein distance).
package enum NearestName {
  /// The nearest of the names, letter case ignored; nil where none is near enough to be what was meant.
  ///
  /// One slip is allowed in a name of up to three letters, two up to eight, three beyond.
  /// - Parameter orPrefix: Where none is near, the first name of which this is the beginning, or that is the beginning of
  ///   this; for words of 3 to 24 letters.
  package static func find(_ name: String, among names: some Collection<String>, orPrefix: Bool = false) -> String? {
    // What is longer than any name of ours costs no more time than this.
    let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
    let limit = wanted.count <= 3 ? 1 : wanted.count <= 8 ? 2 : 3
    var best: (name: String, distance: Int)?
    for candidate in names {
      let distance = distance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(64)))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    if best == nil, orPrefix, (3...24).contains(wanted.count) {
      let word = name.lowercased()
      return names.first { $0.lowercased().hasPrefix(word) || word.hasPrefix($0.lowercased()) }
    }
    return best?.name
  }

  /// The end of the sentence that says that a name is unknown: `; did you mean …?`, or `rest` when none is near.
  package static func hint(
    for name: String, among names: some Collection<String>, otherwise rest: String = ""
  ) -> String {
    find(name, among: names).map { "; did you mean `\($0)`?" } ?? rest
  }

  /// Letters to insert, remove, replace or swap with their neighbour.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(previous[column] + (letter == other ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      before = previous
      previous = current
    }
    return previous[right.count]
  }
}
