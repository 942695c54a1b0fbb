/// Percentiles by nearest rank, without sorting everything. Ask for the highest first: each narrows the next.
struct NearestRank {
  private var values: [Int64]
  /// All values from here on are at least as large as all before.
  private var end: Int

  init(_ values: [Int64]) {
    self.values = values
    end = values.count
  }

  /// The least value that at least that share of the values does not exceed; nil where there are none.
  mutating func percentile(_ percent: Int) -> Int64? {
    guard !values.isEmpty else { return nil }
    let place = max(0, (values.count * percent + 99) / 100 - 1)
    let found = values.withUnsafeMutableBufferPointer { Self.select($0, place, from: 0, to: max(end, place + 1)) }
    end = place + 1
    return found
  }

  /// Puts the value of that rank in its place, smaller ones before it, and gives it back.
  private static func select(
    _ values: UnsafeMutableBufferPointer<Int64>, _ place: Int, from start: Int, to end: Int
  ) -> Int64 {
    var (low, high) = (start, end - 1)
    var rounds = 0
    while low < high {
      rounds += 1
      // Many rounds mean unlucky pivots: sorting what is left ends it.
      if rounds > 64 || high - low < 16 {
        var rest = UnsafeMutableBufferPointer(rebasing: values[low...high])
        rest.sort()
        break
      }
      let pivot = median(values[low], values[low + (high - low) / 2], values[high])
      var (left, right) = (low, high)
      while left <= right {
        while values[left] < pivot { left += 1 }
        while values[right] > pivot { right -= 1 }
        if left <= right {
          values.swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if place <= right {
        high = right
      } else if place >= left {
        low = left
      } else {
        return values[place]
      }
    }
    return values[place]
  }

  private static func median(_ one: Int64, _ two: Int64, _ three: Int64) -> Int64 {
    max(min(one, two), min(max(one, two), three))
  }
}
