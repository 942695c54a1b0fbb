import PatchbayStubs
import PatchbayWire

@testable import PatchbayServer

/// The rest of a console, as small as can be: a filter is a part of the URL.
struct FakeDelegate: ControlDelegate {
  var historyFile: String?
  /// The programs that were attached to: the number by which each is called, and the one under which it is linked.
  var guests: [Int32: Int32] = [:]

  func exchangePredicate(_ filter: String) throws -> @Sendable (Exchange) -> Bool {
    if filter == "(" { throw ServerError.badRequest("1: a parenthesis is not closed.") }
    return { filter.isEmpty || $0.request.url.contains(filter) }
  }

  func exchangeJSON(_ exchange: Exchange) -> String {
    JSONValue.members([
      "id": JSONValue(exchange.id), "url": .string(exchange.request.url),
      "body": JSONValue(body: exchange.response?.body),
    ]).compact
  }

  func letGo(of process: Int32) -> Int32? { guests[process] }

  func history(filter: String, limit: Int?) async throws -> [String] {
    (1...3).prefix(limit ?? 3).map { "{\"id\":\($0),\"filter\":\"\(filter)\"}" }
  }
}
