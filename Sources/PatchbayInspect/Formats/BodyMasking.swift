import Foundation
import PatchbayStubs

/// Masks members of JSON by their names, in the text itself: the rest stays byte for byte, and broken or cut JSON is
/// masked as far as it goes.
enum JSONMasking {
  static func masked(_ body: Data, isSecret: (String) -> Bool) -> Data {
    body.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      guard let first = bytes.first(where: { !isBlank($0) }), first == 0x7B || first == 0x5B else { return body }
      var result = Data()
      var copied = 0
      var index = 0
      while let open = next(UInt8(ascii: "\""), in: bytes, from: index) {
        let close = stringEnd(bytes, from: open + 1)
        index = min(close + 1, bytes.count)
        var value = skipBlanks(bytes, from: index)
        guard value < bytes.count, bytes[value] == UInt8(ascii: ":"), close < bytes.count else { continue }
        guard isSecret(String(decoding: bytes[(open + 1)..<close], as: UTF8.self)) else { continue }
        value = skipBlanks(bytes, from: value + 1)
        guard let end = scalarEnd(bytes, from: value) else { continue }
        result.append(contentsOf: bytes[copied..<value])
        result.append(contentsOf: "\"\(Redaction.mask)\"".utf8)
        copied = end
        index = end
      }
      if copied == 0 { return body }
      result.append(contentsOf: bytes[copied...])
      return result
    }
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

  static func masked(_ body: Data, boundary: String, by redaction: Redaction) -> Data {
    let body = body.rebased
    let parts = body.withUnsafeBytes { Multipart($0.bindMemory(to: UInt8.self), boundary: boundary).parts }
    var result = Data(capacity: body.count)
    var at = 0
    for part in parts where part.hasHead {
      guard let masked = masked(body[part.content].rebased, part, by: redaction) else { continue }
      result += body[at..<part.content.lowerBound] + masked
      at = part.content.upperBound
    }
    return result + body[at...]
  }

  /// The content in its masked form; nil where it may be seen.
  private static func masked(_ content: Data, _ part: Multipart.Part, by redaction: Redaction) -> Data? {
    if let name = part.name, SecretNames.isSecret(name) {
      return content.isEmpty ? nil : Data(Redaction.mask.utf8)
    }
    return redaction.body(content, type: part.headers.first(named: "Content-Type"))
  }
}
