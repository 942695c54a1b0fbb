import Foundation

/// One request while it is being matched: what patterns look at, worked out when first needed. For one thread.
final class MatchedRequest {
  let facts: RequestFacts
  let url: NormalURL
  private let fetchBody: (() -> Data?)?

  init(_ facts: RequestFacts, body: (() -> Data?)? = nil) {
    self.facts = facts
    url = NormalURLCache.shared.url(facts.url)
    fetchBody = body
  }

  lazy var body: Data? = fetchBody?() ?? facts.body

  lazy var bodyBytes: [UInt8] = body.map { Array($0) } ?? []

  /// The body as JSON; nil where it is none.
  lazy var json: JSONValue? = body.flatMap { try? JSONValue(parsing: $0) }

  /// Of the URL, of the same decoded, and of the other spelling that its host may have.
  lazy var signature: URLSignature = {
    var signature = URLSignature(url.text)
    if url.text.contains(UInt8(ascii: "%")) { signature.insert(PercentEncoding.decode(url.text)) }
    let host = text(url.host)
    if host.contains("xn--") { signature.insert(Array(HostName.unicode(host).utf8)) }
    return signature
  }()

  lazy var queryItems: [NamedBytes] = {
    guard let range = url.query else { return [] }
    return NamedBytes.pairs(url.text[range], separator: UInt8(ascii: "&")).flatMap { $0.readings }
  }()

  lazy var formFields: [NamedBytes] =
    NamedBytes.pairs(bodyBytes[...], separator: UInt8(ascii: "&")).map { $0.decoded(plusIsSpace: true) }

  lazy var multipartParts: [NamedBytes] = {
    let bytes = bodyBytes
    let type = facts.headers.first(named: "Content-Type")
    guard let boundary = Multipart.boundary(of: bytes, contentType: type) else { return [] }
    let parts = bytes.withUnsafeBufferPointer { Multipart($0, boundary: boundary, limit: 1_000).parts }
    return parts.compactMap { part in
      guard part.isClosed, let name = part.name else { return nil }
      return NamedBytes(name: Array(name.utf8), value: Array(bytes[part.content]))
    }
  }()

  lazy var graphqlOperations: [GraphQLRequest] = GraphQLRequest.all(in: self)

  func text(_ range: Range<Int>) -> String { String(decoding: url.text[range], as: UTF8.self) }

  /// The segments of the path, decoded; the first one has the number 0.
  var pathSegments: [String] {
    url.text[url.path].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true).map {
      String(decoding: PercentEncoding.decode($0), as: UTF8.self)
    }
  }
}

/// A name and a value as bytes.
struct NamedBytes {
  var name: [UInt8]
  var value: [UInt8]

  static func pairs(_ bytes: ArraySlice<UInt8>, separator: UInt8) -> [NamedBytes] {
    bytes.split(separator: separator).map { pair in
      let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return NamedBytes(name: Array(pair[..<mark]), value: mark < pair.endIndex ? Array(pair[(mark + 1)...]) : [])
    }
  }

  func decoded(plusIsSpace: Bool) -> NamedBytes {
    NamedBytes(
      name: PercentEncoding.decode(name, plusIsSpace: plusIsSpace),
      value: PercentEncoding.decode(value, plusIsSpace: plusIsSpace))
  }

  /// In a query `+` may be meant as itself or as a space: both readings count.
  var readings: [NamedBytes] {
    let plus = UInt8(ascii: "+")
    guard name.contains(plus) || value.contains(plus) else { return [decoded(plusIsSpace: false)] }
    return [decoded(plusIsSpace: false), decoded(plusIsSpace: true)]
  }
}
