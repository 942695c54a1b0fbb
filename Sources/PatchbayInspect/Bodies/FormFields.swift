import Foundation
import PatchbayStubs

/// The fields of `application/x-www-form-urlencoded` (WHATWG URL §5), in order.
package enum FormFields {
  package static func parse(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// Percent-decoded, `+` as space; broken escapes stay as they stand.
  static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hex(rest[rest.startIndex]),
        let low = hex(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// The parts of a multipart body (RFC 2046 §5.1).
package struct MultipartParts: Sendable {
  package struct Part: Hashable, Sendable {
    package var headers: [HeaderField]
    package var body: Data

    /// From `Content-Disposition` (RFC 7578 §4.2).
    package var name: String? { disposition?["name"] }
    package var fileName: String? { disposition?["filename"] }

    private var disposition: MediaType? { headers.first(named: "Content-Disposition").map(MediaType.init) }
  }

  package var parts: [Part] = []

  package init(_ body: Data, boundary: String) {
    let body = body.rebased
    let marker = Data("--\(boundary)".utf8)
    guard !boundary.isEmpty, var at = body.range(of: marker)?.upperBound else { return }
    while let next = body.range(of: marker, in: at..<body.count) {
      var chunk = body[at..<next.lowerBound]
      chunk = chunk.dropFirst(chunk.starts(with: [0x0D, 0x0A]) ? 2 : chunk.first == 0x0A ? 1 : 0)
      if chunk.last == 0x0A { chunk = chunk.dropLast() }
      if chunk.last == 0x0D { chunk = chunk.dropLast() }
      parts.append(Self.part(chunk))
      at = next.upperBound
    }
  }

  private static func part(_ chunk: Data) -> Part {
    let windows = chunk.range(of: Data("\r\n\r\n".utf8))
    guard let split = windows ?? chunk.range(of: Data("\n\n".utf8)) else {
      return chunk.starts(with: [0x0D, 0x0A])
        ? Part(headers: [], body: chunk.dropFirst(2).rebased)
        : Part(headers: [], body: chunk.rebased)
    }
    let head = String(decoding: chunk[..<split.lowerBound], as: UTF8.self)
    let headers = head.split(whereSeparator: \.isNewline).compactMap { line -> HeaderField? in
      let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
      return halves.count == 2 ? HeaderField(halves[0], halves[1]) : nil
    }
    return Part(headers: headers, body: chunk[split.upperBound...].rebased)
  }
}
