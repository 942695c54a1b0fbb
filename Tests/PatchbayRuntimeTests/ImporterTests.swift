import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayRuntime

/// Exchanges of a file that are recorded.
@Suite(.bounded) final class ImporterTests {
  private let folder: TemporaryFolder
  private let history: HistoryStore

  init() throws {
    folder = try TemporaryFolder()
    history = try HistoryStore.open(.memory)
  }

  private func exchange(_ id: Int64, _ url: String? = nil) -> Exchange {
    var exchange = Exchange.answered(id, url ?? "http://a.example/\(id)", body: Data("answer".utf8))
    exchange.run = 7
    return exchange
  }

  private func write(_ exchanges: [Exchange], more: String = "") throws -> String {
    try folder.write(exchanges.map { JSONLines.line($0) + "\n" }.joined() + more, to: "in.jsonl")
  }

  private func urls() async throws -> [String] {
    try await history.flush()
    return try await HistoryQuery(history: history).exchanges(.everything).map(\.request.url)
  }

  @Test func allAreRecordedUnderNewNumbersOfNoRunInTheirOrder() async throws {
    history.record([exchange(history.reserveIDs(1), "http://before/")])
    let path = try write([exchange(500), exchange(3), exchange(77)])
    let shares = Mutex<[Double]>([])
    let outcome = try await Importer(history: history).read(path) { share in shares.withLock { $0.append(share) } }
    #expect(outcome.ids == [2, 3, 4] && outcome.bad.isEmpty && outcome.failure == nil && !outcome.isStopped)
    #expect(try await urls() == ["http://before/"] + [500, 3, 77].map { "http://a.example/\($0)" })
    #expect(try await history.exchanges(ids: [2, 3, 4]).allSatisfy { $0.run != 7 })
    #expect(shares.withLock { $0 } == [1])
  }

  @Test(arguments: [0, 1, 2, 3, 9]) func aLimitTakesTheFirst(_ limit: Int) async throws {
    let path = try write([exchange(1), exchange(2), exchange(3)], more: "nonsense\n")
    var importer = Importer(history: history)
    importer.limit = limit
    let outcome = try await importer.read(path)
    #expect(outcome.ids.count == min(3, limit))
    #expect(try await urls() == (1...3).prefix(limit).map { "http://a.example/\($0)" })
  }

  @Test func whoWantsOnlyTheFirstNeedNotTheEnd() async throws {
    let cut = try folder.write(String(HARWriter.text([exchange(3), exchange(4)]).dropLast(40)), to: "cut.har")
    var importer = Importer(history: history)
    importer.limit = 1
    let outcome = try await importer.read(cut)
    #expect(outcome.ids.count == 1 && outcome.failure == nil && outcome.bad.isEmpty && !outcome.isStopped)
    #expect(try await urls() == ["http://a.example/3"])
  }

  @Test func onlyWhatFitsIsTakenAndCountsForTheLimit() async throws {
    let path = try write((1...6).map { exchange($0, "http://\($0 % 2 == 0 ? "b" : "a").example/\($0)") })
    var importer = Importer(history: history)
    importer.filter = try FilterArgument.parse("host:b.example")
    importer.limit = 2
    #expect(try await importer.read(path).ids == [1, 2])
    #expect(try await urls() == ["http://b.example/2", "http://b.example/4"])
  }

  @Test(arguments: [false, true]) func secretsAreMaskedWhereTheyAreToBe(_ redacts: Bool) async throws {
    let path = try write([exchange(1, "http://a.example/?token=s3cret")])
    var importer = Importer(history: history)
    importer.redacts = redacts
    _ = try await importer.read(path)
    #expect(try await urls() == ["http://a.example/?token=\(redacts ? "***" : "s3cret")"])
  }

  @Test func whatCannotBeReadIsToldAndTheOthersAreTaken() async throws {
    let path = try write([exchange(1)], more: "nonsense\n\n" + JSONLines.line(exchange(2)))
    let outcome = try await Importer(history: history).read(path)
    #expect(outcome.ids.count == 2 && outcome.bad.count == 1 && outcome.failure == nil)
    let har = try folder.write(String(HARWriter.text([exchange(3), exchange(4)]).dropLast(40)), to: "cut.har")
    let cut = try await Importer(history: history).read(har)
    #expect(cut.ids.count + cut.bad.count >= 1 && cut.failure != nil)
    let nothing = try folder.write("", to: "empty.har")
    let empty = try await Importer(history: history).read(nothing)
    #expect(empty.ids.isEmpty && empty.failure != nil, "\(empty)")
  }

  @Test func theKindIsToldByTheContent() async throws {
    let archive = try folder.write(HARWriter.text([exchange(1), exchange(2)]), to: "a.jsonl")
    #expect(try await Importer(history: history).read(archive).ids.count == 2)
    let lines = try folder.write(JSONLines.line(exchange(3)), to: "b.har")
    #expect(try await Importer(history: history).read(lines).ids.count == 1)
    let other = folder.file("c")
    let store = try HistoryStore.open(.file(other))
    await store.close()
    #expect(
      try await Importer(history: history).read(other).failure
        == "It is a history: browse it with `patchbay open`, or name it with --history.")
  }

  @Test func whatIsNotThereIsSaid() async throws {
    let none = folder.file("none.har")
    let error = await #expect(throws: RuntimeError.self) { try await Importer(history: history).read(none) }
    #expect(error?.description.hasPrefix(none + " ") == true && error?.description.hasSuffix(".") == true)
    #expect(Importer.name("-") == "standard input" && Importer.name("a") == "a")
  }

  /// Several pieces of a file: progress rises, and a task that is cancelled stops between them.
  @Test func aLargeFileIsReadInPieces() async throws {
    let large = (1...5).map { id in
      Exchange.answered(Int64(id), "http://a.example/\(id)", body: Data(repeating: 0x61, count: 900_000))
    }
    let path = try write(large)
    let shares = Mutex<[Double]>([])
    let history = history
    let outcome = try await Importer(history: history).read(path) { share in shares.withLock { $0.append(share) } }
    #expect(outcome.ids == [1, 2, 3, 4, 5])
    let told = shares.withLock { $0 }
    #expect(told.count >= 4 && told == told.sorted() && told.last == 1 && told[0] < 0.5)
    let stopped = try await Task {
      try await Importer(history: history).read(path) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }.value
    #expect(stopped.isStopped && stopped.failure == nil && stopped.ids.count < 5)
  }

  /// A history that said it could not write is tried before more is read.
  @Test func aHistoryThatCannotWriteEndsIt() async throws {
    let path = folder.file("h.sqlite")
    let store = try HistoryStore.open(.file(path))
    await store.close()
    let lines = try write([exchange(1)])
    var importer = Importer(history: store)
    _ = try await importer.read(lines)
    importer.hasFailed = { true }
    await #expect(throws: HistoryError.self) { try await importer.read(lines) }
  }
}
