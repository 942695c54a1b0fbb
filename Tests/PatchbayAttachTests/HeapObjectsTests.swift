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
    func words(_ first: UInt64 = 0, size: UInt64 = 104, align: UInt64 = 7) -> [UInt64] {
      [first, 0xabc0, 2, size | align << 32, 400 | 24 << 32, 1]
    }
    let facts = try #require(ClassFacts(words: words()))
    #expect(facts.superclass == 0xabc0 && facts.instanceSize == 104)
    #expect(ClassFacts(words: words(0x7f00_1234_5678)) == nil)
    #expect(ClassFacts(words: words(align: 6)) == nil)
    #expect(ClassFacts(words: words(size: 8)) == nil)
    #expect(ClassFacts(words: [0, 1]) == nil)
  }

  /// The bounds of each field, on both sides.
  @Test func countsAndTablesHaveTheirBounds() {
    for (strong, unowned, isAlive) in [
      (0, 1, true), (0, 0, false), ((1 << 20) - 1, 1, true), (1 << 20, 1, false), (3, (1 << 20) - 1, true),
      (3, 1 << 20, false),
    ] as [(UInt64, UInt64, Bool)] {
      #expect(ReferenceCount.isAlive(word(strong: strong, unowned: unowned)) == isAlive, "\(strong) \(unowned)")
    }
    #expect(ReferenceCount(word: word(strong: 1) & ~1) == nil)
    #expect(!ReferenceCount.isAlive(word(strong: 1) | 1 << 63))
    for (table, processor, isThere) in [
      (4096, .x86, true), (4088, .x86, false), ((1 << 47) - 8, .x86, true), (1 << 47, .x86, false),
      (1 << 47, .arm64, true), ((1 << 48) - 8, .arm64, true), (1 << 48, .arm64, false),
    ] as [(UInt64, Processor, Bool)] {
      #expect(
        ReferenceCount(word: 3 << 62 | table >> 3, on: processor) == (isThere ? .sideTable(table) : nil), "\(table)")
    }
    // Neither of the two highest bits alone says that there is a table.
    #expect(ReferenceCount(word: 1 << 63 | 0x1000) == nil && ReferenceCount(word: 1 << 62 | 0x1000) == nil)
  }

  @Test func aClassHasItsBounds() {
    func isClass(
      kind: UInt64 = 0, size: UInt64 = 104, mask: UInt64 = 7, classSize: UInt64 = 400, addressPoint: UInt64 = 24
    ) -> Bool {
      ClassFacts(words: [kind, 1, 2, size | mask << 32, classSize | addressPoint << 32, 9]) != nil
    }
    #expect(isClass() && isClass(kind: 0x7ff) && !isClass(kind: 0x800))
    for (size, isGood) in [(15, false), (16, true), ((1 << 20) - 1, true), (1 << 20, false)] as [(UInt64, Bool)] {
      #expect(isClass(size: size) == isGood, "\(size)")
    }
    for mask in 0...20 as ClosedRange<UInt64> { #expect(isClass(mask: mask) == (mask == 7 || mask == 15), "\(mask)") }
    for (size, isGood) in [(39, false), (40, true), ((1 << 20) - 1, true), (1 << 20, false)] as [(UInt64, Bool)] {
      #expect(isClass(classSize: size) == isGood, "\(size)")
    }
    #expect(isClass(addressPoint: 399) && !isClass(addressPoint: 400))
    #expect(ClassFacts(words: [0, 1, 2, 104 | 7 << 32, 400]) == nil)
    #expect(ClassFacts(words: [0, 1, 2, 104 | 7 << 32, 400 | 24 << 32, 0, 0])?.instanceSize == 104)
  }

  @Test func aBlockOfEachSizeIsAsLongAsItHasToBe() {
    for size in 16...300 {
      let wanted = max(32, (size + 8 + 15) / 16 * 16)
      for header in stride(from: 16, through: 400, by: 8) {
        let isIt = header == wanted || header == wanted + 16
        for flags in [0, 1, 5, 7] as [UInt64] {
          #expect(HeapBlock.fits(header: UInt64(header) | flags, instanceSize: size) == isIt)
        }
      }
    }
  }
}
