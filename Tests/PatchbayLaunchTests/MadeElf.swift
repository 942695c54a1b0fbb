import Foundation

/// An ELF file made by hand (System V ABI, chapters 4 and 5), of either class and byte order.
struct MadeElf {
  enum Tag: UInt64 {
    case needed = 1
    case soname = 14
    case rpath = 15
    case runpath = 29
  }

  struct Note {
    var type: UInt32 = 3
    var name = "GNU"
    var value: [UInt8]
    var alignment = 4
    /// What it says of its length; nil says the truth.
    var length: Int?
  }

  struct Symbol {
    var name: String
    var isDefined = true
  }

  var is64Bit = true
  var isBigEndian = false
  var machine: UInt16 = 62
  var interpreter: String? = "/lib64/ld.so"
  var dynamic: [(Tag, String)] = []
  var notes: [Note] = []
  /// Sections that have nothing but a name.
  var sections: [String] = []
  var symbols: [Symbol] = []
  /// 11 is SHT_DYNSYM.
  var symbolType: UInt32 = 11
  var symbolSize: Int?
  /// Which section has the symbols' names; nil is the right one.
  var symbolLink: Int?
  var isLoadable = true
  /// Where the file lies in memory.
  var address: UInt64 = 0x40_0000
  /// How much of it does; nil is all.
  var loadedSize: Int?

  private static let names = "\0.names\0.symbols\0.symbolnames\0"

  var bytes: [UInt8] {
    let (head, segment, section) = is64Bit ? (64, 56, 64) : (52, 32, 40)
    var kinds: [(type: UInt32, bytes: [UInt8], alignment: Int)] = []
    if let interpreter { kinds.append((3, Array(interpreter.utf8) + [0], 1)) }
    for note in notes { kinds.append((4, encoded(note), note.alignment)) }
    var texts: [UInt8] = [0]
    var entries: [UInt8] = []
    for (tag, text) in dynamic {
      entries += word(tag.rawValue) + word(UInt64(texts.count))
      texts += Array(text.utf8) + [0]
    }
    let segmentCount = (isLoadable ? 1 : 0) + kinds.count + (dynamic.isEmpty ? 0 : 1)
    var body: [UInt8] = []
    let start = head + segmentCount * segment
    func place(_ bytes: [UInt8]) -> Int {
      body += [UInt8](repeating: 0, count: (8 - (start + body.count) % 8) % 8)
      defer { body += bytes }
      return start + body.count
    }
    var headers: [(type: UInt32, offset: Int, size: Int, alignment: Int)] = []
    for kind in kinds { headers.append((kind.type, place(kind.bytes), kind.bytes.count, kind.alignment)) }
    if !dynamic.isEmpty {
      let table = place(texts)
      let all = word(5) + word(address + UInt64(table)) + entries + word(0) + word(0)
      headers.append((2, place(all), all.count, 8))
    }
    // The first section is none, as the format has it.
    var named = Self.names
    var list: [(name: Int, type: UInt32, offset: Int, size: Int, link: Int, entry: Int)] = [(0, 0, 0, 0, 0, 0)]
    for name in sections {
      list.append((named.utf8.count, 1, 0, 0, 0, 0))
      named += name + "\0"
    }
    var symbolNames: [UInt8] = [0]
    var table: [UInt8] = []
    let size = is64Bit ? 24 : 16
    for symbol in symbols {
      let name = int(UInt32(symbolNames.count))
      let section = half(symbol.isDefined ? 1 : 0)
      table += is64Bit ? name + [0, 0] + section + word(0) + word(0) : name + int(0) + int(0) + [0, 0] + section
      symbolNames += Array(symbol.name.utf8) + [0]
    }
    list.append((1, 3, place(Array(named.utf8)), named.utf8.count, 0, 0))
    let nameSection = list.count - 1
    if !symbols.isEmpty {
      list.append((17, 3, place(symbolNames), symbolNames.count, 0, 0))
      list.append((8, symbolType, place(table), table.count, symbolLink ?? list.count - 1, symbolSize ?? size))
    }
    let sectionBytes = list.flatMap { item -> [UInt8] in
      let front = int(UInt32(item.name)) + int(item.type) + word(0) + word(0)
      let middle = word(UInt64(item.offset)) + word(UInt64(item.size)) + int(UInt32(item.link)) + int(0)
      return front + middle + word(1) + word(UInt64(item.entry))
    }
    let sectionTable = place(sectionBytes)
    if isLoadable { headers.insert((1, 0, loadedSize ?? start + body.count, 4096), at: 0) }
    let segmentBytes = headers.flatMap { item -> [UInt8] in
      let at = word(UInt64(item.offset)) + word(address + UInt64(item.offset)) + word(0)
      let size = word(UInt64(item.size)) + word(UInt64(item.size))
      return is64Bit
        ? int(item.type) + int(5) + at + size + word(UInt64(item.alignment))
        : int(item.type) + at + size + int(5) + word(UInt64(item.alignment))
    }
    let counts = [head, segment, segmentCount, section, list.count, nameSection].flatMap { half(UInt16($0)) }
    let identity: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, isBigEndian ? 2 : 1, 1]
    return identity + [UInt8](repeating: 0, count: 9) + half(3) + half(machine) + int(1) + word(0)
      + word(UInt64(head)) + word(UInt64(sectionTable)) + int(0) + counts + segmentBytes + body
  }

  private func encoded(_ note: Note) -> [UInt8] {
    func padded(_ bytes: [UInt8]) -> [UInt8] {
      bytes + [UInt8](repeating: 0, count: (note.alignment - bytes.count % note.alignment) % note.alignment)
    }
    let name = Array(note.name.utf8) + [0]
    let head = int(UInt32(name.count)) + int(UInt32(note.length ?? note.value.count)) + int(note.type)
    return padded(head + name) + padded(note.value)
  }

  private func half(_ value: UInt16) -> [UInt8] { number(UInt64(value), 2) }
  private func int(_ value: UInt32) -> [UInt8] { number(UInt64(value), 4) }
  private func word(_ value: UInt64) -> [UInt8] { number(value, is64Bit ? 8 : 4) }

  private func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
