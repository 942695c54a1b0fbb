import Foundation
import PatchbayStubs

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
