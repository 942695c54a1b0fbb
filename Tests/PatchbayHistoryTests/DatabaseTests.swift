import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// The connections to a history's file.
@Suite(.bounded) struct DatabaseTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Where nothing can be written SQLite takes a file as it is; its name may have anything in it.
  @Test(arguments: ["plain", "a b", "what?", "50%20", "#1", "ü&x=y"])
  func aFileThatNobodyChangesIsReadAsItIs(_ name: String) async throws {
    let path = folder.path + "/" + name
    let store = try HistoryStore.open(.file(path))
    store.record((1...3).map { .sample(id: $0) })
    await store.close()
    let database = try HistoryDatabase(unchanging: path)
    #expect(database.isReadOnly && !database.isInFile && database.path == path)
    let count = try database.readNow { try Int.fetchOne($0, sql: "SELECT count(*) FROM exchange") }
    #expect(count == 3)
    #expect(throws: HistoryError.self) { try database.write { try $0.execute(sql: "DELETE FROM exchange") } }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == [name, name + ".lock"], "nothing is made beside it")
  }

  @Test func aFileThatNobodyChangesMustBeOurs() throws {
    let other = try DatabaseQueue(path: folder.file)
    try other.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
    try other.close()
    #expect(throws: HistoryError(.foreign, path: folder.file)) { try HistoryDatabase(unchanging: folder.file) }
  }

  @Test func aLockThatIsHeldForAMomentIsWaitedFor() throws {
    let database = try HistoryDatabase(path: folder.file, isReadOnly: false)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.file, configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
      try? other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }
    try database.write { try $0.execute(sql: "INSERT INTO mark VALUES (1)") }
    let marks = try database.readNow { try Int.fetchOne($0, sql: "SELECT count(*) FROM mark") }
    #expect(marks == 1)
    try other.close()
    try database.close()
  }

  /// What lies in the rows but cannot be read is an error, and no exchange without headers.
  @Test(arguments: [
    "DELETE FROM detail", "UPDATE detail SET facts = x'02'", "UPDATE detail SET facts = x''",
    "UPDATE detail SET facts = substr(facts, 1, 3)",
  ])
  func damagedDetailsAreToldOf(_ sql: String) async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    try await store.flush()
    try store.database.write { try $0.execute(sql: sql) }
    let told = HistoryError(.corrupt, path: ":memory:", detail: "the details of exchange 1 are damaged")
    await #expect(throws: told) { _ = try await store.exchange(1) }
    #expect(try await store.summaries(ids: [1]) == [Exchange.sample(id: 1).summary], "the list knows it all the same")
    #expect(try await store.ids(from: 0, count: 9) == [1])
    await store.close()
  }

  /// A body that is said to be there and is not is none.
  @Test func aBodyThatIsGoneIsNone() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1, requestBody: Data("asked".utf8))])
    try await store.flush()
    try store.database.write { try $0.execute(sql: "DELETE FROM body") }
    let found = try await store.exchange(1)
    #expect(found != nil && found?.request.body == nil && found?.response?.body == nil)
    #expect(try await store.body(1, .response, range: 0..<9) == nil)
    await store.close()
  }
}
