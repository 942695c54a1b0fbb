import Foundation
import PatchbayStubs
import PatchbayWire

/// One line of a controller.
struct ControlRequest: Sendable {
  /// Given by the controller, said again in every answer.
  var id: JSONValue
  var command: String
  /// The controller's name, for the person.
  var by: String
  let members: JSONValue

  init(line: some Collection<UInt8>) throws(ServerError) {
    let value: JSONValue
    do throws(StubError) {
      value = try JSONValue(parsing: Data(line))
    } catch {
      throw .badRequest("The line is not JSON (\(error)): send one JSON object a line.")
    }
    guard case .object = value, let command = value["do"]?.text else {
      throw .badRequest("The line has no “do”: send an object such as {\"id\":1,\"do\":\"status\"}.")
    }
    members = value
    self.command = command
    id = value["id"] ?? .null
    by = value["by"]?.text ?? "a controller"
  }

  var author: Author { .controller(by) }

  func text(_ name: String) throws(ServerError) -> String {
    guard let text = members[name]?.text else { throw missing(name, "text") }
    return text
  }

  func optionalText(_ name: String) throws(ServerError) -> String? {
    switch members[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw missing(name, "text")
    }
  }

  func integer(_ name: String) throws(ServerError) -> Int {
    guard let number = members[name]?.integer else { throw missing(name, "a whole number") }
    return number
  }

  func optionalInteger(_ name: String) throws(ServerError) -> Int? {
    switch members[name] {
    case nil, .null?: return nil
    default: return try integer(name)
    }
  }

  func missing(_ name: String, _ what: String) -> ServerError {
    .badRequest("\(command) needs “\(name)”, which must be \(what).")
  }
}

/// Values that several commands have in common.
extension ControlRequest {
  /// `[[name, value]…]`; absent is nil.
  static func headers(_ value: JSONValue?) throws(ServerError) -> [HeaderField]? {
    guard let value, value != .null else { return nil }
    guard case .array(let pairs) = value else { throw badHeaders }
    var fields: [HeaderField] = []
    for pair in pairs {
      guard case .array(let parts) = pair, parts.count == 2, let name = parts[0].text, let text = parts[1].text else {
        throw badHeaders
      }
      fields.append(HeaderField(name, text))
    }
    return fields
  }

  private static var badHeaders: ServerError {
    .badRequest("Headers must be a list of pairs, such as [[\"Accept\",\"*/*\"]].")
  }

  /// A string, `{"base64": …}`, or absent or null for none.
  static func body(_ value: JSONValue?) throws(ServerError) -> Data? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: return Data(text.utf8)
    default:
      guard let encoded = value?["base64"]?.text, let data = Data(base64Encoded: encoded) else {
        throw .badRequest("A body must be a string, or {\"base64\": …}.")
      }
      return data
    }
  }
}

extension JSONValue {
  /// The inverse of `ControlRequest.body`.
  init(body: Data?) {
    guard let body else {
      self = .null
      return
    }
    if let text = String(validating: body, as: UTF8.self) {
      self = .string(text)
    } else {
      self = .members(["base64": .string(body.base64EncodedString())])
    }
  }

  init(headers: [HeaderField]) {
    self = .array(headers.map { .array([.string($0.name), .string($0.value)]) })
  }

  init(_ number: some BinaryInteger) { self = .number("\(number)") }

  /// RFC 3339 with milliseconds, in UTC.
  init(time: Timestamp) {
    self = .string(time.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
