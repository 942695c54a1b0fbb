import Foundation

extension Data {
  /// The numbers one behind the other, least byte first.
  mutating func append<Number: FixedWidthInteger>(littleEndian numbers: [Number]) {
    let numbers = Number(1).littleEndian == 1 ? numbers : numbers.map(\.littleEndian)
    numbers.withUnsafeBytes { append(contentsOf: $0) }
  }
}
