import Foundation
import PatchbayInspect

/// Many texts one behind the other, so that all are looked through in one go.
///
/// Layout, little endian: the number of texts (4 bytes), where each ends (4 bytes each), then the texts.
struct SegmentTexts {
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

/// Gathers texts for `SegmentTexts`.
struct SegmentTextsBuilder {
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

/// The header fields of a run's rows: each line once, and for each row which lines it has.
///
/// Layout, little endian: the length of the lines' part (4 bytes) and that part, see `SegmentTexts`; the number of rows
/// (2 bytes), where the lines of each end in the list behind (4 bytes each); that list, 4 bytes for each line.
struct SegmentHeaders {
  private let lines: SegmentTexts
  let rowCount: Int
  private let ends: UnsafeRawPointer
  private let list: UnsafeRawPointer

  /// - Parameter data: must outlive it. nil: it is damaged.
  init?(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 4 else { return nil }
    let length = Int(UInt32(littleEndian: data.loadUnaligned(as: UInt32.self)))
    guard data.count >= 6 + length, let base = data.baseAddress,
      let lines = SegmentTexts(UnsafeRawBufferPointer(rebasing: data[4..<4 + length]))
    else { return nil }
    self.lines = lines
    rowCount = Int(UInt16(littleEndian: data.loadUnaligned(fromByteOffset: 4 + length, as: UInt16.self)))
    ends = base + 6 + length
    list = ends + 4 * rowCount
    guard data.count >= 6 + length + 4 * rowCount else { return nil }
    var total = 0
    for row in 0..<rowCount {
      let end = Self.number(ends, row)
      guard end >= total else { return nil }
      total = end
    }
    guard data.count == 6 + length + 4 * (rowCount + total) else { return nil }
  }

  /// The rows of which a header field fits; nil where it is damaged.
  func rows(_ patterns: [FilterText], among: RowBitmap) -> RowBitmap? {
    var fits = [Bool](repeating: false, count: lines.count)
    var isAny = false
    lines.candidates(patterns, decodes: false) { line in
      guard !fits[line], patterns.contains(where: { $0.matches(lines[line]) }) else { return }
      fits[line] = true
      isAny = true
    }
    guard isAny else { return RowBitmap.none }
    return fits.withUnsafeBufferPointer { fits in
      var found = RowBitmap.none
      for row in among where row < rowCount {
        for place in (row == 0 ? 0 : Self.number(ends, row - 1))..<Self.number(ends, row) {
          let line = Self.number(list, place)
          guard line < fits.count else { return nil }
          if fits[line] {
            found.insert(row)
            break
          }
        }
      }
      return found
    }
  }

  private static func number(_ base: UnsafeRawPointer, _ index: Int) -> Int {
    Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
  }
}

/// Gathers header fields for `SegmentHeaders`.
struct SegmentHeadersBuilder {
  private var lines = SegmentTextsBuilder()
  private var ends: [UInt32] = []
  private var list: [UInt32] = []
  /// For each hash the number of a line, plus 1; 0 is free.
  private var slots = [UInt32](repeating: 0, count: 4_096)

  var size: Int { lines.bytes.count + 4 * list.count }

  mutating func append(_ line: UnsafeBufferPointer<UInt8>) {
    if lines.count * 2 > slots.count { grow() }
    var slot = hash(line)
    while slots[slot] != 0 {
      let known = Int(slots[slot]) - 1
      if lines.bytes[lines.range(known)].elementsEqual(line) {
        list.append(UInt32(truncatingIfNeeded: known))
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    list.append(UInt32(truncatingIfNeeded: lines.count))
    lines.append(line)
    slots[slot] = UInt32(truncatingIfNeeded: lines.count)
  }

  mutating func endRow() { ends.append(UInt32(truncatingIfNeeded: list.count)) }

  var data: Data {
    let lines = lines.data
    var data = Data()
    data.append(littleEndian: [UInt32(truncatingIfNeeded: lines.count)])
    data.append(lines)
    data.append(littleEndian: [UInt16(truncatingIfNeeded: ends.count)])
    data.append(littleEndian: ends)
    data.append(littleEndian: list)
    return data
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for line in 0..<lines.count {
      var slot = lines.bytes.withUnsafeBufferPointer { hash(UnsafeBufferPointer(rebasing: $0[lines.range(line)])) }
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(truncatingIfNeeded: line + 1)
    }
  }

  private func hash(_ line: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(line))
    return hasher.finalize() & (slots.count - 1)
  }
}
