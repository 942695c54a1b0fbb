import PatchbayInspect
import PatchbayStubs

/// URLs as people read them: with percent-encoding undone where that gives text, for lists and headings. What is copied
/// and what the Request tab shows stays as it was sent.
enum PercentText {
  /// Fit to be shown. Signs that part a URL, blanks and control characters stay encoded, so that no two URLs look alike
  /// that are not.
  static func shown(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return PatchbayConsole.shown(text) }
    return PatchbayConsole.shown(decoded(text))
  }

  private static func decoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      // A run of encoded bytes is one piece: a character has several of them.
      var run: [UInt8] = []
      let start = index
      while index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
        let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
      {
        run.append(high << 4 | low)
        index += 3
      }
      if run.isEmpty {
        result.append(bytes[index])
        index += 1
      } else {
        append(run, raw: bytes[start..<index], to: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What is text of it, character by character; the rest as it was.
  private static func append(_ run: [UInt8], raw: ArraySlice<UInt8>, to result: inout [UInt8]) {
    guard let text = String(validating: run, as: UTF8.self) else { return result.append(contentsOf: raw) }
    var place = raw.startIndex
    for scalar in text.unicodeScalars {
      let length = UTF8.width(scalar) * 3
      if isPlain(scalar) {
        result.append(contentsOf: String(scalar).utf8)
      } else {
        result.append(contentsOf: raw[place..<place + length])
      }
      place += length
    }
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.value > 0x20 && scalar.value < 0x7F && !"%/?#&=+;:@".unicodeScalars.contains(scalar)
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
      return false
    default: return true
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
