import PatchbayStubs

/// What sort of thing a body is, by its media type (RFC 9110 §8.3).
package enum ContentKind: UInt8, Hashable, Sendable, CaseIterable {
  case none
  case json
  case jsonLines
  case form
  case multipart
  case html
  case xml
  case text
  case script
  case image
  case audio
  case video
  case events
  case archive
  case binary

  /// Of the value of a `Content-Type` field; nil and empty are `none`.
  package init(contentType: String?) {
    guard let contentType, !contentType.isEmpty else {
      self = .none
      return
    }
    let type = MediaType(contentType).essence
    let subtype = type.split(separator: "/").last.map(String.init) ?? ""
    if let known = Self.known[type] {
      self = known
    } else if subtype.hasSuffix("+json") {
      self = .json
    } else if type.hasPrefix("image/") {
      self = .image
    } else if subtype.hasSuffix("+xml") {
      self = .xml
    } else if let first = type.split(separator: "/").first, let known = Self.families[String(first)] {
      self = known
    } else {
      self = .binary
    }
  }

  /// A short name for a column, such as `JSON`.
  package var label: String {
    switch self {
    case .none: ""
    case .json: "JSON"
    case .jsonLines: "NDJSON"
    case .form: "form"
    case .multipart: "multipart"
    case .html: "HTML"
    case .xml: "XML"
    case .text: "text"
    case .script: "script"
    case .image: "image"
    case .audio: "audio"
    case .video: "video"
    case .events: "events"
    case .archive: "archive"
    case .binary: "binary"
    }
  }

  private static let families: [String: ContentKind] = [
    "audio": .audio, "video": .video, "text": .text, "multipart": .multipart,
  ]

  private static let known: [String: ContentKind] = [
    "application/json": .json, "text/json": .json,
    "application/x-ndjson": .jsonLines, "application/jsonl": .jsonLines, "application/x-jsonlines": .jsonLines,
    "application/json-lines": .jsonLines, "application/ndjson": .jsonLines,
    "application/x-www-form-urlencoded": .form,
    "text/html": .html, "application/xhtml+xml": .html,
    "text/xml": .xml, "application/xml": .xml,
    "text/javascript": .script, "application/javascript": .script, "text/css": .script,
    "text/event-stream": .events,
    "application/zip": .archive, "application/gzip": .archive, "application/x-tar": .archive,
    "application/yaml": .text, "application/graphql": .text, "application/toml": .text,
  ]
}
