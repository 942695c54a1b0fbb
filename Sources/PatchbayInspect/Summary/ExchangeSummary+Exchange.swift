import PatchbayStubs
import PatchbayWire

extension ExchangeSummary {
  public init(_ exchange: Exchange) {
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
    requestTruncated = exchange.request.truncated
    responseTruncated = exchange.response?.truncated ?? false
    requestType = exchange.request.headers.first(named: "Content-Type")
    responseType = exchange.response?.headers.first(named: "Content-Type")
  }
}

extension Exchange {
  /// Bytes of the response's body: what came, or what is recorded where that was not counted.
  public var responseSize: Int64 {
    max(bytesReceived, Int64(response?.body?.count ?? 0))
  }

  /// What of it is shown in a list.
  public var summary: ExchangeSummary { ExchangeSummary(self) }
}
