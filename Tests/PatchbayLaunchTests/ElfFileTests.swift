import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

/// What is read of an ELF file, tried on files that are made here.
@Suite(.bounded) struct ElfFileTests {
  private static let urlSession = "$s20FoundationNetworking10URLSessionCMn"

  private func read(_ elf: MadeElf) throws -> ElfFile {
    try #require(elf.bytes.withUnsafeBytes { ElfFile(bytes: $0) })
  }

  @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
  func everythingIsReadOfEitherClassAndByteOrder(_ is64Bit: Bool, _ isBigEndian: Bool) throws {
    let elf = MadeElf(
      is64Bit: is64Bit, isBigEndian: isBigEndian, machine: 0x1234, interpreter: "/lib/ld-x.so",
      dynamic: [
        (.needed, "libone.so"), (.soname, "libself.so"), (.needed, "libtwo.so"), (.runpath, "/a:$ORIGIN/b"),
        (.rpath, "/old"), (.soname, "libother.so"),
      ],
      notes: [.init(value: [0x0a, 0xff, 0x10])], sections: ["swift5_types", ".text"],
      symbols: [.init(name: "xexecve"), .init(name: "execve", isDefined: false), .init(name: Self.urlSession)])
    let file = try read(elf)
    #expect(file.is64Bit == is64Bit)
    #expect(file.machine == 0x1234)
    #expect(file.isLoadable)
    #expect(file.interpreter == "/lib/ld-x.so")
    #expect(file.needed == ["libone.so", "libtwo.so"])
    #expect(file.name == "libself.so")
    #expect(file.searchPath == ["/a", "$ORIGIN/b"] && file.searchPathIsRunpath)
    #expect(file.buildID == "0aff10")
    #expect(file.sections == ["", ".names", ".symbols", ".symbolnames", "swift5_types", ".text"])
    #expect(file.definesURLSession && file.startsOthers && file.isSwift && file.hasStaticRuntime)
  }

  @Test func aFileWithoutAnythingSaysNothing() throws {
    let file = try read(MadeElf(interpreter: nil, isLoadable: false))
    #expect(!file.isLoadable && file.interpreter == nil && file.needed == [] && file.name == nil)
    #expect(file.searchPath == [] && !file.searchPathIsRunpath && file.buildID == nil)
    #expect(file.sections == ["", ".names"] && !file.definesURLSession && !file.isSwift && !file.hasStaticRuntime)
    #expect(file.machine == 62 && file.is64Bit)
  }

  @Test(
    arguments: [
      ([(.rpath, "/old:/older")], ["/old", "/older"], false), ([(.runpath, "")], [], true),
      ([(.rpath, ":/a::/b:")], ["/a", "/b"], false), ([(.rpath, "/old"), (.runpath, "/new")], ["/new"], true),
      ([(.needed, "x")], [], false),
    ] as [([(MadeElf.Tag, String)], [String], Bool)])
  func whereLibrariesAreLookedFor(_ dynamic: [(MadeElf.Tag, String)], _ path: [String], _ isRunpath: Bool) throws {
    let file = try read(MadeElf(dynamic: dynamic))
    #expect(file.searchPath == path && file.searchPathIsRunpath == isRunpath)
  }

  /// Its texts stand at an address, which is looked for in what is loaded.
  @Test func textsThatAreNotLoadedAreNotThere() throws {
    var elf = MadeElf(dynamic: [(.needed, "libone.so")])
    #expect(try read(elf).needed == ["libone.so"])
    let place = try #require(elf.bytes.firstRange(of: Array("libone.so".utf8))).lowerBound - 1
    elf.loadedSize = place + 1
    #expect(try read(elf).needed == ["libone.so"])
    elf.loadedSize = place
    #expect(try read(elf).needed == [])
    elf.isLoadable = false
    #expect(try read(elf).needed == [])
  }

  @Test(
    "a program that can start others is known by the calls that it names",
    arguments: [
      ("execve", true), ("execv", true), ("execvp", true), ("execvpe", true), ("execl", true), ("execlp", true),
      ("execle", true), ("fexecve", true), ("posix_spawn", true), ("posix_spawnp", true), ("system", true),
      ("popen", true), ("execve2", false), ("xsystem", false), ("syste", false), ("fork", false),
    ])
  func startsOthers(_ call: String, _ expected: Bool) throws {
    let elf = MadeElf(symbols: [.init(name: "malloc"), .init(name: call, isDefined: false), .init(name: "free")])
    #expect(try read(elf).startsOthers == expected)
    var other = elf
    other.symbolType = 2
    #expect(try !read(other).startsOthers, "what it names for debugging, it need not call")
    other = elf
    other.interpreter = nil
    #expect(try read(other).startsOthers, "a static one has all of the C library")
  }

  @Test func whatItDefinesIsToldFromWhatItNames() throws {
    func defines(_ change: (inout MadeElf) -> Void) throws -> Bool {
      var elf = MadeElf(symbols: [.init(name: "a", isDefined: false), .init(name: Self.urlSession)])
      change(&elf)
      let wide = try read(elf).definesURLSession
      elf.is64Bit = false
      if elf.symbolSize == 24 { elf.symbolSize = 16 }
      #expect(try read(elf).definesURLSession == wide)
      return wide
    }
    #expect(try defines { _ in })
    #expect(try defines { $0.symbolType = 2 })
    #expect(try defines { $0.symbolSize = 24 })
    #expect(try defines { $0.symbols.reverse() })
    #expect(try !defines { $0.symbols[1].isDefined = false })
    #expect(
      try !defines {
        $0.symbols[0].isDefined = true
        $0.symbols[1].isDefined = false
      })
    #expect(try !defines { $0.symbols[1].name += "x" })
    #expect(try !defines { $0.symbols[1].name = "x" + $0.symbols[1].name })
    #expect(try !defines { $0.symbolType = 3 })
    #expect(try !defines { $0.symbolSize = 20 })
    for link in [0, 1, 3, 4, 99] { #expect(try defines { $0.symbolLink = link } == false, "\(link)") }
    // The same text later in the table, and first as the end of another name.
    #expect(try defines { $0.symbols[0].name = "x" + Self.urlSession })
  }

  @Test func theBuildIDIsThatOfTheGNUNote() throws {
    func id(_ notes: MadeElf.Note...) throws -> String? {
      let wide = try read(MadeElf(notes: notes)).buildID
      #expect(try read(MadeElf(is64Bit: false, isBigEndian: true, notes: notes)).buildID == wide)
      return wide
    }
    let good = MadeElf.Note(value: [1, 2, 0xfe])
    #expect(try id() == nil)
    #expect(try id(good) == "0102fe")
    #expect(try id(.init(type: 1, value: [9]), good) == "0102fe")
    #expect(try id(.init(name: "Go", value: [9]), good) == "0102fe")
    #expect(try id(good, .init(value: [9])) == "0102fe")
    #expect(try id(.init(value: [UInt8](repeating: 0xab, count: 20))) == String(repeating: "ab", count: 20))
    #expect(try id(.init(type: 4, value: [9])) == nil)
    #expect(try id(.init(value: [])) == nil, "where nothing stands behind it")
    #expect(try id(.init(value: [1, 2, 3, 4], length: 5)) == nil)
    #expect(try id(.init(value: [1, 2, 3, 4], length: 4)) == "01020304")
  }

  /// Several stand in one segment, with what fills them up between.
  @Test func theBuildIDMayStandBehindOtherNotes() throws {
    func note(_ type: UInt8, _ name: String, _ value: [UInt8]) -> [UInt8] {
      let name = Array(name.utf8) + [0]
      func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
      return [UInt8(name.count), 0, 0, 0, UInt8(value.count), 0, 0, 0, type, 0, 0, 0] + padded(name) + padded(value)
    }
    for other in [note(1, "GNU", [9, 9, 9, 9]), note(3, "Golang", [8, 8, 8]), note(3, "GNUX", [7])] {
      let both = other + note(3, "GNU", [0x12, 0x34])
      // The first note's header takes the rest for its value; it is put back to be the notes themselves.
      var bytes = MadeElf(notes: [.init(type: 77, name: "pad", value: both)]).bytes
      let place = try #require(bytes.firstRange(of: both))
      let start = place.lowerBound - 16
      bytes.replaceSubrange(start..<place.upperBound, with: both + [UInt8](repeating: 0, count: 16))
      #expect(bytes.withUnsafeBytes { ElfFile(bytes: $0) }?.buildID == "1234")
    }
  }

  /// Where a segment is aligned to 8, what stands behind a note's name begins at the next multiple of 8 of the note.
  @Test func notesMayBeAlignedToEight() throws {
    for name in ["GNU", "GN"] {
      let file = try read(MadeElf(notes: [.init(name: name, value: [7, 0x1a], alignment: 8)]))
      #expect(file.buildID == (name == "GNU" ? "071a" : nil))
    }
    let note: [UInt8] = [4, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0, 0x47, 0x4e, 0x55, 0] + [UInt8](repeating: 9, count: 16)
    let both = note + [4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0]
    var bytes = MadeElf(notes: [.init(type: 77, name: "pad", value: both, alignment: 8)]).bytes
    let place = try #require(bytes.firstRange(of: both))
    bytes.replaceSubrange(place.lowerBound - 16..<place.upperBound, with: both + [UInt8](repeating: 0, count: 16))
    #expect(bytes.withUnsafeBytes { ElfFile(bytes: $0) }?.buildID == "1234")
  }

  /// What stands behind the first note's name and value is padded to 8 as well, so that the next is found.
  @Test(arguments: [true, false]) func betweenNotesAlignedToEightStandsMoreThanBetweenOthers(_ is64Bit: Bool) throws {
    let first: [UInt8] = [
      7, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0x47, 0x6f, 0x6c, 0x61, 0x6e, 0x67, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0,
    ]
    let both = first + [4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0]
    for alignment in [8, 4] {
      let note = MadeElf.Note(type: 77, name: "pad", value: both, alignment: alignment)
      var bytes = MadeElf(is64Bit: is64Bit, notes: [note]).bytes
      let place = try #require(bytes.firstRange(of: both))
      bytes.replaceSubrange(place.lowerBound - 16..<place.upperBound, with: both + [UInt8](repeating: 0, count: 16))
      #expect(bytes.withUnsafeBytes { ElfFile(bytes: $0) }?.buildID == (alignment == 8 ? "1234" : nil))
    }
  }

  @Test func entriesBehindTheEndOfTheirSegmentAreNoneOfIts() {
    var bytes = MadeElf(interpreter: nil, dynamic: [(.needed, "libone.so"), (.needed, "libtwo.so")]).bytes
    // The second segment's size. Each entry takes 16 bytes, and the first says where the texts are.
    let place = 64 + 56 + 32
    for (size, expected) in [
      (64, ["libone.so", "libtwo.so"]), (48, ["libone.so", "libtwo.so"]), (32, ["libone.so"]), (16, []),
    ] as [(UInt64, [String])] {
      withUnsafeBytes(of: size.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      #expect(bytes.withUnsafeBytes { ElfFile(bytes: $0) }?.needed == expected, "\(size)")
    }
  }

  @Test func anAddressIsThatOfTheSegmentThatIsLoadedThere() throws {
    let elf = MadeElf(interpreter: nil, dynamic: [(.needed, "libone.so")])
    let texts = try #require(elf.bytes.firstRange(of: Array("libone.so".utf8))).lowerBound - 1
    /// - Parameter start: where the first segment begins, in the file and from `address`.
    func needed(kind: UInt8 = 1, from start: Int) -> [String]? {
      var bytes = elf.bytes
      bytes[64] = kind
      for (place, value) in [(64 + 8, UInt64(start)), (64 + 16, elf.address + UInt64(start))] {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      }
      return bytes.withUnsafeBytes { ElfFile(bytes: $0) }?.needed
    }
    #expect(needed(from: 0) == ["libone.so"])
    #expect(needed(from: texts) == ["libone.so"])
    #expect(needed(from: texts + 1) == [])
    #expect(needed(kind: 4, from: 0) == [], "what is not loaded has no address")
  }

  @Test(arguments: [
    (true, true, false, false), (true, true, true, true), (true, false, false, true), (true, false, true, true),
    (false, false, true, false), (false, true, true, false),
  ])
  func theRuntimeIsLinkedInWhereItsLibraryIsNotNeededOrTheNetworkIsDefined(
    _ isSwift: Bool, _ needsCore: Bool, _ definesNetwork: Bool, _ expected: Bool
  ) throws {
    var elf = MadeElf()
    if isSwift { elf.sections = ["swift5_types"] }
    if needsCore { elf.dynamic = [(.needed, "libswiftCore.so")] }
    if definesNetwork { elf.symbols = [.init(name: Self.urlSession)] }
    #expect(try read(elf).hasStaticRuntime == expected)
  }

  @Test func theShortestFileThatCanBeReadIsAHeadAlone() throws {
    let place = try TemporaryFolder("elf")
    let path = "\(place.path)/head"
    try Data(MadeElf().bytes.prefix(52)).write(to: URL(fileURLWithPath: path))
    #expect(ElfFile(path: path)?.machine == 62)
  }

  @Test func whatIsNoELFFileIsNone() {
    let whole = MadeElf().bytes
    func isRead(_ bytes: some Sequence<UInt8>) -> Bool {
      Array(bytes).withUnsafeBytes { ElfFile(bytes: $0) } != nil
    }
    #expect(isRead(whole) && isRead(whole.prefix(52)) && !isRead(whole.prefix(51)) && !isRead([]))
    for place in 0..<4 {
      var bytes = whole
      bytes[place] += 1
      #expect(!isRead(bytes), "\(place)")
    }
    for place in 4...5 {
      for (value, isGood) in [(0, false), (1, true), (2, true), (3, false)] as [(UInt8, Bool)] {
        var bytes = whole
        bytes[place] = value
        #expect(isRead(bytes) == isGood, "\(place) \(value)")
      }
    }
  }

  @Test func theHookIsFoundByTheNameOfItsFunction() throws {
    let place = try TemporaryFolder("elf")
    let padding = String(repeating: "-", count: 60)
    #expect(ElfFile.linksHook(try place.file("linked", padding + "patchbay_preload_socket\0")))
    #expect(!ElfFile.linksHook(try place.file("longer", padding + "patchbay_preload_sockets\0")))
    #expect(!ElfFile.linksHook(try place.file("other", padding)))
    #expect(!ElfFile.linksHook("/nowhere"))
  }

  @Test func aFileIsReadFromItsPath() throws {
    let place = try TemporaryFolder("elf")
    let path = "\(place.path)/program"
    let elf = MadeElf(dynamic: [(.needed, "libone.so")])
    try Data(elf.bytes).write(to: URL(fileURLWithPath: path))
    #expect(ElfFile(path: path) == (try read(elf)))
    #expect(ElfFile(path: try place.file("short", String(repeating: "x", count: 51))) == nil)
  }
}
