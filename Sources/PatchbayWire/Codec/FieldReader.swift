import Foundation
import PatchbayStubs

/// Reads fields from borrowed bytes; every access is checked against their end. Valid only as long as the bytes are.
struct FieldReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// The kind of the frame, for errors.
  let kind: UInt16

  init(_ bytes: UnsafeRawBufferPointer, kind: UInt16) {
    self.bytes = bytes
    self.kind = kind
  }

  private mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      let bits = UInt64(byte & 0x7F)
      if shift == 63 && bits > 1 { break }
      value |= bits << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { break }
    }
    throw .field(kind: kind)
  }

  private mutating func take(_ count: UInt64) throws(WireError) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - position) else { throw .field(kind: kind) }
    let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
    position += Int(count)
    return slice
  }

  /// The next field, its value as a reader of its own; nil at the end.
  mutating func next() throws(WireError) -> (tag: UInt64, value: FieldReader)? {
    guard position < bytes.count else { return nil }
    let tag = try varint()
    return (tag, FieldReader(try take(try varint()), kind: kind))
  }

  func number() throws(WireError) -> UInt64 {
    var copy = self
    let value = try copy.varint()
    guard copy.position == bytes.count else { throw .field(kind: kind) }
    return value
  }

  func number<Value: FixedWidthInteger>(as type: Value.Type) throws(WireError) -> Value {
    guard let value = Value(exactly: try number()) else { throw .field(kind: kind) }
    return value
  }

  func signed() throws(WireError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  /// A moment, which may be any that can be written.
  func moment() throws(WireError) -> Timestamp { NumberLimits.moment(try signed()) }

  /// A size, a count or a duration, clamped to what it may be.
  func count() throws(WireError) -> Int64 { NumberLimits.count(try signed()) }

  func unsignedCount() throws(WireError) -> UInt64 { NumberLimits.count(try number()) }

  /// A status, or the code of an error.
  func code() throws(WireError) -> Int { NumberLimits.code(try signed()) }

  func flag() throws(WireError) -> Bool { try number() != 0 }

  func text() -> String { String(decoding: bytes, as: UTF8.self) }

  func data() -> Data { Data(bytes) }

  func array() -> [UInt8] { Array(bytes) }

  /// One more field of a list that is kept up to `Wire.headerLimit`: each takes some 30 times the memory of its bytes.
  func header(into list: inout [HeaderField]) throws(WireError) {
    if list.count < Wire.headerLimit { list.append(try header()) }
  }

  private func header() throws(WireError) -> HeaderField {
    var copy = self
    let name = try copy.take(try copy.varint())
    let value = UnsafeRawBufferPointer(rebasing: bytes[copy.position...])
    return HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
  }

  /// The last field of that tag; reads to the end.
  mutating func last(_ wanted: UInt64) throws(WireError) -> FieldReader? {
    var found: FieldReader?
    while let (tag, value) = try next() { if tag == wanted { found = value } }
    return found
  }

  /// The value, or an error that names the field that should have brought it.
  func required<Value>(_ value: Value?, _ tag: UInt64) throws(WireError) -> Value {
    guard let value else { throw .missing(kind: kind, tag: tag) }
    return value
  }
}
