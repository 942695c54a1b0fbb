import Foundation
import PatchbayHistory
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// The exchange with which another is compared when nothing is marked.
@Suite(.bounded) struct PreviousExchangeTests {
  private func record(_ urls: [String], in history: HistoryStore) async throws -> [Int64] {
    let first = history.reserveIDs(urls.count)
    let exchanges = urls.enumerated().map { place, url in
      var exchange = Exchange(
        id: first + Int64(place), process: HarnessProcess(name: "test", pid: 1),
        startedAt: Timestamp(microseconds: Int64(place)), request: RecordedRequest(method: "GET", url: url))
      exchange.phase = .ended
      exchange.outcome = .responded
      exchange.response = RecordedResponse(status: 200)
      return exchange
    }
    history.record(exchanges)
    try await history.flush()
    return exchanges.map(\.id)
  }

  @Test func isTheLastOfTheSameEndpointWithItsPort() async throws {
    let history = try HistoryStore.open(.memory)
    let ids = try await record(
      ["http://h/users/1?x=1", "http://h/users/2", "http://h:81/users/3", "http://h/orders", "http://h/users/4"],
      in: history)
    let query = HistoryQuery(history: history)
    #expect(try await query.previous(of: ids[4]) == ids[1])
    #expect(try await query.previous(of: ids[1]) == ids[0])
    #expect(try await query.previous(of: ids[0]) == nil)
    #expect(try await query.previous(of: ids[2]) == nil)
    #expect(try await query.previous(of: 4_711) == nil)
    await history.close()
  }

  @Test func theLastRealAnswerIsTheNetworksUnchanged() async throws {
    let history = try HistoryStore.open(.memory)
    let first = history.reserveIDs(6)
    func exchange(_ place: Int64, _ change: (inout Exchange) -> Void) -> Exchange {
      var exchange = Exchange(
        id: first + place, process: HarnessProcess(name: "test", pid: 1),
        startedAt: Timestamp(microseconds: place), request: RecordedRequest(method: "GET", url: "http://h/users/7"))
      exchange.phase = .ended
      exchange.outcome = .responded
      exchange.response = RecordedResponse(status: 200)
      change(&exchange)
      return exchange
    }
    history.record([
      exchange(0) { _ in },
      exchange(1) { ($0.by, $0.stub) = (.stub, "down") },
      exchange(2) { $0.stub = "patch" },
      exchange(3) { $0.by = .person },
      exchange(4) { ($0.outcome, $0.response) = (.failed, nil) },
      exchange(5) { ($0.phase, $0.outcome, $0.response) = (.heldRequest, nil, nil) },
    ])
    try await history.flush()
    let query = HistoryQuery(history: history)
    #expect(try await query.lastAnswer(before: first + 5) == first)
    #expect(try await query.lastAnswer(before: first) == nil)
    await history.close()
  }

  @Test func isFoundBehindManyOthers() async throws {
    let history = try HistoryStore.open(.memory)
    let others = (0..<1_200).map { _ in "http://h/other" }
    let ids = try await record(["http://h/users/1"] + others + ["http://h/users/2"], in: history)
    #expect(try await HistoryQuery(history: history).previous(of: ids[1_201]) == ids[0])
    await history.close()
  }
}
