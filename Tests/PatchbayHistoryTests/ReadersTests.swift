import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayHistory

/// Who may read a history at the same time.
@Suite(.bounded) struct ReadersTests {
  /// As many searches as there may be go on, and three more who read: none of them waits for another.
  @Test func aPageDoesNotWaitForSearches() async throws {
    let folder = try Folder()
    let database = try HistoryDatabase(path: folder.file, isReadOnly: false)
    let gate = DispatchSemaphore(value: 0)
    let reading = SeenLock(0)
    let count = HistoryDatabase.searchers + 2
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          try await database.read { _ in
            reading.withLock { $0 += 1 }
            gate.wait()
          }
        }
      }
      defer { for _ in 0..<count { gate.signal() } }
      try await eventually("all of them read") { reading.withLock { $0 } == count }
      let page = SeenLock(false)
      group.addTask {
        try await database.read { _ in }
        page.withLock { $0 = true }
      }
      try await eventually("a page is read") { page.withLock { $0 } }
    }
    try database.close()
  }
}
