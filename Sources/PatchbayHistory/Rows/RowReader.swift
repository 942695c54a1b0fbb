import Foundation
import GRDB
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Makes rows and whole exchanges of what the tables have.
struct RowReader {
  /// The columns of a row, in the order that `summary` reads.
  static let columns =
    "e.id, e.started, e.method, e.status, e.outcome, e.sent, e.received, e.duration, e.process, e.pid, e.phase, "
    + "e.answerer, e.stub, e.type, e.request_type, e.error_domain, e.error_code, e.error_name, e.size, e.head, "
    + "e.held, e.hops, e.flags, e.replay_of, e.url, EXISTS (SELECT 1 FROM mark WHERE mark.id = e.id), "
    + "e.session, e.endpoint, (SELECT tags FROM remark r WHERE r.id = e.id), "
    + "(SELECT note FROM remark r WHERE r.id = e.id)"

  let database: Database
  let texts: InternedTexts

  /// The row at which the statement stands. Its numbers are clamped: older versions wrote what a program told.
  func summary(_ row: RawStatement) throws -> ExchangeSummary {
    var summary = ExchangeSummary(
      id: row.int(0), startedAt: NumberLimits.moment(row.int(1)),
      process: HarnessProcess(name: try texts.text(row.int(8), database), pid: Int32(clamping: row.int(9))),
      method: try texts.text(row.int(2), database), url: row.text(24))
    let flags = Flags(rawValue: row.int(22))
    summary.status = row.optionalInt(3).map(NumberLimits.code)
    summary.outcome = row.optionalInt(4).flatMap(Codes.outcome.value)
    summary.bytesSent = NumberLimits.count(row.int(5))
    summary.bytesReceived = NumberLimits.count(row.int(6))
    summary.duration = row.optionalInt(7).map(NumberLimits.count)
    summary.phase = Codes.phase.value(row.int(10)) ?? .ended
    summary.by = Codes.answerer.value(row.int(11)) ?? .network
    summary.stub = try texts.text(row.optionalInt(12), database)
    summary.responseType = try texts.text(row.optionalInt(13), database)
    summary.requestType = try texts.text(row.optionalInt(14), database)
    if let domain = try texts.text(row.optionalInt(15), database) {
      summary.error = .init(
        domain: domain, code: NumberLimits.code(row.int(16)), name: try texts.text(row.optionalInt(17), database))
    }
    summary.size = NumberLimits.count(row.int(18))
    summary.head = row.optionalInt(19).map(NumberLimits.count)
    summary.held = NumberLimits.count(row.int(20))
    summary.redirects = Int(NumberLimits.count(row.int(21)))
    summary.replayOf = row.optionalInt(23)
    summary.requestTruncated = flags.contains(.requestTruncated)
    summary.responseTruncated = flags.contains(.responseTruncated)
    summary.isRewritten = flags.contains(.rewritten)
    summary.marked = row.int(25) != 0
    summary.run = row.int(26)
    summary.operation = Endpoint.parts(try texts.text(row.int(27), database)).operation
    summary.tags = row.text(28).split(separator: " ").map(String.init)
    summary.note = row.optionalText(29)
    return summary
  }

  /// The exchange with all its parts, bodies included if wanted.
  func exchange(_ row: RawStatement, bodies: Bool = true) throws -> Exchange {
    let summary = try summary(row)
    let flags = Flags(rawValue: row.int(22))
    var exchange = Exchange(
      id: summary.id, process: summary.process, startedAt: summary.startedAt,
      request: RecordedRequest(method: summary.method, url: row.text(24), truncated: summary.requestTruncated))
    exchange.response = summary.status.map { RecordedResponse(status: $0, truncated: summary.responseTruncated) }
    exchange.phase = summary.phase
    exchange.by = summary.by
    exchange.stub = summary.stub
    exchange.outcome = summary.outcome
    exchange.error = summary.error.map { RecordedError(domain: $0.domain, code: $0.code, name: $0.name) }
    exchange.timing = Timing(head: summary.head, end: summary.duration, held: summary.held)
    exchange.bytesSent = summary.bytesSent
    exchange.bytesReceived = summary.bytesReceived
    exchange.replayOf = summary.replayOf
    exchange.marked = summary.marked
    exchange.run = summary.run
    exchange.tags = summary.tags
    exchange.note = summary.note
    let detail = try RawStatement(keptBy: database, "SELECT facts FROM detail WHERE id = ?")
    detail.bind(1, exchange.id)
    guard try detail.step(), let facts = detail.data(0), DetailBlob.decode(facts, into: &exchange) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the details of exchange \(exchange.id) are damaged")
    }
    if bodies {
      if flags.contains(.requestBody) { exchange.request.body = try body(exchange.id * 2) }
      if flags.contains(.responseBody) { exchange.response?.body = try body(exchange.id * 2 + 1) }
    }
    return exchange
  }

  private func body(_ id: Int64) throws -> Data? {
    let statement = try RawStatement(keptBy: database, "SELECT data FROM body WHERE id = ?")
    statement.bind(1, id)
    return try statement.step() ? statement.data(0) : nil
  }
}
