import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The ids of a list, beside a plain array that is sorted each time.
@Suite(.bounded) struct RowOrderTests {
  private struct Draw: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private func check(_ order: RowOrder, _ plain: [Int64], _ what: String) {
    #expect((0..<order.count).map { order[$0] } == plain, "\(what)")
    #expect(order.count == plain.count && order.isEmpty == plain.isEmpty, "\(what)")
    #expect(order.first == plain.first && order.last == plain.last, "\(what)")
    for id in (plain.first ?? 0) - 1...(plain.last ?? 0) + 1 {
      #expect(order.index(of: id) == plain.firstIndex(of: id), "\(what): \(id)")
      #expect(order.lowerBound(id) == plain.firstIndex { $0 >= id } ?? plain.count, "\(what): \(id)")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func whatIsDoneToItIsDoneToTheArray(_ seed: UInt64) {
    var draw = Draw(state: seed)
    var order = RowOrder()
    var plain: [Int64] = []
    #expect(order.rises)
    for step in 0..<120 {
      let id = Int64.random(in: 1...60, using: &draw)
      let what = "seed \(seed), step \(step), \(id)"
      switch Int.random(in: 0..<10, using: &draw) {
      case 0...4:
        let isNew = !plain.contains(id)
        if isNew { plain = (plain + [id]).sorted() }
        #expect(order.insert(id) == (isNew ? plain.firstIndex(of: id) : nil), "\(what)")
      case 5...6:
        #expect(order.remove(id) == plain.firstIndex(of: id), "\(what)")
        plain.removeAll { $0 == id }
      case 7:
        let low = id / 3
        #expect(order.removeBelow(low) == plain.count { $0 < low }, "\(what)")
        plain.removeAll { $0 < low }
      default:
        // As a search finds them: falling, and some may have come live already.
        let found = (1...Int64.random(in: 1...30, using: &draw)).reversed().filter { _ in
          Bool.random(using: &draw)
        }
        order.addOlder(found)
        plain = Set(plain + found).sorted()
      }
      check(order, plain, what)
    }
  }

  @Test func oneThatAQuerySortedKeepsItsOrder() {
    var order = RowOrder([5, 2, 9], rising: false)
    #expect(!order.rises && order.index(of: 9) == 2 && order.index(of: 2) == 1 && order.index(of: 1) == nil)
    #expect(order.insert(1) == 3)
    order.append(contentsOf: [8, 7])
    #expect(order.removeBelow(100) == 0)
    #expect(order.remove(2) == 1)
    #expect((0..<order.count).map { order[$0] } == [5, 9, 1, 8, 7])
    #expect(order.first == 5 && order.last == 7)
  }
}
