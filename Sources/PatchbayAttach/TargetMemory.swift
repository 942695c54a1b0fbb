import CAttach

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another process's memory. Reading asks nothing of it and stops nothing.
struct TargetMemory: Sendable {
  let process: pid_t

  /// As many of these bytes as there are.
  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { room, used in
      used = max(0, attach_read(process, address, room.baseAddress, count))
    }
  }

  /// nil unless all of them are there.
  func words(at address: UInt64, count: Int) -> [UInt64]? {
    let words = [UInt64](unsafeUninitializedCapacity: count) { room, used in
      used = max(0, attach_read(process, address, room.baseAddress, count * 8)) / 8
    }
    return words.count == count ? words : nil
  }

  /// Many pieces of as many words each; those that are not there are zero.
  func pieces(at addresses: [UInt64], words count: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: addresses.count * count)
    _ = words.withUnsafeMutableBytes {
      attach_read_pieces(process, addresses, addresses.count, count * 8, $0.baseAddress)
    }
    return words
  }

  func word(at address: UInt64) -> UInt64? { words(at: address, count: 1)?[0] }
  func half(at address: UInt64) -> UInt32? {
    let bytes = bytes(at: address, count: 4)
    return bytes.count == 4 ? UInt32(truncatingIfNeeded: bytes.littleEndianWord) : nil
  }

  /// Up to the next NUL.
  func text(at address: UInt64, atMost limit: Int) -> String {
    String(decoding: bytes(at: address, count: limit).prefix { $0 != 0 }, as: UTF8.self)
  }

  func write(_ bytes: [UInt8], at address: UInt64) throws(AttachError) {
    let written = bytes.withUnsafeBytes { attach_write(process, address, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw .system("write into the memory of process \(process)", errno) }
  }

  func write(_ word: UInt64, at address: UInt64) throws(AttachError) { try write(word.littleEndianBytes, at: address) }
  func write(_ half: UInt32, at address: UInt64) throws(AttachError) {
    try write(Array(UInt64(half).littleEndianBytes.prefix(4)), at: address)
  }

  /// Writes where the program itself may only read and execute: in pages of its own, never in a file.
  func writeCode(_ bytes: [UInt8], at address: UInt64) throws(AttachError) {
    let memory = open("/proc/\(process)/mem", O_RDWR | O_CLOEXEC)
    guard memory >= 0 else { throw .system("open the memory of process \(process)", errno) }
    defer { close(memory) }
    let written = bytes.withUnsafeBytes { pwrite(memory, $0.baseAddress, $0.count, off_t(bitPattern: address)) }
    guard written == bytes.count else { throw .system("write code into the memory of process \(process)", errno) }
  }
}

extension off_t {
  fileprivate init(bitPattern address: UInt64) { self = off_t(truncatingIfNeeded: address) }
}

extension UInt64 {
  var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) } }
}

extension Collection<UInt8> {
  /// The number that its first eight bytes are.
  var littleEndianWord: UInt64 {
    prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
