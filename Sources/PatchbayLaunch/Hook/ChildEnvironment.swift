#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command's environment: ours, entry by entry as it is, but for what is set here.
public struct ChildEnvironment: Sendable {
  private(set) var entries: [ByteString]

  public init(entries: [ByteString]) {
    self.entries = entries
  }

  /// This process's own.
  public static func current() -> ChildEnvironment {
    var entries: [ByteString] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(ByteString(entry))
      next += 1
    }
    return ChildEnvironment(entries: entries)
  }

  /// The first entry of that name, as `getenv` has it. Setting nil removes all of them.
  public subscript(name: String) -> String? {
    get {
      let prefix = Array("\(name)=".utf8)
      return entries.first { $0.bytes.starts(with: prefix) }.map {
        String(decoding: $0.bytes.dropFirst(prefix.count), as: UTF8.self)
      }
    }
    set {
      let prefix = Array("\(name)=".utf8)
      let place = entries.firstIndex { $0.bytes.starts(with: prefix) }
      entries.removeAll { $0.bytes.starts(with: prefix) }
      if let newValue { entries.insert(ByteString("\(name)=\(newValue)"), at: place ?? entries.endIndex) }
    }
  }

  /// Puts `path` behind what is preloaded already; a sanitizer's library, say, has to stay first.
  mutating func preload(_ path: String) {
    let name = Array("LD_PRELOAD=".utf8)
    guard let place = entries.firstIndex(where: { $0.bytes.starts(with: name) }) else {
      entries.append(ByteString("LD_PRELOAD=\(path)"))
      return
    }
    let old = entries[place].bytes.dropFirst(name.count)
    let separators: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: ":")]
    guard !old.split(whereSeparator: separators.contains).contains(where: { $0.elementsEqual(path.utf8) }) else {
      return
    }
    entries[place] = ByteString(bytes: name + old + (old.isEmpty ? [] : [UInt8(ascii: ":")]) + Array(path.utf8))
  }
}
