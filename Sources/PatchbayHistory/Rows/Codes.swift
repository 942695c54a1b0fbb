import Foundation
import GRDB
import PatchbayInspect
import PatchbayWire
import Synchronization

/// The numbers that stand for the cases of an enumeration in the tables. New cases go to the end.
enum Codes {
  static let outcome = CodeTable<Exchange.Outcome>([.responded, .failed, .cancelled, .abandoned])
  static let phase = CodeTable<Exchange.Phase>([.waiting, .heldRequest, .heldResponse, .receiving, .ended])
  static let answerer = CodeTable<Exchange.Answerer>([.network, .stub, .code, .person, .console, .cache])
}

/// Cases and their numbers, both ways.
struct CodeTable<Case: Hashable & Sendable>: Sendable {
  private let cases: [Case]

  init(_ cases: [Case]) { self.cases = cases }

  subscript(_ value: Case) -> Int64 { Int64(cases.firstIndex(of: value) ?? cases.count) }

  func value(_ code: Int64) -> Case? { cases.indices.contains(Int(code)) ? cases[Int(code)] : nil }
}

/// Yes and no of an exchange, in one number.
struct Flags: OptionSet, Sendable {
  let rawValue: Int64

  static let requestBody = Flags(rawValue: 1)
  static let responseBody = Flags(rawValue: 2)
  static let requestTruncated = Flags(rawValue: 4)
  static let responseTruncated = Flags(rawValue: 8)
  /// What went out is not what the program asked. Older versions did not write it.
  static let rewritten = Flags(rawValue: 16)

  init(rawValue: Int64) { self.rawValue = rawValue }

  init(_ exchange: Exchange) {
    var flags: Flags = []
    if exchange.request.body != nil { flags.insert(.requestBody) }
    if exchange.response?.body != nil { flags.insert(.responseBody) }
    if exchange.request.truncated { flags.insert(.requestTruncated) }
    if exchange.response?.truncated == true { flags.insert(.responseTruncated) }
    if exchange.sent != nil { flags.insert(.rewritten) }
    self = flags
  }
}

/// How the two bodies are to be read as text: the request's in the low byte, the response's above it.
struct Charsets {
  var packed: Int64

  init(_ exchange: Exchange, requestType: String?, type: String?) {
    let request = exchange.request.body.map { Charset(contentType: requestType, body: $0) } ?? .utf8
    let response = exchange.response?.body.map { Charset(contentType: type, body: $0) } ?? .utf8
    packed = Int64(request.rawValue) | Int64(response.rawValue) << 8
  }
}

/// The texts that many exchanges share (hosts, methods, stubs, types), each stored once.
///
/// Safe from any thread. A text never changes and never goes, so that what is remembered stays true.
final class InternedTexts: Sendable {
  // At most 20 MB, since no text is long (`ExchangeWriter.longestText`).
  private let known = Mutex<[Int64: String]>([:])
  private static let limit = 20_000

  /// The text of that id; empty where there is none.
  func text(_ id: Int64, _ database: Database) throws -> String {
    if let text = known.withLock({ $0[id] }) { return text }
    let statement = try RawStatement(keptBy: database, "SELECT value FROM text WHERE id = ?")
    statement.bind(1, id)
    guard try statement.step() else { return "" }
    let text = statement.text(0)
    known.withLock {
      if $0.count >= Self.limit { $0.removeAll() }
      $0[id] = text
    }
    return text
  }

  func text(_ id: Int64?, _ database: Database) throws -> String? {
    guard let id else { return nil }
    return try text(id, database) as String
  }
}
