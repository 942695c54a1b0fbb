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
  init?(line: Substring) {
    let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count >= 5 else { return nil }
    let range = fields[0].split(separator: "-")
    let rights = Array(fields[1].utf8)
    guard range.count == 2, rights.count >= 4, let start = UInt64(range[0], radix: 16),
      let end = UInt64(range[1], radix: 16), start < end, let offset = UInt64(fields[2], radix: 16)
    else { return nil }
    self.start = start
    self.end = end
    self.offset = offset
    isReadable = rights[0] == UInt8(ascii: "r")
    isWritable = rights[1] == UInt8(ascii: "w")
    isExecutable = rights[2] == UInt8(ascii: "x")
    isPrivate = rights[3] == UInt8(ascii: "p")
    name = fields.count > 5 ? String(fields[5].drop { $0 == " " }) : ""
  }
}

/// A process's memory at one moment, in the order of addresses.
struct ProcessMaps: Equatable, Sendable {
  let mappings: [Mapping]

  init(text: String) { mappings = text.split(separator: "\n").compactMap(Mapping.init(line:)) }

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
