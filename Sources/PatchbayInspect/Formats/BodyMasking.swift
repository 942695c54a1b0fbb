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
    case .multipart:
      if let given = type.flatMap({ MediaType($0)["boundary"] }), !given.isEmpty { return given }
      return firstLine(of: body)
    case .none: return firstLine(of: body)
    default: return nil
    }
  }

  static func masked(_ body: Data, boundary: String, by redaction: Redaction) -> Data {
    let body = body.rebased
    let marker = Data("--\(boundary)".utf8)
    guard var at = body.range(of: marker)?.upperBound else { return body }
    var result = body[..<at]
    while at < body.count {
      let next = body.range(of: marker, in: at..<body.count)
      result += part(body[at..<(next?.lowerBound ?? body.count)], by: redaction)
      if next != nil { result += marker }
      at = next?.upperBound ?? body.count
    }
    return result.rebased
  }

  /// From behind a boundary up to the next one.
  private static func part(_ chunk: Data, by redaction: Redaction) -> Data {
    guard let gap = chunk.range(of: Data("\r\n\r\n".utf8)) ?? chunk.range(of: Data("\n\n".utf8)) else { return chunk }
    let headers = String(decoding: chunk[..<gap.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
      .compactMap { line -> HeaderField? in
        let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return halves.count == 2 ? HeaderField(String(halves[0]).trimmed, String(halves[1]).trimmed) : nil
      }
    var end = chunk.endIndex
    if end > gap.upperBound, chunk[end - 1] == 0x0A { end -= 1 }
    if end > gap.upperBound, chunk[end - 1] == 0x0D { end -= 1 }
    let value = chunk[gap.upperBound..<end]
    let name = headers.first(named: "Content-Disposition").flatMap { MediaType($0)["name"] }
    let masked: Data?
    if let name, SecretNames.isSecret(name) {
      masked = value.isEmpty ? nil : Data(Redaction.mask.utf8)
    } else {
      masked = redaction.body(value.rebased, type: headers.first(named: "Content-Type"))
    }
    guard let masked else { return chunk }
    return chunk[..<gap.upperBound] + masked + chunk[end...]
  }

  private static func firstLine(of body: Data) -> String? {
    guard body.starts(with: "--".utf8) else { return nil }
    let line = body.dropFirst(2).prefix(71).prefix { $0 != 0x0D && $0 != 0x0A }
    return line.isEmpty || line.count > 70 ? nil : String(data: line, encoding: .utf8)
  }
}
