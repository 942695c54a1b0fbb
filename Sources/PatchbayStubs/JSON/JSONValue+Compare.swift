extension JSONValue {
  /// Whether both mean the same: numbers by value, members without regard to order.
  package func means(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right || JSONNumber(left) == JSONNumber(right)
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    case (.object(let left), .object(let right)): Self.mean(left, right)
    default: false
    }
  }

  /// Where a name stands twice the last counts.
  private static func mean(_ left: [Member], _ right: [Member]) -> Bool {
    let left = Dictionary(left.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    let right = Dictionary(right.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    return left.count == right.count && left.allSatisfy { name, value in right[name].map(value.means) ?? false }
  }

  /// Whether each member and element of this is found in the other: objects may have more members there, arrays more
  /// elements in any order.
  package func isSubset(of other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let members), .object): members.allSatisfy { other[$0.name].map($0.value.isSubset(of:)) ?? false }
    case (.array(let elements), .array(let others)):
      elements.allSatisfy { element in others.contains { element.isSubset(of: $0) } }
    default: means(other)
    }
  }

  /// What stands at a JSON Pointer (RFC 6901); nil where nothing does or the pointer is none.
  package func value(at pointer: String) -> JSONValue? {
    guard let parts = Self.parts(ofPointer: pointer) else { return nil }
    var value = self
    for part in parts {
      switch value {
      case .object:
        guard let next = value[part] else { return nil }
        value = next
      case .array(let elements):
        guard let index = Int(part), String(index) == part, elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  /// The reference tokens of a JSON Pointer, unescaped; nil where it is none.
  static func parts(ofPointer pointer: String) -> [String]? {
    if pointer.isEmpty { return [] }
    guard pointer.hasPrefix("/") else { return nil }
    return pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.contains("~") ? unescaped(part) : String(part)
    }
  }

  /// `~1` is `/` and `~0` is `~`, in that order (RFC 6901 §4).
  private static func unescaped(_ part: Substring) -> String {
    var result = ""
    var rest = part
    while let tilde = rest.firstIndex(of: "~") {
      result += rest[..<tilde]
      rest = rest[rest.index(after: tilde)...]
      if rest.first == "1" || rest.first == "0" {
        result += rest.removeFirst() == "1" ? "/" : "~"
      } else {
        result += "~"
      }
    }
    return result + rest
  }
}

/// A JSON number by its value, without limits of size: digits times a power of ten.
struct JSONNumber: Hashable {
  private var negative = false
  private var digits: [UInt8] = []
  private var exponent = 0

  init(_ text: String) {
    var fraction = false
    var bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "-") {
      negative = true
      bytes.removeFirst()
    }
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: ".") {
        fraction = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        if bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        let given = Int(String(decoding: bytes, as: UTF8.self)) ?? 0
        exponent += min(max(given, -1 << 40), 1 << 40)
        break
      } else {
        digits.append(byte)
        if fraction { exponent -= 1 }
      }
    }
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    digits = Array(digits.drop { $0 == 0x30 })
    if digits.isEmpty {
      negative = false
      exponent = 0
    }
  }
}
