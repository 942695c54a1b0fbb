import Foundation
import GRDB
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

  @Test("what another program has put in its place is left as it is, and recording goes on in memory")
  func foreign() async throws {
    let other = folder.path + "/other"
    let database = try DatabasePool(path: other)
    try await database.write { try $0.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')") }
    try remove(["history.sqlite", "history.sqlite-wal", "history.sqlite-shm"])
    let endings = ["", "-wal"]
    for ending in endings { try FileManager.default.copyItem(atPath: other + ending, toPath: folder.file + ending) }
    try database.close()
    func files() throws -> [Data] { try endings.map { try Data(contentsOf: URL(fileURLWithPath: folder.file + $0)) } }
    let before = try files()
    store.record((81...90).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 10)
    let loss = try #require(begun(await told()))
    #expect(loss.lost == 80 && loss.isInMemory)
    #expect(try files() == before)
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

  /// Its exchanges have the numbers of ours.
  @Test("another history in its place is left as it is, and recording goes on in memory", arguments: [true, false])
  func restored(hasSegments: Bool) async throws {
    let other = folder.path + "/other"
    let one = try HistoryStore.open(.file(other))
    one.record([.sample(id: 7, url: "http://backup/"), .sample(id: 81, url: "http://backup/")])
    _ = try await one.apply(.remark([81: Remark(tags: ["precious"], note: nil)]))
    if hasSegments { try await one.buildSegments() } else { try await one.flush() }
    await one.close()
    #expect(rename(other, folder.file) == 0)
    store.record([.sample(id: 81), .sample(id: 500)])
    try await store.flush()
    #expect(store.count == 2 && store.place == .memory && store.nextID == 501)
    #expect(try await store.exchange(81)?.tags == [])
    let events = await told()
    #expect(try #require(begun(events)) == (.replaced, 80, true))
    #expect(lost(events) == 82)
    let again = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(try await again.ids(from: 0, count: 9) == [81, 7])
    #expect(try await again.exchange(81)?.request.url == "http://backup/")
    #expect(try await again.exchange(81)?.tags == ["precious"])
    await again.close()
  }

  @Test("a history without exchanges in its place is gone on with")
  func replacedByAnEmptyOne() async throws {
    let other = folder.path + "/other"
    await (try HistoryStore.open(.file(other))).close()
    #expect(rename(other, folder.file) == 0)
    store.record([.sample(id: 81)])
    try await store.flush()
    #expect(store.count == 1 && store.place == .file(folder.file))
    #expect(try #require(begun(await told())) == (.replaced, 80, false))
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

  @Test("one that lacks a byte of what was written last is written to no more")
  func shortened() async throws {
    let log = folder.file + "-wal"
    let size = try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
    #expect(truncate(log, off_t(size - 1)) == 0)
    store.record([.sample(id: 81)])
    try await store.flush()
    #expect(store.count == 1 && store.place == .memory)
    #expect(try #require(begun(await told())) == (.cut, 80, true))
  }

  @Test("a log that another program has moved into the file is no loss")
  func checkpointed() async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { return }
    _ = try TestProgram.run(["/usr/bin/sqlite3", folder.file, "PRAGMA wal_checkpoint(TRUNCATE)"])
    store.record([.sample(id: 81)])
    try await store.flush()
    #expect(store.count == 81)
    #expect(await told().isEmpty)
  }

  @Test("what is no database in its place is left alone, and the claim on it given up")
  func replacedByAnyFile() async throws {
    let bytes = Data(repeating: 7, count: 20_000)
    try bytes.write(to: URL(fileURLWithPath: folder.path + "/other"))
    #expect(rename(folder.path + "/other", folder.file) == 0)
    store.record((81...90).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 10 && store.place == .memory)
    try HistoryFile(claiming: folder.file).release()
    let events = await told()
    #expect(try #require(begun(events)) == (.replaced, 80, true))
    #expect(lost(events) == 90)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file)) == bytes)
  }

  /// The lowest id that is to be seen from then on.
  private func lowest(_ events: [HistoryEvent]) -> Int64? {
    for case .lostFile(_, _, let lowest, _) in events { return lowest }
    return nil
  }

  @Test("says from which id on there is something: what waits, or what comes next", arguments: [true, false])
  func below(isWaiting: Bool) async throws {
    #expect(store.reserveIDs(5) == 81)
    try remove(["history.sqlite"])
    if isWaiting { store.record([.sample(id: 84), .sample(id: 83)]) }
    store.look()
    try await eventually { FileManager.default.fileExists(atPath: folder.file) }
    try await store.flush()
    #expect(store.count == (isWaiting ? 2 : 0) && store.nextID == 86)
    let events = await told()
    #expect(lowest(events) == (isWaiting ? 83 : 86))
    #expect(lost(events) == 80)
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

/// What is said at the end of a history of which nothing lay in the file that was lost.
@Suite(.bounded) struct LostWithoutRowsTests {
  @Test(arguments: [(true, 0), (true, 10), (false, 0), (false, 10)])
  func onlyWhatGoesWithTheConsoleIsLost(_ isInFile: Bool, _ count: Int) async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    // What it does at its beginning may see that the file is gone, and make another before the folder is there.
    try await store.flush()
    try FileManager.default.removeItem(atPath: folder.file)
    if !isInFile {
      try FileManager.default.createDirectory(atPath: folder.file, withIntermediateDirectories: false)
    }
    store.record((0..<count).map { .sample(id: Int64($0) + 1) })
    store.look()
    try await store.flush()
    let place: HistoryStore.Place = isInFile ? .file(folder.file) : .memory
    #expect(store.count == count && store.place == place)
    await store.close()
    var begun: [Int] = []
    var lost: [Int] = []
    for await event in store.events {
      if case .lostFile(_, let exchanges, _, _) = event { begun.append(exchanges) }
      if case .lost(let exchanges, _) = event { lost.append(exchanges) }
    }
    let expected: [Int] = isInFile || count == 0 ? [] : [count]
    #expect(begun == [0] && lost == expected)
  }
}
