/// The dynamic linker's list of libraries (`/etc/ld.so.cache`, glibc's format 1.1): file by library name. Empty if there
/// is none or it is of another format.
struct LinkerCache: Sendable {
  static let path = "/etc/ld.so.cache"

  private var files: [String: [String]] = [:]

  init(path: String = LinkerCache.path) {
    guard let bytes = FileBytes.read(path, atMost: 64 << 20) else { return }
    bytes.withUnsafeBytes { parse($0) }
  }

  /// In the order in which the linker takes them.
  func files(named name: String) -> [String] { files[name] ?? [] }

  private mutating func parse(_ bytes: UnsafeRawBufferPointer) {
    let magic = Array("glibc-ld.so.cache1.1".utf8)
    guard bytes.count >= 48, bytes.prefix(magic.count).elementsEqual(magic) else { return }
    func int(_ offset: Int) -> Int? {
      guard offset >= 0, offset + 4 <= bytes.count else { return nil }
      return Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    func text(_ offset: Int) -> String? {
      guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: 0) else { return nil }
      return String(decoding: bytes[offset..<end], as: UTF8.self)
    }
    let header = 48
    let entry = 24
    guard let count = int(20), count <= (bytes.count - header) / entry else { return }
    for index in 0..<count {
      let at = header + index * entry
      guard let key = int(at + 4).flatMap(text), let file = int(at + 8).flatMap(text) else { continue }
      files[key, default: []].append(file)
    }
  }
}
