import Foundation
import PatchbayStubs

/// The part of JSONPath that a subset of JSON can say: names, places in lists, and filters that compare for equality.
struct JSONPath {
  private enum Step {
    case name(String)
    /// Any element of a list.
    case element
    /// An element that has this.
    case filter(JSONValue)
  }

  private var steps: [Step] = []

  /// Nil where the expression says more.
  init?(_ expression: String) {
    guard expression.first == "$", expression.utf8.count <= 1_000 else { return nil }
    var rest = expression.dropFirst()
    while let sign = rest.first {
      if sign == "." {
        rest = rest.dropFirst()
        if rest.first == "." { return nil }
        if rest.first == "[" { continue }
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty, !name.contains("("), name != "*" else { return nil }
        steps.append(.name(String(name)))
        rest = rest.dropFirst(name.count)
      } else if sign == "[" {
        guard let close = Self.close(rest), let step = Self.bracket(rest[rest.index(after: rest.startIndex)..<close])
        else { return nil }
        steps.append(step)
        rest = rest[rest.index(after: close)...]
      } else {
        return nil
      }
    }
    guard !steps.isEmpty, steps.count <= 50 else { return nil }
  }

  /// The last name on the way, for what only asks whether something is there.
  var lastName: String? {
    for step in steps.reversed() {
      switch step {
      case .name(let name): return name
      case .element: continue
      case .filter: return nil
      }
    }
    return nil
  }

  /// What must be in the document where the expression ends with a filter; nil where it asks for no value.
  var value: JSONValue? {
    guard case .filter(let value)? = steps.last else { return nil }
    return value
  }

  /// A document that has this value at the end of the expression.
  func subset(_ value: JSONValue) -> JSONValue? {
    var result = value
    var isLast = true
    for step in steps.reversed() {
      switch step {
      case .name(let name): result = .object([.init(name, result)])
      case .element: result = .array([result])
      case .filter(let wanted):
        if isLast, wanted == value {
          result = .array([wanted])
        } else if case .object(let one) = wanted, case .object(let other) = result,
          !other.contains(where: { member in one.contains { $0.name == member.name && $0.value != member.value } })
        {
          result = .array([.object(one + other.filter { member in !one.contains { $0.name == member.name } })])
        } else {
          return nil
        }
      }
      isLast = false
    }
    return result
  }

  /// The pointer (RFC 6901) to the same place; nil where it is not one place.
  var pointer: String? {
    var pointer = ""
    for step in steps {
      guard case .name(let name) = step else { return nil }
      pointer += "/" + name.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
    }
    return pointer
  }

  // MARK: - Reading

  /// The bracket that closes the first one, quotes aside.
  private static func close(_ text: Substring) -> Substring.Index? {
    var depth = 0
    var quote: Character?
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "[" {
        depth += 1
      } else if character == "]" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  private static func bracket(_ text: Substring) -> Step? {
    let inner = text.trimmingCharacters(in: .whitespaces)
    if inner == "*" || Int(inner) != nil { return .element }
    if let name = quoted(inner) { return .name(name) }
    guard inner.hasPrefix("?(") || inner.hasPrefix("?@"), !inner.contains("||") else { return nil }
    var body = Substring(inner.dropFirst())
    if body.first == "(", body.last == ")" { body = body.dropFirst().dropLast() }
    var members: [JSONValue.Member] = []
    let clauses = String(body).components(separatedBy: "&&")
    for clause in clauses {
      guard let equals = clause.range(of: "=="), clause.hasPrefix("@") || clause.hasPrefix(" @") else { return nil }
      let left = clause[..<equals.lowerBound].trimmingCharacters(in: .whitespaces)
      let right = clause[equals.upperBound...].trimmingCharacters(in: .whitespaces)
      guard let value = literal(right) else { return nil }
      if left == "@" { return clauses.count == 1 ? .filter(value) : nil }
      guard let path = JSONPath("$" + left.dropFirst()), case .object(let found)? = path.subset(value) else {
        return nil
      }
      members += found
    }
    return Set(members.map(\.name)).count == members.count ? .filter(.object(members)) : nil
  }

  private static func literal(_ text: String) -> JSONValue? {
    if let text = quoted(text) { return .string(text) }
    switch try? JSONValue(parsing: text) {
    case .some(.number(let digits)): return .number(digits)
    case .some(.bool(let value)): return .bool(value)
    case .some(.null): return .null
    default: return nil
    }
  }

  private static func quoted(_ text: String) -> String? {
    guard text.count >= 2, let sign = text.first, sign == "'" || sign == "\"", text.last == sign else { return nil }
    let inner = text.dropFirst().dropLast()
    return inner.contains(sign) || inner.contains("\\") ? nil : String(inner)
  }
}
