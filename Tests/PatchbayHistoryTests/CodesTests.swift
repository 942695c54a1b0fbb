import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// The numbers in the tables: they stand in files, and do not change.
@Suite(.bounded) struct CodesTests {
  @Test func casesHaveTheirNumbers() {
    #expect([.responded, .failed, .cancelled, .abandoned].map { Codes.outcome[$0] } == [0, 1, 2, 3])
    #expect([.waiting, .heldRequest, .heldResponse, .receiving, .ended].map { Codes.phase[$0] } == [0, 1, 2, 3, 4])
    #expect(
      [.network, .stub, .code, .person, .console, .cache].map { Codes.answerer[$0] } == [0, 1, 2, 3, 4, 5])
    for code in Int64(0)...3 { #expect(Codes.outcome.value(code).map { Codes.outcome[$0] } == code) }
    #expect(Codes.outcome.value(4) == nil && Codes.outcome.value(-1) == nil && Codes.outcome.value(.max) == nil)
    #expect(Codes.phase.value(5) == nil && Codes.answerer.value(6) == nil && Codes.answerer.value(.min) == nil)
  }

  @Test func flagsSayWhatIsThere() {
    let bare = Exchange.sample(id: 1, status: nil)
    #expect(Flags(bare).rawValue == 0)
    let changes: [(Int64, (inout Exchange) -> Void)] = [
      (1, { $0.request.body = Data() }), (2, { $0.response = RecordedResponse(status: 1, body: Data()) }),
      (4, { $0.request.truncated = true }), (8, { $0.response = RecordedResponse(status: 1, truncated: true) }),
      (16, { $0.sent = RecordedRequest(method: "", url: "") }), (0, { $0.response = RecordedResponse(status: 1) }),
    ]
    for (flag, change) in changes {
      var exchange = bare
      change(&exchange)
      #expect(Flags(exchange).rawValue == flag)
    }
  }

  @Test func charsetsOfBothSidesLieInOneNumber() {
    let latin = Int64(Charset(contentType: "text/plain; charset=iso-8859-1", body: Data("é".utf8)).rawValue)
    let plain = Int64(Charset.utf8.rawValue)
    #expect(latin != plain)
    func packed(_ exchange: Exchange, _ requestType: String?, _ type: String?) -> Int64 {
      Charsets(exchange, requestType: requestType, type: type).packed
    }
    let both = Exchange.sample(id: 1, requestBody: Data("é".utf8), body: Data("é".utf8))
    let type = "text/plain; charset=iso-8859-1"
    #expect(packed(both, type, nil) == latin | plain << 8)
    #expect(packed(both, nil, type) == plain | latin << 8)
    let none = Exchange.sample(id: 1, body: nil)
    #expect(packed(none, type, type) == plain | plain << 8)
  }

  @Test(
    arguments: [
      (.SQLITE_BUSY, .locked), (.SQLITE_LOCKED, .locked), (.SQLITE_READONLY, .readOnly), (.SQLITE_PERM, .readOnly),
      (.SQLITE_FULL, .full), (.SQLITE_CORRUPT, .corrupt), (.SQLITE_NOTADB, .corrupt), (.SQLITE_CANTOPEN, .cannotOpen),
      (.SQLITE_IOERR, .inputOutput), (.SQLITE_IOERR_WRITE, .inputOutput), (.SQLITE_BUSY_SNAPSHOT, .locked),
      (.SQLITE_MISUSE, .closed), (.SQLITE_ERROR, .other), (.SQLITE_CONSTRAINT, .other),
    ] as [(ResultCode, HistoryError.Kind)])
  func whatSQLiteSaysIsSaidInOurWords(_ code: ResultCode, _ kind: HistoryError.Kind) {
    let error = HistoryError(DatabaseError(resultCode: code, message: "why"), path: "/h")
    #expect(error == HistoryError(kind, path: "/h", detail: "why"))
    #expect(HistoryError(error, path: "/other") == error, "ours stays what it is")
  }

  @Test func errorsOfOthersAreNamed() {
    #expect(HistoryError(CancellationError(), path: "/h").kind == .other)
    #expect(HistoryError(CancellationError(), path: "/h").detail == "CancellationError()")
    let losses: [HistoryError.Kind] = [.removed, .replaced, .cut]
    for kind in losses { #expect(HistoryError(kind, path: "").isLoss) }
    for kind in [.corrupt, .closed, .missing, .inUse(pid: 1), .readOnly] as [HistoryError.Kind] {
      #expect(!HistoryError(kind, path: "").isLoss)
    }
  }

  @Test func sharedTextsAreFoundByTheirIds() {
    let ids: [Int64] = [0, 1, 63, 64, 65, 127, 128, 1_000]
    let texts = SharedTexts(function: "f", patterns: [], ids: ids)
    for id in Int64(-3)...1_100 { #expect(texts.contains(id) == ids.contains(id), "\(id)") }
    for id in [.min, .max, -1, 1_023, 1_024] as [Int64] { #expect(!texts.contains(id)) }
    let none = SharedTexts(function: "f", patterns: [], ids: [])
    #expect(!none.contains(0) && !none.contains(-1))
    #expect(!SharedTexts(function: "f", patterns: [], ids: [-5]).contains(-5))
  }
}

/// What lay at the history's path, looked at again.
@Suite(.bounded) struct HistoryPlaceTests {
  private func place(log: Int = 50) throws -> (folder: Folder, place: HistoryPlace) {
    let folder = try Folder()
    try write(folder.file, 100)
    if log >= 0 { try write(folder.file + "-wal", log) }
    try write(folder.file + "-shm", 5)
    return (folder, HistoryPlace(folder.file))
  }

  private func write(_ path: String, _ count: Int) throws {
    // In place: the file stays the same.
    if FileManager.default.fileExists(atPath: path) {
      truncate(path, off_t(count))
    } else {
      try Data(count: count).write(to: URL(fileURLWithPath: path))
    }
  }

  @Test func nothingHasHappenedWhereAllIsAsItWasOrLarger() throws {
    let (folder, place) = try place()
    #expect(place.loss == nil && !place.isEmpty)
    try write(folder.file, 101)
    try write(folder.file + "-wal", 51)
    #expect(place.loss == nil)
    // Without a log there was none to lose.
    let (other, bare) = try self.place(log: -1)
    #expect(bare.loss == nil)
    try write(other.file, 0)
    #expect(bare.loss == .cut && bare.isEmpty)
  }

  @Test func whatIsSmallerWasCut() throws {
    let (folder, place) = try place()
    try write(folder.file, 99)
    #expect(place.loss == .cut)
    try write(folder.file, 100)
    #expect(place.loss == nil)
    try write(folder.file + "-wal", 49)
    #expect(place.loss == .cut)
    unlink(folder.file + "-wal")
    #expect(place.loss == .cut)
    var again = place
    again.noteSizes()
    #expect(again.loss == nil)
    var (larger, other) = try self.place()
    try write(larger.file, 300)
    other.noteSizes()
    try write(larger.file, 299)
    #expect(other.loss == .cut)
    larger = folder
  }

  @Test func whatIsNotThereWasRemovedAndAnotherFileReplacesIt() throws {
    let (folder, place) = try place()
    rename(folder.file, folder.file + ".old")
    #expect(place.loss == .removed && place.isEmpty)
    try write(folder.file, 1_000)
    #expect(place.loss == .replaced)
    rename(folder.file + ".old", folder.file)
    #expect(place.loss == nil)
  }

  /// Its folder is no folder any more. What cannot be looked at is not taken for lost.
  @Test func withItsFolderTheFileIsGone() throws {
    let folder = try Folder()
    let deep = folder.path + "/deep"
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: false)
    try write(deep + "/h", 10)
    let place = HistoryPlace(deep + "/h")
    #expect(place.loss == nil)
    rename(deep, deep + ".old")
    #expect(place.loss == .removed)
    try write(deep, 1)
    #expect(place.loss == .removed)
    unlink(deep)
    try #require(symlink(deep, deep) == 0)
    #expect(place.loss == nil, "a circle of links")
  }

  /// What others have put beside it stays.
  @Test func onlyItsOwnRemainsAreRemoved() throws {
    let (folder, place) = try place()
    // Kept under another name, so that its number is not given to the next file.
    rename(folder.file + "-shm", folder.file + ".old")
    try write(folder.file + "-shm", 1)
    place.removeRemains()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["history.sqlite", "history.sqlite-shm", "history.sqlite.old"])
  }
}
