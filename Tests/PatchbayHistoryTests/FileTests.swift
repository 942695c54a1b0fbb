import Foundation
import PatchbayHistory
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct FileTests {
  @Test func filesAreOurs() async throws {
    let folder = try Folder()
    let path = folder.path + "/deep/er/history.sqlite"
    let store = try HistoryStore.open(.file(path))
    store.record([.sample(id: 1)])
    try await store.flush()
    for suffix in ["", "-wal", "-shm", ".lock"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(suffix)")
    }
    let deep = try FileManager.default.attributesOfItem(atPath: folder.path + "/deep")[.posixPermissions] as? Int
    #expect(deep == 0o700)
    await store.close()
  }

  /// SQLite's database file format, 1.3: the size of a page, with which a file is made once and for all, and whose it is.
  @Test func itsHeadSaysWhatItIs() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    await store.close()
    let head = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file)).prefix(100))
    #expect(head.starts(with: "SQLite format 3\0".utf8))
    #expect(head[16..<18].elementsEqual([0x20, 0x00]) && head[68..<72].elementsEqual("PBAY".utf8))
  }

  @Test func aSecondWriterIsRefusedAndAReaderIsNot() async throws {
    let folder = try Folder()
    let first = try HistoryStore.open(.file(folder.file))
    first.record([.sample(id: 1)])
    try await first.flush()
    #expect(throws: HistoryError(.inUse(pid: getpid()), path: folder.file)) {
      try HistoryStore.open(.file(folder.file))
    }
    let reader = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(reader.count == 1 && reader.session == 0)
    #expect(try await reader.exchange(1)?.id == 1)
    await reader.close()
    await first.close()
    let second = try HistoryStore.open(.file(folder.file))
    #expect(second.count == 1)
    await second.close()
  }

  /// Also while somebody reads it: nothing is left in the log.
  @Test func whatWasClosedLiesInTheFileAlone() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record((1...100).map { .sample(id: $0) })
    try await store.flush()
    let reader = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(reader.count == 100)
    await store.close()
    let log = (try? FileManager.default.attributesOfItem(atPath: folder.file + "-wal"))?[.size] as? Int
    #expect(log ?? 0 == 0)
    #expect(try await reader.exchange(100)?.id == 100)
    await reader.close()
  }

  @Test func oneIsNotSeveral() {
    let error = HistoryError(.full, path: "/h")
    #expect(HistoryEvent.retired(exchanges: 1, why: .count).description.contains("its oldest exchange was removed."))
    #expect(HistoryEvent.retired(exchanges: 2, why: .size).description.contains("its oldest 2 exchanges were removed."))
    #expect(
      HistoryEvent.lost(exchanges: 1, error).description.hasPrefix("1 exchange was not recorded. There is no room"))
    #expect(
      HistoryEvent.shed(bodies: 1, exchanges: 2).description.hasSuffix("1 body and 2 exchanges were not kept."))
  }

  @Test func memoryIsOfferedToWhoRecords() {
    var error = HistoryError(.missing, path: "/h")
    let sentence = "There is no history at /h: record something first, or name another file with --history PATH"
    #expect("\(error)" == sentence + ", or :memory:.")
    error.isReading = true
    #expect("\(error)" == sentence + ".")
  }

  static func refusal(_ path: String, access: HistoryStore.Access = .write) -> HistoryError.Kind? {
    do {
      _ = try HistoryStore.open(.file(path), access: access)
      return nil
    } catch {
      let text = error.description
      #expect(text.contains(path) && text.hasSuffix("."), "\(text)")
      // Who only reads has nothing to look at in memory.
      #expect(error.isReading == (access == .read) && !(error.isReading && text.contains(":memory:")), "\(text)")
      return error.kind
    }
  }

  @Test func whatIsNoHistoryIsRefused() async throws {
    let folder = try Folder()
    #expect(Self.refusal(folder.path) == .cannotOpen)
    #expect(Self.refusal(folder.file, access: .read) == .missing)
    #expect(Self.refusal("/proc/nowhere/history.sqlite") == .cannotOpen)
    let garbage = folder.path + "/garbage"
    try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: garbage))
    #expect(Self.refusal(garbage) == .corrupt)
    #expect(Self.refusal(garbage, access: .read) == .corrupt)
    #expect(try Data(contentsOf: URL(fileURLWithPath: garbage)) == Data(repeating: 7, count: 100_000))
    // An empty file is as good as none.
    try Data().write(to: URL(fileURLWithPath: folder.path + "/empty"))
    let store = try HistoryStore.open(.file(folder.path + "/empty"))
    await store.close()
  }

  @Test func aBrokenFileIsToldAndNotTouched() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record((1...2_000).map { .sample(id: $0) })
    await store.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file))
    bytes.replaceSubrange(100..<min(bytes.count, 60_000), with: Data(repeating: 0x5A, count: 59_900))
    try bytes.write(to: URL(fileURLWithPath: folder.file))
    #expect(Self.refusal(folder.file) == .corrupt)
  }

  @Test func fullDiskIsToldAndKeptInMemory() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), pageLimit: 60)
    let body = Data(repeating: 65, count: 100_000)
    store.record((1...20).map { .sample(id: $0, body: body) })
    await #expect(throws: HistoryError.self) { try await store.flush() }
    var events = store.events.makeAsyncIterator()
    guard case .failed(let error) = await events.next() else {
      Issue.record("no event")
      return
    }
    #expect(error.kind == .full)
    #expect(try await store.exchange(20)?.response?.body == body)
    #expect(store.record([.sample(id: 21)]))
    await store.room()
    for id in Int64(100)...1_400 { store.record([.sample(id: id, body: body)]) }
    guard case .shed(let bodies, let exchanges) = await events.next() else {
      Issue.record("no event")
      return
    }
    #expect(bodies > 0 && exchanges == 0)
    #expect(try await store.exchange(1_400)?.response?.body == body, "the newest are kept")
    await store.close()
    var last: HistoryEvent?
    while let event = await events.next() { last = event }
    guard case .lost(let count, let why)? = last else {
      Issue.record("nothing is said of what is lost")
      return
    }
    #expect(count > 1_000 && why.kind == .full)
  }

  @Test func oldestGoFirstMarkedStay() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(count: 1_000))
    store.record((1...1_000).map { .sample(id: $0) })
    _ = try await store.apply(.mark([3, 4]))
    #expect(store.count == 1_000)
    store.record((1_001...1_100).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count <= 1_000 && store.count >= 985)
    let ids = try await store.ids(from: 0, count: 2_000)
    #expect(ids.first == 1_100 && ids.suffix(2) == [4, 3])
    #expect(ids == ids.sorted(by: >))
    var events = store.events.makeAsyncIterator()
    #expect(await events.next() == .retired(exchanges: 1_100 - store.count, why: .count))
    await store.close()
  }

  /// Some were taken out of the list before they go for good: what is left is counted right all the same, by the next
  /// reader of the file too.
  @Test func whatWasDeletedGoesWithTheOldest() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(count: 1_000))
    store.record((1...1_000).map { .sample(id: $0) })
    _ = try await store.apply(.delete([1, 2, 5, 9, 700]))
    #expect(store.count == 995)
    store.record((1_001...1_120).map { .sample(id: $0) })
    try await store.flush()
    let ids = try await store.ids(from: 0, count: 2_000)
    #expect(store.count == ids.count && ids.count <= 1_000)
    let oldest = try #require(ids.last)
    // All from the oldest to the newest, but for the one that was taken out.
    #expect(ids == (oldest...1_120).filter { $0 != 700 }.reversed())
    await store.close()
    let again = try HistoryStore.open(.file(folder.file), retention: Retention(count: 1_000))
    #expect(again.count == ids.count)
    #expect(try await again.ids(from: 0, count: 2_000) == ids)
    #expect(try await again.page(from: ids.count - 1, count: 5).map(\.id) == [oldest])
    #expect(try await again.page(from: 0, count: 0).isEmpty)
    await again.close()
  }

  @Test func sizeIsBounded() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(bytes: 2 << 20))
    for batch in 0..<20 {
      store.record((1...50).map { .sample(id: Int64(batch * 50 + $0), body: Data(repeating: 65, count: 10_000)) })
      try await store.flush()
    }
    #expect(store.count > 50 && store.count < 300)
    #expect(try await store.page(from: 0, count: 1).first?.id == 1_000)
    var events = store.events.makeAsyncIterator()
    guard case .retired(_, .size) = await events.next() else {
      Issue.record("not told")
      return
    }
    await store.close()
    let size = try FileManager.default.attributesOfItem(atPath: folder.file)[.size] as? Int ?? .max
    #expect(size < 4 << 20)
  }

  @Test func roomIsGivenBack() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(bytes: 1 << 30))
    let body = Data(repeating: 1, count: 1 << 20)
    var accepted = true
    var id: Int64 = 0
    while accepted && id < 5_000 {
      id += 1
      accepted = store.record([.sample(id: id, body: body)])
    }
    await store.room()
    try await store.flush()
    #expect(store.count == Int(id))
    #expect(store.record([.sample(id: id + 1)]))
    await store.close()
  }
}
