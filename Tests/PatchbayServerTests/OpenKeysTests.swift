import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// The keys of one link's open exchanges, in the order of their beginning.
@Suite(.bounded) struct OpenKeysTests {
  private func keys(_ count: UInt64) -> OpenKeys {
    var keys = OpenKeys()
    for key in 0..<count { keys.append(key) }
    return keys
  }

  @Test func theyComeInTheirOrderAndOnce() {
    var empty = OpenKeys()
    #expect(empty.count == 0 && empty.all.isEmpty && !empty.isStale)
    #expect(empty.popFirst() == nil)
    var keys = OpenKeys()
    for key in [9, 3, 7] as [UInt64] { keys.append(key) }
    #expect(keys.count == 3 && Array(keys.all) == [9, 3, 7])
    #expect(keys.popFirst() == 9 && Array(keys.all) == [3, 7])
    // Which of those that were taken had ended, their owner knows.
    #expect(keys.count == 3)
    keys.ended()
    #expect(keys.count == 2)
    keys.append(1)
    #expect(keys.count == 3 && Array(keys.all) == [3, 7, 1])
    #expect([keys.popFirst(), keys.popFirst(), keys.popFirst(), keys.popFirst()] == [3, 7, 1, nil])
    #expect(keys.all.isEmpty && keys.popFirst() == nil)
    keys.append(5)
    #expect(Array(keys.all) == [5] && keys.popFirst() == 5)
  }

  /// More than a thousand, and more than three of four of them have ended.
  @Test func theyAreStaleWhenMostHaveEnded() {
    var few = keys(1_024)
    for _ in 0..<1_024 { few.ended() }
    #expect(!few.isStale)
    few.append(1)
    #expect(few.isStale)
    var many = keys(2_000)
    for _ in 0..<1_500 { many.ended() }
    #expect(!many.isStale, "one in four is open")
    many.ended()
    #expect(many.isStale)
  }

  @Test func compactingKeepsTheOpenOnesInTheirOrder() {
    var keys = keys(10)
    _ = keys.popFirst()
    for _ in 0..<7 { keys.ended() }
    keys.compact { $0 % 3 == 0 }
    #expect(Array(keys.all) == [3, 6, 9] && keys.count == 3)
    #expect(keys.popFirst() == 3 && Array(keys.all) == [6, 9])
    keys.append(20)
    keys.compact { $0 != 6 }
    #expect(Array(keys.all) == [9, 20])
    keys.compact { _ in false }
    #expect(keys.all.isEmpty && keys.popFirst() == nil)
  }
}
