/// Finds the name that was probably meant.
public enum NearestName {
  /// The nearest of the names, if it is near enough to be what was meant.
  public static func find(_ name: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
    let limit = max(1, min(3, wanted.count / 3))
    var best: (name: String, distance: Int)?
    for candidate in names {
      let distance = distance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(64)))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// The end of the sentence that says that a name is unknown: `; did you mean …?`, or `rest` when none is near.
  public static func hint(
    for name: String, among names: some Sequence<String>, otherwise rest: String = ""
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
