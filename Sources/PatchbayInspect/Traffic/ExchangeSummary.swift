import PatchbayStubs
import PatchbayWire

/// One row of a list: what is shown of an exchange without its headers and bodies. Small, and cheap to copy.
///
/// A newer summary of the same `id` takes the place of the older one.
package struct ExchangeSummary: Hashable, Sendable, Identifiable {
  package var id: Int64
  package var startedAt: Timestamp
  package var process: HarnessProcess
  package var method: String
  /// nil as long as there is no response head, and where there was none.
  package var status: Int?
  package var phase: Exchange.Phase
  package var by: Exchange.Answerer
  package var outcome: Exchange.Outcome?
  /// The stub that answered, or patched the answer.
  package var stub: String?
  package var error: Failure?
  /// The URL, cut after 2,048 bytes; `isURLCut` says so.
  package let url: String
  package let isURLCut: Bool
  /// Bytes of the response's body.
  package var size: Int64
  package var bytesSent: Int64
  package var bytesReceived: Int64
  /// Microseconds to the end, to the response's head, and held in all.
  package var duration: Int64?
  package var head: Int64?
  package var held: Int64
  /// How many redirects were followed.
  package var redirects: Int
  package var replayOf: Int64?
  package var marked: Bool
  /// The run in which it was recorded, its tags and its note, as `Exchange` has them.
  package var run: Int64?
  package var tags: [String] = []
  package var note: String?
  /// The name of its GraphQL operation.
  package var operation: String?
  /// A rule or the person changed the request before it went out.
  package var isRewritten = false
  package var requestTruncated: Bool
  package var responseTruncated: Bool
  /// The `Content-Type` of the request and of the response, as sent.
  package var requestType: String?
  package var responseType: String?
  private let parts: Parts

  /// What the program got in the place of an answer.
  package struct Failure: Hashable, Sendable {
    package var domain: String
    package var code: Int
    /// The Swift name of a `URLError` code, else nil.
    package var name: String?

    package init(domain: String, code: Int, name: String? = nil) {
      self.domain = domain
      self.code = code
      self.name = name
    }
  }

  private struct Parts: Hashable {
    var host: Range<UInt16>
    var authority: Range<UInt16>
    var path: Range<UInt16>
    var end: UInt16
  }

  package init(
    id: Int64, startedAt: Timestamp, process: HarnessProcess, method: String, url: String, isURLCut: Bool = false
  ) {
    self.id = id
    self.startedAt = startedAt
    self.process = process
    self.method = method
    let cut = url.cut(toBytes: Self.urlLimit)
    self.url = cut ?? url
    self.isURLCut = isURLCut || cut != nil
    let found = URLParts(self.url)
    parts = Parts(
      host: found.host.short, authority: found.authority.short, path: found.path.short, end: UInt16(found.end))
    phase = .waiting
    by = .network
    size = 0
    bytesSent = 0
    bytesReceived = 0
    held = 0
    redirects = 0
    marked = false
    requestTruncated = false
    responseTruncated = false
  }

  /// The longest URL that is kept, in bytes of UTF-8.
  package static let urlLimit = 2_048

  /// The host without its port; empty where the URL has none.
  package var host: String { url.utf8Slice(parts.host.long) }
  /// Host and port as written.
  package var authority: String { url.utf8Slice(parts.authority.long) }
  /// Path and query as written; `/` where the path is empty.
  package var path: String {
    let text = url.utf8Slice(Int(parts.path.lowerBound)..<Int(parts.end))
    return text.hasPrefix("/") ? text : "/" + text
  }
  /// The path without its query and with its ids folded, and its GraphQL operation, as ``Endpoint`` writes them.
  package var endpoint: String { Endpoint.text(path: Endpoint.folded(url: url), operation: operation) }
  /// Whether both ask the same endpoint: the method, host and port, the path and the operation, as in the Traffic tab.
  package func isSameEndpoint(as other: ExchangeSummary) -> Bool {
    method == other.method && authority == other.authority && operation == other.operation
      && Endpoint.folded(url: url) == Endpoint.folded(url: other.url)
  }
  /// What ended in an error, or with a status of 400 and above: what the signs of the list, `]` and the errors of the
  /// Traffic tab mean by it, and `is:bad`.
  package var isBad: Bool { outcome == .failed || status ?? 0 >= 400 }
  package var contentKind: ContentKind { ContentKind(contentType: responseType) }
  package var isTruncated: Bool { requestTruncated || responseTruncated }
  /// Only looked on: what became of it is not known.
  package var isObserved: Bool { phase == .ended && outcome == nil }
  /// The person changed it while it was held, and the network answered that: a rule that changes a request is named.
  package var isEditedByPerson: Bool { isRewritten && by == .network && stub == nil && held > 0 }
  package var isHeld: Bool { phase == .heldRequest || phase == .heldResponse }
}

extension Range<UInt16> {
  fileprivate var long: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}

extension Range<Int> {
  fileprivate var short: Range<UInt16> { UInt16(lowerBound)..<UInt16(upperBound) }
}

extension String {
  /// The longest beginning of whole scalars that has no more bytes; nil where nothing is to be cut.
  func cut(toBytes limit: Int) -> String? {
    guard utf8.count > limit else { return nil }
    var end = utf8.index(utf8.startIndex, offsetBy: limit)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension ExchangeSummary {
  package init(_ exchange: Exchange) {
    self.init(
      id: exchange.id, startedAt: exchange.startedAt, process: exchange.process, method: exchange.request.method,
      url: exchange.request.url)
    status = exchange.response?.status
    phase = exchange.phase
    by = exchange.by
    outcome = exchange.outcome
    stub = exchange.stub
    error = exchange.error.map { Failure(domain: $0.domain, code: $0.code, name: $0.name) }
    size = exchange.responseSize
    bytesSent = exchange.bytesSent
    bytesReceived = exchange.bytesReceived
    duration = exchange.timing.end
    head = exchange.timing.head
    held = exchange.timing.held
    redirects = exchange.redirects.count
    replayOf = exchange.replayOf
    marked = exchange.marked
    run = exchange.run
    tags = exchange.tags
    note = exchange.note
    operation = exchange.operation
    isRewritten = exchange.sent != nil
    requestTruncated = exchange.request.truncated
    responseTruncated = exchange.response?.truncated ?? false
    requestType = exchange.request.headers.first(named: "Content-Type")
    responseType = exchange.response?.headers.first(named: "Content-Type")
  }
}

extension Exchange {
  /// Bytes of the response's body: what came, or what is recorded where that was not counted.
  package var responseSize: Int64 {
    max(bytesReceived, Int64(response?.body?.count ?? 0))
  }

  /// The name of its GraphQL operation; nil where it is none.
  package var operation: String? {
    GraphQLOperation.name(
      url: request.url, contentType: request.headers.first(named: "Content-Type"), body: request.body)
  }

  /// What of it is shown in a list.
  package var summary: ExchangeSummary { ExchangeSummary(self) }
}
