import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayRuntime
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayCLI

/// What `patchbay history` hands out of a history: some at a time, so that a long one needs little memory.
@Suite(.bounded) struct RecordedSourceTests {
  @Test(
    arguments: [
      (true, 0, []), (true, 1, [1]), (true, 100, [100]), (true, 201, [100, 100, 1]), (false, 201, [201]),
      (false, 1_001, [1_000, 1]),
    ] as [(Bool, Int, [Int])])
  func aHistoryComesInParts(_ asJSON: Bool, _ count: Int, _ parts: [Int]) async throws {
    let history = try HistoryStore.open(.memory)
    let urls = (0..<count).map { "http://a.example/\($0)" }
    let exchanges = urls.enumerated().map { index, url in
      var exchange = Exchange(
        id: Int64(index + 1), process: HarnessProcess(name: "app", pid: 10),
        startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(index)),
        request: RecordedRequest(method: "GET", url: url))
      (exchange.phase, exchange.outcome) = (.ended, .responded)
      exchange.response = RecordedResponse(status: 200)
      return exchange
    }
    if !history.record(exchanges) { await history.room() }
    try await history.flush()
    var sizes: [Int] = []
    var found: [String] = []
    let filter = try FilterArgument.parse("")
    let read = try await RecordedSource.file(history).read(filter, limit: nil, asJSON: asJSON) { batch in
      switch batch {
      case .lines(let lines):
        sizes.append(lines.count)
        found += try lines.map { try JSONLines.exchange(Data($0.utf8)).request.url }
      case .rows(let rows):
        sizes.append(rows.count)
        found += rows.map(\.url)
      }
    }
    #expect(read == count && sizes == parts)
    #expect(found == urls)
  }
}
