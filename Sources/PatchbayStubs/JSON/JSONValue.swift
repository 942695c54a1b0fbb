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
