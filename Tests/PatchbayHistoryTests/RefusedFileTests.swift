import Foundation
import GRDB
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// Files and places that cannot be a history, and what becomes of them: nothing.
@Suite(.bounded) struct RefusedFileTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func refusal(_ path: String, access: HistoryStore.Access = .write) -> HistoryError? {
    do {
      _ = try HistoryStore.open(.file(path), access: access)
      return nil
    } catch {
      return error
    }
  }

  private func error(_ kind: HistoryError.Kind, _ path: String, _ detail: String = "", isReading: Bool = false)
    -> HistoryError
  {
    var error = HistoryError(kind, path: path, detail: detail)
    error.isReading = isReading
    return error
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func aDatabaseOfAnotherProgramIsLeftAsItIs() throws {
    let other = try DatabaseQueue(path: folder.file)
    try other.write { try $0.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')") }
    try other.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file))
    #expect(chmod(folder.file, 0o664) == 0)
    #expect(refusal(folder.file) == error(.foreign, folder.file))
    #expect(try mode(folder.file) == 0o664, "others need it")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["history.sqlite"])
    #expect(refusal(folder.file, access: .read) == error(.foreign, folder.file, isReading: true))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file)) == before, "not a byte of it was changed")
    let after = try DatabaseQueue(path: folder.file)
    #expect(try after.read { try String.fetchOne($0, sql: "SELECT text FROM note") } == "mine")
    #expect(try after.read { try Int.fetchOne($0, sql: "PRAGMA application_id") } == 0)
    try after.close()
    // The claim is given up with the refusal.
    try HistoryFile(claiming: folder.file).release()
  }

  /// What another program wrote and has not yet put into its file stays where it is.
  @Test func theLogOfAnotherProgramsDatabaseIsLeftAsItIs() throws {
    let origin = folder.file + ".origin"
    let other = try DatabasePool(path: origin)
    try other.write { try $0.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')") }
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: origin + ending, toPath: folder.file + ending)
    }
    try other.close()
    func files() throws -> [Data] {
      try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: folder.file + $0)) }
    }
    let before = try files()
    #expect(refusal(folder.file) == error(.foreign, folder.file))
    #expect(try files() == before)
  }

  @Test func oneOfANewerVersionIsReadAndNotWritten() async throws {
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    await store.close()
    let newer = try DatabaseQueue(path: folder.file)
    try await newer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 things to come')") }
    try newer.close()
    #expect(refusal(folder.file) == error(.newer, folder.file))
    let reader = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(reader.count == 1)
    await reader.close()
  }

  @Test func whatIsNoFileIsNoHistory() throws {
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    for access in [HistoryStore.Access.read, .write] {
      let isReading = access == .read
      #expect(refusal(pipe, access: access) == error(.cannotOpen, pipe, "it is no file", isReading: isReading))
      #expect(
        refusal(folder.path, access: access) == error(.cannotOpen, folder.path, "it is no file", isReading: isReading))
    }
    #expect(!FileManager.default.fileExists(atPath: pipe + ".lock"), "nothing is made beside it")
    let below = folder.path + "/file/history.sqlite"
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    #expect(refusal(below) == error(.cannotOpen, below, String(cString: strerror(ENOTDIR))))
    let deeper = folder.path + "/file/deeper/history.sqlite"
    #expect(refusal(deeper) == error(.cannotOpen, deeper, "the folder cannot be made"))
    #expect(refusal(below, access: .read) == error(.missing, below, isReading: true))
  }

  @Test func aClaimThatIsALinkIsNotFollowed() throws {
    let elsewhere = folder.path + "/elsewhere"
    try #require(symlink(elsewhere, folder.file + ".lock") == 0)
    #expect(refusal(folder.file)?.kind == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: elsewhere) && !FileManager.default.fileExists(atPath: folder.file))
  }

  @Test func theClaimSaysWhoHasIt() throws {
    // Longer than what is written now: nothing of it stays.
    try Data("1234567890123456\n".utf8).write(to: URL(fileURLWithPath: folder.file + ".lock"))
    let claim = try HistoryFile(claiming: folder.file)
    #expect(try String(contentsOfFile: folder.file + ".lock", encoding: .utf8) == "\(getpid())\n")
    for (text, pid) in [("77\n", 77), ("", nil), ("x", nil), ("12 34", 12)] as [(String, Int32?)] {
      #expect(truncate(folder.file + ".lock", 0) == 0)
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file + ".lock"))
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
      #expect(refusal(folder.file) == error(.inUse(pid: pid), folder.file))
    }
    claim.release()
    try HistoryFile(claiming: folder.file).release()
  }

  /// SQLite would put its log beside the file, and two consoles would write it.
  @Test func aHistoryUnderTwoNamesIsOne() async throws {
    let link = folder.path + "/link.sqlite"
    try #require(symlink("history.sqlite", link) == 0)
    let store = try HistoryStore.open(.file(link))
    #expect(store.place == .file(folder.file))
    #expect(refusal(folder.file) == error(.inUse(pid: getpid()), folder.file))
    #expect(refusal(link) == error(.inUse(pid: getpid()), folder.file))
    await store.close()
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        == ["history.sqlite", "history.sqlite.lock", "link.sqlite"])
  }

  /// Each of these numbers ended the process.
  @Test(arguments: [
    "UPDATE exchange SET id = 9223372036854775807", "UPDATE exchange SET id = -5",
    "UPDATE chunk SET id = 1152921504606846976", "UPDATE chunk SET visible = -1",
    "UPDATE setting SET value = 9223372036854775807 WHERE name = 'cleared'",
    "UPDATE setting SET value = -1 WHERE name = 'next'", "UPDATE exchange SET session = 9223372036854775807",
    "INSERT INTO session VALUES (9223372036854775807, 0)", "INSERT INTO text VALUES (9223372036854775807, 'x')",
  ])
  func numbersThatNoHistoryHasAreRefused(_ change: String) async throws {
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    await store.close()
    let other = try DatabaseQueue(path: folder.file)
    try await other.write { try $0.execute(sql: change) }
    try other.close()
    #expect(refusal(folder.file)?.kind == .corrupt)
    if !change.contains("exchange SET session") { #expect(refusal(folder.file, access: .read)?.kind == .corrupt) }
  }

  @Test func wordsInThePlaceOfNumbersAreNone() async throws {
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    await store.close()
    let other = try DatabaseQueue(path: folder.file)
    try await other.write {
      try $0.execute(sql: "UPDATE chunk SET visible = 'abc'; UPDATE setting SET value = 'x' WHERE name = 'cleared'")
    }
    try other.close()
    let again = try HistoryStore.open(.file(folder.file))
    #expect(again.nextID == 2)
    await again.close()
  }

  private func descriptors(of path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
  }

  @Test func aClaimKeepsOneDescriptorAndNoneAfterwards() throws {
    let claim = try HistoryFile(claiming: folder.file)
    #expect(refusal(folder.file) == error(.inUse(pid: getpid()), folder.file))
    #expect(try descriptors(of: folder.file + ".lock") == 1)
    #expect(try descriptors(of: folder.file) == 0)
    claim.release()
    #expect(try descriptors(of: folder.file + ".lock") == 0)
  }

  /// What it had claimed is free again.
  @Test func aFileThatCannotBeMadeGivesItsClaimBack() throws {
    try #require(symlink(folder.path + "/nowhere/h", folder.file) == 0)
    #expect(refusal(folder.file) == error(.cannotOpen, folder.file, String(cString: strerror(ENOENT))))
    #expect(try descriptors(of: folder.file + ".lock") == 0)
    unlink(folder.file)
    try HistoryFile(claiming: folder.file).release()
  }

  @Test(arguments: [(0o644, true), (0o660, true), (0o601, true), (0o600, false), (0o400, false)])
  func aFileThatOthersCouldReadIsClosedToThem(_ before: Int, _ isTold: Bool) async throws {
    try Data().write(to: URL(fileURLWithPath: folder.file))
    try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: folder.file)
    var claim = try HistoryFile(claiming: folder.file)
    #expect(try !claim.isClosedToOthers && mode(folder.file) == before)
    claim.closeToOthers(folder.file)
    #expect(claim.isClosedToOthers == isTold)
    #expect(try mode(folder.file) == (isTold ? 0o600 : before))
    claim.release()
    try FileManager.default.setAttributes([.posixPermissions: before | 0o200], ofItemAtPath: folder.file)
    let store = try HistoryStore.open(.file(folder.file))
    await store.close()
    var events: [HistoryEvent] = []
    for await event in store.events { events.append(event) }
    #expect(events == (isTold ? [.closedToOthers(path: folder.file)] : []))
  }

  @Test func aStoreKnowsItsPlace() async throws {
    let memory = try HistoryStore.open(.memory)
    #expect(memory.place == .memory && memory.session == 1 && memory.nextID == 1 && memory.count == 0)
    #expect(memory.retention == .memory && !memory.isReadOnly)
    await memory.close()
    let store = try HistoryStore.open(.file(folder.file))
    #expect(store.place == .file(folder.file) && store.retention == Retention() && store.session == 1)
    #expect(store.reserveIDs(5) == 1 && store.reserveIDs(1) == 6 && store.nextID == 7)
    store.record([.sample(id: 3)])
    #expect(store.nextID == 7, "a lower one takes none back")
    store.record([.sample(id: 20)])
    #expect(store.nextID == 21)
    try await store.flush()
    let reader = try HistoryStore.open(.file(folder.file), retention: Retention(count: 7), access: .read)
    #expect(reader.place == .file(folder.file) && reader.isReadOnly && reader.session == 0)
    #expect(reader.retention == Retention(count: 7) && reader.nextID == 21)
    #expect(reader.record([.sample(id: 50)]), "it records nothing")
    #expect(reader.nextID == 21 && reader.count == 2)
    await reader.close()
    await store.close()
    let again = try HistoryStore.open(.file(folder.file), retention: Retention(count: 5))
    #expect(again.retention.count == 5 && again.session == 2 && again.nextID == 21)
    await again.close()
  }

  @Test func whatWasClosedSaysSo() async throws {
    let store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1)])
    await store.close()
    await store.close()
    await #expect(throws: HistoryError(.closed, path: folder.file)) { try await store.flush() }
    await #expect(throws: HistoryError(.closed, path: folder.file)) { _ = try await store.apply(.mark([1])) }
    #expect(store.record([.sample(id: 2)]), "nobody is asked to wait")
    await store.room()
    let again = try HistoryStore.open(.file(folder.file))
    #expect(again.count == 1)
    await again.close()
  }
}
