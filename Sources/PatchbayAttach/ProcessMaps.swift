/// One line of `/proc/PID/maps` (proc(5)): a range of a process's memory.
struct Mapping: Equatable, Sendable {
  let start, end: UInt64
  let isReadable, isWritable, isExecutable, isPrivate: Bool
  /// Where in its file it begins.
  let offset: UInt64
  /// A path, a name in brackets, or empty for memory without either.
  let name: String

  var size: UInt64 { end - start }
  /// Memory of the program's own, where an allocator's blocks may lie.
  var isHeap: Bool {
    isPrivate && isReadable && isWritable && (name.isEmpty || name == "[heap]" || name.hasPrefix("[anon"))
  }

  /// The heap, and the data of images.
  var mayHoldObjects: Bool {
    isPrivate && isReadable && isWritable && !name.hasPrefix("[stack") && !name.hasPrefix("[v")
  }

  /// nil for a line of another shape.
  init?(line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count >= 5 else { return nil }
    let range = fields[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let rights = Array(fields[1])
    guard range.count == 2, rights.count >= 4, let start = UInt64(hexadecimal: range[0]),
      let end = UInt64(hexadecimal: range[1]), start < end, let offset = UInt64(hexadecimal: fields[2])
    else { return nil }
    self.start = start
    self.end = end
    self.offset = offset
    isReadable = rights[0] == UInt8(ascii: "r")
    isWritable = rights[1] == UInt8(ascii: "w")
    isExecutable = rights[2] == UInt8(ascii: "x")
    isPrivate = rights[3] == UInt8(ascii: "p")
    name =
      fields.count > 5 ? String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) : ""
  }
}

extension UInt64 {
  /// nil unless all are hexadecimal digits, as the kernel writes them, sixteen at most.
  fileprivate init?(hexadecimal digits: some Collection<UInt8>) {
    guard (1...16).contains(digits.count) else { return nil }
    self = 0
    for byte in digits {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      self = self << 4 | UInt64(digit)
    }
  }
}

/// A process's memory at one moment, in the order of addresses.
struct ProcessMaps: Equatable, Sendable {
  let mappings: [Mapping]

  /// Read by bytes: a program has some hundred lines, whose characters as text took 14 ms.
  init(bytes: [UInt8]) {
    mappings = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Mapping.init(line:))
  }

  init(text: String) { self.init(bytes: Array(text.utf8)) }

  func mapping(at address: UInt64) -> Mapping? { mappings.first { $0.start <= address && address < $0.end } }

  /// Where the image whose file has one of these names begins. A file that was replaced since is named with
  /// ` (deleted)` behind it and is meant, too: the program goes on with what it has.
  func image(named names: String...) -> (path: String, base: UInt64)? {
    for mapping in mappings where mapping.offset == 0 && mapping.name.hasPrefix("/") {
      let path = mapping.name.hasSuffix(" (deleted)") ? String(mapping.name.dropLast(10)) : mapping.name
      guard let file = path.split(separator: "/").last, names.contains(String(file)) else { continue }
      return (mapping.name, mapping.start)
    }
    return nil
  }

  /// All images: where each file is mapped from its beginning.
  var images: [(path: String, base: UInt64)] {
    mappings.filter { $0.offset == 0 && $0.name.hasPrefix("/") }.map { ($0.name, $0.start) }
  }

  func mappings(of path: String) -> [Mapping] { mappings.filter { $0.name == path } }

  /// The start of `size` free bytes below `address`, as near to it as there are any, with a free page on both sides.
  func gap(of size: UInt64, below address: UInt64, page: UInt64 = 4096) -> UInt64? {
    var end = address
    for mapping in mappings.reversed() where mapping.start < address {
      if mapping.end <= end, end - mapping.end >= size + 2 * page { return (end - page - size) & ~(page - 1) }
      end = min(end, mapping.start)
    }
    return nil
  }
}
