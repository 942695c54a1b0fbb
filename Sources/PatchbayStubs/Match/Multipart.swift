/// The parts of a `multipart/form-data` body (RFC 7578) by name.
enum Multipart {
  static func parts(of body: [UInt8], contentType: String?) -> [NamedBytes] {
    guard let boundary = boundary(in: contentType) ?? firstLine(of: body), !boundary.isEmpty else { return [] }
    let search = ByteSearch(Array("--\(boundary)".utf8))
    var found: [NamedBytes] = []
    body.withUnsafeBufferPointer { bytes in
      guard var at = search.first(in: bytes, from: 0, to: bytes.count) else { return }
      while found.count < 1_000 {
        let start = at + search.needle.count
        guard let next = search.first(in: bytes, from: start, to: bytes.count) else { return }
        if let part = part(body[start..<next]) { found.append(part) }
        at = next
      }
    }
    return found
  }

  private static func part(_ slice: ArraySlice<UInt8>) -> NamedBytes? {
    let crlf = ByteSearch(Array("\r\n\r\n".utf8))
    let bare = ByteSearch(Array("\n\n".utf8))
    let split = slice.withUnsafeBufferPointer { bytes in
      crlf.first(in: bytes, from: 0, to: bytes.count).map { ($0, 4) }
        ?? bare.first(in: bytes, from: 0, to: bytes.count).map { ($0, 2) }
    }
    guard let (head, gap) = split else { return nil }
    let lines = String(decoding: slice.prefix(head), as: UTF8.self)
    var value = slice.dropFirst(head + gap)
    if value.last == 0x0A { value.removeLast() }
    if value.last == 0x0D { value.removeLast() }
    for line in lines.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" }) {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-disposition",
        let name = parameter("name", in: String(line[colon...]))
      else { continue }
      return NamedBytes(name: Array(name.utf8), value: Array(value))
    }
    return nil
  }

  private static func boundary(in contentType: String?) -> String? {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/") else { return nil }
    return parameter("boundary", in: contentType)
  }

  private static func firstLine(of body: [UInt8]) -> String? {
    guard body.starts(with: "--".utf8) else { return nil }
    let line = body.dropFirst(2).prefix { $0 != 0x0D && $0 != 0x0A }
    return line.count <= 70 ? String(decoding: line, as: UTF8.self) : nil
  }

  /// The value of `; name=value` or `; name="value"`.
  static func parameter(_ wanted: String, in header: String) -> String? {
    var rest = Substring(header)
    while let semicolon = rest.firstIndex(of: ";") {
      rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let name = rest[..<equals].lowercased()
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest.removeFirst()
        while let next = rest.popFirst(), next != "\"" {
          if next == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(next) }
        }
      } else {
        value = String(rest.prefix { $0 != ";" }).split(separator: " ").first.map { String($0) } ?? ""
      }
      if name == wanted { return value }
    }
    return nil
  }
}
