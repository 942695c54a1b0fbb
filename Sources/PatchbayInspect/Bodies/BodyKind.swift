import Foundation
import PatchbayStubs

/// What a body is, as far as its type and its first bytes tell.
package enum BodyKind: String, Hashable, Sendable, CaseIterable {
  case empty
  case json = "JSON"
  case ndjson = "NDJSON"
  case form = "form"
  case multipart = "multipart"
  case xml = "XML"
  case html = "HTML"
  case events = "events"
  case text = "text"
  case image = "image"
  case binary = "binary"

  /// - Parameter contentType: the value of `Content-Type`, if there was one.
  package init(of body: Data, contentType: String?) {
    guard !body.isEmpty else {
      self = .empty
      return
    }
    let type = contentType.map(MediaType.init)?.essence ?? ""
    if let told = Self.told(by: type) {
      self = told == .json && Self.hasSeveralRoots(body) ? .ndjson : told
      return
    }
    self = Self.sniffed(body, isText: type.hasPrefix("text/") || type.hasSuffix("javascript"))
  }

  private static func told(by type: String) -> BodyKind? {
    switch type {
    case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines": .ndjson
    case "application/x-www-form-urlencoded": .form
    case "text/html", "application/xhtml+xml": .html
    case "text/event-stream": .events
    case "application/xml", "text/xml", "image/svg+xml": .xml
    case "application/json", "text/json": .json
    case _ where type.hasSuffix("+json"): .json
    case _ where type.hasSuffix("+xml"): .xml
    case _ where type.hasPrefix("multipart/"): .multipart
    case _ where type.hasPrefix("image/"): .image
    default: nil
    }
  }

  private static func sniffed(_ body: Data, isText: Bool) -> BodyKind {
    if ImageFacts(body) != nil { return .image }
    let head = body.prefix(4_096)
    let first = head.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    if !isText && looksBinary(head) { return .binary }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return hasSeveralRoots(body) ? .ndjson : .json
    case UInt8(ascii: "<"):
      let text = String(decoding: head, as: UTF8.self).lowercased()
      return text.contains("<html") || text.contains("<!doctype html") ? .html : .xml
    default: return .text
    }
  }

  /// Whether the first line is one whole object and the second begins another.
  private static func hasSeveralRoots(_ body: Data) -> Bool {
    let head = body.prefix(65_536)
    guard head.first == UInt8(ascii: "{"), let line = head.firstIndex(of: 0x0A) else { return false }
    let rest = head[(line + 1)...].drop { $0 == 0x0D }
    let before = head[..<line].last { $0 != 0x0D && $0 != 0x20 }
    return before == UInt8(ascii: "}") && rest.first == UInt8(ascii: "{")
  }

  /// NUL or many control characters and invalid UTF-8 among the first bytes, and no byte-order mark.
  private static func looksBinary(_ head: Data) -> Bool {
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return false }
    let controls = head.reduce(0) { $0 + ($1 < 0x09 || ($1 > 0x0D && $1 < 0x20 && $1 != 0x1B) ? 1 : 0) }
    if head.contains(0) || controls * 10 > head.count { return true }
    let broken = String(decoding: head, as: UTF8.self).unicodeScalars.reduce(0) { $0 + ($1 == "\u{FFFD}" ? 1 : 0) }
    return broken * 10 > head.count
  }
}
