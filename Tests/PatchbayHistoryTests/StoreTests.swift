import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct StoreTests {
  static let everything: Exchange = {
    var exchange = Exchange.sample(id: 7, method: "POST", requestBody: Data([0, 255, 10]), body: Data())
    exchange.request.truncated = true
    exchange.phase = .ended
    exchange.by = .stub
    exchange.stub = "orders down"
    exchange.response?.truncated = true
    exchange.outcome = .failed
    exchange.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut", message: "zu spät\n")
    exchange.redirects = [
      RedirectHop(
        status: 302, url: "https://a.example/", headers: [HeaderField("Location", "/x")], at: 1_200,
        target: "https://b.example/二")
    ]
    exchange.timing = Timing(head: 1, end: 2, held: 3)
    exchange.bytesSent = 3
    exchange.bytesReceived = 9
    exchange.revision = 12
    exchange.replayOf = 3
    exchange.task = .upload
    exchange.sent = RecordedRequest(
      method: "PUT", url: "http://b.example/二", headers: [HeaderField("X-Ünï", "ただいま")], body: Data([255, 0]),
      truncated: true)
    exchange.request.headers.append(HeaderField("", ""))
    exchange.request.headers.append(HeaderField("X-Ünï", "ただいま: \u{0}"))
    return exchange
  }()

  @Test func whatComesThickIsWrittenThoughNobodyAsksForIt() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    for batch in 0..<20 { store.record((1...200).map { .sample(id: Int64(batch * 200 + $0)) }) }
    var count = 0
    let deadline = ContinuousClock.now + Patience.usual
    while count < 4_000, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
      let reader = try HistoryStore.open(.file(folder.file), access: .read)
      count = reader.count
      await reader.close()
    }
    #expect(count == 4_000)
    await store.close()
  }

  @Test(arguments: [false, true])
  func givesBackWhatWasRecorded(inMemory: Bool) async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(inMemory ? .memory : .file(folder.file))
    let bare = Exchange.sample(id: 8, status: nil, duration: nil)
    store.record([Self.everything, bare])
    #expect(try await store.exchange(7) == Self.everything, "before it is written")
    try await store.flush()
    #expect(try await store.exchange(7) == Self.everything)
    #expect(try await store.exchange(8) == bare)
    #expect(try await store.exchange(9) == nil)
    #expect(try await store.summaries(ids: [8, 9, 7]) == [bare.summary, Self.everything.summary])
    #expect(store.count == 2 && store.nextID == 9)
    await store.close()
    guard !inMemory else { return }
    let again = try HistoryStore.open(.file(folder.file))
    #expect(try await again.exchange(7) == Self.everything)
    #expect(again.nextID == 9 && again.session == 2)
    await again.close()
  }

  /// What is there and what is cut off, in all combinations, beside the number of what was sent again.
  @Test(arguments: [nil, 1, 2, 3, 12, 40] as [Int64?]) func eachPartIsThereOrNot(_ replayOf: Int64?) async throws {
    var exchanges: [Exchange] = []
    for bits in 0..<16 {
      var exchange = Exchange.sample(
        id: Int64(100 + bits), requestBody: bits & 1 == 0 ? nil : Data("asked".utf8),
        body: bits & 2 == 0 ? nil : Data("answered".utf8))
      exchange.request.truncated = bits & 4 != 0
      exchange.response?.truncated = bits & 8 != 0
      exchange.replayOf = replayOf
      exchanges.append(exchange)
    }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    try await store.flush()
    for exchange in exchanges { #expect(try await store.exchange(exchange.id) == exchange) }
    #expect(try await store.summaries(ids: exchanges.map(\.id)) == exchanges.map(\.summary))
    await store.close()
  }

  /// What a file of exchanges that is read in has of tags, notes and marks.
  @Test(arguments: [([], nil), (["a"], nil), ([], "n"), (["a", "b"], "n")] as [([String], String?)])
  func remarksAreRecordedWithTheExchange(_ tags: [String], _ note: String?) async throws {
    let store = try HistoryStore.open(.memory)
    var exchange = Exchange.sample(id: 1)
    (exchange.tags, exchange.note, exchange.marked) = (tags, note, note == nil)
    store.record([exchange, .sample(id: 2)])
    try await store.flush()
    #expect(try await store.exchange(1) == exchange)
    #expect(try await store.exchange(2) == .sample(id: 2))
    #expect(try await store.count(Filter(parsing: "tag: | note:")) == (tags.isEmpty && note == nil ? 0 : 1))
    await store.close()
  }

  @Test func laterWordReplaces() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1, status: nil, duration: nil)])
    try await store.flush()
    store.record([.sample(id: 1, status: 404), .sample(id: 1, status: 500)])
    try await store.flush()
    #expect(store.count == 1)
    #expect(try await store.exchange(1)?.response?.status == 500)
    await store.close()
  }

  @Test func pagesByPosition() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...5_000).filter { $0 % 7 != 0 }.map { .sample(id: $0) })
    try await store.flush()
    let expected = (1...5_000).filter { $0 % 7 != 0 }.reversed().map(Int64.init)
    #expect(store.count == expected.count)
    for start in [0, 1, 873, 874, 875, 2_000, 4_280, 4_285] {
      let rows = try await store.page(from: start, count: 20)
      #expect(rows.map(\.id) == Array(expected.dropFirst(start).prefix(20)))
      if let first = rows.first { #expect(try await store.position(of: first.id) == start) }
    }
    #expect(try await store.page(from: expected.count, count: 5).isEmpty)
    #expect(try await store.ids(from: 0, count: 10_000) == expected)
    await store.close()
  }

  @Test func bodiesInPieces() async throws {
    let store = try HistoryStore.open(.memory)
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    store.record([.sample(id: 1, body: body)])
    for _ in 0..<2 {
      #expect(try await store.body(1, .response, range: 1_000_000..<1_000_010) == body[1_000_000..<1_000_010])
      #expect(try await store.body(1, .response, range: 2_999_999..<5_000_000) == body[2_999_999...])
      #expect(try await store.body(1, .response, range: 4_000_000..<5_000_000) == Data())
      #expect(try await store.body(1, .request, range: 0..<10) == nil)
      try await store.flush()
    }
    #expect(try await store.exchange(1, bodies: false)?.response?.body == nil)
    await store.close()
  }

  /// The same before it is written and afterwards.
  @Test func piecesAreThoseOfTheWholeBody() async throws {
    let store = try HistoryStore.open(.memory)
    let body = Data([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    store.record([.sample(id: 1, requestBody: body, body: Data())])
    for _ in 0..<2 {
      for range in [0..<1, 0..<10, 0..<11, 0..<0, 9..<10, 9..<99, 10..<20, 3..<3, 1..<9] as [Range<Int>] {
        let piece = try await store.body(1, .request, range: range)
        #expect(piece == body[range.clamped(to: 0..<10)], "\(range)")
        #expect(try await store.body(1, .response, range: range) == Data(), "\(range)")
      }
      #expect(try await store.body(2, .request, range: 0..<1) == nil)
      try await store.flush()
    }
    await store.close()
  }

  @Test func changesAreUndone() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...3_000).map { .sample(id: $0) })
    let unmark = try await store.apply(.mark([5, 6, 9_999]))
    #expect(unmark == .unmark([5, 6]))
    let restore = try await store.apply(.delete([10, 2_999, 10, 77_777]))
    #expect(restore == .restore([10, 2_999]))
    #expect(store.count == 2_998)
    #expect(try await store.page(from: 0, count: 2).map(\.id) == [3_000, 2_998])
    let unclear = try await store.apply(.clear)
    #expect(store.count == 0)
    #expect(try await store.page(from: 0, count: 9).isEmpty)
    #expect(try await store.count(Filter(parsing: "host:api")) == 0)
    store.record([.sample(id: 3_001), .sample(id: 12)])
    try await store.flush()
    #expect(store.count == 1)
    let clear = try await store.apply(unclear)
    #expect(clear == .unclear(through: 3_000))
    #expect(store.count == 2_999)
    #expect(try await store.page(from: 0, count: 3).map(\.id) == [3_001, 3_000, 2_998])
    _ = try await store.apply(clear)
    #expect(store.count == 1)
    _ = try await store.apply(.unclear(through: 0))
    _ = try await store.apply(restore)
    #expect(store.count == 3_001)
    #expect(try await store.page(from: 1, count: 2).map(\.id) == [3_000, 2_999])
    #expect(try await store.count(Filter(parsing: "marked:yes")) == 2)
    _ = try await store.apply(unmark)
    #expect(try await store.count(Filter(parsing: "marked:yes")) == 0)
    await store.close()
  }

  /// What is hidden by the clearing is not deleted besides: it comes back with the rest.
  @Test func whatWasClearedIsNotDeleted() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...10).map { .sample(id: $0) })
    let unclear = try await store.apply(.clear)
    #expect(unclear == .unclear(through: 0))
    store.record([.sample(id: 11), .sample(id: 12)])
    let restore = try await store.apply(.delete([9, 10, 11]))
    #expect(restore == .restore([11]) && store.count == 1)
    _ = try await store.apply(unclear)
    #expect(store.count == 11)
    #expect(try await store.ids(from: 0, count: 20) == [12] + (1...10).reversed())
    #expect(try await store.apply(.restore([5, 11])) == .delete([11]))
    #expect(store.count == 12)
    await store.close()
  }

  /// What was deleted before it was cleared is counted with what is to be seen only where it is.
  @Test func whatIsRestoredBelowTheClearingIsSeenWhenThatIsTakenBack() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...10).map { .sample(id: $0) })
    let restore = try await store.apply(.delete([3, 10]))
    let unclear = try await store.apply(.clear)
    #expect(try await store.apply(restore) == .delete([3, 10]))
    #expect(store.count == 0)
    #expect(try await store.ids(from: 0, count: 20).isEmpty)
    let again = try await store.apply(unclear)
    #expect(store.count == 10 && again == .unclear(through: 10))
    #expect(try await store.page(from: 0, count: 20).map(\.id) == (1...10).reversed())
    // Back to a clearing in their midst, and from there further up.
    #expect(try await store.apply(.unclear(through: 4)) == .unclear(through: 0))
    #expect(store.count == 6)
    #expect(try await store.ids(from: 0, count: 20) == (5...10).reversed())
    #expect(try await store.count(Filter(parsing: "host:api")) == 6)
    #expect(try await store.ids(.everything, sortedBy: .id) == Array(5...10))
    #expect(try await store.statistics().hosts.map(\.count) == [6])
    #expect(try await store.apply(.unclear(through: 2)) == .unclear(through: 4))
    #expect(try await store.ids(from: 0, count: 20) == (3...10).reversed())
    #expect(try await store.position(of: 3) == 7)
    #expect(try await store.position(of: 2) == 8)
    #expect(try await store.position(of: 1) == 8)
    await store.close()
  }

  /// A late word of what lies below the clearing is hidden with the rest.
  @Test func whatIsRecordedBelowTheClearingIsNotCounted() async throws {
    let store = try HistoryStore.open(.memory)
    store.record(([1, 2, 5, 6] as [Int64]).map { .sample(id: $0) })
    try await store.flush()
    _ = try await store.apply(.unclear(through: 4))
    store.record(([3, 4, 7] as [Int64]).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 3)
    #expect(try await store.ids(from: 0, count: 20) == [7, 6, 5])
    _ = try await store.apply(.unclear(through: 0))
    #expect(store.count == 7)
    #expect(try await store.ids(from: 0, count: 20) == [7, 6, 5, 4, 3, 2, 1])
    await store.close()
  }

  @Test func whatIsOpenedAgainIsClearedToItsEnd() async throws {
    let folder = try Folder()
    let first = try HistoryStore.open(.file(folder.file))
    first.record((1...5).map { .sample(id: $0) })
    await first.close()
    let store = try HistoryStore.open(.file(folder.file))
    #expect(store.count == 5)
    #expect(try await store.apply(.clear) == .unclear(through: 0))
    #expect(store.count == 0)
    #expect(try await store.ids(from: 0, count: 20).isEmpty)
    #expect(try await store.apply(.unclear(through: 0)) == .unclear(through: 5))
    #expect(store.count == 5)
    await store.close()
  }

  /// The session in which it was deleted may have recorded nothing, so that the next one has its number.
  @Test func deletedIsGoneAlsoAfterASessionThatOnlyDeleted() async throws {
    let folder = try Folder()
    var store = try HistoryStore.open(.file(folder.file))
    store.record([.sample(id: 1), .sample(id: 2)])
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    _ = try await store.apply(.delete([1]))
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    try await eventually { try await store.exchange(1) == nil }
    #expect(store.count == 1)
    await store.close()
  }

  /// Texts that exchanges share stay for good; long ones would take the place of all exchanges.
  @Test func longTextsAreNoneThatManyShare() async throws {
    var retention = Retention.memory
    retention.bytes = 4 << 20
    let store = try HistoryStore.open(.memory, retention: retention)
    for id in Int64(1)...20 {
      store.record([.sample(id: id, url: "http://a.example/\(id)" + String(repeating: "é", count: 300_000))])
      try await store.flush()
    }
    store.record((21...40).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count > 20)
    #expect(try await store.exchange(40)?.id == 40)
    await store.close()
  }

  @Test func deletedIsGoneInTheNextSession() async throws {
    let folder = try Folder()
    var store = try HistoryStore.open(.file(folder.file))
    store.record((1...5_000).map { .sample(id: $0) })
    _ = try await store.apply(.clear)
    store.record((5_001...5_010).map { .sample(id: $0) })
    _ = try await store.apply(.delete([5_010]))
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    #expect(store.count == 9 && store.nextID == 5_011)
    #expect(try await store.page(from: 0, count: 100).map(\.id) == (5_001...5_009).reversed())
    try await eventually { try await store.exchange(1) == nil }
    try await eventually { try await store.exchange(5_010) == nil }
    #expect(store.count == 9)
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    #expect(store.count == 9 && store.nextID == 5_011, "ids are not given twice")
    await store.close()
  }

  @Test func positionsMayBeAnyNumber() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...10).map { .sample(id: $0) })
    try await store.flush()
    for (position, count, expected) in [
      (-3, 2, [10, 9]), (0, 1, [10]), (3, 1, [7]), (9, 1, [1]), (9, 5, [1]), (10, 1, []), (0, 0, []), (0, -1, []),
      (3, Int.min, []), (Int.max, 1, []), (Int.min, 1, [10]),
    ] as [(Int, Int, [Int64])] {
      #expect(try await store.ids(from: position, count: count) == expected, "\(count) from \(position)")
      #expect(try await store.page(from: position, count: count).map(\.id) == expected, "\(count) from \(position)")
    }
    await store.close()
  }

  /// Others are left out, wherever they come.
  @Test func onlyWhatIsRecordedIsRemarked() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...20).map { .sample(id: $0) })
    var remarks: [Int64: Remark] = [:]
    var before: [Int64: Remark] = [:]
    for id in Int64(1)...40 {
      remarks[id] = Remark(tags: ["t"])
      if id <= 20 { before[id] = Remark() }
    }
    #expect(try await store.apply(.remark(remarks)) == .remark(before))
    #expect(try await store.count(Filter(parsing: "tag:t")) == 20)
    await store.close()
  }

  /// A clearing, and what is taken back of it, are those of the next session, too.
  @Test func whatIsTakenBackIsThereInTheNextSession() async throws {
    let folder = try Folder()
    var store = try HistoryStore.open(.file(folder.file))
    store.record((1...10).map { .sample(id: $0) })
    let restore = try await store.apply(.delete([2, 3]))
    let unclear = try await store.apply(.clear)
    _ = try await store.apply(restore)
    store.record([.sample(id: 11)])
    _ = try await store.apply(unclear)
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    #expect(store.count == 11)
    #expect(try await store.ids(from: 0, count: 20) == (1...11).reversed())
    _ = try await store.apply(.unclear(through: 4))
    await store.close()
    store = try HistoryStore.open(.file(folder.file))
    #expect(store.count == 7)
    #expect(try await store.ids(from: 0, count: 20) == (5...11).reversed())
    try await eventually { try await store.exchange(4) == nil }
    #expect(store.count == 7)
    await store.close()
  }

  @Test func marksStayWhenRecordedAgain() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    _ = try await store.apply(.mark([1]))
    store.record([.sample(id: 1, status: 500)])
    try await store.flush()
    #expect(try await store.exchange(1)?.marked == true)
    await store.close()
  }
}

/// Waits until the condition holds; the test's own time limit ends it.
func eventually(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
