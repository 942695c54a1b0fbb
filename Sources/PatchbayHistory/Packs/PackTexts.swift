import Foundation
import PatchbayInspect

/// Many texts one behind the other, so that all are looked through in one go.
///
/// Layout, little endian: the number of texts (4 bytes), where each ends (4 bytes each), then the texts.
struct PackTexts {
  let count: Int
  private let ends: UnsafeRawPointer
  private let bytes: UnsafeBufferPointer<UInt8>

  /// - Parameter data: must outlive it. nil: it is damaged.
  init?(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 4, let base = data.baseAddress else { return nil }
    count = Int(UInt32(littleEndian: data.loadUnaligned(as: UInt32.self)))
    guard count <= (data.count - 4) / 4 else { return nil }
    ends = base + 4
    bytes = UnsafeRawBufferPointer(rebasing: data[(4 + 4 * count)...]).bindMemory(to: UInt8.self)
    var last = 0
    for index in 0..<count {
      let end = self.end(index)
      guard end >= last else { return nil }
      last = end
    }
    guard last == bytes.count else { return nil }
  }

  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[(index == 0 ? 0 : end(index - 1))..<end(index)])
  }

  /// Calls with each text that a pattern may fit, and perhaps twice with one.
  ///
  /// - Parameter decodes: whether a text with a percent sign must be looked at in any case.
  func candidates(_ patterns: [FilterText], decodes: Bool, _ body: (Int) -> Void) {
    for pattern in patterns {
      guard let requiredLiteral = pattern.requiredLiteral else {
        for index in 0..<count { body(index) }
        return
      }
      each(body) { requiredLiteral.place(in: bytes, from: $0) }
    }
    if decodes { each(body) { place(of: UInt8(ascii: "%"), from: $0) } }
  }

  /// Calls with the text of each place.
  private func each(_ body: (Int) -> Void, _ place: (Int) -> Int?) {
    var index = 0
    var from = 0
    while from < bytes.count, let found = place(from) {
      while index < count, end(index) <= found { index += 1 }
      guard index < count else { return }
      body(index)
      from = end(index)
    }
  }

  private func place(of byte: UInt8, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private func end(_ index: Int) -> Int {
    Int(UInt32(littleEndian: ends.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
  }
}

/// Gathers texts for `PackTexts`.
struct PackTextsBuilder {
  private var ends: [UInt32] = []
  private(set) var bytes: [UInt8] = []

  var count: Int { ends.count }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: text)
    ends.append(UInt32(truncatingIfNeeded: bytes.count))
  }

  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }

  var data: Data {
    var data = Data(capacity: 4 + 4 * ends.count + bytes.count)
    data.append(littleEndian: [UInt32(truncatingIfNeeded: ends.count)])
    data.append(littleEndian: ends)
    data.append(contentsOf: bytes)
    return data
  }
}
