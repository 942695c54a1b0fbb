import Foundation

/// The keys of many exchanges, in as little memory as will do: 16 bytes for each number, a path's own bytes besides.
struct SortKeys: Sendable {
  struct Entry: Sendable {
    var id: Int64
    /// A number, or where a path begins (all bits but the lowest 12) and how many bytes it has.
    var key: Int64
  }

  /// No more of a path is looked at.
  static let longest = 1_024

  private(set) var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// The bytes of what was appended, until they are joined: growing one array would take twice as much.
  private var parts: [[UInt8]] = []
  private var partBytes = 0

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  mutating func add(_ id: Int64, _ number: Int64) { entries.append(Entry(id: id, key: number)) }

  /// Adds what stands after the authority of a URL.
  mutating func add(_ id: Int64, path url: UnsafeBufferPointer<UInt8>) {
    let path = Self.path(of: url).prefix(Self.longest)
    add(id, Int64(bytes.count) << 12 | Int64(path.count))
    bytes.append(contentsOf: path)
  }

  /// Adds the keys of a part, which has none appended itself.
  mutating func append(_ part: SortKeys) {
    guard !part.bytes.isEmpty else {
      entries += part.entries
      return
    }
    let offset = Int64(partBytes) << 12
    for entry in part.entries { add(entry.id, entry.key + offset) }
    parts.append(Array(part.bytes))
    partBytes += part.bytes.count
  }

  /// Puts other numbers in the place of the keys.
  mutating func replace(_ numbers: [Int64: Int64]) {
    for index in entries.indices { entries[index].key = numbers[entries[index].key] ?? 0 }
  }

  /// The ids in the order of their keys.
  mutating func sortedIDs(descending: Bool) -> [Int64] {
    join()
    if bytes.isEmpty {
      if descending {
        entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key > $1.key }
      } else {
        entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key < $1.key }
      }
    } else {
      bytes.withUnsafeBytes { bytes in
        entries.sort { left, right in
          let order = Self.compare(left.key, right.key, bytes)
          return order == 0 ? left.id < right.id : (order < 0) != descending
        }
      }
    }
    return entries.map(\.id)
  }

  private mutating func join() {
    guard !parts.isEmpty else { return }
    bytes.reserveCapacity(partBytes)
    for index in parts.indices {
      bytes += parts[index]
      parts[index] = []
    }
    parts = []
  }

  private static func compare(_ left: Int64, _ right: Int64, _ bytes: UnsafeRawBufferPointer) -> Int {
    let (one, other) = (Int(left & 0xFFF), Int(right & 0xFFF))
    guard let base = bytes.baseAddress else { return 0 }
    let order = Int(memcmp(base + Int(left >> 12), base + Int(right >> 12), min(one, other)))
    return order == 0 ? one - other : order
  }

  private static func path(of url: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    var start = url.startIndex
    if let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8) { start = colon + 3 }
    return url[start...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }
}
