#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that appears at its path whole or not at all: written under another name in the same folder, then renamed.
/// A program that has the old one open or mapped keeps it.
enum AtomicFile {
  private static let writingWay = "make room there, or choose a folder in which you may write"

  static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(LaunchError) {
    var source = 0
    try replace(path, mode: mode) { buffer in
      let count = min(buffer.count, bytes.count - source)
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[source..<source + count])) }
      source += count
      return count
    }
  }

  static func copy(_ origin: String, to path: String, mode: mode_t) throws(LaunchError) {
    let file = open(origin, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system("read \(origin)", errno) }
    defer { close(file) }
    try replace(path, mode: mode) { read(file, $0.baseAddress, $0.count) }
  }

  /// `next` fills the buffer and returns how many bytes it put there: 0 at the end, -1 with `errno` if it failed.
  private static func replace(
    _ path: String, mode: mode_t, next: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(LaunchError) {
    let template = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).new"
    let file = open(template, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("write to the folder \(Path.folder(of: path))", errno, way: writingWay) }
    var failure: Int32 = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    copying: while true {
      let count = next(buffer)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        failure = errno
        break
      }
      var written = 0
      while written < count {
        let step = put(file, buffer.baseAddress! + written, count - written)
        if step < 0 {
          if errno == EINTR { continue }
          failure = errno
          break copying
        }
        written += step
      }
    }
    if failure == 0, fchmod(file, mode) != 0 { failure = errno }
    if close(file) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(template, path) != 0 { failure = errno }
    if failure != 0 {
      unlink(template)
      throw .system("write \(path)", failure, way: writingWay)
    }
  }
}

/// The system's `write`, which this file's own one hides.
private func put(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(file, bytes, count) }
