import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// How often stubs were met, and what others changed about them.
@Suite(.bounded) struct StubHitsTests {
  private let one = HarnessProcess(name: "one", pid: 1)
  private let two = HarnessProcess(name: "two", pid: 2)

  private func stub(_ name: String, times: Int? = nil) -> Stub { Stub(name: name, then: .hold(.request), times: times) }

  private func progress(_ hits: UInt64, next: UInt32? = nil) -> StubProgress {
    StubProgress(name: "a", hits: hits, nextStep: next)
  }

  @Test func processesCountForThemselvesAndAreAddedUp() {
    var hits = StubHits()
    #expect(hits["a"] == nil)
    hits.add(progress(3, next: 1), of: one)
    #expect(hits["a"] == progress(3, next: 1))
    hits.add(progress(4), of: two)
    #expect(hits["a"] == progress(7, next: 1))
    hits.add(progress(5, next: 2), of: two)
    #expect(hits["a"] == progress(8, next: 2))
    hits.add(progress(1), of: one)
    #expect(hits["a"] == progress(6, next: 2))
    #expect(hits["b"] == nil)
    hits.add(progress(1 << 53), of: one)
    hits.add(progress(1 << 53), of: two)
    #expect(hits["a"]?.hits == 1 << 53)
  }

  @Test func whatIsForgottenBeginsAtZero() {
    var hits = StubHits()
    for name in ["a", "b", "c"] { hits.add(StubProgress(name: name, hits: 2), of: one) }
    hits.forget("a")
    #expect(hits["a"] == nil && hits["b"]?.hits == 2)
    hits.add(progress(1), of: two)
    #expect(hits["a"]?.hits == 1)
    hits.keep(["a", "c", "x"])
    #expect(hits["a"]?.hits == 1 && hits["b"] == nil && hits["c"]?.hits == 2)
    hits.add(StubProgress(name: "b", hits: 1), of: two)
    #expect(hits["b"]?.hits == 1)
    hits.keep([])
    #expect(hits == StubHits())
    hits.keep(["a"])
    #expect(hits == StubHits())
  }

  @Test func aStubIsUsedUpWhereEachProcessThatMetItHasHadItsShare() {
    var hits = StubHits()
    let three = stub("a", times: 3)
    #expect(!hits.isUsedUp(three) && !hits.isUsedUp(three, in: one))
    for (count, isUsedUp) in [(2, false), (3, true), (4, true)] {
      hits.add(progress(UInt64(count)), of: one)
      #expect(hits.isUsedUp(three) == isUsedUp && hits.isUsedUp(three, in: one) == isUsedUp)
    }
    #expect(!hits.isUsedUp(stub("a")) && !hits.isUsedUp(stub("a"), in: one) && !hits.isUsedUp(stub("b", times: 3)))
    #expect(!hits.isUsedUp(three, in: two))
    hits.add(progress(2), of: two)
    #expect(!hits.isUsedUp(three) && hits.isUsedUp(three, in: one) && !hits.isUsedUp(three, in: two))
    hits.add(progress(3), of: two)
    #expect(hits.isUsedUp(three))
    #expect(hits.isUsedUp(stub("a", times: 0)) && hits.isUsedUp(stub("a", times: -5)))
  }

  // MARK: What others changed

  private let file = StubBoard.Origin.file("/tmp/s.yaml")

  private var board: StubBoard {
    StubBoard(
      revision: 1,
      entries: ["a", "b", "c"].map { .init(stub: stub($0), origin: file, baseline: stub($0)) }
        + [.init(stub: stub("mine"), origin: .console)])
  }

  private func difference(_ edits: StubEdit...) throws -> String {
    BoardDifference.text(from: board, to: try edits.reduce(board) { try $0.apply($1) })
  }

  @Test func whatChangedIsSaidInFewWords() throws {
    #expect(try difference() == "")
    #expect(try difference(.setEnabled(name: "a", false)) == "“a” is off")
    #expect(try difference(.replace(name: "a", with: stub("a", times: 1))) == "“a” is changed")
    #expect(try difference(.add(stub("new"), at: nil)) == "“new” is new")
    #expect(try difference(.remove(name: "b"), .remove(name: "a")) == "“a” is gone, “b” is gone")
    #expect(try difference(.setPaused(true)) == "all are off")
    #expect(try difference(.setSetPaused(file, true)) == "those of s.yaml are off")
    #expect(try difference(.setSetPaused(.console, true)) == "those of this console are off")
    #expect(
      try difference(.setEnabled(name: "c", false), .add(stub("new"), at: 0), .remove(name: "a"))
        == "“new” is new, “c” is off and 1 more")
    #expect(
      try difference(.setPaused(true), .setEnabled(name: "c", false), .remove(name: "a"), .remove(name: "b"))
        == "all are off, “c” is off and 2 more")
    var changed = stub("a", times: 1)
    changed.enabled = false
    #expect(try difference(.replace(name: "a", with: changed)) == "“a” is changed")
  }

  @Test func whatComesOnAgainIsSaidToo() throws {
    let off = try board.apply(.setPaused(true)).apply(.setSetPaused(file, true)).apply(.setEnabled(name: "b", false))
    #expect(
      BoardDifference.text(from: off, to: board)
        == "they are on again, those of s.yaml are on again and 1 more")
    let one = try board.apply(.setEnabled(name: "b", false))
    #expect(BoardDifference.text(from: one, to: board) == "“b” is on")
  }
}
