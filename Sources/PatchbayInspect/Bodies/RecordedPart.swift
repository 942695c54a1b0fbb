import Foundation
import PatchbayStubs
import PatchbayWire

/// How much of a body is recorded, in words.
package struct RecordedPart {
  private let recorded: Int64?
  private let isCut: Bool
  private let whole: Int64

  /// - Parameter whole: how many bytes there were, as far as is known.
  package init(_ body: Data?, isCut: Bool, of whole: Int64) {
    recorded = body.map { Int64($0.count) }
    self.isCut = isCut
    self.whole = whole
  }

  /// Where nobody counted, or the body broke off, its header says how long it was to be (RFC 9110 §8.6).
  fileprivate init(_ body: Data?, isCut: Bool, of counted: Int64, _ headers: [HeaderField]) {
    let isCounted = counted > Int64(body?.count ?? 0)
    let said = headers.first(named: "Content-Length").flatMap { Int64($0) } ?? 0
    self.init(body, isCut: isCut, of: isCounted ? counted : said)
  }

  package var isMissing: Bool { recorded == nil }
  package var isEmpty: Bool { recorded == 0 }
  /// There was one, and nothing was recorded of it.
  package var isNotRecorded: Bool { isCut && recorded ?? 0 == 0 }

  /// Its size, and the whole where that is more: `4 kB of 1 MB`.
  package var size: String {
    let size = Quantity.bytes(recorded ?? 0)
    return isPart ? "\(size) of \(Quantity.bytes(whole))" : size
  }

  /// What is said of a body that is not all there.
  package var note: String? {
    guard isCut else { return nil }
    let nothing = "The body was not recorded."
    if isNotRecorded { return isPart ? "\(nothing) It had \(Quantity.bytes(whole))." : nothing }
    return isPart ? "Only \(size) was recorded." : "Only a part of the body was recorded."
  }

  /// The same of a body by its name, without an end; nil where all of it was recorded.
  package func sentence(of body: String = "the body") -> String? {
    isCut ? "Only \(size) of \(body) were recorded" : nil
  }

  /// Such as `only 4 kB of 1 MB of`; nil where all of it was recorded.
  package var only: String? { isCut ? "only \(size) of" : nil }

  private var isPart: Bool { isCut && whole > recorded ?? 0 }
}

extension Exchange {
  /// How much is recorded of the body that the program gave.
  package var requestPart: RecordedPart {
    RecordedPart(request.body, isCut: request.truncated, of: sent == nil ? bytesSent : 0, request.headers)
  }

  /// How much is recorded of the response's body.
  package var responsePart: RecordedPart {
    RecordedPart(
      response?.body, isCut: response?.truncated ?? false, of: bytesReceived, response?.headers ?? [])
  }
}
