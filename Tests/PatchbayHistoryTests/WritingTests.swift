import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// What was recorded and is not written yet, or could not be.
@Suite(.bounded) struct WritingTests {
  @Test func whatWaitsIsReadAsItWillBeWritten() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1), .sample(id: 2)])
    try await store.flush()
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    store.worker.async { gate.wait() }
    let newer = Exchange.sample(
      id: 2, status: 404, requestBody: Data("asked".utf8), body: Data("answered".utf8))
    let bare = Exchange.sample(id: 3, status: nil, duration: nil)
    store.record([newer, bare])
    for isWritten in [false, true] {
      if isWritten {
        gate.signal()
        try await store.flush()
      }
      #expect(store.count == (isWritten ? 3 : 2))
      #expect(store.queue.withLock { $0[2] != nil } != isWritten)
      #expect(
        try await store.summaries(ids: [3, 2, 9, 1, 2])
          == [bare.summary, newer.summary, Exchange.sample(id: 1).summary, newer.summary])
      #expect(try await store.exchanges(ids: [2, 9, 1, 3]) == [newer, .sample(id: 1), bare])
      #expect(try await store.body(2, .request, range: 0..<3) == Data("ask".utf8))
      #expect(try await store.body(2, .response, range: 3..<99) == Data("wered".utf8))
      #expect(try await store.body(3, .response, range: 0..<1) == nil)
    }
    await store.close()
  }

  /// It is tried again each second; what failed then is as whole as if it had not.
  @Test func whatCouldNotBeWrittenIsWrittenWhenThereIsRoomAgain() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), pageLimit: 60)
    let body = Data(repeating: 65, count: 100_000)
    let exchanges = (1...20).map { (id: Int64) -> Exchange in .sample(id: id, body: body) }
    store.record(exchanges)
    var events = store.events.makeAsyncIterator()
    guard case .failed(let error)? = await events.next() else {
      Issue.record("no event")
      return
    }
    #expect(error.kind == .full && store.count == 0)
    try store.database.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    #expect(await events.next() == .recovered)
    #expect(store.count == 20)
    for exchange in exchanges { #expect(try await store.exchange(exchange.id) == exchange) }
    #expect(try await store.count(Filter(parsing: "host:api.example.com process:demo")) == 20)
    // What comes now is written without being asked for.
    store.record([.sample(id: 21)])
    try await eventually { store.count == 21 }
    await store.close()
  }

  /// Who asks for what was recorded writes it, too, a moment before it would have been tried again.
  @Test func whoeverWritesItWhenThereIsRoomAgainSaysSo() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), pageLimit: 60)
    store.record((1...20).map { .sample(id: $0, body: Data(repeating: 65, count: 100_000)) })
    var events = store.events.makeAsyncIterator()
    guard case .failed? = await events.next() else {
      Issue.record("no event")
      return
    }
    try store.database.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    try await store.flush()
    #expect(await events.next() == .recovered)
    #expect(store.queue.withLock { !$0.isFailing })
    store.record([.sample(id: 21)])
    try await eventually { store.count == 21 }
    await store.close()
  }

  @Test func aHistoryIsReadThroughALink() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    await store.close()
    let link = folder.path + "/link"
    try #require(symlink(folder.file, link) == 0)
    let reader = try HistoryStore.open(.file(link), access: .read)
    #expect(reader.count == 1)
    #expect(try await reader.exchange(1) == .sample(id: 1))
    await reader.close()
  }
}
