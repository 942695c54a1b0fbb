import Foundation

/// The name of the operation that a request of GraphQL over HTTP asks for: what tells apart requests that all go to one
/// URL.
///
/// Said for every request that is recorded, so it costs next to nothing where a request is none: a body without the
/// words `"query"` and `"operationName"` is searched once and not parsed.
package enum GraphQLOperation {
  /// Of bodies longer than this no name is looked for; the longest documents that are in use have some 100 kB.
  package static let bodyLimit = 1 << 20
  /// Nor of queries longer than this, which no server takes.
  private static let queryLimit = 64 << 10
  /// A longer name is no name.
  private static let nameLimit = 200

  /// The name as `operationName` has it, else as the document does; of a batch the names with commas between. nil: it
  /// is no GraphQL, or has no name.
  package static func name(url: String, contentType: String?, body: Data?) -> String? {
    if let body, !body.isEmpty, body.count <= bodyLimit {
      return body.withUnsafeBytes { name(of: $0.bindMemory(to: UInt8.self), contentType) }
    }
    return name(inQueryOf: url)
  }

  private static func name(of body: UnsafeBufferPointer<UInt8>, _ contentType: String?) -> String? {
    if contentType?.lowercased().hasPrefix("application/graphql") == true, body.first != UInt8(ascii: "{") {
      return document(body)
    }
    guard let first = body.first(where: { !isBlank($0) }), first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      words.contains(where: { $0.isFound(in: body) })
    else { return nil }
    var reader = MemberReader(body)
    let names = reader.requests().map(name)
    guard !names.isEmpty, !names.contains(nil) else { return nil }
    return names.compactMap(\.self).joined(separator: ",")
  }

  private static func name(of request: MemberReader.Request) -> String? {
    let named = request.query.flatMap { text in
      var text = text
      return text.withUTF8 { isDocument($0) ? document($0) ?? "" : nil }
    }
    // A search for {"query": "boots"} is no GraphQL; one that was stored at the server comes without its document.
    guard named != nil || request.query == nil && request.hasOthers else { return nil }
    if let name = request.operationName, isName(name) { return name }
    return named.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func name(inQueryOf url: String) -> String? {
    var url = url
    guard let query = url.withUTF8(Self.query) else { return nil }
    guard query.contains("query=") || query.contains("operationName=") else { return nil }
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      var value = String(halves[1])
      values[String(halves[0])] = value.withUTF8 {
        String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self)
      }
    }
    return name(
      of: MemberReader.Request(
        operationName: values["operationName"], query: values["query"],
        hasOthers: values["extensions"] != nil || values["variables"] != nil))
  }

  /// What stands behind the question mark and before the fragment, which may have a question mark of its own; nil where
  /// nothing does, or too much.
  private static func query(_ url: UnsafeBufferPointer<UInt8>) -> String? {
    func place(of sign: UInt8, in count: Int) -> Int? {
      guard let base = url.baseAddress, let found = memchr(base, Int32(sign), count) else { return nil }
      return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
    let end = place(of: UInt8(ascii: "#"), in: url.count) ?? url.count
    guard let mark = place(of: UInt8(ascii: "?"), in: end), end - mark - 1 <= queryLimit else { return nil }
    return String(decoding: url[(mark + 1)..<end], as: UTF8.self)
  }

  // MARK: The document (GraphQL, October 2021, §2)

  /// Whether a text begins as a document of operations does.
  private static func isDocument(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var words = DocumentWords(text)
    switch words.next() {
    case .open: return true
    case .word("query"), .word("mutation"), .word("subscription"), .word("fragment"):
      // `query boots` alone is somebody's search.
      while let word = words.next() { if word == .open { return true } }
      return false
    default: return false
    }
  }

  /// The name of the first operation that has one.
  private static func document(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    var words = DocumentWords(text)
    var depth = 0
    var isAfterKind = false
    while let word = words.next() {
      switch word {
      case .open: depth += 1
      case .close: depth -= 1
      case .word(let name) where depth == 0:
        if isAfterKind, isName(name) { return name }
        isAfterKind = ["query", "mutation", "subscription"].contains(name)
        continue
      case .word, .other: break
      }
      if depth == 0 { isAfterKind = false }
    }
    return nil
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= nameLimit
      && text.utf8.allSatisfy { isLetter($0) || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  fileprivate static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == UInt8(ascii: "_")
  }

  fileprivate static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }

  private static let words = ["\"query\"", "\"operationName\""].map { ByteSearch(Array($0.utf8)) }
}

/// The words of a GraphQL document, as far as names of operations need them: strings and comments are passed over.
private struct DocumentWords {
  enum Word: Equatable {
    /// A name or a keyword.
    case word(String)
    /// `{` or `(`.
    case open
    case close
    case other
  }

  private let text: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  mutating func next() -> Word? {
    while index < text.count {
      let byte = text[index]
      switch byte {
      // Blanks, commas, and the byte order mark that some editors leave.
      case let byte where GraphQLOperation.isBlank(byte) || byte == UInt8(ascii: ",") || byte >= 0x80: index += 1
      case UInt8(ascii: "#"): while index < text.count, text[index] != 0x0A, text[index] != 0x0D { index += 1 }
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "("):
        index += 1
        return .open
      case UInt8(ascii: "}"), UInt8(ascii: ")"):
        index += 1
        return .close
      case let byte where GraphQLOperation.isLetter(byte): return word()
      default:
        index += 1
        return .other
      }
    }
    return nil
  }

  private mutating func word() -> Word {
    let start = index
    while index < text.count,
      GraphQLOperation.isLetter(text[index]) || text[index] >= UInt8(ascii: "0") && text[index] <= UInt8(ascii: "9")
    {
      index += 1
    }
    return .word(String(decoding: text[start..<index], as: UTF8.self))
  }

  private mutating func skipString() {
    let quote = UInt8(ascii: "\"")
    let isBlock = index + 2 < text.count && text[index + 1] == quote && text[index + 2] == quote
    index += isBlock ? 3 : 1
    while index < text.count {
      if text[index] == UInt8(ascii: "\\") {
        index += 2
      } else if text[index] != quote {
        index += 1
      } else if !isBlock {
        index += 1
        return
      } else if index + 2 < text.count, text[index + 1] == quote, text[index + 2] == quote {
        index += 3
        return
      } else {
        index += 1
      }
    }
  }
}

/// Reads the few members that matter of a JSON object, or of the objects of a list, and passes over everything else
/// without making values of it: variables may hold whole files.
private struct MemberReader {
  struct Request {
    var operationName: String?
    var query: String?
    /// What comes with an operation that is stored at the server: variables, extensions, an id.
    var hasOthers = false
  }

  /// Of a batch not more than so many are looked at.
  private static let batchLimit = 10

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func requests() -> [Request] {
    skipBlanks()
    guard take("[") else { return object().map { [$0] } ?? [] }
    var found: [Request] = []
    while found.count < Self.batchLimit {
      skipBlanks()
      guard let request = object() else { return [] }
      found.append(request)
      skipBlanks()
      if !take(",") { break }
    }
    return found
  }

  private mutating func object() -> Request? {
    guard take("{") else { return nil }
    var request = Request()
    skipBlanks()
    if take("}") { return request }
    while true {
      skipBlanks()
      guard let name = string() else { return nil }
      skipBlanks()
      guard take(":") else { return nil }
      skipBlanks()
      switch name {
      case "query": request.query = peek == UInt8(ascii: "\"") ? string() : skipValue()
      case "operationName": request.operationName = peek == UInt8(ascii: "\"") ? string() : skipValue()
      case "variables", "extensions", "documentId", "doc_id", "id":
        request.hasOthers = true
        skipValue()
      default: skipValue()
      }
      skipBlanks()
      if take("}") { return request }
      guard take(",") else { return nil }
    }
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() { while let byte = peek, GraphQLOperation.isBlank(byte) { index += 1 } }

  /// The string at which it stands, without its escapes.
  private mutating func string() -> String? {
    let start = index
    guard skipString() else { return nil }
    return (try? JSONValue(parsing: Data(bytes[start..<index])))?.text
  }

  private mutating func skipString() -> Bool {
    guard take("\"") else { return false }
    while let byte = peek {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return true }
    }
    return false
  }

  /// - Returns: nil always, for it has no text that counts.
  @discardableResult
  private mutating func skipValue() -> String? {
    var depth = 0
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        guard skipString() else { return nil }
        if depth == 0 { return nil }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return nil }
        depth -= 1
        if depth == 0 {
          index += 1
          return nil
        }
      case UInt8(ascii: ","): if depth == 0 { return nil }
      default: break
      }
      index += 1
    }
    return nil
  }
}
