import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct HeapObjectsTests {
  /// As the runtime has it: bit 0, the unowned count from bit 1, bit 32 while it is freed, the strong count from bit 33.
  private func word(strong: UInt64, unowned: UInt64 = 1, freed: UInt64 = 0) -> UInt64 {
    1 | unowned << 1 | freed << 32 | strong << 33
  }

  @Test func anObjectThatIsAliveMayBeRetained() {
    #expect(ReferenceCount(word: word(strong: 0)) == .inline)
    #expect(ReferenceCount(word: word(strong: 40, unowned: 3)) == .inline)
    #expect(ReferenceCount.retained(word(strong: 4)) == word(strong: 5))
  }

  @Test func whatIsNoneIsRefused() {
    #expect(ReferenceCount(word: word(strong: 0, freed: 1)) == nil)
    #expect(ReferenceCount(word: word(strong: 0, unowned: 0)) == nil)
    #expect(ReferenceCount(word: 0) == nil)
    #expect(ReferenceCount(word: 0x7f12_3456_7890) == nil)
    // Immortal, and counts that nobody has.
    #expect(ReferenceCount(word: 0x8000_0003_ffff_ffff) == nil)
    #expect(ReferenceCount(word: word(strong: 1 << 21)) == nil)
  }

  @Test func aSideTableIsFound() {
    let table: UInt64 = 0x7f12_3456_7890 & ~7
    #expect(ReferenceCount(word: 3 << 62 | table >> 3) == .sideTable(table))
    #expect(ReferenceCount(word: 3 << 62) == nil)
    // Where arm64 has its heaps.
    let high: UInt64 = 0xaaaa_f234_5678
    #expect(ReferenceCount(word: 3 << 62 | high >> 3, on: .arm64) == .sideTable(high))
    #expect(ReferenceCount(word: 3 << 62 | high >> 3, on: .x86) == nil)
    #expect(ReferenceCount(word: 3 << 62 | 1 << 45, on: .arm64) == nil)
  }

  @Test func aBlockIsAsLongAsTheAllocatorMakesIt() {
    // 104 bytes and the header of 8 are 112, 7 times 16; three bits of the word are flags.
    #expect(HeapBlock.fits(header: 112 | 5, instanceSize: 104))
    #expect(HeapBlock.fits(header: 32, instanceSize: 16))
    // A rest of 16 bytes is too small for a block of its own.
    #expect(HeapBlock.fits(header: 128 | 1, instanceSize: 104))
    #expect(!HeapBlock.fits(header: 144, instanceSize: 104))
    #expect(!HeapBlock.fits(header: 96, instanceSize: 104))
    #expect(HeapBlock.isInUse(nextHeader: 113) && !HeapBlock.isInUse(nextHeader: 112))
  }

  @Test func aClassSaysItsSuperclassAndSize() throws {
    let facts = try #require(ClassFacts(words: [0, 0xabc0, 2, 104 | 7 << 32, 400 | 24 << 32, 1]))
    #expect(facts.superclass == 0xabc0 && facts.instanceSize == 104)
    #expect(ClassFacts(words: [0x7f00_1234_5678, 0xabc0, 2, 104 | 7 << 32, 400 | 24 << 32, 1]) == nil)
    #expect(ClassFacts(words: [0, 0xabc0, 2, 104 | 6 << 32, 400 | 24 << 32, 1]) == nil)
    #expect(ClassFacts(words: [0, 0xabc0, 2, 8 | 7 << 32, 400 | 24 << 32, 1]) == nil)
    #expect(ClassFacts(words: [0, 1]) == nil)
  }
}
