/// The parts of a multipart body (RFC 2046 §5.1), as places in its bytes. Linear in them, whatever they are.
package struct Multipart: Sendable {
  /// Parts that lie in more others than this are not looked into.
  package static let deepest = 8

  package struct Part: Sendable {
    /// All that stands between the two boundaries.
    package let bytes: Range<Int>
    package let headers: [HeaderField]
    /// Its content, without the line end that belongs to the next boundary.
    package let content: Range<Int>
    /// An empty line ends its header fields; without one all of it is content.
    package let hasHead: Bool
    /// A boundary follows it; the last one of a body that was cut has none.
    package let isClosed: Bool

    /// From `Content-Disposition` (RFC 7578 §4.2).
    package var name: String? { disposition?["name"] }
    package var fileName: String? { disposition?["filename"] }

    private var disposition: MediaType? { headers.first(named: "Content-Disposition").map { MediaType($0) } }
  }

  package private(set) var parts: [Part] = []

  /// - Parameter limit: How many parts are looked at.
  package init(_ body: UnsafeBufferPointer<UInt8>, boundary: String, limit: Int = .max) {
    guard !boundary.isEmpty else { return }
    let search = ByteSearch(Array("--\(boundary)".utf8))
    guard var at = search.first(in: body, from: 0, to: body.count) else { return }
    while parts.count < limit {
      let start = at + search.needle.count
      let next = search.first(in: body, from: start, to: body.count)
      parts.append(Self.part(body, start..<(next ?? body.count), isClosed: next != nil))
      guard let next else { return }
      at = next
    }
  }

  /// What stands between the parts: from the `Content-Type`, else what the first line of the body tells.
  package static func boundary(of body: some Collection<UInt8>, contentType: String?) -> String? {
    if let type = contentType.map({ MediaType($0) }), type.essence.hasPrefix("multipart/"),
      let given = type["boundary"], !given.isEmpty
    {
      return given
    }
    guard body.starts(with: "--".utf8) else { return nil }
    let line = body.dropFirst(2).prefix(71).prefix { $0 != 0x0D && $0 != 0x0A }
    return line.isEmpty || line.count > 70 ? nil : String(decoding: line, as: UTF8.self)
  }

  private static let emptyLines = [ByteSearch(Array("\r\n\r\n".utf8)), ByteSearch(Array("\n\n".utf8))]

  private static func part(_ body: UnsafeBufferPointer<UInt8>, _ bytes: Range<Int>, isClosed: Bool) -> Part {
    // The line of the boundary ends first.
    let start = bytes.lowerBound + lineEnd(body, bytes)
    var head = start..<start
    var content = start..<bytes.upperBound
    var hasHead = false
    let blank = lineEnd(body, content)
    if blank > 0 {
      content = start + blank..<bytes.upperBound
      hasHead = true
    } else {
      // The first of either kind: the content may hold the other.
      for search in emptyLines {
        let end = hasHead ? head.upperBound : bytes.upperBound
        guard let gap = search.first(in: body, from: start, to: end) else { continue }
        head = start..<gap
        content = gap + search.needle.count..<bytes.upperBound
        hasHead = true
      }
    }
    var end = content.upperBound
    if end > content.lowerBound, body[end - 1] == 0x0A { end -= 1 }
    if end > content.lowerBound, body[end - 1] == 0x0D { end -= 1 }
    return Part(
      bytes: bytes, headers: fields(String(decoding: UnsafeBufferPointer(rebasing: body[head]), as: UTF8.self)),
      content: content.lowerBound..<end, hasHead: hasHead, isClosed: isClosed)
  }

  /// The length of the line end at the beginning, if there is one.
  private static func lineEnd(_ body: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
    guard let first = range.first else { return 0 }
    if body[first] == 0x0A { return 1 }
    return body[first] == 0x0D && first + 1 < range.upperBound && body[first + 1] == 0x0A ? 2 : 0
  }

  private static func fields(_ head: String) -> [HeaderField] {
    head.split(whereSeparator: \.isNewline).compactMap { line in
      let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return halves.count == 2 ? HeaderField(String(halves[0]).trimmed, String(halves[1]).trimmed) : nil
    }
  }
}
