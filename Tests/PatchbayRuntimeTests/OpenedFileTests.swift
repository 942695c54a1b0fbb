import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// What a file is tells its content.
@Suite(.bounded) struct OpenedFileTests {
  private func exchange(_ id: Int64, run: Int64? = nil, pid: Int32 = 10) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "app", pid: pid), startedAt: Timestamp(microseconds: 1_700_000_000_000_000),
      request: RecordedRequest(method: "GET", url: "https://a.example/\(id)"))
    (exchange.phase, exchange.outcome, exchange.run) = (.ended, .responded, run)
    exchange.response = RecordedResponse(status: 200, headers: [], body: Data("hello".utf8))
    return exchange
  }

  private func write(_ text: String, to folder: TemporaryFolder, _ name: String = "file.txt") throws -> String {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func aHistoryIsOnlyRead() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("no-name")
    let store = try HistoryStore.open(.file(path))
    store.record([exchange(1), exchange(2)])
    await store.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let opened = try await OpenedFile(path)
    #expect(opened.kind == .history && opened.history.count == 2 && opened.name == "no-name")
    await #expect(throws: HistoryError.self) { _ = try await opened.history.apply(.mark([1])) }
    await opened.history.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(arguments: ["", "\u{FEFF}", "\n  "]) func archivesAndLinesAreToldApart(_ head: String) async throws {
    let folder = try TemporaryFolder()
    let archive = try await OpenedFile(
      try write(head + HARWriter.text([exchange(1), exchange(2)]), to: folder, "a.jsonl"))
    #expect(archive.kind == .archive && archive.history.count == 2 && archive.notices.isEmpty)
    let lines = [exchange(7), exchange(9)].map { JSONLines.line($0) }.joined(separator: "\n")
    let opened = try await OpenedFile(try write(head + lines, to: folder, "b.har"))
    #expect(opened.kind == .jsonLines && opened.history.count == 2)
    #expect(try await opened.history.exchange(9)?.request.url == "https://a.example/9", "their numbers stay")
    let back = try await opened.history.apply(.remark([9: Remark(note: "here")]))
    #expect(back == .remark([9: Remark()]))
  }

  @Test func whatCannotBeReadIsSaid() async throws {
    let folder = try TemporaryFolder()
    let line = JSONLines.line(exchange(1))
    let opened = try await OpenedFile(try write("\(line)\n{\"no\":1}\nnonsense\n\n\(line)", to: folder))
    #expect(opened.history.count == 2, "two of one number are two")
    #expect(opened.notices.count == 1 && opened.notices[0].hasPrefix("2 of 4 could not be read: line 2: "))
    let wrong = ["", "nonsense", "[1]", "{\"no\":1}\n", "{\"log\":{}}", "\u{0}\u{1}", "{"]
    for text in wrong {
      let path = try write(text, to: folder)
      await #expect("“\(text)”") {
        _ = try await OpenedFile(path)
      } throws: { error in
        "\(error)".hasPrefix(path) && "\(error)".hasSuffix(".")
      }
    }
    for path in [folder.file("none"), folder.path] {
      await #expect(throws: RuntimeError.self) { _ = try await OpenedFile(path) }
    }
    let cut = String(HARWriter.text([exchange(1), exchange(2)]).dropLast(30))
    #expect(try await OpenedFile(try write(cut, to: folder)).notices.count == 1)
  }

  @Test(
    arguments: [
      ("SQLite format 3\u{0}", .history), ("SQLite format 3\u{0} and more", .history), ("SQLite format 3", nil),
      ("sqlite format 3\u{0}", nil), (" SQLite format 3\u{0}", nil),
      ("{\"log\"", .archive), ("{\"log\":{\"entries\":[]}}", .archive),
      ("\t\u{B}\u{C}\r\n {\t\u{B}\r\n \"log\"", .archive),
      ("\u{FEFF}{\"log\"", .archive), ("\u{FEFF}\n{ \"log\"", .archive), ("\u{FEFF}\u{FEFF}{\"log\"", nil),
      ("\n\u{FEFF}{\"log\"", nil),
      ("{\"logs\"", .jsonLines), ("{\"lo", .jsonLines), ("{\"id\":1,\"log\":2}", .jsonLines), (" { \"id\"", .jsonLines),
      ("\u{8}{\"log\"", nil), ("\u{E}{\"log\"", nil), ("{\u{8}\"log\"", nil), ("{\u{E}\"log\"", nil),
      ("", nil), ("{", nil), ("{}", nil), ("{{\"log\"", nil), ("[\"log\"", nil), ("\"log\"", nil),
    ] as [(String, OpenedFile.Kind?)])
  func aFileIsKnownByItsBeginning(_ head: String, _ kind: OpenedFile.Kind?) {
    #expect(OpenedFile.Kind(Array(head.utf8)) == kind)
  }

  @Test func manyExchangesAreAllThere() async throws {
    let folder = try TemporaryFolder()
    let lines = (1...1_001).map { JSONLines.line(exchange($0)) }.joined(separator: "\n")
    let opened = try await OpenedFile(try write(lines, to: folder))
    #expect(opened.history.count == 1_001 && opened.notices.isEmpty)
    #expect(try await opened.history.exchange(1_001)?.request.url == "https://a.example/1001")
  }

  @Test func numbersThatAreNoneAreGivenAnew() {
    func ids(_ given: Int64...) -> [Int64] { FileRuns.ordered(given.map { exchange($0) }).map(\.id) }
    #expect(ids(1) == [1] && ids(7) == [7] && ids(7, 9) == [7, 9])
    #expect(ids(0) == [1] && ids(0, 1) == [1, 2] && ids(-1, 5) == [1, 2])
    #expect(ids(5, 5) == [1, 2] && ids(5, 4) == [1, 2] && ids(3, 4, 4) == [1, 2, 3])
  }

  @Test func runsStandTogether() {
    func order(_ exchanges: [Exchange]) -> [[Int64]] { FileRuns.ordered(exchanges).map { [$0.run ?? 0, $0.id] } }
    #expect(order([exchange(4, run: 2), exchange(5, run: 2), exchange(9, run: 7)]) == [[2, 4], [2, 5], [7, 9]])
    #expect(order([exchange(9, run: 7), exchange(4, run: 2)]) == [[2, 4], [7, 9]])
    #expect(order([exchange(1, pid: 5), exchange(2, pid: 6), exchange(3, pid: 5)]) == [[1, 1], [1, 2], [2, 3]])
    #expect(order([exchange(1), exchange(2, run: 5)]) == [[1, 1], [2, 2]])
    #expect(order([exchange(0), exchange(0)]) == [[1, 1], [1, 2]] && order([]) == [])
  }
}
