#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// What is read of a library in memory, and where it is not believed.
  @Suite(.bounded) struct TargetImageTests {
    private static let first = MadeImage.first

    @Test func whatItDefinesLiesWhereItWasLoaded() throws {
      let made = try MadeImage([.init(name: "open", offset: 0x200), .init(name: "close", offset: 0x340)])
      #expect(made.offset(of: "open") == 0x200 && made.offset(of: "close") == 0x340 && made.buildID == nil)
      #expect(made.offset(of: "read") == nil && made.offset(of: "") == nil)
    }

    /// The same hash is another's name, or that of what is asked for and not defined: the next one in the chain may be it.
    @Test func theChainIsGoneThroughToItsEnd() throws {
      let asked = MadeImage.Symbol(name: "open", offset: 0x300, section: 0)
      let other = MadeImage.Symbol(name: "openat", offset: 0x400, hashedAs: "open")
      let short = MadeImage.Symbol(name: "ope", offset: 0x440, hashedAs: "open")
      let own = MadeImage.Symbol(name: "open", offset: 0x500)
      #expect(try MadeImage([asked, other, short, own]).offset(of: "open") == 0x500)
      #expect(try MadeImage([asked]).offset(of: "open") == nil)
      #expect(try MadeImage([other, short]).offset(of: "open") == nil)
      #expect(try MadeImage([other]).offset(of: "openat") == nil)
      // Behind the chain's end is another bucket's.
      let made = try MadeImage([asked, own])
      made.setHashes([asked])
      #expect(made.offset(of: "open") == nil)
    }

    @Test func aTableOfHashesHasItsBounds() throws {
      let symbols = [MadeImage.Symbol(name: "open", offset: 0x200)]
      let made = try MadeImage(symbols)
      // Nothing has such a hash, or there are no buckets at all.
      made.setHashes(symbols, start: 0)
      #expect(made.isImage && made.offset(of: "open") == nil)
      made.setHashes(symbols, buckets: 0)
      #expect(made.isImage && made.offset(of: "open") == nil)
      for (filters, offset) in [(1, 0x200), (0, 0x200), ((1 << 20) - 1, 0x200), (1 << 20, nil)] as [(Int, UInt64?)] {
        made.setHashes(symbols, filters: filters)
        #expect(made.offset(of: "open") == offset, "\(filters)")
      }
    }

    @Test(arguments: 0..<6) func eachByteOfItsBeginningCounts(_ index: Int) throws {
      let made = try MadeImage()
      #expect(made.isImage)
      made.put([9], at: index)
      #expect(!made.isImage)
    }

    @Test func theTableOfItsPartsHasItsBounds() throws {
      let made = try MadeImage()
      for (size, isGood) in [(55, false), (57, false), (56, true)] as [(UInt64, Bool)] {
        made.put(size, 2, at: 54)
        #expect(made.isImage == isGood, "\(size)")
      }
      for (count, isGood) in [(0, false), (1, false), (64, true), (65, false), (2, true)] as [(UInt64, Bool)] {
        made.put(count, 2, at: 56)
        #expect(made.isImage == isGood, "\(count)")
      }
      for (offset, isGood) in [((1 << 20) - 1, true), (1 << 20, false), (64, true)] as [(Int, Bool)] {
        made.put(UInt64(offset), 8, at: 32)
        made.header(0, type: 1, address: Self.first, length: 0, table: offset)
        made.header(1, type: 2, address: Self.first + UInt64(MadeImage.dynamic), length: 80, table: offset)
        #expect(made.isImage == isGood, "\(offset)")
      }
      for (size, isGood) in [((1 << 16) - 16, true), (1 << 16, false), (80, true)] as [(UInt64, Bool)] {
        made.header(1, type: 2, address: Self.first + UInt64(MadeImage.dynamic), length: size)
        #expect(made.isImage == isGood, "\(size)")
      }
    }

    @Test func itHasToBeLoadedAndLinkedDynamically() throws {
      for (index, type) in [(0, 0), (0, 3), (1, 0), (1, 3)] as [(Int, UInt64)] {
        let made = try MadeImage()
        made.put(type, 4, at: 64 + 56 * index)
        #expect(!made.isImage, "\(index) \(type)")
      }
      // Where it lies is what its first part says.
      let made = try MadeImage([.init(name: "open", offset: 0x200)])
      made.put(3, 2, at: 56)
      made.header(2, type: 1, address: Self.first + 0x5000, length: 0x1000)
      #expect(made.offset(of: "open") == 0x200)
    }

    @Test func eachOfItsTablesIsNeededAndTheFirstOneCounts() throws {
      let made = try MadeImage([.init(name: "open", offset: 0x200)])
      for tag in [5, 6, 0x6fff_fef5] as [UInt64] {
        made.setDynamic(MadeImage.usual.map { (tag: $0.tag == tag ? 0x15 : $0.tag, value: $0.value) })
        #expect(!made.isImage, "\(tag)")
      }
      // What stands behind the end, or a second time, is nothing.
      let again: [(tag: UInt64, value: UInt64)] = [(6, 16), (5, 16)]
      let end: [(tag: UInt64, value: UInt64)] = [(0, 0)]
      made.setDynamic(MadeImage.usual + again)
      #expect(made.offset(of: "open") == 0x200)
      made.setDynamic(Array(MadeImage.usual.dropLast()) + again + end)
      #expect(made.offset(of: "open") == 0x200)
      made.setDynamic(end + MadeImage.usual)
      #expect(!made.isImage)
    }

    /// glibc makes them addresses, musl leaves them as they were linked.
    @Test func tablesMayBeAddressesAlready() throws {
      let made = try MadeImage([.init(name: "open", offset: 0x200)])
      let slide = made.base - Self.first
      made.setDynamic(MadeImage.usual.map { (tag: $0.tag, value: $0.tag < 2 ? $0.value : $0.value + slide) })
      #expect(made.offset(of: "open") == 0x200)
      // Even the very first one.
      made.setDynamic(MadeImage.usual.map { (tag: $0.tag, value: $0.tag == 5 ? made.base : $0.value) })
      made.put(UInt64(MadeImage.names + 1), 4, at: MadeImage.symbols + 24)
      #expect(made.offset(of: "open") == 0x200)
    }

    private static func note(_ name: String, _ type: UInt64, _ value: [UInt8]) -> [UInt8] {
      func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
      var bytes: [UInt8] = []
      for number in [UInt64(name.utf8.count), UInt64(value.count), type] { bytes += number.littleEndianBytes.prefix(4) }
      return bytes + padded(Array(name.utf8)) + padded(value)
    }

    private static func gnu(_ type: UInt64, _ value: [UInt8]) -> [UInt8] { note("GNU\0", type, value) }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// The notes of each part, one after the other, how many bytes less the last part has, and what is found.
    private static let parts: [([[[UInt8]]], Int, String?)] = [
      ([], 0, nil), ([[]], 0, nil), ([[gnu(3, [0, 0x0f, 0x10, 0xab])]], 0, "000f10ab"),
      // Others before it, of any length, in the same part and in another.
      ([[gnu(1, [9]), gnu(3, [1])]], 0, "01"), ([[gnu(1, [9, 9, 9, 9, 9]), gnu(3, [2])]], 0, "02"),
      ([[note("Linux\0", 0, [1, 2, 3, 4]), gnu(3, [3])]], 0, "03"), ([[note("FDO\0", 3, [5]), gnu(3, [4])]], 0, "04"),
      ([[note("", 3, []), gnu(3, [5])]], 0, "05"), ([[gnu(1, [9])], [gnu(3, [6])], [gnu(3, [7])]], 0, "06"),
      ([[gnu(2, [5])]], 0, nil),
      // The last may end without its padding, and not before.
      ([[gnu(3, [1, 2, 3])]], 1, "010203"), ([[gnu(3, [1, 2, 3])]], 2, nil), ([[gnu(3, [1, 2, 3])]], 9, nil),
      // Not farther than a page.
      ([[gnu(1, zeros(4056)), gnu(3, [1, 2, 3, 4])]], 0, "01020304"), ([[gnu(1, zeros(4080)), gnu(3, [8])]], 0, nil),
    ]

    @Test(arguments: parts)
    func theBuildIDIsFoundAmongNotes(_ parts: [[[UInt8]]], _ less: Int, _ expected: String?) throws {
      var notes = parts.map { Array($0.joined()) }
      if less > 0 { notes[notes.count - 1].removeLast(less) }
      #expect(try MadeImage(notes: notes).buildID == expected)
    }

    @Test func aNoteMaySayThatItIsLongerThanAnything() throws {
      let made = try MadeImage(notes: [Self.gnu(3, [7, 8])])
      made.header(2, type: 4, address: Self.first + UInt64(MadeImage.notes), length: .max)
      #expect(made.buildID == "0708")
    }

    /// Version, stage, and whether all sessions were looked for; nil: the library was preloaded.
    @Test(
      arguments: [
        (1, 0, nil), (1, 1, false), (1, 2, true), (1, 3, false), (0, 2, nil), (2, 2, nil),
      ] as [(UInt64, UInt64, Bool?)])
    func howFarAnAttachmentCameIsSaidByTheLibrary(_ version: UInt64, _ stage: UInt64, _ isWhole: Bool?) throws {
      let made = try MadeImage([.init(name: "patchbay_attachment", offset: 0x500)])
      made.put(version, 4, at: 0x500)
      made.put(stage, 4, at: 0x504)
      made.put(Array("/run/at.sock".utf8), at: 0x508)
      #expect(made.state == isWhole.map { AttachedState(isWhole: $0, rendezvous: "/run/at.sock") })
      made.put([UInt8](repeating: 0x61, count: 600), at: 0x508)
      #expect(made.state?.rendezvous.utf8.count == isWhole.map { _ in 512 })
      #expect(try MadeImage().state == nil)
    }

    @Test func whereSessionsHaveTheirConfigurationIsReadFromTheLibrary() throws {
      let name = "$s20FoundationNetworking10URLSessionC"
      let symbols = [
        MadeImage.Symbol(name: name + "N", offset: 0x600),
        .init(name: "$s20FoundationNetworking23URLSessionConfigurationCN", offset: 0x680),
        .init(name: name + "13configurationAA0C13ConfigurationCvpWvd", offset: 0x700),
      ]
      let made = try MadeImage(symbols)
      for (offset, isGood) in [(24, true), (4095, true), (4096, false), (.max, false)] as [(UInt64, Bool)] {
        made.put(offset, 8, at: 0x700)
        let expected = SessionSearch.Layout(
          session: made.base + 0x600, configuration: made.base + 0x680, configurationOffset: offset)
        #expect(made.layout == (isGood ? expected : nil), "\(offset)")
      }
      for index in 0..<3 {
        var less = symbols
        less.remove(at: index)
        #expect(try MadeImage(less).layout == nil)
      }
    }

    /// The C library's own `malloc` is the system's, in files of any of its names.
    @Test func whoeverElseDefinesMallocIsAnotherAllocator() throws {
      let (with, without) = (try MadeImage([.init(name: "malloc")]), try MadeImage())
      for (path, isSystem) in [
        ("/lib/libc.so.6", true), ("/lib/libc.so", true), ("/lib/libc-2.31.so", true),
        ("/lib64/ld-linux-x86-64.so.2", true), ("/opt/libjemalloc.so.2", false), ("/opt/libcrypto.so", false),
        ("/opt/server", false), ("/opt/libc.so.6/liba.so", false), ("[heap]", true),
      ] {
        let text = without.line("/opt/other") + with.line(path) + without.line("/opt/libmalloc.so")
        let maps = ProcessMaps(text: text)
        #expect(PatchbayAttach.Attachment.usesSystemAllocator(maps, with.memory) == isSystem, "\(path)")
      }
      let maps = ProcessMaps(text: with.line("/lib/libc.so.6") + with.line("/opt/a"))
      #expect(!PatchbayAttach.Attachment.usesSystemAllocator(maps, with.memory))
      #expect(PatchbayAttach.Attachment.usesSystemAllocator(ProcessMaps(text: ""), with.memory))
      withExtendedLifetime((with, without)) {}
    }
  }

  /// Where in a C library that is made here everything is found that a program calls for us.
  @Suite(.bounded) struct MadeLibraryTests {
    private static let path = "/made/libc.so.6"
    private static let functions = [
      "pthread_create", "dlopen", "dlsym", "__errno_location", "dlerror", "pthread_self", "pthread_detach",
    ]
    private let own = TargetProcess(getpid())

    private static func symbols(_ names: [String]) -> [MadeImage.Symbol] {
      let called = names.enumerated().map { MadeImage.Symbol(name: $1, offset: 0x800 + 8 * UInt64($0)) }
      return called + [MadeImage.Symbol(name: "syscall", offset: 0x600)]
    }

    /// With the call of the system, and the return from signals at these offsets.
    private func library(_ names: [String] = MadeLibraryTests.functions, returns: [Int] = [0x700]) throws -> MadeImage {
      let made = try MadeImage(Self.symbols(names))
      // And arm64's `ret` behind it.
      made.put(Processor.own.systemCallCode + [0xc0, 0x03, 0x5f, 0xd6], at: 0x608)
      for offset in returns { made.put(Processor.own.signalReturnCode, at: offset) }
      return made
    }

    private func expected(_ base: UInt64, signalReturn: UInt64) -> TargetCalls {
      TargetCalls(
        systemCall: base + 0x608, signalReturn: base + signalReturn, makeThread: base + 0x800,
        openLibrary: base + 0x808, findSymbol: base + 0x810, errorNumber: base + 0x818, libraryError: base + 0x820,
        thisThread: base + 0x828, detachThread: base + 0x830)
    }

    private func unknown(_ what: String) -> AttachError {
      AttachError(
        "The C library of process \(getpid()) \(what), so nothing can be loaded by it. Start it with: patchbay run")
    }

    @Test func eachIsTakenFromItsPlace() throws {
      let made = try library()
      let maps = ProcessMaps(text: made.line(Self.path))
      #expect(try TargetCalls(of: own, maps) == expected(made.base, signalReturn: 0x700))
      withExtendedLifetime(made) {}
    }

    /// Only what may be executed leads back from a signal, and the first that does is taken.
    @Test func theReturnFromASignalHasToBeCode() throws {
      let made = try library(returns: [0x700, 0x5010, 0x6020])
      let data = made.line(Self.path, rights: "r--p")
      #expect(throws: unknown("returns from signals in a way that Patchbay does not know")) {
        try TargetCalls(of: own, ProcessMaps(text: data))
      }
      let code = made.line(Self.path, from: 0x5000) + made.line(Self.path, from: 0x6000)
      #expect(try TargetCalls(of: own, ProcessMaps(text: data + code)) == expected(made.base, signalReturn: 0x5010))
      // Not that of another file.
      #expect(throws: unknown("returns from signals in a way that Patchbay does not know")) {
        try TargetCalls(of: own, ProcessMaps(text: data + made.line("/made/other.so", from: 0x5000)))
      }
      withExtendedLifetime(made) {}
    }

    /// Before glibc 2.34 some lay in libraries of their own.
    @Test func whatIsMissingIsLookedForInTheOtherLibraries() throws {
      let rest = ["pthread_create", "dlopen"]
      let made = try library(Self.functions.map { rest.contains($0) ? "no_" + $0 : $0 })
      let text = made.line(Self.path)
      #expect(throws: unknown("has no pthread_create, as glibc has")) {
        try TargetCalls(of: own, ProcessMaps(text: text))
      }
      let (threads, loader) = (try MadeImage([.init(name: "pthread_create")]), try MadeImage([.init(name: "dlopen")]))
      let more = threads.line("/made/libpthread.so.0")
      #expect(throws: unknown("has no dlopen, as glibc has")) {
        try TargetCalls(of: own, ProcessMaps(text: text + more))
      }
      var all = expected(made.base, signalReturn: 0x700)
      (all.makeThread, all.openLibrary) = (threads.base + 0x100, loader.base + 0x100)
      #expect(try TargetCalls(of: own, ProcessMaps(text: text + more + loader.line("/made/libdl.so.2"))) == all)
      withExtendedLifetime((made, threads, loader)) {}
    }

    @Test func anotherCLibraryIsSaid() throws {
      #expect(throws: unknown("has no syscall, as glibc has")) { try TargetCalls(of: own, ProcessMaps(text: "")) }
      let made = try MadeImage(Self.symbols(Self.functions))
      made.put(Processor.own.signalReturnCode, at: 0x700)
      #expect(throws: unknown("makes system calls in a way that Patchbay does not know")) {
        try TargetCalls(of: own, ProcessMaps(text: made.line(Self.path)))
      }
      withExtendedLifetime(made) {}
    }
  }
#endif
