import Foundation

/// A JSON value (RFC 8259) that keeps what Foundation's coders lose: the order of members and the digits of numbers. A
/// Swift literal makes one: `["name": "Ann", "age": 7, "tags": [], "manager": nil]`.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// The number's text as it was written, such as `1.10` or `12345678901234567890`.
  case number(String)
  /// A text, without its escapes.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members in their order.
  case object([Member])

  /// One name and value of an object. Names may repeat, as RFC 8259 §4 permits; the last one counts when looked up.
  public struct Member: Hashable, Sendable {
    /// Its name, without escapes.
    public var name: String
    /// What stands behind the colon.
    public var value: JSONValue

    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }
}

extension JSONValue {
  /// The value of the last member of that name, or nil where this is no object or has none.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// An object from pairs, in their order.
  public static func members(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(pairs.map { Member($0.key, $0.value) })
  }

  /// The text where this is a string.
  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The number where this is an integer that fits.
  package var integer: Int? {
    guard case .number(let digits) = self else { return nil }
    return Int(digits)
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .number(String(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// Reads one JSON text; the error names line and column. Nesting deeper than the limit is an error.
  package init(parsing data: Data, depthLimit: Int = 256) throws(StubError) {
    self = try Self.parse(Array(data), depthLimit: depthLimit)
  }

  /// Reads one JSON text; the error names line and column.
  package init(parsing text: String, depthLimit: Int = 256) throws(StubError) {
    self = try Self.parse(Array(text.utf8), depthLimit: depthLimit)
  }

  private static func parse(_ bytes: [UInt8], depthLimit: Int) throws(StubError) -> JSONValue {
    let result: Result<JSONValue, StubError> = bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(buffer, builder: JSONValueBuilder(), depthLimit: depthLimit)
      do throws(StubError) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension DocumentNode {
  /// Reads one JSON text, with the place of every value and name.
  package init(parsingJSON bytes: [UInt8], depthLimit: Int = 256) throws(StubError) {
    let result: Result<DocumentNode, StubError> = bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(buffer, builder: DocumentBuilder(buffer), depthLimit: depthLimit)
      do throws(StubError) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

extension JSONValue {
  /// Without any space, members in order, numbers with their digits. Safe to print: see `Escaping.printable`.
  package var compact: String { String(decoding: compactBytes(.printable), as: UTF8.self) }

  /// The same as the body of a response, for a program: no character is escaped that need not be.
  package var bodyData: Data { Data(compactBytes(.minimal)) }

  /// Over several lines, each level indented by so many spaces.
  package func indented(by spaces: Int = 2, escaping: Escaping = .printable) -> String {
    var output: [UInt8] = []
    write(into: &output, escaping: escaping, level: 0, spaces: spaces)
    return String(decoding: output, as: UTF8.self)
  }

  /// Which characters are written as `\uXXXX`.
  package enum Escaping: Sendable {
    /// Those that RFC 8259 §7 demands, and those that command a terminal or hide what is there: DEL, C1 (U+0080–9F),
    /// and what breaks lines or turns the direction of text (U+061C, U+200E–F, U+2028–E, U+2066–9). A terminal in UTF-8
    /// obeys C1, so that a recorded header could else set its title or its clipboard.
    case printable
    /// Only those that RFC 8259 §7 demands: for the bytes of a body.
    case minimal
  }

  private func compactBytes(_ escaping: Escaping) -> [UInt8] {
    var output: [UInt8] = []
    write(into: &output, escaping: escaping, level: 0, spaces: nil)
    return output
  }

  /// Appends the value; `spaces` nil is compact.
  private func write(into output: inout [UInt8], escaping: Escaping, level: Int, spaces: Int?) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let digits): output.append(contentsOf: digits.utf8)
    case .string(let text): Self.write(text, into: &output, escaping: escaping)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.breakLine(into: &output, level: level + 1, spaces: spaces)
        element.write(into: &output, escaping: escaping, level: level + 1, spaces: spaces)
      }
      if !elements.isEmpty { Self.breakLine(into: &output, level: level, spaces: spaces) }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.breakLine(into: &output, level: level + 1, spaces: spaces)
        Self.write(member.name, into: &output, escaping: escaping)
        output.append(UInt8(ascii: ":"))
        if spaces != nil { output.append(0x20) }
        member.value.write(into: &output, escaping: escaping, level: level + 1, spaces: spaces)
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

  private static func write(_ text: String, into output: inout [UInt8], escaping: Escaping) {
    var text = text
    output.append(UInt8(ascii: "\""))
    text.withUTF8 { bytes in
      // Runs without escapes are copied whole.
      var copied = 0
      var index = 0
      while index < bytes.count {
        guard mayBeginEscape(bytes[index]), let (scalar, length) = escaped(bytes, at: index, escaping) else {
          index += 1
          continue
        }
        output.append(contentsOf: bytes[copied..<index])
        appendEscape(of: scalar, to: &output)
        index += length
        copied = index
      }
      output.append(contentsOf: bytes[copied...])
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Whether a character that is escaped may begin with the byte. Of those beyond ASCII only C2, D8 and E2 may.
  private static func mayBeginEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }

  /// The character that begins at this byte and its length in UTF-8, where it is to be escaped.
  private static func escaped(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ escaping: Escaping
  ) -> (scalar: UInt32, length: Int)? {
    let byte = bytes[index]
    if byte < 0x7F { return (UInt32(byte), 1) }
    guard escaping == .printable else { return nil }
    if byte == 0x7F { return (0x7F, 1) }
    // A string's UTF-8 is complete: the bytes that the first one announces are there.
    let length = byte == 0xE2 ? 3 : 2
    var scalar = UInt32(byte & (byte == 0xE2 ? 0x0F : 0x1F))
    for next in bytes[(index + 1)..<(index + length)] { scalar = scalar << 6 | UInt32(next & 0x3F) }
    switch scalar {
    case 0x80...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: return (scalar, length)
    default: return nil
    }
  }

  private static func appendEscape(of scalar: UInt32, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: output.append(UInt8(scalar))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case 0x09: output.append(UInt8(ascii: "t"))
    default:
      output.append(UInt8(ascii: "u"))
      var shift: UInt32 = 16
      while shift > 0 {
        shift -= 4
        let digit = PercentEncoding.hexDigit(UInt8(truncatingIfNeeded: scalar >> shift) & 15)
        output.append(digit | 0x20)
      }
    }
  }
}
