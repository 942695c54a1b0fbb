import Foundation
import PatchbayStubs

/// The parts of a multipart body (RFC 2046 §5.1).
public struct MultipartParts: Sendable {
  public struct Part: Hashable, Sendable {
    public var headers: [HeaderField]
    public var body: Data

    /// From `Content-Disposition` (RFC 7578 §4.2).
    public var name: String? { disposition?["name"] }
    public var fileName: String? { disposition?["filename"] }

    private var disposition: MediaType? { headers.first(named: "Content-Disposition").map(MediaType.init) }
  }

  public var parts: [Part] = []

  public init(_ body: Data, boundary: String) {
    let body = body.rebased
    let marker = Data("--\(boundary)".utf8)
    guard !boundary.isEmpty, var at = body.range(of: marker)?.upperBound else { return }
    while let next = body.range(of: marker, in: at..<body.count) {
      var chunk = body[at..<next.lowerBound]
      chunk = chunk.dropFirst(chunk.starts(with: [0x0D, 0x0A]) ? 2 : chunk.first == 0x0A ? 1 : 0)
      if chunk.last == 0x0A { chunk = chunk.dropLast() }
      if chunk.last == 0x0D { chunk = chunk.dropLast() }
      parts.append(Self.part(chunk))
      at = next.upperBound
    }
  }

  private static func part(_ chunk: Data) -> Part {
    let windows = chunk.range(of: Data("\r\n\r\n".utf8))
    guard let split = windows ?? chunk.range(of: Data("\n\n".utf8)) else {
      return chunk.starts(with: [0x0D, 0x0A])
        ? Part(headers: [], body: chunk.dropFirst(2).rebased)
        : Part(headers: [], body: chunk.rebased)
    }
    let head = String(decoding: chunk[..<split.lowerBound], as: UTF8.self)
    let headers = head.split(whereSeparator: \.isNewline).compactMap { line -> HeaderField? in
      let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
      return halves.count == 2 ? HeaderField(halves[0], halves[1]) : nil
    }
    return Part(headers: headers, body: chunk[split.upperBound...].rebased)
  }
}
