import Foundation

/// The numbers of a run's rows, column by column.
///
/// Layout, little endian: a version byte, the number of rows (2 bytes), for each column the width of its values (0, 1, 2,
/// 4 or 8) and a base (8 bytes), then the values of each column. A value is 0 for NULL, else what is added to the base,
/// plus 1. Width 0: all are the base, or NULL where that is `null`.
struct SegmentNumbers {
  /// In the order in which they are stored; new ones need a new version.
  enum Column: Int, CaseIterable, Sendable {
    case id, started, method, host, endpoint, status, outcome, sent, duration, process, pid, phase, answerer, stub
    case type, requestType, errorDomain, errorCode, errorName, size, hops, flags, replayOf

    /// As the table of exchanges has it.
    var sql: String {
      switch self {
      case .requestType: "request_type"
      case .errorDomain: "error_domain"
      case .errorCode: "error_code"
      case .errorName: "error_name"
      case .replayOf: "replay_of"
      default: "\(self)"
      }
    }
  }

  /// Stands for NULL.
  static let null = Int64.min
  private static let version: UInt8 = 1
  private static let headLength = 3 + 9 * Column.allCases.count

  let count: Int
  private let bytes: UnsafeRawBufferPointer
  private let columns: [(width: Int, base: Int64, start: Int)]

  /// - Parameter bytes: must outlive it. nil: they are damaged, or of another version.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headLength, bytes[0] == Self.version else { return nil }
    count = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
    guard count <= Int(RunIndex.span) else { return nil }
    var start = Self.headLength
    var columns: [(width: Int, base: Int64, start: Int)] = []
    columns.reserveCapacity(Column.allCases.count)
    for column in Column.allCases {
      let at = 3 + 9 * column.rawValue
      let width = Int(bytes[at])
      guard [0, 1, 2, 4, 8].contains(width) else { return nil }
      columns.append((width, Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 1, as: Int64.self)), start))
      start += width * count
    }
    guard bytes.count == start else { return nil }
    self.bytes = bytes
    self.columns = columns
  }

  /// The value that all rows have, where they have one; `null` for NULL.
  func constant(_ column: Column) -> Int64? {
    let (width, base, _) = columns[column.rawValue]
    return width == 0 ? base : nil
  }

  /// Unpacks a column; NULL is `null`.
  ///
  /// - Parameter values: room for `count` of them.
  func read(_ column: Column, into values: UnsafeMutablePointer<Int64>) {
    let (width, base, start) = columns[column.rawValue]
    switch width {
    case 0: values.update(repeating: base, count: count)
    case 1: unpack(UInt8.self, base, start, into: values)
    case 2: unpack(UInt16.self, base, start, into: values)
    case 4: unpack(UInt32.self, base, start, into: values)
    default: unpack(UInt64.self, base, start, into: values)
    }
  }

  private func unpack<Value: FixedWidthInteger & UnsignedInteger>(
    _ type: Value.Type, _ base: Int64, _ start: Int, into values: UnsafeMutablePointer<Int64>
  ) {
    for row in 0..<count {
      let code = Value(
        littleEndian: bytes.loadUnaligned(fromByteOffset: start + row * MemoryLayout<Value>.size, as: type))
      values[row] = code == 0 ? Self.null : base &+ Int64(truncatingIfNeeded: code) &- 1
    }
  }

  /// - Parameter columns: as many as there are, in their order, of one length.
  static func encoded(_ columns: [[Int64]]) -> Data {
    let count = columns[0].count
    var head = Data([version])
    head.append(littleEndian: [UInt16(truncatingIfNeeded: count)])
    var body = Data()
    for values in columns {
      let first = values.first ?? null
      if values.allSatisfy({ $0 == first }) {
        head.append(0)
        head.append(littleEndian: [UInt64(bitPattern: first)])
        continue
      }
      let base = values.lazy.filter { $0 != null }.min() ?? 0
      let codes = values.map { $0 == null ? 0 : UInt64(bitPattern: $0 &- base) &+ 1 }
      let highest = codes.max() ?? 0
      let width: UInt8 = highest < 1 << 8 ? 1 : highest < 1 << 16 ? 2 : highest < 1 << 32 ? 4 : 8
      head.append(width)
      head.append(littleEndian: [UInt64(bitPattern: base)])
      switch width {
      case 1: body.append(littleEndian: codes.map { UInt8(truncatingIfNeeded: $0) })
      case 2: body.append(littleEndian: codes.map { UInt16(truncatingIfNeeded: $0) })
      case 4: body.append(littleEndian: codes.map { UInt32(truncatingIfNeeded: $0) })
      default: body.append(littleEndian: codes)
      }
    }
    return head + body
  }
}

extension Data {
  /// The numbers one behind the other, least byte first.
  mutating func append<Number: FixedWidthInteger>(littleEndian numbers: [Number]) {
    let numbers = Number(1).littleEndian == 1 ? numbers : numbers.map(\.littleEndian)
    numbers.withUnsafeBytes { append(contentsOf: $0) }
  }
}
