import Foundation
import GRDB
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Writes exchanges with statements that are prepared once.
///
/// `@unchecked Sendable`: used on the writing connection's queue only, inside of its transactions.
final class ExchangeWriter: @unchecked Sendable {
  private let insertExchange: RawStatement
  private let insertDetail: RawStatement
  private let insertBody: RawStatement
  private let insertMark: RawStatement
  private let insertRemark: RawStatement
  private let insertText: RawStatement
  private let findText: RawStatement
  private let findExchange: RawStatement
  private let addToRun: RawStatement
  private var texts: [String: Int64] = [:]
  /// Bytes of those.
  private var textSize = 0
  private var facts: [UInt8] = []
  private let session: Int64

  /// What a batch changed in the runIndex, to be told when it has been committed.
  struct Outcome: Sendable {
    var added: [Int64: Int] = [:]
    var highest: Int64 = 0
  }

  private static let textLimit = 50_000, textSizeLimit = 8 << 20
  /// Bytes of one: a text that many share stays for good, so that no long one may be among them.
  private static let longestText = 1_024

  init(_ database: Database, session: Int64) throws {
    self.session = session
    let columns =
      "id, started, method, host, endpoint, status, outcome, sent, received, duration, process, pid, phase, "
      + "answerer, stub, type, request_type, error_domain, error_code, error_name, size, head, held, hops, flags, "
      + "charsets, replay_of, session, url"
    let places = Array(repeating: "?", count: 29).joined(separator: ",")
    insertExchange = try RawStatement(
      database, "INSERT OR REPLACE INTO exchange (\(columns)) VALUES (\(places))", isLongLived: true)
    insertDetail = try RawStatement(database, "INSERT OR REPLACE INTO detail VALUES (?, ?)", isLongLived: true)
    insertBody = try RawStatement(database, "INSERT OR REPLACE INTO body VALUES (?, ?)", isLongLived: true)
    insertMark = try RawStatement(database, "INSERT OR IGNORE INTO mark VALUES (?)", isLongLived: true)
    insertRemark = try RawStatement(database, "INSERT OR IGNORE INTO remark VALUES (?, ?, ?)", isLongLived: true)
    insertText = try RawStatement(database, "INSERT INTO text (value) VALUES (?) RETURNING id", isLongLived: true)
    findText = try RawStatement(database, "SELECT id FROM text WHERE value = ?", isLongLived: true)
    findExchange = try RawStatement(database, "SELECT 1 FROM exchange WHERE id = ?", isLongLived: true)
    addToRun = try RawStatement(
      database,
      "INSERT INTO chunk VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET visible = visible + excluded.visible",
      isLongLived: true)
  }

  /// Writes them all, within the caller's transaction. After a rollback call `forget()`.
  ///
  /// - Parameters:
  ///   - exchanges: in rising order of their ids.
  ///   - highest: the highest id in the table so far.
  ///   - cleared: ids up to this one are hidden.
  func write(_ exchanges: [Exchange], highest: Int64, cleared: Int64) throws -> Outcome {
    var outcome = Outcome(highest: highest)
    var budget = YieldBudget(milliseconds: 100)
    for exchange in exchanges {
      let isNew = exchange.id > outcome.highest ? true : try !exists(exchange.id)
      try write(exchange)
      budget.step()
      guard isNew else { continue }
      outcome.highest = max(outcome.highest, exchange.id)
      if exchange.id > cleared { outcome.added[RunIndex.run(of: exchange.id), default: 0] += 1 }
    }
    for (run, count) in outcome.added {
      addToRun.bind(1, run)
      addToRun.bind(2, Int64(count))
      try addToRun.run()
    }
    return outcome
  }

  /// Gives the statements back; it cannot be used afterwards. On the writing side, before the connection is closed.
  func finish() {
    for statement in [
      insertExchange, insertDetail, insertBody, insertMark, insertRemark, insertText, findText, findExchange, addToRun,
    ] {
      statement.finish()
    }
  }

  /// Forgets what a transaction that was rolled back had learned.
  func forget() { (texts, textSize) = ([:], 0) }

  private func exists(_ id: Int64) throws -> Bool {
    findExchange.bind(1, id)
    defer { findExchange.reset() }
    return try findExchange.step()
  }

  private func write(_ exchange: Exchange) throws {
    let response = exchange.response
    let requestType = exchange.request.headers.first(named: "Content-Type")
    let type = response?.headers.first(named: "Content-Type")
    var url = exchange.request.url
    let (host, endpoint) = url.withUTF8 { bytes in
      let parts = URLParts(bytes)
      return (String(decoding: bytes[parts.authority], as: UTF8.self), Endpoint.folded(bytes, parts))
    }
    let operation = GraphQLOperation.name(url: url, contentType: requestType, body: exchange.request.body)
    let row = insertExchange
    row.bind(1, exchange.id)
    row.bind(2, exchange.startedAt.microseconds)
    row.bind(3, try intern(exchange.request.method))
    row.bind(4, try intern(host))
    row.bind(5, try intern(Endpoint.text(path: endpoint, operation: operation)))
    row.bind(6, response.map { Int64($0.status) })
    row.bind(7, exchange.outcome.map { Codes.outcome[$0] })
    row.bind(8, exchange.bytesSent)
    row.bind(9, exchange.bytesReceived)
    row.bind(10, exchange.timing.end)
    row.bind(11, try intern(exchange.process.name))
    row.bind(12, Int64(exchange.process.pid))
    row.bind(13, Codes.phase[exchange.phase])
    row.bind(14, Codes.answerer[exchange.by])
    row.bind(15, try exchange.stub.map(intern))
    row.bind(16, try type.map { try intern(Self.shared($0)) })
    row.bind(17, try requestType.map { try intern(Self.shared($0)) })
    row.bind(18, try exchange.error.map { try intern($0.domain) })
    row.bind(19, exchange.error.map { Int64($0.code) })
    row.bind(20, try exchange.error?.name.map(intern))
    row.bind(21, exchange.responseSize)
    row.bind(22, exchange.timing.head)
    row.bind(23, exchange.timing.held)
    row.bind(24, Int64(exchange.redirects.count))
    row.bind(25, Flags(exchange).rawValue)
    row.bind(26, Charsets(exchange, requestType: requestType, type: type).packed)
    row.bind(27, exchange.replayOf)
    row.bind(28, exchange.run ?? session)
    row.bind(29, url)
    try row.run()
    try writeRest(of: exchange)
  }

  private func writeRest(of exchange: Exchange) throws {
    DetailBlob.encode(exchange, into: &facts)
    insertDetail.bind(1, exchange.id)
    try facts.withUnsafeBytes { try insertDetail.run(2, $0) }
    try write(exchange.request.body, id: exchange.id * 2)
    try write(exchange.response?.body, id: exchange.id * 2 + 1)
    if exchange.marked {
      insertMark.bind(1, exchange.id)
      try insertMark.run()
    }
    if !exchange.tags.isEmpty || exchange.note != nil {
      insertRemark.bind(1, exchange.id)
      insertRemark.bind(2, exchange.tags.joined(separator: " "))
      insertRemark.bind(3, exchange.note)
      try insertRemark.run()
    }
  }

  private func write(_ body: Data?, id: Int64) throws {
    guard let body else { return }
    insertBody.bind(1, id)
    try body.withUnsafeBytes { try insertBody.run(2, $0) }
  }

  /// The boundary of a multipart body is another for each.
  private static func shared(_ type: String) -> String {
    type.prefix(10).lowercased() == "multipart/" ? String(type.prefix { $0 != ";" }) : type
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    let end = text.utf8.index(text.utf8.startIndex, offsetBy: longestText)
    return String(text.unicodeScalars[..<text.unicodeScalars.index(before: end)])
  }

  private func intern(_ whole: String) throws -> Int64 {
    if let id = texts[whole] { return id }
    let text = Self.cut(whole)
    if let id = texts[text] { return id }
    if texts.count >= Self.textLimit || textSize >= Self.textSizeLimit { (texts, textSize) = ([:], 0) }
    findText.bind(1, text)
    var found: Int64?
    if try findText.step() { found = findText.int(0) }
    findText.reset()
    if found == nil {
      insertText.bind(1, text)
      if try insertText.step() { found = insertText.int(0) }
      insertText.reset()
    }
    let id = found ?? 0
    texts[text] = id
    textSize += text.utf8.count
    return id
  }
}
