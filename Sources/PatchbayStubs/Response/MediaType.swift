/// A media type with its parameters (RFC 9110 §8.3.1). The value of a `Content-Disposition` (RFC 6266) has the same form.
package struct MediaType: Hashable, Sendable {
  /// Type and subtype in small letters, such as `text/html`.
  package var essence: String
  /// Names in small letters, with their values as they mean (quotes taken off).
  package var parameters: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }
  private var pairs: [Pair]

  private struct Pair: Hashable {
    var name: String
    var value: String
  }

  package init(_ value: String) {
    var pieces = Self.split(value)
    essence = pieces.removeFirst().trimmed.lowercased()
    pairs = pieces.compactMap { piece in
      guard let equals = piece.firstIndex(of: "=") else { return nil }
      let name = String(piece[..<equals]).trimmed.lowercased()
      return Pair(name: name, value: Self.unquoted(String(piece[piece.index(after: equals)...]).trimmed))
    }
  }

  /// The value of the first parameter of that name (small letters).
  package subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Cuts at the semicolons that stand outside of quotes. Never empty.
  private static func split(_ value: String) -> [String] {
    var pieces: [String] = []
    var start = value.startIndex
    var quoted = false
    var escaped = false
    for at in value.utf8.indices {
      let byte = value.utf8[at]
      if byte == UInt8(ascii: ";"), !quoted {
        pieces.append(String(value[start..<at]))
        start = value.utf8.index(after: at)
      } else {
        if byte == UInt8(ascii: "\""), !escaped { quoted.toggle() }
        escaped = quoted && byte == UInt8(ascii: "\\") && !escaped
      }
    }
    return pieces + [String(value[start...])]
  }

  private static func unquoted(_ value: String) -> String {
    guard value.hasPrefix("\""), value.count >= 2, value.hasSuffix("\"") else { return value }
    var result = ""
    var escaped = false
    for character in value.dropFirst().dropLast() {
      if character == "\\", !escaped {
        escaped = true
      } else {
        result.append(character)
        escaped = false
      }
    }
    return result
  }
}

extension MediaType {
  /// The type that a file of this name probably has; `application/octet-stream` where the end tells nothing.
  package static func guess(ofFile path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return types[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }

  private static let types: [String: String] = [
    "json": "application/json", "ndjson": "application/x-ndjson", "jsonl": "application/x-ndjson",
    "xml": "application/xml", "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "yaml": "application/yaml",
    "yml": "application/yaml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "avif": "image/avif", "heic": "image/heic", "svg": "image/svg+xml", "ico": "image/x-icon",
    "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "mp3": "audio/mpeg",
    "m4a": "audio/mp4", "wav": "audio/wav", "mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t", "woff": "font/woff", "woff2": "font/woff2",
    "ttf": "font/ttf", "wasm": "application/wasm", "plist": "application/x-plist",
    "pb": "application/x-protobuf", "der": "application/x-x509-ca-cert",
  ]
}

extension String {
  /// Without blanks at its ends.
  package var trimmed: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    guard let first = utf8.first, let last = utf8.last, isBlank(first) || isBlank(last) else { return self }
    guard let start = utf8.firstIndex(where: { !isBlank($0) }), let end = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(Substring(utf8[start...end]))
  }
}
