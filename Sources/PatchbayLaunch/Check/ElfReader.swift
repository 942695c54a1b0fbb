import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the tables of an ELF file of either class and byte order. All offsets are in bytes from the file's start;
/// whatever lies outside the file reads as nil.
struct ElfReader {
  enum SegmentKind: UInt32 {
    case load = 1
    case dynamic = 2
    case interpreter = 3
    case note = 4
  }

  struct Segment {
    let kind: SegmentKind
    let offset, address, size, alignment: UInt64
  }

  enum DynamicTag: UInt64 {
    case needed = 1
    case stringTable = 5
    case soname = 14
    case rpath = 15
    case runpath = 29
  }

  struct Section {
    let name: String
    let type: UInt32
    let offset, size, entrySize: UInt64
    let link: Int
  }

  let bytes: UnsafeRawBufferPointer
  let is64Bit: Bool
  private let isBigEndian: Bool
  let machine: UInt16

  init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 52, bytes.prefix(4).elementsEqual([0x7f, 0x45, 0x4c, 0x46]), (1...2).contains(bytes[4]),
      (1...2).contains(bytes[5])
    else { return nil }
    self.bytes = bytes
    is64Bit = bytes[4] == 2
    isBigEndian = bytes[5] == 2
    machine = Self.load(UInt16.self, bytes, 18, isBigEndian) ?? 0
  }

  func segments() -> [Segment] {
    guard let table = word(is64Bit ? 32 : 28), let size = half(is64Bit ? 54 : 42), let count = half(is64Bit ? 56 : 44)
    else { return [] }
    return (0..<UInt64(count)).compactMap { index in
      let at = table &+ index &* UInt64(size)
      guard let type = int(at), let kind = SegmentKind(rawValue: type),
        let offset = word(at &+ (is64Bit ? 8 : 4)), let address = word(at &+ (is64Bit ? 16 : 8)),
        let size = word(at &+ (is64Bit ? 32 : 16)), let alignment = word(at &+ (is64Bit ? 48 : 28))
      else { return nil }
      return Segment(kind: kind, offset: offset, address: address, size: size, alignment: alignment)
    }
  }

  func sections() -> [Section] {
    guard let table = word(is64Bit ? 40 : 32), table != 0, let size = half(is64Bit ? 58 : 46),
      let count = half(is64Bit ? 60 : 48), let names = half(is64Bit ? 62 : 50)
    else { return [] }
    func at(_ index: Int) -> UInt64 { table &+ UInt64(index) &* UInt64(size) }
    guard let nameTable = word(at(Int(names)) &+ (is64Bit ? 24 : 16)) else { return [] }
    return (0..<Int(count)).compactMap { index in
      let at = at(index)
      guard let nameOffset = int(at), let type = int(at &+ 4), let offset = word(at &+ (is64Bit ? 24 : 16)),
        let size = word(at &+ (is64Bit ? 32 : 20)), let link = int(at &+ (is64Bit ? 40 : 24)),
        let entrySize = word(at &+ (is64Bit ? 56 : 36))
      else { return nil }
      return Section(
        name: text(at: nameTable &+ UInt64(nameOffset)) ?? "", type: type, offset: offset, size: size,
        entrySize: entrySize, link: Int(link))
    }
  }

  func dynamicEntries(in segment: Segment) -> [(tag: DynamicTag, value: UInt64)] {
    let width: UInt64 = is64Bit ? 8 : 4
    var entries: [(DynamicTag, UInt64)] = []
    var at = segment.offset
    let end = min(segment.offset &+ segment.size, UInt64(bytes.count))
    while at < end, let tag = word(at), tag != 0, let value = word(at &+ width) {
      if let tag = DynamicTag(rawValue: tag) { entries.append((tag, value)) }
      at &+= 2 * width
    }
    return entries
  }

  func offset(ofAddress address: UInt64, in segments: [Segment]) -> UInt64? {
    segments.first { $0.kind == .load && address >= $0.address && address - $0.address < $0.size }
      .map { $0.offset &+ (address - $0.address) }
  }

  /// The NT_GNU_BUILD_ID note in `segment`, in hexadecimal digits.
  func buildID(in segment: Segment) -> String? {
    let alignment: UInt64 = segment.alignment == 8 ? 8 : 4
    func padded(_ size: UInt64) -> UInt64 { (size + alignment - 1) / alignment * alignment }
    var at = segment.offset
    let end = min(segment.offset &+ segment.size, UInt64(bytes.count))
    while at < end, let nameSize = int(at), let valueSize = int(at &+ 4), let type = int(at &+ 8) {
      // What is padded is head and name together, not the name alone.
      let value = at + padded(12 + UInt64(nameSize))
      if type == 3, text(at: at + 12) == "GNU", value < end, UInt64(valueSize) <= end - value {
        return bytes[Int(value)..<Int(value) + Int(valueSize)].map(Self.hexadecimal).joined()
      }
      at = value + padded(UInt64(valueSize))
    }
    return nil
  }

  /// The text up to the next NUL.
  func text(at offset: UInt64) -> String? {
    offset < UInt64(bytes.count) ? bytes.cString(at: Int(offset)) : nil
  }

  func half(_ offset: UInt64) -> UInt16? { Self.load(UInt16.self, bytes, offset, isBigEndian) }
  func int(_ offset: UInt64) -> UInt32? { Self.load(UInt32.self, bytes, offset, isBigEndian) }
  func word(_ offset: UInt64) -> UInt64? {
    is64Bit ? Self.load(UInt64.self, bytes, offset, isBigEndian) : int(offset).map(UInt64.init)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func load<Value: FixedWidthInteger>(
    _ type: Value.Type, _ bytes: UnsafeRawBufferPointer, _ offset: UInt64, _ isBigEndian: Bool
  ) -> Value? {
    let size = MemoryLayout<Value>.size
    guard offset <= UInt64(bytes.count), UInt64(bytes.count) - offset >= UInt64(size) else { return nil }
    let value = bytes.loadUnaligned(fromByteOffset: Int(offset), as: Value.self)
    return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
  }
}

extension ElfReader {
  /// Whether a symbol table of the file defines the symbol (SHT_SYMTAB or SHT_DYNSYM; a stripped file may have neither).
  func defines(_ symbol: String, in sections: [Section]) -> Bool {
    sections.contains { table in
      guard table.type == 2 || table.type == 11, sections.indices.contains(table.link),
        let name = offset(of: symbol, in: sections[table.link])
      else { return false }
      return defines(nameOffset: name, in: table)
    }
  }

  /// Whether the dynamic symbol table (SHT_DYNSYM) has a symbol of that name.
  func names(_ symbol: String, in sections: [Section]) -> Bool {
    sections.contains { table in
      table.type == 11 && sections.indices.contains(table.link) && offset(of: symbol, in: sections[table.link]) != nil
    }
  }

  /// Where the whole text stands in a string table, from the table's start.
  private func offset(of text: String, in strings: Section) -> UInt32? {
    guard let range = range(of: strings), !range.isEmpty else { return nil }
    let wanted = Array(text.utf8) + [0]
    return wanted.withUnsafeBytes { wanted in
      var at = range.lowerBound
      while let found = find(wanted, from: at, to: range.upperBound) {
        if found == range.lowerBound || bytes[found - 1] == 0 { return UInt32(exactly: found - range.lowerBound) }
        at = found + 1
      }
      return nil
    }
  }

  private func defines(nameOffset: UInt32, in table: Section) -> Bool {
    let size = is64Bit ? 24 : 16
    guard let range = range(of: table), Int(exactly: table.entrySize) == size else { return false }
    // Such a table has a hundred thousand entries: they are compared as they stand.
    let stored = isBigEndian ? nameOffset.bigEndian : nameOffset.littleEndian
    var at = range.lowerBound
    while at + size <= range.upperBound {
      if bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self) == stored,
        half(UInt64(at) + (is64Bit ? 6 : 14)) != 0
      {
        return true
      }
      at += size
    }
    return false
  }

  private func range(of section: Section) -> Range<Int>? {
    guard section.offset <= UInt64(bytes.count), section.size <= UInt64(bytes.count) - section.offset else {
      return nil
    }
    return Int(section.offset)..<Int(section.offset + section.size)
  }

  private func find(_ wanted: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    guard start < end, let base = bytes.baseAddress,
      let found = launch_find(base + start, end - start, wanted.baseAddress!, wanted.count)
    else { return nil }
    return found - base
  }
}

extension UnsafeRawBufferPointer {
  /// The text that begins there and ends before a zero byte; nil where there is none.
  func cString(at offset: Int) -> String? {
    guard let base = baseAddress, indices.contains(offset), let end = memchr(base + offset, 0, count - offset) else {
      return nil
    }
    return String(decoding: self[offset..<(UnsafeRawPointer(end) - base)], as: UTF8.self)
  }
}
