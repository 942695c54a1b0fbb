import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

@Suite(.bounded) struct ClosingTests {
  @Test func whatWasScheduledBeforeDoesNothingAfterwards() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    try await store.flush()
    // So soon after a commit the next one is put off.
    store.record([.sample(id: 2)])
    await store.close()
    await withCheckedContinuation { continuation in
      store.worker.asyncAfter(deadline: .now() + .milliseconds(60)) { continuation.resume() }
    }
    #expect(!store.queue.withLock { $0.isFailing })
  }

  /// A search may be on its way when the console leaves.
  @Test(arguments: [true, false]) func readingAfterwardsEndsTheSearchAndNotTheProcess(inMemory: Bool) async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(inMemory ? .memory : .file(folder.file))
    store.record((1...50).map { .sample(id: $0) })
    try await store.flush()
    let filter = try Filter(parsing: "body:token")
    let searches = (0..<8).map { _ in
      Task { for try await _ in store.search(filter) {} }
    }
    await store.close()
    for search in searches { _ = await search.result }
    _ = await Task { for try await _ in store.search(filter) {} }.result
    _ = try? await store.exchange(1)
  }
}
