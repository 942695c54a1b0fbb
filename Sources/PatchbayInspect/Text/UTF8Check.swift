import Foundation

/// Whether bytes are text.
public enum UTF8Check {
  /// Whether all of it is well-formed UTF-8 (RFC 3629).
  public static func isValid(_ data: Data) -> Bool {
    data.withUnsafeBytes { isValid($0.bindMemory(to: UInt8.self)) }
  }

  static func isValid(_ bytes: Bytes) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      let read = ScalarRead(bytes, at: index, end: bytes.count)
      guard read.scalar != .max, Unicode.Scalar(read.scalar) != nil, !isOverlong(read) else { return false }
      index += read.length
    }
    return true
  }

  private static func isOverlong(_ read: ScalarRead) -> Bool {
    read.length == 3 && read.scalar < 0x800 || read.length == 4 && read.scalar < 0x10000
  }
}
