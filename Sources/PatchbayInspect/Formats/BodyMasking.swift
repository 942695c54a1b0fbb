import Foundation
import PatchbayStubs

/// Masks members of JSON by their names, in the text itself: the rest stays byte for byte, and broken or cut JSON is
/// masked as far as it goes.
enum JSONMasking {
  /// - Parameter isAnywhere: it may stand between other things, as in events; else it begins where the body does, behind a
  ///   mark of its bytes' order, or what keeps browsers from running it (`)]}',`).
  static func masked(_ body: Data, isAnywhere: Bool = false, isSecret: (String) -> Bool) -> Data {
    body.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      guard isAnywhere || bytes.prefix(16).contains(where: { $0 == 0x7B || $0 == 0x5B }) || beginsLate(bytes) else {
        return body
      }
      var result = Data()
      var copied = 0
      var index = 0
      while let open = next(UInt8(ascii: "\""), in: bytes, from: index) {
        let close = stringEnd(bytes, from: open + 1)
        index = min(close + 1, bytes.count)
        var value = skipBlanks(bytes, from: index)
        guard value < bytes.count, bytes[value] == UInt8(ascii: ":"), close < bytes.count else { continue }
        guard isSecret(name(bytes[(open + 1)..<close])) else { continue }
        value = skipBlanks(bytes, from: value + 1)
        // A list has several; what is an object has names of its own.
        let isList = value < bytes.count && bytes[value] == UInt8(ascii: "[")
        if isList { value = skipBlanks(bytes, from: value + 1) }
        while value < bytes.count {
          if let end = scalarEnd(bytes, from: value) {
            result.append(contentsOf: bytes[copied..<value])
            result.append(contentsOf: "\"\(Redaction.mask)\"".utf8)
            (copied, value) = (end, skipBlanks(bytes, from: end))
          }
          if isList { value = skipBlanks(bytes, from: nullEnd(bytes, from: value)) }
          guard isList, value < bytes.count, bytes[value] == UInt8(ascii: ",") else { break }
          value = skipBlanks(bytes, from: value + 1)
        }
        index = max(index, value)
      }
      if copied == 0 { return body }
      result.append(contentsOf: bytes[copied...])
      return result
    }
  }

  /// Whether a body of any type is text that begins as JSON does.
  static func isText(_ body: Data) -> Bool {
    guard let text = body.utf8Text,
      !text.unicodeScalars.contains(where: { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) })
    else { return false }
    return body.withUnsafeBytes { beginsLate($0.bindMemory(to: UInt8.self)) }
  }

  /// Behind a `null`, or the same place.
  private static func nullEnd(_ bytes: Bytes, from start: Int) -> Int {
    bytes[min(start, bytes.count)...].starts(with: "null".utf8) ? start + 4 : start
  }

  /// A member's name as it reads.
  private static func name(_ bytes: Slice<Bytes>) -> String {
    guard bytes.contains(UInt8(ascii: "\\")),
      case .string(let name)? = try? JSONValue(parsing: Data([0x22] + bytes + [0x22]))
    else { return String(decoding: bytes, as: UTF8.self) }
    return name
  }

  /// Whether blanks alone stand before a JSON text.
  private static func beginsLate(_ bytes: Bytes) -> Bool {
    bytes.first { !isBlank($0) }.map { $0 == 0x7B || $0 == 0x5B } ?? false
  }

  /// Where a string, number, `true` or `false` ends; nil for what else there is.
  private static func scalarEnd(_ bytes: Bytes, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    if bytes[start] == UInt8(ascii: "\"") { return min(stringEnd(bytes, from: start + 1) + 1, bytes.count) }
    let ends: Set<UInt8> = [0x2C, 0x7D, 0x5D]
    guard bytes[start] != 0x7B, bytes[start] != 0x5B, bytes[start] != UInt8(ascii: "n") else { return nil }
    var end = start
    while end < bytes.count, !ends.contains(bytes[end]), !isBlank(bytes[end]) { end += 1 }
    return end > start ? end : nil
  }

  /// Where the closing quote stands, or the end.
  private static func stringEnd(_ bytes: Bytes, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, bytes.count)
  }

  private static func next(_ byte: UInt8, in bytes: Bytes, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == byte { return index }
      index += 1
    }
    return nil
  }

  private static func skipBlanks(_ bytes: Bytes, from start: Int) -> Int {
    var index = start
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    return index
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

/// Masks the parts of multipart bodies by their names (RFC 7578 §4.2), in the bytes themselves: boundaries, heads and
/// the other parts stay byte for byte, and a body that was cut is masked as far as it goes.
enum MultipartMasking {
  /// What stands between the parts; nil where the body has no parts. A body without a type tells it in its first line.
  static func boundary(of body: Data, type: String?) -> String? {
    switch ContentKind(contentType: type) {
    case .multipart, .none: Multipart.boundary(of: body, contentType: type)
    default: nil
    }
  }

  /// - Parameter depth: in how many parts the body lies.
  static func masked(_ body: Data, boundary: String, by redaction: Redaction, depth: Int) -> Data {
    let body = body.rebased
    let parts = body.withUnsafeBytes { Multipart($0.bindMemory(to: UInt8.self), boundary: boundary).parts }
    var result = Data(capacity: body.count)
    var at = 0
    for part in parts where part.hasHead {
      guard let masked = masked(body[part.content].rebased, part, by: redaction, depth: depth) else { continue }
      result += body[at..<part.content.lowerBound] + masked
      at = part.content.upperBound
    }
    return result + body[at...]
  }

  /// The content in its masked form; nil where it may be seen.
  private static func masked(
    _ content: Data, _ part: Multipart.Part, by redaction: Redaction, depth: Int
  ) -> Data? {
    if let name = part.name, SecretNames.isSecret(name) {
      return content.isEmpty ? nil : Data(Redaction.mask.utf8)
    }
    return redaction.body(content, type: part.headers.first(named: "Content-Type"), depth: depth + 1)
  }
}
