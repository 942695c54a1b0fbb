#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Text of the system's kind: bytes without a NUL, in any encoding or none. Arguments and environment go to the command
/// as they came; a `String` would mend what is not UTF-8.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  public let bytes: [UInt8]

  /// Cut at the first NUL, as the system would.
  public init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes.prefix { $0 != 0 })
  }

  public init(_ text: String) {
    self.init(bytes: text.utf8)
  }

  public init(stringLiteral text: String) {
    self.init(text)
  }

  init(_ text: UnsafePointer<CChar>) {
    bytes = UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
  }

  public var description: String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The last `count` arguments of this process, as they were given.
  public static func lastArguments(_ count: Int) -> [ByteString] {
    let all = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { ByteString($0) } }
    return Array(all.suffix(max(0, count)))
  }

  /// `body` with a NULL-terminated array of C strings, as `exec` wants it.
  static func withCStrings<Result>(
    _ strings: [ByteString], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
  ) rethrows -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { string in
      (string.bytes + [0]).withUnsafeBytes { strdup($0.bindMemory(to: CChar.self).baseAddress!) }
    }
    pointers.append(nil)
    defer {
      for pointer in pointers { free(pointer) }
    }
    return try pointers.withUnsafeMutableBufferPointer { try body($0.baseAddress!) }
  }
}

package enum FileBytes {
  /// The first `limit` bytes of the file, or nil if it cannot be read.
  package static func read(_ path: String, atMost limit: Int) -> [UInt8]? {
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

  package static func text(_ path: String, atMost limit: Int) -> String? {
    read(path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The system's `read`, which the one above hides.
private func readInto(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(file, buffer.baseAddress, buffer.count)
}
