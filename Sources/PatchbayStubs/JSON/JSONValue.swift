/// A JSON value (RFC 8259) that keeps what Foundation's coders lose: the order of members and the digits of numbers.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The number's text as it was written, such as `1.10` or `12345678901234567890`.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name and value of an object. Names may repeat, as RFC 8259 §4 permits; the last one counts when looked up.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var value: JSONValue

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
