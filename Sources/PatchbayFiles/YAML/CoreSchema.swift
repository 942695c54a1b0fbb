import PatchbayStubs

/// What a plain scalar is by YAML 1.2's core schema (§10.3.2): `NO` is text, `010` is ten.
enum CoreSchema {
  static func kind(of text: String) -> DocumentNode.Kind {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE", "false", "False", "FALSE": .bool
    default: isNumber(Array(text.utf8)) ? .number : .text
    }
  }

  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    if rest.starts(with: "0x".utf8) { return rest.count > 2 && rest.dropFirst(2).allSatisfy { isHex($0) } }
    if rest.starts(with: "0o".utf8) {
      return rest.count > 2 && rest.dropFirst(2).allSatisfy { (0x30...0x37).contains($0) }
    }
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { rest.removeFirst() }
    let word = String(decoding: rest, as: UTF8.self)
    if [".inf", ".Inf", ".INF"].contains(word) { return true }
    if [".nan", ".NaN", ".NAN"].contains(word) { return rest.count == bytes.count }
    let whole = digits(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = digits(&rest)
    }
    guard whole + fraction > 0 else { return false }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
    let count = rest.prefix { $0 &- 0x30 < 10 }.count
    rest = rest.dropFirst(count)
    return count
  }

  private static func isHex(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }
}
