/// A library as it lies in another process's memory (System V ABI, chapters 4 and 5). Read from there and not from its
/// file, which may have been replaced, or lie where only that process sees it.
struct TargetImage {
  let base: UInt64
  /// What its addresses are less than where they lie.
  private let slide: UInt64
  private let memory: TargetMemory
  private let symbols, names, hashes: UInt64
  /// The GNU build id in hexadecimal digits; nil in one that was linked without.
  let buildID: String?

  /// nil where there is no 64-bit ELF image, or one without symbols.
  init?(base: UInt64, in memory: TargetMemory) {
    let head = memory.bytes(at: base, count: 64)
    guard head.count == 64, head.prefix(6).elementsEqual([0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { return nil }
    let tableOffset = head[32...].littleEndianWord
    let size = Int(head[54...].littleEndianWord & 0xffff)
    let count = Int(head[56...].littleEndianWord & 0xffff)
    guard size == 56, (1...64).contains(count), tableOffset < 1 << 20 else { return nil }
    let table = memory.bytes(at: base &+ tableOffset, count: size * count)
    guard table.count == size * count else { return nil }
    var first: UInt64?
    var dynamic: (address: UInt64, size: UInt64)?
    var notes: [(address: UInt64, size: UInt64)] = []
    for index in 0..<count {
      let header = table[(index * size)...]
      let type = header.littleEndianWord & 0xffff_ffff
      let address = header.dropFirst(16).littleEndianWord
      let length = header.dropFirst(40).littleEndianWord
      switch type {
      case 1: if first == nil { first = address & ~4095 }
      case 2: dynamic = (address, length)
      case 4: notes.append((address, length))
      default: break
      }
    }
    guard let first, let dynamic, dynamic.size < 1 << 16 else { return nil }
    let slide = base &- first
    var found: [UInt64: UInt64] = [:]
    let entries = memory.words(at: slide &+ dynamic.address, count: Int(dynamic.size) / 16 * 2) ?? []
    for index in stride(from: 0, to: entries.count, by: 2) where found[entries[index]] == nil {
      if entries[index] == 0 { break }
      found[entries[index]] = entries[index + 1]
    }
    // DT_SYMTAB, DT_STRTAB, DT_GNU_HASH: the dynamic linker has made them addresses; musl leaves them as they are.
    func address(_ tag: UInt64) -> UInt64? { found[tag].map { $0 < base ? $0 &+ slide : $0 } }
    guard let symbols = address(6), let names = address(5), let hashes = address(0x6fff_fef5) else { return nil }
    self.base = base
    self.slide = slide
    self.memory = memory
    self.symbols = symbols
    self.names = names
    self.hashes = hashes
    // Each is read once: what a lazy collection begins with is computed twice, and the process may have ended meanwhile.
    buildID = notes.reduce(nil as String?) { found, note in
      found ?? Self.buildID(in: memory.bytes(at: slide &+ note.address, count: Int(min(note.size, 4096))))
    }
  }

  /// Where what the image defines under this name lies, by its table of hashes; nil where it defines no such thing.
  func address(of name: String) -> UInt64? {
    let hash = name.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
    guard let first = memory.word(at: hashes), let second = memory.word(at: hashes + 8) else { return nil }
    let buckets = first & 0xffff_ffff
    let offset = first >> 32
    let filters = second & 0xffff_ffff
    guard buckets > 0, filters < 1 << 20 else { return nil }
    let chains = hashes + 16 + filters * 8 + buckets * 4
    guard let start = memory.half(at: hashes + 16 + filters * 8 + UInt64(hash) % buckets * 4), start >= offset else {
      return nil
    }
    for index in UInt64(start)..<UInt64(start) + 65_536 {
      guard let other = memory.half(at: chains + (index - offset) * 4) else { return nil }
      if other | 1 == hash | 1, let symbol = memory.words(at: symbols + index * 24, count: 3) {
        let section = symbol[0] >> 48
        if section != 0, memory.text(at: names + (symbol[0] & 0xffff_ffff), atMost: name.utf8.count + 1) == name {
          return slide &+ symbol[1]
        }
      }
      if other & 1 == 1 { return nil }
    }
    return nil
  }

  private static func buildID(in note: [UInt8]) -> String? {
    var rest = note[...]
    while rest.count >= 12 {
      let nameSize = Int(rest.littleEndianWord & 0xffff_ffff)
      let size = Int(rest.littleEndianWord >> 32)
      let type = rest.dropFirst(8).littleEndianWord & 0xffff_ffff
      let padded = (nameSize + 3) & ~3
      guard nameSize < 4096, size < 4096, rest.count >= 12 + padded + size else { return nil }
      let value = rest.dropFirst(12 + padded).prefix(size)
      if type == 3, rest.dropFirst(12).prefix(4).elementsEqual([0x47, 0x4e, 0x55, 0]) {
        return value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      rest = rest.dropFirst(12 + padded + ((size + 3) & ~3))
    }
    return nil
  }
}
