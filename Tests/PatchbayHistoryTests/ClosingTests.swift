import Foundation
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
}
