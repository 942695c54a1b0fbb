#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum FileBytes {
  /// The first `limit` bytes of the file, or nil if it cannot be read.
  static func read(_ path: String, atMost limit: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    while bytes.count < limit {
      let count = buffer.withUnsafeMutableBytes { readInto(file, $0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes.append(contentsOf: buffer.prefix(min(count, limit - bytes.count)))
    }
    return bytes
  }

  static func text(_ path: String, atMost limit: Int) -> String? {
    read(path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The system's `read`, which the one above hides.
private func readInto(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(file, buffer.baseAddress, buffer.count)
}
