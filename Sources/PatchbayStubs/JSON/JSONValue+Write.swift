import Foundation

extension JSONValue {
  /// Without any space, UTF-8, members in order, numbers with their digits.
  package var compact: String { String(decoding: compactBytes, as: UTF8.self) }

  package var compactData: Data { Data(compactBytes) }

  /// Over several lines, each level indented by so many spaces.
  package func indented(by spaces: Int = 2) -> String {
    var output: [UInt8] = []
    write(into: &output, level: 0, spaces: spaces)
    return String(decoding: output, as: UTF8.self)
  }

  private var compactBytes: [UInt8] {
    var output: [UInt8] = []
    write(into: &output, level: 0, spaces: nil)
    return output
  }

  /// Appends the value; `spaces` nil is compact.
  func write(into output: inout [UInt8], level: Int, spaces: Int?) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let digits): output.append(contentsOf: digits.utf8)
    case .string(let text): Self.write(text, into: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.breakLine(into: &output, level: level + 1, spaces: spaces)
        element.write(into: &output, level: level + 1, spaces: spaces)
      }
      if !elements.isEmpty { Self.breakLine(into: &output, level: level, spaces: spaces) }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.breakLine(into: &output, level: level + 1, spaces: spaces)
        Self.write(member.name, into: &output)
        output.append(UInt8(ascii: ":"))
        if spaces != nil { output.append(0x20) }
        member.value.write(into: &output, level: level + 1, spaces: spaces)
      }
      if !members.isEmpty { Self.breakLine(into: &output, level: level, spaces: spaces) }
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func breakLine(into output: inout [UInt8], level: Int, spaces: Int?) {
    guard let spaces else { return }
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: max(level * spaces, 0)))
  }

  /// RFC 8259 §7: only what must be escaped is.
  static func write(_ text: String, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0x0A: output.append(contentsOf: "\\n".utf8)
      case 0x0D: output.append(contentsOf: "\\r".utf8)
      case 0x09: output.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        output.append(contentsOf: "\\u00".utf8)
        output.append(PercentEncoding.hexDigit(byte >> 4) | 0x20)
        output.append(PercentEncoding.hexDigit(byte & 15) | 0x20)
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
