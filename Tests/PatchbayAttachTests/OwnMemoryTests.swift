#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// Reading and writing a process's memory, tried on the tests' own.
  @Suite(.bounded) struct OwnMemoryTests {
    private let memory = TargetMemory(process: getpid())

    /// A block of words that stays where it is.
    private final class Block {
      let words: UnsafeMutableBufferPointer<UInt64>
      var address: UInt64 { UInt64(UInt(bitPattern: words.baseAddress)) }
      var bytes: [UInt8] { words.flatMap(\.littleEndianBytes) }

      init(_ count: Int) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0)
      }

      deinit { words.deallocate() }
    }

    @Test func wordsHalvesAndTextsAreReadAndWritten() throws {
      let block = Block(8)
      try memory.write([0x61, 0x62, 0, 0x63], at: block.address)
      try memory.write(UInt64(0x0102_0304_0506_0708), at: block.address + 8)
      try memory.write(UInt32(0xaabb_ccdd), at: block.address + 16)
      #expect(Array(block.words.prefix(4)) == [0x6300_6261, 0x0102_0304_0506_0708, 0xaabb_ccdd, 0])
      #expect(memory.text(at: block.address, atMost: 64) == "ab" && memory.text(at: block.address, atMost: 1) == "a")
      #expect(memory.half(at: block.address + 8) == 0x0506_0708 && memory.half(at: block.address + 12) == 0x0102_0304)
      #expect(memory.word(at: block.address + 8) == 0x0102_0304_0506_0708)
      #expect(memory.bytes(at: block.address, count: 3) == [0x61, 0x62, 0])
      #expect(memory.bytes(at: block.address, count: 0) == [] && memory.bytes(at: 16, count: 4) == [])
      #expect(memory.half(at: 16) == nil && memory.word(at: 16) == nil && memory.text(at: 16, atMost: 9) == "")
      #expect(
        throws: AttachError(
          "Cannot write into the memory of process \(getpid()): Bad address. The program is as it was.")
      ) { try memory.write(UInt64(1), at: 16) }
    }

    @Test func whatEndsAtAPageIsReadSoFar() throws {
      let page = Int(Processor.page)
      let room = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      defer { munmap(room, 2 * page) }
      memset(room, 0x61, page)
      #expect(mprotect(room + page, page, PROT_NONE) == 0)
      let end = UInt64(UInt(bitPattern: room)) + Processor.page
      #expect(memory.bytes(at: end - 3, count: 10) == [0x61, 0x61, 0x61])
      #expect(memory.text(at: end - 2, atMost: 10) == "aa")
      #expect(memory.half(at: end - 3) == nil && memory.half(at: end - 4) == 0x6161_6161)
      #expect(memory.words(at: end - 16, count: 3) == nil && memory.words(at: end - 16, count: 2)?.count == 2)
    }

    /// Of pieces of any length, more than go into one call.
    @Test(arguments: [1, 3]) func piecesComeInTheirOrder(_ count: Int) {
      let block = Block(4_000)
      for index in 0..<4_000 { block.words[index] = UInt64(index) }
      let places = (0..<1_300).map { ($0 * 7) % 3_900 }
      let addresses = places.enumerated().map { $0 % 100 == 50 ? 16 : block.address + UInt64($1) * 8 }
      let expected = places.enumerated().flatMap { number, place in
        (0..<count).map { number % 100 == 50 ? 0 : UInt64(place + $0) }
      }
      #expect(memory.pieces(at: addresses, words: count) == expected)
      #expect(memory.pieces(at: [], words: count) == [])
    }

    @Test func codeIsWrittenWhereNobodyMayWrite() throws {
      let page = Int(Processor.page)
      let room = try #require(mmap(nil, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      defer { munmap(room, page) }
      let address = UInt64(UInt(bitPattern: room))
      #expect(throws: AttachError.self) { try memory.write([1], at: address) }
      do {
        try memory.writeCode([1, 2, 3], at: address + 8)
        #expect(memory.bytes(at: address + 7, count: 5) == [0, 1, 2, 3, 0])
      } catch {
        // Some kernels let nobody do that but a tracer.
        #expect(error.description.contains("write code into the memory"))
      }
      #expect(throws: AttachError.self) { try memory.writeCode([1], at: 16) }
      #expect(throws: AttachError.self) { try TargetMemory(process: 1 << 29).writeCode([1], at: address) }
      // Nothing stays open of it.
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(!open.contains("/proc/\(getpid())/mem") && open.count > 2)
    }

    @Test func theRequestIsReadAndWrittenInTheProgramsMemory() throws {
      let block = Block(Int(AttachRequest.size) / 8)
      let request = AttachRequest(memory: memory, address: block.address)
      #expect(request.phase == .begun && request.isListDone && request.hooked == 0 && request.slots == 0)
      for (value, phase) in [(0, .begun), (1, .ready), (2, .failed), (3, .begun)] as [(UInt32, AttachRequest.Phase)] {
        try memory.write(value, at: block.address + 4)
        #expect(request.phase == phase)
      }
      for (order, value) in [(.wait, 0), (.hook, 1), (.leave, 2), (.done, 3)] as [(AttachRequest.Order, UInt32)] {
        request.order(order)
        #expect(memory.half(at: block.address + 8) == value && request.isListDone == (order == .wait))
      }
      try memory.write(UInt32(7), at: block.address + 16)
      try memory.write(UInt32(9), at: block.address + 20)
      #expect(request.hooked == 7 && request.slots == 9)
      try request.list([0x10, 0x20, 0x30])
      #expect(memory.half(at: block.address + 12) == 3)
      #expect(memory.words(at: block.address + 6184, count: 4) == [0x10, 0x20, 0x30, 0])
      try request.list([])
      #expect(memory.half(at: block.address + 12) == 0)
      // What it says of the mapping's size is what is unmapped at the end.
      try memory.write(UInt64(0x7000), at: block.address + 24)
      try memory.write(UInt64(0x2000), at: block.address + 32)
      request.keepMapped()
      #expect(memory.words(at: block.address + 24, count: 2) == [0x7000, 0])
      let nowhere = AttachRequest(memory: memory, address: 16)
      #expect(nowhere.phase == .begun && !nowhere.isListDone && nowhere.hooked == 0 && nowhere.slots == 0)
    }

    @Test(
      arguments: [
        (
          "different-runtime\tlibswiftCore.so",
          "it runs on another build of Swift (libswiftCore.so); build Patchbay with the toolchain that built the program"
        ),
        ("not-loaded\tno\tsuch file", "it could not be loaded (no\tsuch file)"),
        ("not-loaded", "it could not be loaded ()"),
        (
          "another-version\tx",
          "another version of Patchbay is in the program; start the program again"
        ),
        ("", "there is none"), ("no-hook\twhy", "no-hook (why)"),
      ])
    func theReasonIsAClause(_ message: String, _ expected: String) throws {
      let block = Block(Int(AttachRequest.size) / 8)
      try memory.write(Array(message.utf8), at: block.address + 5160)
      #expect(AttachRequest(memory: memory, address: block.address).reason == expected)
    }

    @Test func aReasonIsAsLongAsItsPlaceAtMost() throws {
      let block = Block(Int(AttachRequest.size) / 8)
      try memory.write(Array("not-loaded\t".utf8) + [UInt8](repeating: 0x78, count: 2_000), at: block.address + 5160)
      let reason = AttachRequest(memory: memory, address: block.address).reason
      #expect(reason == "it could not be loaded (\(String(repeating: "x", count: 1_013)))")
      withExtendedLifetime(block) {}
    }

    /// Where it would return to, and what led it there: at most 1 KB, and nothing beyond its stack.
    @Test func ofAStackItsTopIsRead() {
      let block = Block(400)
      for index in 0..<400 { block.words[index] = UInt64(index) }
      let tracer = Tracer(TargetProcess(getpid()))
      let registers = waiting(in: 0, stack: block.address + 80)
      func top(_ count: UInt64) -> [UInt64] {
        let (start, end) = (String(block.address, radix: 16), String(block.address + count, radix: 16))
        return tracer.stack(of: registers, ProcessMaps(text: "\(start)-\(end) rw-p 0 0:0 0"))
      }
      for (count, last) in [(3_200, 137), (1_104, 137), (1_096, 136), (143, 16), (88, 10)] as [(UInt64, UInt64)] {
        #expect(top(count) == Array(10...last), "\(count)")
      }
      #expect(top(84) == [] && tracer.stack(of: registers, ProcessMaps(text: "")) == [])
      // On arm64 the place where it returns to may be in a register only.
      var other = Registers(words: (0..<34).map { 0x1000 + $0 })
      other[.sp] = block.address + 16
      other[.x30] = 0x77
      #expect(tracer.stack(of: other, ProcessMaps(text: "")) == [0x77])
      withExtendedLifetime(block) {}
    }

    /// Each function of the C library that has one address only, against what the linker says.
    @Test func symbolsAreFoundByTheirHashes() throws {
      let own = TargetProcess(getpid())
      let libc = try #require(own.maps().image(named: "libc.so.6"))
      let image = try #require(TargetImage(base: libc.base, in: memory))
      let names = [
        "getpid", "open", "close", "malloc", "free", "mmap", "munmap", "dlopen", "dlsym", "pthread_create", "environ",
        "execve", "fork", "qsort", "printf", "puts", "strtol", "syscall", "write", "read", "kill", "raise", "sigaction",
        "poll", "socket", "listen", "accept4", "getenv", "setenv", "abort", "exit", "localeconv", "opendir", "closedir",
      ]
      let handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)
      for name in names {
        let expected = dlsym(handle, name).map { UInt64(UInt(bitPattern: $0)) }
        #expect(image.address(of: name) == expected, "\(name)")
        #expect(image.address(of: name + "_") == nil && image.address(of: "_" + name + "_x") == nil)
      }
      // What it only asks for of others, it does not define.
      #expect(image.address(of: "_dl_argv") == nil)
    }
  }
#endif
