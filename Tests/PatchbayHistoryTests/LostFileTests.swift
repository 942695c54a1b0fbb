import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

@Suite("A history whose file is taken away", .bounded)
struct LostFileTests {
  let folder: Folder
  let store: HistoryStore

  init() async throws {
    folder = try Folder()
    store = try HistoryStore.open(.file(folder.file))
    store.record((1...80).map { .sample(id: $0) })
    try await store.flush()
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  private func remove(_ names: [String]) throws {
    for name in names { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }
  }

  /// What it said to its end.
  private func told() async -> [HistoryEvent] {
    await store.close()
    var events: [HistoryEvent] = []
    for await event in store.events { events.append(event) }
    return events
  }

  private func begun(_ events: [HistoryEvent]) -> (kind: HistoryError.Kind, lost: Int, isInMemory: Bool)? {
    for case .lostFile(let loss, let count, _, let why) in events { return (loss.kind, count, why != nil) }
    return nil
  }

  private func lost(_ events: [HistoryEvent]) -> Int? {
    for case .lost(let count, _) in events { return count }
    return nil
  }

  @Test(
    "recording goes on in a new one, and what is lost is counted",
    arguments: [
      ["history.sqlite"], ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm", "history.sqlite.lock"],
    ])
  func removed(names: [String]) async throws {
    try remove(names)
    store.record((81...90).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 10 && store.nextID == 91)
    #expect(try await store.exchange(85)?.id == 85)
    #expect(try await store.exchange(5) == nil)
    let events = await told()
    let loss = try #require(begun(events))
    #expect(loss == (.removed, 80, false))
    #expect(lost(events) == 80)
    let again = try HistoryStore.open(.file(folder.file))
    #expect(again.count == 10 && again.nextID == 91)
    await again.close()
    #expect(try files() == ["history.sqlite", "history.sqlite.lock"])
  }

  /// A command that is being started has all descriptors until its program begins.
  @Test("the claim ends with its release, also while a child that is being started has its descriptor")
  func claimIsShared() async throws {
    let path = folder.path + "/other.sqlite"
    let claim = try HistoryFile(claiming: path)
    let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let lock = try #require(own.first { Self.target(of: $0) == path + ".lock" })
    let child = dup(lock)
    defer { close(child) }
    claim.release()
    try HistoryFile(claiming: path).release()
  }

  private static func target(of descriptor: Int32) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
  }

  @Test("is noticed when it is looked at, without anything to record")
  func looked() async throws {
    try remove(["history.sqlite"])
    store.look()
    try await eventually { FileManager.default.fileExists(atPath: folder.file) }
    #expect(begun(await told())?.kind == .removed)
  }

  @Test("where something else lies there, it goes on in memory")
  func replaced() async throws {
    try remove(["history.sqlite"])
    try FileManager.default.createDirectory(atPath: folder.file, withIntermediateDirectories: false)
    store.record((81...90).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 10 && store.place == .memory)
    #expect(try await store.exchange(90)?.id == 90)
    let events = await told()
    #expect(try #require(begun(events)) == (.replaced, 80, true))
    #expect(lost(events) == 90)
  }

  @Test("another history in its place is gone on with")
  func restored() async throws {
    let other = folder.path + "/other"
    let one = try HistoryStore.open(.file(other))
    one.record([.sample(id: 7)])
    await one.close()
    #expect(rename(other, folder.file) == 0)
    store.record([.sample(id: 81)])
    try await store.flush()
    #expect(store.count == 2)
    #expect(try #require(begun(await told())) == (.replaced, 80, false))
  }

  /// Which runs of it have segments, and which wait for one, is known of the new file and not of the old.
  @Test("another history's segments are gone on with", arguments: [true, false])
  func restoredWithSegments(isBuilt: Bool) async throws {
    let other = folder.path + "/other"
    let one = try HistoryStore.open(.file(other))
    one.record((1...10).map { .sample(id: $0) })
    if isBuilt { try await one.buildSegments() } else { try await one.flush() }
    await one.close()
    #expect(rename(other, folder.file) == 0)
    store.record([.sample(id: 5, status: 500)])
    try await store.flush()
    #expect(store.count == 10)
    for hasSegments in [false, true] {
      if hasSegments { try await store.buildSegments() }
      #expect(try await store.segmentCount() == (hasSegments ? 1 : 0))
      var found: [Int64] = []
      for try await batch in store.search(try Filter(parsing: "status:500")) { found += batch.ids }
      #expect(found == [5])
    }
    #expect(try #require(begun(await told())).kind == .replaced)
  }

  @Test("one that is cut off is written to no more", arguments: ["history.sqlite", "history.sqlite-wal"])
  func cut(name: String) async throws {
    #expect(truncate(folder.path + "/" + name, 0) == 0)
    store.record((81...90).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 10 && store.place == .memory)
    let events = await told()
    #expect(try #require(begun(events)) == (.cut, 80, true))
    #expect(lost(events) == 90)
    var facts = stat()
    #expect(stat(folder.path + "/" + name, &facts) == 0 && facts.st_size == 0, "nothing was written to it")
  }

  @Test("a log that another program has moved into the file is no loss")
  func checkpointed() async throws {
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { return }
    program.arguments = [folder.file, "PRAGMA wal_checkpoint(TRUNCATE)"]
    program.standardOutput = FileHandle.nullDevice
    try program.run()
    program.waitUntilExit()
    store.record([.sample(id: 81)])
    try await store.flush()
    #expect(store.count == 81)
    #expect(await told().isEmpty)
  }

  @Test("writing it, closing it and opening it again is no loss")
  func well() async throws {
    for start in stride(from: Int64(81), to: 20_000, by: 4_000) {
      store.record((start..<(start + 4_000)).map { .sample(id: $0) })
      try await store.flush()
      store.look()
    }
    try await store.buildSegments()
    #expect(await told().isEmpty)
  }
}
