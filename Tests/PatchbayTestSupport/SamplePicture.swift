import Foundation

/// Pictures with all their parts and no picture in them.
package enum SamplePicture {
  /// The size stands in the head; `fill` bytes stand for the pixels.
  package static func png(width: UInt32 = 64, height: UInt32 = 32, fill: Int = 20) -> Data {
    let head = number(width) + number(height) + [8, 2, 0, 0, 0]
    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      + chunk("IHDR", head) + chunk("IDAT", [UInt8](repeating: 7, count: fill)) + chunk("IEND", [])
  }

  package static func jpeg(width: UInt8 = 64, height: UInt8 = 32) -> Data {
    Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, height, 0, width, 1, 1, 0x11, 0, 9, 9, 9, 0xFF, 0xD9])
  }

  package static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    number(UInt32(bytes.count)) + Array(name.utf8) + bytes + [1, 2, 3, 4]
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}
