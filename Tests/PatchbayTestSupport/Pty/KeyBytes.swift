/// The bytes that xterm sends for a key, by the key's name as in the key bindings (`ctrl-r`, `shift-tab`, `alt-x`).
public enum KeyBytes {
  private static let letters: [String: String] = [
    "up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H",
    "f1": "P", "f2": "Q", "f3": "R", "f4": "S",
  ]
  private static let numbers: [String: Int] = [
    "ins": 2, "del": 3, "pgup": 5, "pgdn": 6, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23,
    "f12": 24,
  ]
  private static let plain: [String: String] = [
    "enter": "\r", "esc": "\u{1B}", "tab": "\t", "space": " ", "backspace": "\u{7F}",
  ]

  public static func encode(_ name: String, applicationCursor: Bool = false) throws -> [UInt8] {
    var rest = name[...]
    var bits = 0
    for (prefix, bit) in [("ctrl-", 4), ("alt-", 2), ("shift-", 1)] where rest.hasPrefix(prefix) && rest != prefix {
      rest = rest.dropFirst(prefix.count)
      bits |= bit
    }
    let base = String(rest)
    if base == "tab", bits == 1 { return Array("\u{1B}[Z".utf8) }
    if let letter = letters[base] {
      if bits > 0 { return Array("\u{1B}[1;\(bits + 1)\(letter)".utf8) }
      let isSS3 = applicationCursor || base.hasPrefix("f")
      return Array("\u{1B}\(isSS3 ? "O" : "[")\(letter)".utf8)
    }
    if let number = numbers[base] {
      return Array((bits > 0 ? "\u{1B}[\(number);\(bits + 1)~" : "\u{1B}[\(number)~").utf8)
    }
    guard let text = plain[base] ?? (base.count == 1 ? base : nil) else { throw PtyError.unknownKey(name) }
    var bytes = Array(text.utf8)
    if bits & 4 != 0, bytes.count == 1 { bytes[0] &= 0x1F }
    return bits & 2 != 0 ? [0x1B] + bytes : bytes
  }
}
