/// What a Swift class's metadata says, from its address point on (swift/ABI/Metadata.h; without Objective-C).
struct ClassFacts: Equatable, Sendable {
  let superclass: UInt64
  let instanceSize: Int

  static let wordCount = 6

  /// nil where the words cannot be a class.
  init?(words: [UInt64]) {
    guard words.count >= Self.wordCount, words[0] < 0x800 else { return nil }
    superclass = words[1]
    let size = words[3] & 0xffff_ffff
    let alignMask = words[3] >> 32 & 0xffff
    let classSize = words[4] & 0xffff_ffff
    let addressPoint = words[4] >> 32
    guard (16..<1 << 20).contains(size), alignMask == 7 || alignMask == 15, (40..<1 << 20).contains(classSize),
      addressPoint < classSize
    else { return nil }
    instanceSize = Int(size)
  }
}

/// The word beside an object's class: how often it is referred to (swift/stdlib/public/SwiftShims/RefCount.h).
enum ReferenceCount: Equatable, Sendable {
  case inline
  /// Where the side table lies that an object has which was ever referred to weakly.
  case sideTable(UInt64)

  /// nil: not the word of an object that is alive and may be retained.
  init?(word: UInt64, on processor: Processor = .own) {
    if word >> 62 == 3 {
      let table = (word & ((1 << 62) - 1)) << 3
      guard table >= 4096, table < processor.addressLimit else { return nil }
      self = .sideTable(table)
      return
    }
    guard word & 1 == 1, Self.isAlive(word) else { return nil }
    self = .inline
  }

  /// Not being freed, not immortal, and few enough references for one more.
  static func isAlive(_ word: UInt64) -> Bool {
    let unowned = word >> 1 & 0x7fff_ffff
    let isFreed = word >> 32 & 1
    let strong = word >> 33 & 0x3fff_ffff
    return word >> 63 == 0 && isFreed == 0 && (1..<1 << 20).contains(unowned) && strong < 1 << 20
  }

  static func retained(_ word: UInt64) -> UInt64 { word + 1 << 33 }
}

/// The block of memory in which an object lies, as glibc's allocator keeps it.
enum HeapBlock {
  /// - Parameter header: the word before the block: its size with three bits of its own.
  static func fits(header: UInt64, instanceSize: Int) -> Bool {
    let size = max(32, (UInt64(instanceSize) + 8 + 15) & ~15)
    // One step longer where what is left of a free block would have been too small for one.
    return header & ~7 == size || header & ~7 == size + 16
  }

  /// - Parameter nextHeader: that of the block behind it, whose lowest bit says whether the one before is in use.
  static func isInUse(nextHeader: UInt64) -> Bool { nextHeader & 1 == 1 }
}
