/// Percent-encoding by meaning (RFC 3986 §6.2.2).
package enum PercentEncoding {
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// 0 to 15 as an upper-case digit.
  static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value & 15 }

  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }

  /// Whether the byte may stand in a path or query as it is: unreserved, or a delimiter of RFC 3986 §2.2. Brackets
  /// may only around an address (§3.2.2): elsewhere a bare one means the encoded one.
  static func isAllowed(_ byte: UInt8) -> Bool {
    if isUnreserved(byte) { return true }
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      return true
    default: return false
    }
  }

  /// The one spelling of all that mean the same: unreserved characters bare, what may not stand bare encoded,
  /// hexadecimal digits in capitals.
  static func normalise(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
    var index = bytes.startIndex
    while index != bytes.endIndex {
      let byte = bytes[index]
      bytes.formIndex(after: &index)
      if byte == UInt8(ascii: "%"), let decoded = pair(bytes, at: index) {
        bytes.formIndex(&index, offsetBy: 2)
        isUnreserved(decoded) ? output.append(decoded) : encode(decoded, into: &output)
      } else if isAllowed(byte) {
        output.append(byte)
      } else {
        encode(byte, into: &output)
      }
    }
  }

  static func normalised(_ text: String) -> String {
    var output: [UInt8] = []
    normalise(Array(text.utf8), into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes that are meant; a `%` without two digits stays.
  static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index != bytes.endIndex {
      let byte = bytes[index]
      bytes.formIndex(after: &index)
      if byte == UInt8(ascii: "%"), let decoded = pair(bytes, at: index) {
        bytes.formIndex(&index, offsetBy: 2)
        output.append(decoded)
      } else {
        output.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return output
  }

  /// The same for the targets above: a generic function is not compiled for a type of theirs.
  package static func decode(_ bytes: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    decode(bytes[...], plusIsSpace: plusIsSpace)
  }

  private static func encode(_ byte: UInt8, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "%"))
    output.append(hexDigit(byte >> 4))
    output.append(hexDigit(byte & 15))
  }

  private static func pair<Bytes: Collection<UInt8>>(_ bytes: Bytes, at index: Bytes.Index) -> UInt8? {
    guard index != bytes.endIndex, let high = hexValue(bytes[index]) else { return nil }
    let next = bytes.index(after: index)
    guard next != bytes.endIndex, let low = hexValue(bytes[next]) else { return nil }
    return high << 4 | low
  }
}
