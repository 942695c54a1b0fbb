import Foundation
import PatchbayStubs

/// Appends fields (tag, count, value) to a buffer.
struct FieldWriter {
  var bytes: [UInt8] = []

  @inline(__always)
  mutating func varint(_ value: UInt64) {
    if value < 0x80 { return bytes.append(UInt8(truncatingIfNeeded: value)) }
    longVarint(value)
  }

  private mutating func longVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  static func size(ofVarint value: UInt64) -> Int {
    (64 - (value | 1).leadingZeroBitCount + 6) / 7
  }

  mutating func number(_ tag: UInt64, _ value: UInt64) {
    varint(tag)
    bytes.append(UInt8(Self.size(ofVarint: value)))
    varint(value)
  }

  mutating func nonzero(_ tag: UInt64, _ value: UInt64) {
    if value != 0 { number(tag, value) }
  }

  mutating func signed(_ tag: UInt64, _ value: Int64) {
    number(tag, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func nonzeroSigned(_ tag: UInt64, _ value: Int64) {
    if value != 0 { signed(tag, value) }
  }

  mutating func flag(_ tag: UInt64, _ value: Bool) {
    if value { number(tag, 1) }
  }

  mutating func text(_ tag: UInt64, _ value: String) {
    varint(tag)
    var value = value
    value.withUTF8 {
      varint(UInt64($0.count))
      bytes.append(contentsOf: $0)
    }
  }

  mutating func text(_ tag: UInt64, _ value: String?) {
    if let value { text(tag, value) }
  }

  mutating func data(_ tag: UInt64, _ value: Data) {
    varint(tag)
    varint(UInt64(value.count))
    value.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  mutating func pair(_ tag: UInt64, _ name: String, _ value: String) {
    varint(tag)
    var name = name
    var value = value
    name.withUTF8 { name in
      value.withUTF8 { value in
        let nameCount = UInt64(name.count)
        varint(UInt64(Self.size(ofVarint: nameCount) + name.count + value.count))
        varint(nameCount)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
      }
    }
  }

  mutating func headers(_ tag: UInt64, _ fields: [HeaderField]) {
    for field in fields { pair(tag, field.name, field.value) }
  }

  /// Writes a record. Its count is only known afterwards: one byte is kept for it, and made more where that is short.
  mutating func record(_ tag: UInt64, _ content: (inout FieldWriter) -> Void) {
    varint(tag)
    let place = bytes.count
    bytes.append(0)
    content(&self)
    var count = UInt64(bytes.count - place - 1)
    if count < 0x80 {
      bytes[place] = UInt8(count)
      return
    }
    let more = Self.size(ofVarint: count) - 1
    bytes.insert(contentsOf: repeatElement(0, count: more), at: place)
    for index in 0...more {
      bytes[place + index] = UInt8(truncatingIfNeeded: count & 0x7F) | (index < more ? 0x80 : 0)
      count >>= 7
    }
  }
}
