import Foundation
import PatchbayStubs
import PatchbayWire

/// What of an exchange only its detail shows, packed: headers, redirects, the error's message, the request as it was sent.
///
/// Layout: a version byte; then fields, each a length (LEB128) and its bytes. A header field is the length of its
/// name and then its line `name: value`, so that a search for headers needs no copy.
enum DetailBlob {
  private static let version: UInt8 = 1

  /// - Parameter buffer: emptied first; kept by the caller, so that its memory serves again.
  static func encode(_ exchange: Exchange, into buffer: inout [UInt8]) {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(version)
    append(exchange.request.headers, to: &buffer)
    append(exchange.response?.headers ?? [], to: &buffer)
    append(exchange.redirects.count, to: &buffer)
    for hop in exchange.redirects {
      append(hop.status, to: &buffer)
      append(hop.url, to: &buffer)
      append(hop.headers, to: &buffer)
    }
    let message = exchange.error?.message
    append(message == nil ? 0 : 1, to: &buffer)
    if let message { append(message, to: &buffer) }
    append(Int(truncatingIfNeeded: exchange.revision), to: &buffer)
    append(Exchange.TaskKind.allCases.firstIndex(of: exchange.task) ?? 0, to: &buffer)
    // Older ones end before these.
    for hop in exchange.redirects { append(hop.at.map { Int(truncatingIfNeeded: $0) } ?? -1, to: &buffer) }
    // And before this.
    let targets = exchange.redirects.contains { $0.target != nil }
    if let sent = exchange.sent ?? (targets ? .noRequest : nil) { append(sent, to: &buffer) }
    // And before these.
    if targets { for hop in exchange.redirects { append(hop.target ?? "", to: &buffer) } }
  }

  /// Puts what was packed back into the exchange.
  static func decode(_ data: Data, into exchange: inout Exchange) -> Bool {
    data.withUnsafeBytes { raw in
      var reader = Reader(raw.bindMemory(to: UInt8.self))
      guard reader.byte() == version, let request = reader.headers(), let response = reader.headers(),
        let count = reader.count()
      else { return false }
      exchange.request.headers = request
      exchange.response?.headers = response
      exchange.redirects = []
      for _ in 0..<count {
        guard let status = reader.number(), let url = reader.text(), let headers = reader.headers() else {
          return false
        }
        exchange.redirects.append(RedirectHop(status: NumberLimits.code(Int64(status)), url: url, headers: headers))
      }
      guard let hasMessage = reader.number() else { return false }
      if hasMessage != 0 {
        guard let message = reader.text() else { return false }
        exchange.error?.message = message
      }
      guard let revision = reader.number(), let task = reader.number() else { return false }
      exchange.revision = UInt64(bitPattern: Int64(revision))
      exchange.task = Exchange.TaskKind.allCases.indices.contains(task) ? Exchange.TaskKind.allCases[task] : .unknown
      for place in exchange.redirects.indices {
        guard let at = reader.number() else { break }
        exchange.redirects[place].at = at < 0 ? nil : NumberLimits.count(Int64(at))
      }
      exchange.sent = reader.request()
      if exchange.sent == .noRequest { exchange.sent = nil }
      for place in exchange.redirects.indices {
        guard let target = reader.text() else { break }
        exchange.redirects[place].target = target.isEmpty ? nil : target
      }
      return true
    }
  }

  /// Whether the condition holds for the line of any header field of request or response.
  static func anyHeader(
    in bytes: UnsafeBufferPointer<UInt8>, _ condition: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var reader = Reader(bytes)
    guard reader.byte() == version else { return false }
    for _ in 0..<2 {
      guard let count = reader.number() else { return false }
      for _ in 0..<max(0, count) {
        guard reader.number() != nil, let line = reader.bytes() else { return false }
        if condition(line) { return true }
      }
    }
    return false
  }

  private static func append(_ number: Int, to buffer: inout [UInt8]) {
    var rest = UInt64(bitPattern: Int64(number))
    while rest >= 0x80 {
      buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    buffer.append(UInt8(rest))
  }

  private static func append(_ text: String, to buffer: inout [UInt8]) {
    append(text.utf8.count, to: &buffer)
    buffer.append(contentsOf: text.utf8)
  }

  private static func append(_ headers: [HeaderField], to buffer: inout [UInt8]) {
    append(headers.count, to: &buffer)
    for field in headers {
      append(field.name.utf8.count, to: &buffer)
      append(field.name.utf8.count + 2 + field.value.utf8.count, to: &buffer)
      buffer.append(contentsOf: field.name.utf8)
      buffer.append(UInt8(ascii: ":"))
      buffer.append(UInt8(ascii: " "))
      buffer.append(contentsOf: field.value.utf8)
    }
  }

  private static func append(_ request: RecordedRequest, to buffer: inout [UInt8]) {
    append(request.method, to: &buffer)
    append(request.url, to: &buffer)
    append(request.headers, to: &buffer)
    append((request.truncated ? 1 : 0) + (request.body == nil ? 0 : 2), to: &buffer)
    guard let body = request.body else { return }
    append(body.count, to: &buffer)
    buffer.append(contentsOf: body)
  }

  private struct Reader {
    private let base: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { base = bytes }

    mutating func byte() -> UInt8? {
      guard index < base.count else { return nil }
      defer { index += 1 }
      return base[index]
    }

    mutating func number() -> Int? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let next = byte(), shift < 64 {
        value |= UInt64(next & 0x7F) << shift
        if next < 0x80 { return Int(Int64(bitPattern: value)) }
        shift += 7
      }
      return nil
    }

    mutating func bytes() -> UnsafeBufferPointer<UInt8>? {
      guard let count = number(), count >= 0, count <= base.count - index else { return nil }
      defer { index += count }
      return UnsafeBufferPointer(rebasing: base[index..<index + count])
    }

    mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

    /// Of things that take a byte or more each; nil where there cannot be as many.
    mutating func count() -> Int? { number().flatMap { $0 >= 0 && $0 <= base.count - index ? $0 : nil } }

    /// nil where there is none, or not all of it.
    mutating func request() -> RecordedRequest? {
      guard let method = text(), let url = text(), let headers = headers(), let flags = number() else { return nil }
      var request = RecordedRequest(method: method, url: url, headers: headers, truncated: flags & 1 != 0)
      guard flags & 2 != 0 else { return request }
      guard let body = bytes() else { return nil }
      request.body = Data(body)
      return request
    }

    mutating func headers() -> [HeaderField]? {
      guard let count = count() else { return nil }
      var headers: [HeaderField] = []
      headers.reserveCapacity(count)
      for _ in 0..<count {
        guard let name = number(), let line = bytes(), name >= 0, name <= line.count - 2 else { return nil }
        headers.append(
          HeaderField(
            String(decoding: line[..<name], as: UTF8.self), String(decoding: line[(name + 2)...], as: UTF8.self)))
      }
      return headers
    }
  }
}

extension RecordedRequest {
  /// Stands where something comes after a request, and there is none.
  fileprivate static let noRequest = RecordedRequest(method: "", url: "")
}
