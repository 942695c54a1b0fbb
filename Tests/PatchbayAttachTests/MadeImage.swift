#if os(Linux)
  import Foundation
  import Testing

  @testable import PatchbayAttach

  /// A library in memory of this process's own, as the dynamic linker leaves one there (System V ABI, chapters 4 and 5).
  final class MadeImage {
    struct Symbol {
      var name: String
      /// From the image's beginning on.
      var offset: UInt64 = 0x100
      /// 0 where it is asked for and not defined.
      var section: UInt64 = 1
      /// By whose name's hash it is found; nil: by its own.
      var hashedAs: String?
    }

    /// Where it was linked to lie.
    static let first: UInt64 = 0x1_0000
    static let dynamic = 0x1000, symbols = 0x2000, names = 0x3000, notes = 0x4000, hashes = 0x1_8000
    static let usual: [(tag: UInt64, value: UInt64)] = [
      (1, 1), (5, first + UInt64(names)), (6, first + UInt64(symbols)), (0x6fff_fef5, first + UInt64(hashes)), (0, 0),
    ]
    private static let size = 9 << 20

    let base: UInt64
    let memory = TargetMemory(process: getpid())
    private let room: UnsafeMutablePointer<UInt8>

    init(_ symbols: [Symbol] = [Symbol(name: "open")], notes: [[UInt8]] = []) throws {
      let start = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      try #require(start != MAP_FAILED)
      room = start!.bindMemory(to: UInt8.self, capacity: Self.size)
      base = UInt64(UInt(bitPattern: start!))
      put([0x7f, 0x45, 0x4c, 0x46, 2, 1], at: 0)
      put(64, 8, at: 32)
      put(56, 2, at: 54)
      put(UInt64(2 + notes.count), 2, at: 56)
      // The kernel maps whole pages.
      header(0, type: 1, address: Self.first + 0x123, length: 0x1000)
      setDynamic(Self.usual)
      for (index, note) in notes.enumerated() {
        let offset = Self.notes + 0x1000 * index
        put(note, at: offset)
        header(2 + index, type: 4, address: Self.first + UInt64(offset), length: UInt64(note.count))
      }
      var name = 1
      for (index, symbol) in symbols.enumerated() {
        let place = Self.symbols + 24 * (index + 1)
        put(UInt64(name) | symbol.section << 48, 8, at: place)
        put(Self.first + symbol.offset, 8, at: place + 8)
        put(Array(symbol.name.utf8) + [0], at: Self.names + name)
        name += symbol.name.utf8.count + 1
      }
      setHashes(symbols)
    }

    deinit { munmap(room, Self.size) }

    func put(_ bytes: [UInt8], at offset: Int) {
      for (index, byte) in bytes.enumerated() { room[offset + index] = byte }
    }

    func put(_ value: UInt64, _ count: Int, at offset: Int) {
      put(Array(value.littleEndianBytes.prefix(count)), at: offset)
    }

    func header(_ index: Int, type: UInt64, address: UInt64, length: UInt64, table: Int = 64) {
      put(type, 4, at: table + 56 * index)
      put(address, 8, at: table + 56 * index + 16)
      put(length, 8, at: table + 56 * index + 40)
    }

    func setDynamic(_ entries: [(tag: UInt64, value: UInt64)]) {
      for (index, entry) in entries.enumerated() {
        put(entry.tag, 8, at: Self.dynamic + 16 * index)
        put(entry.value, 8, at: Self.dynamic + 16 * index + 8)
      }
      header(1, type: 2, address: Self.first + UInt64(Self.dynamic), length: UInt64(16 * entries.count))
    }

    /// One chain, which begins with the first symbol behind the empty one.
    func setHashes(_ symbols: [Symbol], buckets: UInt64 = 1, filters: Int = 1, start: UInt64 = 1) {
      put(buckets, 4, at: Self.hashes)
      put(1, 4, at: Self.hashes + 4)
      put(UInt64(filters), 4, at: Self.hashes + 8)
      let bucket = Self.hashes + 16 + 8 * filters
      put(start, 4, at: bucket)
      for (index, symbol) in symbols.enumerated() {
        let hash = (symbol.hashedAs ?? symbol.name).utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
        let isLast: UInt64 = index == symbols.count - 1 ? 1 : 0
        put(UInt64(hash & ~1) | isLast, 4, at: bucket + 4 + 4 * index)
      }
    }

    private var image: TargetImage? { TargetImage(base: base, in: memory) }
    var isImage: Bool { image != nil }
    var buildID: String? { image?.buildID }
    var state: AttachedState? { image.flatMap { AttachedState($0, in: memory) } }
    var layout: SessionSearch.Layout? { image.flatMap { SessionSearch.Layout($0, in: memory) } }

    /// From the image's beginning on.
    func offset(of name: String) -> UInt64? { image?.address(of: name).map { $0 &- base } }

    /// A part of it as `/proc/PID/maps` has it.
    func line(_ path: String, rights: String = "r-xp", from start: UInt64 = 0, size: UInt64 = 0x1000) -> String {
      let (low, high) = (String(base + start, radix: 16), String(base + start + size, radix: 16))
      return "\(low)-\(high) \(rights) \(String(start, radix: 16)) 0:0 1 \(path)\n"
    }
  }
#endif
