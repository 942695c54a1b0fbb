/// The fields of `application/x-www-form-urlencoded` (WHATWG URL §5), in order.
public enum FormFields {
  public static func parse(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// Percent-decoded, `+` as space; broken escapes stay as they stand.
  static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hex(rest[rest.startIndex]),
        let low = hex(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
