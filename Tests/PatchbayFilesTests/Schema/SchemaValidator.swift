import Foundation
import PatchbayStubs

/// A validator of JSON Schema (draft 2020-12) for the keywords that our schema uses; an unknown keyword is an error, so
/// that it cannot pass unseen.
struct SchemaValidator {
  struct UnknownKeyword: Error { let name: String }

  let root: JSONValue

  private static let silent: Set = [
    "$schema", "$defs", "title", "description", "default", "examples", "format", "contentEncoding",
  ]

  func accepts(_ value: JSONValue) throws -> Bool { try accepts(value, root) }

  private func accepts(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
    if case .bool(let always) = schema { return always }
    guard case .object(let keywords) = schema else { throw UnknownKeyword(name: schema.compact) }
    for keyword in keywords where !Self.silent.contains(keyword.name) {
      guard try holds(keyword, of: schema, for: value) else { return false }
    }
    return true
  }

  private func holds(_ keyword: JSONValue.Member, of schema: JSONValue, for value: JSONValue) throws -> Bool {
    let asked = keyword.value
    switch keyword.name {
    case "$ref": return try accepts(value, root.value(at: String((asked.text ?? "").dropFirst())) ?? false)
    case "type": return asked.elements.contains { value.isOf(type: $0.text ?? "") }
    case "const": return value.isEqual(to: asked)
    case "enum": return asked.elements.contains { value.isEqual(to: $0) }
    case "anyOf": return try asked.elements.contains { try accepts(value, $0) }
    case "allOf": return try asked.elements.allSatisfy { try accepts(value, $0) }
    case "oneOf": return try asked.elements.filter { try accepts(value, $0) }.count == 1
    case "not": return try !accepts(value, asked)
    case "pattern":
      guard case .string(let text) = value else { return true }
      return text.range(of: asked.text ?? "", options: .regularExpression) != nil
    case "minLength": return value.text.map { $0.unicodeScalars.count >= asked.count } ?? true
    case "minimum": return value.number.map { $0 >= asked.number ?? 0 } ?? true
    case "maximum": return value.number.map { $0 <= asked.number ?? 0 } ?? true
    case "minItems": return value.items.map { $0.count >= asked.count } ?? true
    case "maxItems": return value.items.map { $0.count <= asked.count } ?? true
    case "items": return try value.items?.allSatisfy { try accepts($0, asked) } ?? true
    case "properties", "additionalProperties", "required", "propertyNames", "dependentRequired":
      guard case .object(let members) = value else { return true }
      return try holds(keyword, of: schema, forMembers: members)
    default: throw UnknownKeyword(name: keyword.name)
    }
  }

  private func holds(
    _ keyword: JSONValue.Member, of schema: JSONValue, forMembers members: [JSONValue.Member]
  ) throws -> Bool {
    let asked = keyword.value
    let names = Set(members.map(\.name))
    switch keyword.name {
    case "properties":
      return try members.allSatisfy { member in try asked[member.name].map { try accepts(member.value, $0) } ?? true }
    case "additionalProperties":
      return try members.allSatisfy { try schema["properties"]?[$0.name] != nil || accepts($0.value, asked) }
    case "required": return asked.elements.allSatisfy { names.contains($0.text ?? "") }
    case "propertyNames": return try members.allSatisfy { try accepts(.string($0.name), asked) }
    default:
      guard case .object(let rules) = asked else { return true }
      return rules.allSatisfy { rule in
        !names.contains(rule.name) || rule.value.elements.allSatisfy { names.contains($0.text ?? "") }
      }
    }
  }
}

extension JSONValue {
  /// The elements of an array; anything else stands for itself.
  fileprivate var elements: [JSONValue] { items ?? [self] }

  fileprivate var items: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  fileprivate var number: Double? {
    guard case .number(let text) = self else { return nil }
    return Double(text)
  }

  fileprivate var count: Int { Int(number ?? 0) }

  fileprivate func isEqual(to other: JSONValue) -> Bool {
    if let one = number, let two = other.number { return one == two }
    return self == other
  }

  fileprivate func isOf(type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number: type == "number" || (type == "integer" && number?.rounded() == number)
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
