import Foundation
import GRDB
import PatchbayHistory
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Runs of a history, and what a person says of its exchanges.
@Suite(.bounded) struct RunTests {
  private func ids(_ store: HistoryStore, _ filter: String) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in store.search(try Filter(parsing: filter)) { ids += batch.ids }
    return ids.reversed()
  }

  private func record(_ count: Int, to file: String, process: HarnessProcess) async throws {
    let store = try HistoryStore.open(.file(file))
    let first = store.reserveIDs(count)
    store.record(
      (0..<count).map {
        var exchange = Exchange.sample(id: first + Int64($0))
        exchange.process = process
        exchange.run = nil
        return exchange
      })
    await store.close()
  }

  @Test func areNumberedFromOneWithoutGaps() async throws {
    let folder = try Folder()
    try await record(3, to: folder.file, process: HarnessProcess(name: "app", pid: 10))
    try await record(0, to: folder.file, process: HarnessProcess(name: "nobody", pid: 11))
    try await record(2, to: folder.file, process: HarnessProcess(name: "tool", pid: 12))
    try await record(1, to: folder.file, process: HarnessProcess(name: "app", pid: 13))
    let store = try HistoryStore.open(.file(folder.file), access: .read)
    let runs = try await store.runs()
    #expect(runs.map(\.id) == [1, 2, 3])
    #expect(runs.map(\.process.pid) == [10, 12, 13] && runs.map(\.process.name) == ["app", "tool", "app"])
    #expect(runs.map { $0.ids.lowerBound } == [1, 4, 6] && runs[1].ids == 4...5)
    #expect(runs[2].ids == 6...Int64.max)
    for (run, count) in zip(runs, [3, 2, 1]) { #expect(try await store.count(of: run) == count) }
    #expect(try await ids(store, "run:1") == [1, 2, 3])
    #expect(try await ids(store, "run:2") == [4, 5])
    #expect(try await ids(store, "run:last") == [6])
    #expect(try await ids(store, "run:2..3") == [4, 5, 6])
    #expect(try await ids(store, "run:>1") == [4, 5, 6])
    #expect(try await ids(store, "run:1,last") == [1, 2, 3, 6])
    #expect(try await ids(store, "-run:last") == [1, 2, 3, 4, 5])
    #expect(try await ids(store, "run:9") == [])
    #expect(try await ids(store, "-run:9").count == 6)
    #expect(try await store.exchange(5)?.run == 2)
    #expect(try await store.summaries(ids: [6]).first?.run == 3)
    #expect(try await store.count(try Filter(parsing: "run:last | run:1")) == 4)
    await store.close()
  }

  /// What it recorded may have begun before it, and later than it.
  @Test func beginWithTheirConsoleOrWithWhatTheyRecorded() async throws {
    let before = Timestamp.now.microseconds
    let store = try HistoryStore.open(.memory)
    let after = Timestamp.now.microseconds
    var exchange = Exchange.sample(id: 1)
    exchange.startedAt = Timestamp(microseconds: 4_000_000_000_000_000)
    store.record([exchange])
    try await store.flush()
    let late = try #require(try await store.runs().first).startedAt.microseconds
    #expect(late >= before && late <= after)
    exchange.startedAt = Timestamp(microseconds: 1_000_000)
    store.record([exchange])
    try await store.flush()
    #expect(try await store.runs().map(\.startedAt.microseconds) == [1_000_000])
    await store.close()
  }

  @Test func theNewestRunOfAConsoleIsItsOwn() async throws {
    let folder = try Folder()
    try await record(2, to: folder.file, process: HarnessProcess(name: "app", pid: 10))
    let store = try HistoryStore.open(.file(folder.file))
    #expect(store.session == 2)
    #expect(try await ids(store, "run:last") == [])
    var exchange = Exchange.sample(id: store.reserveIDs(1))
    exchange.run = nil
    store.record([exchange])
    #expect(try await store.exchange(exchange.id)?.run == 2)
    try await store.flush()
    #expect(try await ids(store, "run:last") == [3])
    await store.close()
  }

  /// Gaps of ids, and runs that lie in segments.
  @Test func areFoundAmongManyWithGaps() async throws {
    let store = try HistoryStore.open(.memory)
    store.record(
      stride(from: Int64(5), to: 9_000, by: 3).map {
        var exchange = Exchange.sample(id: $0)
        exchange.run = $0 < 1_000 ? 4 : $0 < 7_777 ? 7 : 8
        return exchange
      })
    try await store.flush()
    let runs = try await store.runs()
    #expect(runs.map(\.id) == [4, 7, 8])
    for run in runs {
      let found = try await ids(store, "run:\(run.id)")
      #expect(found.first == run.ids.lowerBound && found.allSatisfy { run.ids.contains($0) })
    }
    #expect(try await ids(store, "run:4..8").count == 2_999)
    #expect(try await ids(store, "run:5,6") == [])
    await store.close()
  }

  @Test func remarksAreKeptFoundAndTakenBack() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(count: 20))
    store.record((1...10).map { Exchange.sample(id: $0) })
    let slow = Remark(tags: ["slow, flaky", "slow"], note: " see issue 7 ")
    let back = try await store.apply(.remark([2: slow, 3: Remark(tags: ["fast"]), 99: slow]))
    #expect(back == .remark([2: Remark(), 3: Remark()]))
    #expect(try await store.exchange(2)?.tags == ["slow", "flaky"])
    #expect(try await store.exchange(2)?.note == "see issue 7")
    #expect(try await ids(store, "tag:slow") == [2])
    #expect(try await ids(store, "tag:") == [2, 3])
    #expect(try await ids(store, "-tag:f*") == [1] + Array(4...10))
    #expect(try await ids(store, "note:issue") == [2])
    #expect(try await ids(store, "note:") == [2])
    #expect(try await ids(store, "tag:flaky,fast") == [2, 3])
    // A later word of its program takes nothing away.
    store.record([Exchange.sample(id: 2, status: 500)])
    try await store.flush()
    #expect(try await store.exchange(2)?.note == "see issue 7")
    store.record((11...60).map { Exchange.sample(id: $0) })
    try await store.flush()
    #expect(try await ids(store, "tag: | note:") == [2, 3], "they outlive the retention")
    #expect(store.count <= 22)
    let undone = try await store.apply(.remark([2: Remark()]))
    #expect(undone == .remark([2: slow]))
    #expect(try await store.exchange(2)?.tags == [])
    await store.close()
  }

  @Test func operationsAreFoundAndCounted() async throws {
    let store = try HistoryStore.open(.memory)
    store.record(
      ["GetUser", "GetUsers", "AddBook"].enumerated().map { place, name in
        Exchange.sample(
          id: Int64(place + 1), method: "POST", url: "https://api.example.com/graphql",
          requestBody: Data(#"{"query":"query \#(name) { a }"}"#.utf8))
      } + [Exchange.sample(id: 4)])
    try await store.flush()
    #expect(try await ids(store, "op:getuser") == [1, 2])
    #expect(try await ids(store, "op:~User$") == [1])
    #expect(try await ids(store, "op:") == [1, 2, 3])
    #expect(try await ids(store, "-op:GetUser*") == [3, 4])
    #expect(try await store.summaries(ids: [3]).first?.operation == "AddBook")
    let endpoints = try await store.statistics().endpoints
    #expect(Set(endpoints.compactMap(\.operation)) == ["GetUser", "GetUsers", "AddBook"])
    #expect(endpoints.filter { $0.operation != nil }.allSatisfy { $0.endpoint == "/graphql" })
    await store.close()
  }

  /// A file of an earlier version that is only read has no tags, and says so without an error.
  @Test func anEarlierFileIsReadWithoutRemarks() async throws {
    let folder = try Folder()
    try await record(2, to: folder.file, process: HarnessProcess(name: "app", pid: 10))
    let database = try DatabaseQueue(path: folder.file)
    try await database.write { try $0.execute(sql: "DROP TABLE remark") }
    try database.close()
    let store = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(try await ids(store, "tag: | note:x") == [])
    #expect(try await ids(store, "-tag:").count == 2)
    #expect(try await store.exchange(1)?.tags == [])
    await store.close()
  }
}
