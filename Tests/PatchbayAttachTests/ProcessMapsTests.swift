import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct ProcessMapsTests {
  private let maps = ProcessMaps(
    text: """
      555500000000-555500004000 r--p 00000000 fe:00 12 /opt/my app/server
      555500004000-555500006000 rw-p 00004000 fe:00 12 /opt/my app/server
      555500100000-555500200000 rw-p 00000000 00:00 0 [heap]
      7f0000000000-7f0000100000 rw-p 00000000 00:00 0
      7f0000200000-7f0000210000 r--p 00000000 fe:00 13                 /usr/lib/libc.so.6 (deleted)
      7f0000210000-7f0000300000 r-xp 00010000 fe:00 13                 /usr/lib/libc.so.6 (deleted)
      7f0000400000-7f0000401000 rw-s 00000000 00:01 14                 /dev/shm/x
      nonsense
      7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                  [stack]
      """)

  @Test func aLineIsReadWithItsNameWhole() throws {
    #expect(maps.mappings.count == 8)
    let first = try #require(maps.mappings.first)
    #expect(first.name == "/opt/my app/server")
    #expect(first.start == 0x5555_0000_0000 && first.size == 0x4000)
    #expect(first.isReadable && !first.isWritable && !first.isExecutable && first.isPrivate)
    #expect(maps.mappings[1].offset == 0x4000)
  }

  @Test(arguments: [
    "", "-", "1-2", "2-1 rw-p 0 0:0 0", "1-1 rw-p 0 0:0 0", "1-2 rw-p x 0:0 0", "1-2 rw- 0 0:0 0", "1-2 rw-p 0 0:0",
    "g-h rw-p 0 0:0 0", "1-2-3 rw-p 0 0:0 0", "11111111111111111-2 rw-p 0 0:0 0", "1- rw-p 0 0:0 0",
    "-1 rw-p 0 0:0 0", "2-11111111111111111 rw-p 0 0:0 0", "1-2 rw-p 00000000000000000 0:0 0",
  ])
  func aLineOfAnotherShapeIsLeftOut(_ line: String) { #expect(ProcessMaps(text: line).mappings.isEmpty) }

  @Test func addressesHaveAllTheirBits() throws {
    let mapping = try #require(
      ProcessMaps(text: "ffffffffff600000-ffffffffff601000 --xp 9abcdef0 00:00 0   [vsyscall]").mappings.first)
    #expect(mapping.start == 0xffff_ffff_ff60_0000 && mapping.size == 0x1000 && mapping.offset == 0x9abc_def0)
    #expect(mapping.name == "[vsyscall]" && mapping.isExecutable && !mapping.isReadable)
  }

  @Test func theHeapIsWhatIsPrivateAndNobodysFile() {
    #expect(maps.mappings.filter(\.isHeap).map(\.start) == [0x5555_0010_0000, 0x7f00_0000_0000])
  }

  @Test func anImageIsFoundByItsFileAlsoOneThatWasReplaced() throws {
    let library = try #require(maps.image(named: "libc.so.6"))
    #expect(library.base == 0x7f00_0020_0000)
    #expect(maps.mappings(of: library.path).map(\.isExecutable) == [false, true])
    #expect(maps.image(named: "libc.so") == nil)
  }

  @Test func aGapLeavesAPageFreeOnBothSides() throws {
    let gap = try #require(maps.gap(of: 0x8000, below: 0x7f00_0020_0000))
    #expect(gap + 0x8000 + 0x1000 <= 0x7f00_0020_0000 && gap >= 0x7f00_0010_0000 + 0x1000)
    #expect(maps.mapping(at: gap) == nil && maps.mapping(at: gap + 0x7fff) == nil)
    // One that does not fit between two mappings lies below them.
    let large = try #require(maps.gap(of: 0xff000, below: 0x7f00_0020_0000))
    #expect(large + 0xff000 <= 0x7f00_0000_0000)
    #expect(maps.gap(of: 1 << 47, below: 0x7f00_0020_0000) == nil)
  }

  @Test(
    arguments: [
      ("rw-p", "", true, true), ("rw-p", "[heap]", true, true), ("rw-p", "[anon:malloc]", true, true),
      ("rw-p", "[anon_shmem]", true, true), ("rw-p", "/lib/x.so", false, true), ("rw-p", "[stack]", false, false),
      ("rw-p", "[stack:12]", false, false), ("rw-p", "[vvar]", false, false), ("r--p", "", false, false),
      ("-w-p", "", false, false), ("rw-s", "", false, false), ("rwxp", "", true, true),
      ("rw-p", "[other]", false, true),
    ])
  func whatMayHoldObjects(_ rights: String, _ name: String, _ isHeap: Bool, _ mayHold: Bool) throws {
    let mapping = try #require(ProcessMaps(text: "1000-3000 \(rights) 0 00:00 0 \(name)").mappings.first)
    #expect(mapping.isHeap == isHeap && mapping.mayHoldObjects == mayHold)
    #expect(mapping.isReadable == rights.hasPrefix("r") && mapping.isExecutable == rights.contains("x"))
    #expect(mapping.isWritable == rights.contains("w") && mapping.isPrivate == rights.hasSuffix("p"))
    #expect(mapping.size == 0x2000 && mapping.name == name)
  }

  @Test func anAddressIsInOneMappingFromItsStartToBeforeItsEnd() {
    let maps = ProcessMaps(text: "1000-2000 rw-p 0 0:0 0 a\n2000-3000 rw-p 0 0:0 0 b\n5000-6000 rw-p 0 0:0 0 c")
    for (address, name) in [
      (0xfff, nil), (0x1000, "a"), (0x1fff, "a"), (0x2000, "b"), (0x2fff, "b"), (0x3000, nil), (0x4fff, nil),
      (0x5000, "c"), (0x6000, nil),
    ] as [(UInt64, String?)] {
      #expect(maps.mapping(at: address)?.name == name, "\(address)")
    }
  }

  @Test func imagesAreWhereTheirFilesBegin() throws {
    #expect(maps.images.map(\.path) == ["/opt/my app/server", "/usr/lib/libc.so.6 (deleted)", "/dev/shm/x"])
    #expect(maps.images.map(\.base) == [0x5555_0000_0000, 0x7f00_0020_0000, 0x7f00_0040_0000])
    #expect(maps.image(named: "none", "server")?.path == "/opt/my app/server")
    // The first in memory, whichever name it has.
    #expect(maps.image(named: "libc.so.6", "server")?.base == 0x5555_0000_0000)
    #expect(maps.image(named: "[heap]") == nil && maps.image(named: "app") == nil && maps.image() == nil)
    // What does not begin with its file's beginning is no image.
    #expect(ProcessMaps(text: "1000-2000 r--p 00001000 0:0 1 /lib/a.so").image(named: "a.so") == nil)
    #expect(ProcessMaps(text: "1000-2000 r--p 00001000 0:0 1 /lib/a.so").images.isEmpty)
  }

  /// As near to the address as may be, with a page free on both sides, and no nearer.
  @Test func aGapIsTheNearestThatIsLargeEnough() {
    let maps = ProcessMaps(text: "1000-2000 rw-p 0 0:0 0\n8000-9000 rw-p 0 0:0 0\nc000-d000 rw-p 0 0:0 0")
    for (size, below, page, expected) in [
      (0x1000, 0xc000, 0x1000, 0xa000), (0x1001, 0xc000, 0x1000, 0x5000), (0x4000, 0xc000, 0x1000, 0x3000),
      (0x4001, 0xc000, 0x1000, nil), (0x1000, 0x9000, 0x1000, 0x6000), (0x1000, 0x20000, 0x1000, 0x1e000),
      (0x2000, 0x8000, 0x2000, 0x4000), (0x2800, 0x8000, 0x1000, 0x4000), (0x1000, 0x2000, 0x1000, nil),
      (0x1000, 0x1000, 0x1000, nil), (0x1000, 0xb000, 0x1000, 0x6000),
    ] as [(UInt64, UInt64, UInt64, UInt64?)] {
      #expect(
        maps.gap(of: size, below: below, page: page) == expected,
        "\(String(size, radix: 16)) \(String(below, radix: 16))"
      )
    }
  }
}
