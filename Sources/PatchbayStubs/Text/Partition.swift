extension RandomAccessCollection {
  /// Where the elements begin for which a condition holds, where it holds for none before and for all behind; the end
  /// where it holds for none. A binary search, under the name that Swift Algorithms gives it.
  @inlinable package func partitioningIndex(where holds: (Element) throws -> Bool) rethrows -> Index {
    var first = startIndex
    var left = count
    while left > 0 {
      let half = left / 2
      let middle = index(first, offsetBy: half)
      if try holds(self[middle]) {
        left = half
      } else {
        first = index(after: middle)
        left -= half + 1
      }
    }
    return first
  }
}
