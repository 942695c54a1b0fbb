import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// The binary search, beside a look at each element.
@Suite(.bounded) struct PartitionTests {
  @Test func theFirstForWhichItHoldsIsFound() {
    for count in 0...20 {
      let numbers = (0..<count).map { $0 / 3 * 2 }
      for wanted in -1...15 {
        let expected = numbers.firstIndex { $0 >= wanted } ?? numbers.endIndex
        #expect(numbers.partitioningIndex { $0 >= wanted } == expected, "\(count) \(wanted)")
        guard count > 4 else { continue }
        let part = numbers[2..<count - 1]
        #expect(part.partitioningIndex { $0 >= wanted } == part.firstIndex { $0 >= wanted } ?? part.endIndex)
      }
      #expect(numbers.partitioningIndex { _ in true } == 0 && numbers.partitioningIndex { _ in false } == count)
    }
  }

  /// Twenty looks for a million.
  @Test func fewAreLookedAt() {
    var looks = 0
    let place = (0..<1_000_000).partitioningIndex {
      looks += 1
      return $0 >= 765_432
    }
    #expect(place == 765_432 && looks <= 20)
  }
}
