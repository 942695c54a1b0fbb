/// Content types by the ends of file names.
package enum ContentType {
  /// The type that a file of this name probably has; `application/octet-stream` where the end tells nothing.
  package static func guess(_ path: String) -> String {
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
