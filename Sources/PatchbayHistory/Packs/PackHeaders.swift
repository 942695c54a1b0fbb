import Foundation
import PatchbayInspect

/// The header fields of a run's rows: each line once, and for each row which lines it has.
///
/// Layout, little endian: the length of the lines' part (4 bytes) and that part, see `PackTexts`; the number of rows
/// (2 bytes), where the lines of each end in the list behind (4 bytes each); that list, 4 bytes for each line.
struct PackHeaders {
  private let lines: PackTexts
  let rowCount: Int
  private let ends: UnsafeRawPointer
  private let list: UnsafeRawPointer

  /// - Parameter data: must outlive it. nil: it is damaged.
  init?(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 4 else { return nil }
    let length = Int(UInt32(littleEndian: data.loadUnaligned(as: UInt32.self)))
    guard data.count >= 6 + length, let base = data.baseAddress,
      let lines = PackTexts(UnsafeRawBufferPointer(rebasing: data[4..<4 + length]))
    else { return nil }
    self.lines = lines
    rowCount = Int(UInt16(littleEndian: data.loadUnaligned(fromByteOffset: 4 + length, as: UInt16.self)))
    ends = base + 6 + length
    list = ends + 4 * rowCount
    guard data.count >= 6 + length + 4 * rowCount else { return nil }
    let total = rowCount == 0 ? 0 : Self.number(ends, rowCount - 1)
    guard data.count == 6 + length + 4 * (rowCount + total) else { return nil }
  }

  /// The rows of which a header field fits.
  func rows(_ patterns: [FilterText], among: PackBits) -> PackBits {
    var fits = [Bool](repeating: false, count: lines.count)
    var isAny = false
    lines.candidates(patterns, decodes: false) { line in
      guard !fits[line], patterns.contains(where: { $0.matches(lines[line]) }) else { return }
      fits[line] = true
      isAny = true
    }
    guard isAny else { return .none }
    var found = PackBits.none
    fits.withUnsafeBufferPointer { fits in
      for row in among where row < rowCount {
        let end = Self.number(ends, row)
        for place in (row == 0 ? 0 : min(end, Self.number(ends, row - 1)))..<end {
          let line = Self.number(list, place)
          if line < fits.count, fits[line] {
            found.insert(row)
            break
          }
        }
      }
    }
    return found
  }

  private static func number(_ base: UnsafeRawPointer, _ index: Int) -> Int {
    Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
  }
}

/// Gathers header fields for `PackHeaders`.
struct PackHeadersBuilder {
  private var lines = PackTextsBuilder()
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
