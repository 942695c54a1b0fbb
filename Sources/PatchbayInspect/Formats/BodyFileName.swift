import Foundation
import PatchbayStubs
import PatchbayWire

/// Names of files for bodies. Whatever the traffic held they are plain names: ASCII letters, digits, `-`, `_`, `.`,
/// no folder, no leading dot, at most 80 bytes.
package enum BodyFileName {
  package static func request(_ exchange: Exchange) -> String {
    name(exchange, "request", exchange.request.headers.first(named: "Content-Type"), exchange.request.body)
  }

  package static func response(_ exchange: Exchange) -> String {
    name(exchange, "response", exchange.response?.headers.first(named: "Content-Type"), exchange.response?.body)
  }

  private static func name(_ exchange: Exchange, _ side: String, _ type: String?, _ body: Data?) -> String {
    let url = exchange.request.url
    let last = url.utf8Slice(URLParts(url).path).split(separator: "/").last.map(String.init) ?? ""
    let ending = ending(type, body)
    var stem = plain(last)
    if stem.lowercased().hasSuffix("." + ending) { stem.removeLast(ending.count + 1) }
    return "\(exchange.id)-\(side)" + (stem.isEmpty ? "" : "-" + stem) + "." + ending
  }

  private static func plain(_ text: String) -> String {
    var result = ""
    for byte in text.utf8.prefix(40) {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: if !result.hasSuffix("-") { result += "-" }
      }
    }
    return result.trimmingCharacters(in: CharacterSet(charactersIn: "-."))
  }

  /// The file name extension for a media type; by what is in the body where there is none.
  static func ending(_ type: String?, _ body: Data?) -> String {
    let essence = type.map { MediaType($0).essence } ?? ""
    if let known = endings[essence] { return known }
    switch ContentKind(contentType: type) {
    case .json: return "json"
    case .jsonLines: return "jsonl"
    case .html: return "html"
    case .xml: return "xml"
    case .text, .events, .script: return "txt"
    case .image, .audio, .video, .archive:
      let subtype = essence.split(separator: "/").last.map { plain(String($0)) } ?? ""
      return subtype.isEmpty || subtype.count > 10 ? "bin" : subtype.replacing("x-", with: "")
    case .form: return "form"
    case .multipart: return "multipart"
    case .none, .binary: return body?.utf8Text == nil ? "bin" : "txt"
    }
  }

  private static let endings = [
    "image/jpeg": "jpg", "image/svg+xml": "svg", "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico",
    "text/css": "css", "text/javascript": "js", "application/javascript": "js", "text/csv": "csv",
    "text/markdown": "md", "application/pdf": "pdf", "application/gzip": "gz", "application/x-tar": "tar",
    "application/yaml": "yaml", "application/toml": "toml", "application/wasm": "wasm", "audio/mpeg": "mp3",
    "video/quicktime": "mov", "video/mp4": "mp4", "font/woff2": "woff2", "font/woff": "woff",
    "application/octet-stream": "bin", "application/graphql": "graphql",
  ]
}

extension ExportFormat {
  /// Raw bodies, those that are there and not empty.
  package static let bodies = ExportFormat(
    "bodies", key: "b", title: "Bodies", detail: "raw, each a file", label: "bodies", noun: "raw bodies",
    output: .folder(one: "body", many: "bodies") { exchange in
      var files: [ExportedFile] = []
      if let body = exchange.request.body, !body.isEmpty {
        files.append(ExportedFile(name: BodyFileName.request(exchange), data: body))
      }
      if let body = exchange.response?.body, !body.isEmpty {
        files.append(ExportedFile(name: BodyFileName.response(exchange), data: body))
      }
      return files
    })
}
