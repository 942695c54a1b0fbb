import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How batches become bytes in a socket, and the small parts around the link.
@Suite(.bounded) struct ReportWriterTests {
  private let piece = 64 << 10

  private func report(_ key: UInt64, _ count: Int) -> ExchangeReport {
    var report = ExchangeReport(key: key)
    let request = RequestSnapshot(
      request: URLRequest(url: URL(string: "http://host.test/\(key)")!), body: .data(Data(count: 3)))
    report.start = ExchangeReport.Start(at: Timestamp(microseconds: 5), request: request, task: .data, revision: 1)
    report.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([]))
    report.data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
    report.end = ExchangeUpdate.End(at: 9, outcome: .responded, bytesReceived: Int64(count), hasBody: true)
    return report
  }

  private func batch(_ reports: [ExchangeReport], _ messages: [HookMessage] = []) -> ReportQueue.Batch {
    var batch = ReportQueue.Batch()
    batch.reports = reports
    batch.messages = messages
    return batch
  }

  private func linked() throws -> (FakeConsole, LinkSocket) {
    let console = FakeConsole(push: nil)
    return (console, try LinkSocket.connect(to: LinkAddress(path: console.path, isExplicit: true)))
  }

  // MARK: Pieces

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 200_000])
  func aLargeBodyIsSeveralUpdates(_ count: Int) {
    let update = report(7, count).update(bodyLimit: .max)
    for update in [
      update,
      {
        var copy = update
        copy.data = (Data([9, 9]) + (update.data ?? Data())).dropFirst(2)
        return copy
      }(),
    ] {
      let pieces = ReportWriter.pieces(of: update)
      #expect(pieces.count == max(1, (count + piece - 1) / piece))
      #expect(pieces.compactMap(\.data).reduce(Data(), +) == update.data)
      #expect(
        pieces.dropLast().allSatisfy { $0.data?.count == piece && $0.end == nil } && pieces.last?.end == update.end)
      #expect(pieces.allSatisfy { $0.key == 7 } && pieces[0].start == update.start && pieces[0].head == update.head)
      #expect(pieces.dropFirst().allSatisfy { $0.start == nil && $0.head == nil })
    }
    #expect(ReportWriter.pieceSize == piece)
  }

  /// No more is encoded at once than 64 KiB and one piece.
  @Test func aBatchIsEncodedPartByPart() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    #expect(writer.isEmpty && !writer.hasBytes)
    #expect(writer.fill(bodyLimit: 9) == nil)
    writer.append(.notice("first"))
    #expect(writer.hasBytes && !writer.isEmpty)
    writer.begin(batch((1...20).map { report($0, piece) }, [.notice("second")]))
    #expect(writer.fill(bodyLimit: 9) == nil, "what is there is sent first")
    var rounds = 0
    var done: ReportQueue.Batch?
    while !writer.isEmpty {
      while writer.hasBytes {
        if writer.send(to: socket) == .wouldBlock { Poll.wait([socket.descriptor], writable: true, timeout: 1_000) }
      }
      done = writer.fill(bodyLimit: 2)
      rounds += 1
      #expect((done == nil) == (rounds < 21))
    }
    #expect(rounds == 21 && done?.reports.count == 20)
    #expect(console.waits { $0.updates.count == 20 })
    #expect(console.updates.map(\.key) == Array(1...20) && console.updates.allSatisfy { $0.data?.count == 64 << 10 })
    #expect(console.updates.allSatisfy { $0.start?.request.body?.count == 2 && $0.start?.request.truncated == true })
    let notices = console.heard.prefix(2)
    #expect(notices == [.notice("first"), .notice("second")])
  }

  // MARK: The end of a process

  /// Where bodies are given up those that were encoded and not sent go too, and each is counted once.
  @Test func bodiesAreGivenUpForFacts() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    writer.begin(batch([report(1, 10), report(2, 100_000), report(3, 10)]))
    _ = writer.fill(bodyLimit: 100)
    writer.shedsBodies = true
    writer.append(.notice("last"))
    while !writer.isEmpty {
      while writer.hasBytes { _ = writer.send(to: socket) }
      _ = writer.fill(bodyLimit: 100)
    }
    #expect(console.waits { $0.updates.count { $0.end != nil } == 3 })
    #expect(console.updates.allSatisfy { $0.data == nil && $0.start?.request.body?.isEmpty != false })
    #expect(console.updates.filter { $0.end != nil }.allSatisfy { $0.end?.responseTruncated == true })
    let shed = writer.takeShed()
    #expect(shed == Shed(bodies: 6, bytes: 100_020 + 9))
    #expect(writer.takeShed() == Shed())
  }

  /// Of a body's pieces the first says what was asked, and the last how it ended; the others were the body alone.
  @Test func aPieceOfWhichNothingIsLeftIsNotSent() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    writer.begin(batch([report(1, 200_000)]))
    _ = writer.fill(bodyLimit: 100)
    writer.shedsBodies = true
    while !writer.isEmpty {
      while writer.hasBytes { _ = writer.send(to: socket) }
      _ = writer.fill(bodyLimit: 100)
    }
    #expect(console.waits { $0.updates.last?.end != nil })
    #expect(console.updates.map { $0.start != nil } == [true, false])
    let shed = writer.takeShed()
    #expect(shed == Shed(bodies: 2, bytes: 200_003))
  }

  @Test func aBodyThatIsEmptyIsNotGivenUp() {
    var plain = report(1, 0)
    plain.start?.request.body = RequestBody.none
    var empty = report(2, 0)
    empty.start?.request.body = RequestBody.data(Data())
    var writer = ReportWriter()
    writer.shedsBodies = true
    writer.begin(batch([plain, empty, report(3, 5)]))
    _ = writer.fill(bodyLimit: 9)
    let shed = writer.takeShed()
    #expect(shed == Shed(bodies: 2, bytes: 8))
  }

  /// The count stands before all that is not sent yet, and knows of which exchanges something is left.
  @Test func whatIsLeftIsToldFirst() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    writer.append(.notice("a"))
    writer.begin(batch((1...9).map { report($0, piece) }))
    while writer.hasBytes { _ = writer.send(to: socket) }
    _ = writer.fill(bodyLimit: 9)
    #expect(writer.leftCount == 0, "nobody has counted")
    var counts: [Int] = []
    writer.count(waiting: [9, 11, 12, 11]) {
      counts.append($0.leftCount)
      return .notice("\($0.leftCount)")
    }
    #expect(counts == [11, 10], "one exchange was encoded already: it is told between the two")
    while !writer.isEmpty {
      while writer.hasBytes {
        if writer.send(to: socket) == .wouldBlock { Poll.wait([socket.descriptor], writable: true, timeout: 1_000) }
      }
      _ = writer.fill(bodyLimit: 9)
    }
    #expect(writer.leftCount == 3, "another report of 9 waits")
    #expect(console.waits { $0.updates.count == 9 })
    #expect(Array(console.heard.prefix(2)) == [.notice("a"), .notice("11")])
    #expect(console.heard.dropFirst(3).first == .notice("10"))
    writer.begin(batch([11, 12, 9, 11].map { report($0, 1) }))
    #expect(writer.fill(bodyLimit: 9) != nil && writer.leftCount == 0)
    var large = ReportWriter()
    large.begin(batch([report(4, 1_000_000), report(5, 1)]))
    _ = large.fill(bodyLimit: 9)
    large.count(waiting: []) {
      counts.append($0.leftCount)
      return .notice("c")
    }
    #expect(counts.dropFirst(2) == [2, 2], "a piece of 4 is encoded, and others are not")
    var none = ReportWriter()
    none.count(waiting: []) {
      counts.append($0.leftCount)
      return .notice("c")
    }
    #expect(counts.dropFirst(4) == [0] && none.hasBytes)
  }

  /// At the end of the process little is encoded at a time, so that its count is right after each.
  @Test func whatIsLeftIsFollowed() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    writer.shedsBodies = true
    writer.begin(batch((1...1_000).map { report($0, 100) }))
    writer.count(waiting: []) { .notice("\($0.leftCount)") }
    var counts: [Int] = []
    while !writer.isEmpty {
      while writer.hasBytes {
        if writer.send(to: socket) == .wouldBlock { Poll.wait([socket.descriptor], writable: true, timeout: 1_000) }
      }
      _ = writer.fill(bodyLimit: 9)
      counts.append(writer.leftCount)
      if writer.hasBytes { writer.append(.notice("\(writer.leftCount)")) }
    }
    #expect(counts.count > 5 && counts.last == 0)
    #expect(console.waits { $0.heard.last == .notice("0") })
    var told = 0
    for message in console.heard {
      if case .notice(let left) = message { #expect(left == "\(1_000 - told)") } else { told += 1 }
    }
    #expect(told == 1_000)
  }

  @Test func aConsoleThatIsGoneClosesTheSocket() throws {
    let (console, socket) = try linked()
    defer { socket.close() }
    var writer = ReportWriter()
    writer.append(.notice("a"))
    #expect(writer.send(to: socket) == .bytes(0))
    #expect(writer.isEmpty)
    #expect(console.waits { $0.heard.count == 1 })
    console.isReading = false
    for _ in 0..<200 { writer.append(.notice(String(repeating: "x", count: 60_000))) }
    #expect(writer.send(to: socket) == .wouldBlock)
    #expect(writer.hasBytes)
    console.stop()
    var last = LinkSocket.Transfer.wouldBlock
    for _ in 0..<2_000 where last == .wouldBlock {
      Poll.wait([socket.descriptor], writable: true, timeout: 10)
      last = writer.send(to: socket)
    }
    #expect(last == .closed)
  }

  // MARK: How long is waited

  @Test(
    arguments: [
      ([0], 2), ([7], 2), ([8], 16), ([19], 16), ([20], 28), ([8, 159], 16), ([8, 160], 28), ([20, 279], 16),
      ([20, 280], 28),
      ([20, 7], 2), ([8, 7, 8], 16), ([1_000_000], 28),
    ] as [([Int], Int32)])
  func theBusierTheProgramTheLargerTheBatches(_ counts: [Int], _ expected: Int32) {
    var delay = BatchDelay()
    #expect(delay.milliseconds == 2)
    for count in counts { delay.adapt(to: batch([ExchangeReport](repeating: ExchangeReport(key: 1), count: count))) }
    #expect(delay.milliseconds == expected)
  }

  @Test(arguments: [((4 << 20) - 1, 28), (4 << 20, 2), (5 << 20, 2)] as [(Int, Int32)])
  func largeBodiesAreSentSoon(_ bytes: Int, _ expected: Int32) {
    var delay = BatchDelay()
    var batch = batch([ExchangeReport](repeating: ExchangeReport(key: 1), count: 100))
    batch.bodyBytes = bytes
    delay.adapt(to: batch)
    #expect(delay.milliseconds == expected)
  }

  @Test func theEndHasItsStages() {
    #expect(FlushClock.facts == 80 && FlushClock.count == 160 && FlushClock.settled == 200 && FlushClock.end == 250)
    let before = DispatchTime.now().uptimeNanoseconds
    let clock = FlushClock()
    let after = DispatchTime.now().uptimeNanoseconds
    var seen: [FlushClock.Stage] = []
    while seen.last != .count {
      let least = (DispatchTime.now().uptimeNanoseconds - after) / 1_000_000
      let stage = clock.stage
      let most = (DispatchTime.now().uptimeNanoseconds - before) / 1_000_000
      if seen.last != stage { seen.append(stage) }
      // The clock began between `before` and `after`.
      switch stage {
      case .none: Issue.record("it has begun")
      case .everything: #expect(least < 80)
      case .facts: #expect(most >= 80 && least < 160)
      case .count: #expect(most >= 160 && clock.untilNext == nil)
      }
      if stage != .count, let next = clock.untilNext { #expect(next > 0 && next <= 80) }
      usleep(500)
    }
    #expect(
      FlushClock.Stage.none < .everything && FlushClock.Stage.everything < .facts && FlushClock.Stage.facts < .count)
    let time = clock.time(250).uptimeNanoseconds - clock.time(0).uptimeNanoseconds
    #expect(time == 250_000_000 && clock.time(0).uptimeNanoseconds >= before)
  }

  // MARK: Holds

  @Test func aHoldIsDecidedOnce() {
    let table = HoldTable()
    let seen = SeenLock<[String]>([])
    func add(_ key: UInt64) {
      table.add(key) { decision in seen.withLock { $0.append("\(key) \(decision == nil ? "-" : "decided")") } }
    }
    add(1)
    #expect(seen.withLock { $0 } == ["1 -"], "nobody could decide")
    table.open(from: 5)
    add(4)
    #expect(seen.withLock { $0 } == ["1 -", "4 -"])
    for key in [5, 9, 7, 6, 8] as [UInt64] { add(key) }
    #expect(seen.withLock { $0.count } == 2)
    for _ in 0..<2 { table.decide(Verdict(key: 7, decision: .drop)) }
    #expect(seen.withLock { $0 } == ["1 -", "4 -", "7 decided"])
    table.remove(8)
    table.decide(Verdict(key: 8, decision: .drop))
    table.releaseAll()
    #expect(seen.withLock { $0 } == ["1 -", "4 -", "7 decided", "5 -", "6 -", "9 -"])
    table.releaseAll()
    add(10)
    #expect(seen.withLock { $0 }.suffix(2) == ["9 -", "10 -"], "the console is gone")
  }

  // MARK: Where the console is

  @Test(arguments: [("/a/b.sock", "b.sock"), ("/b.sock", "b.sock"), ("b.sock", "b.sock"), ("/a/", ""), ("", "")])
  func theSocketsFile(_ path: String, _ file: String) {
    #expect(LinkAddress(path: path, isExplicit: true).file == file)
  }

  @Test func aGuestGoesWhereItWasTold() {
    let variables = ["PATCHBAY_SOCKET": "/a/b.sock", "PATCHBAY_TRUST_PEER": "1"]
    let address = LinkAddress.resolve({ variables[$0] }, rendezvous: "/r/s.sock")
    #expect(address == LinkAddress(path: "/r/s.sock", isExplicit: true, trustsPeer: true))
    #expect(!LinkAddress.resolve({ _ in nil }, rendezvous: "/r/s.sock").trustsPeer)
  }

  @Test func aRuntimeFolderHasToBeAFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "file")
    let path = LinkAddress.resolve { $0 == "XDG_RUNTIME_DIR" ? folder.file("file") : nil }.path
    #expect(path == "/tmp/patchbay-\(geteuid())/default.sock")
    #expect(LinkAddress(path: folder.file("file"), isExplicit: false).exists)
    #expect(!LinkAddress(path: folder.file("none"), isExplicit: false).exists)
    #expect(!LinkAddress(path: folder.file("file") + "/x", isExplicit: false).isTrusted)
  }

  // MARK: Waking

  @Test func aWakerIsHeardUntilItIsDrained() throws {
    let waker = try #require(Waker())
    defer { waker.close() }
    func hears() -> Bool { Poll.wait([waker.receiving], timeout: 0)[0].readable }
    #expect(waker.isWhole && !hears())
    waker.wake()
    waker.wake()
    #expect(hears() && hears())
    waker.drain()
    #expect(!hears())
    let ready = Poll.wait([waker.sending, -1, waker.receiving], writable: true, timeout: 0)
    #expect(ready.map(\.writable) == [true, false, false] && ready.map(\.readable) == [false, false, false])
    #expect(!ready.contains { $0.isGone })
    #expect(Poll.wait([waker.sending], timeout: 0).map(\.writable) == [false])
  }

  @Test func aSocketThatAppearsIsNoticed() async throws {
    let folder = try TemporaryFolder()
    let address = LinkAddress(path: folder.file("a/b/c.sock"), isExplicit: true)
    // A user has 128 of them, and other tests have some.
    let watch = try await eventually("a watch") { FolderWatch(address) }
    defer { watch.close() }
    func hears() -> Bool { Poll.wait([watch.descriptor], timeout: 0)[0].readable }
    #expect(!hears() && !watch.drain())
    try FileManager.default.createDirectory(atPath: folder.file("a"), withIntermediateDirectories: false)
    #expect(hears() && !watch.drain())
    try FileManager.default.createDirectory(atPath: folder.file("a/b"), withIntermediateDirectories: false)
    #expect(hears() && !watch.drain() && !hears())
    try folder.write("x", to: "a/b/c.sock")
    #expect(hears() && watch.drain() && !hears())
    #expect(FolderWatch(LinkAddress(path: "nowhere/at/all/c.sock", isExplicit: true)) == nil)
  }

  /// Whether a folder is trusted depends on its mode; those above it are watched only for what is made in them.
  @Test func aFolderWhoseModeChangesIsLookedAtAgain() async throws {
    let folder = try TemporaryFolder()
    let address = LinkAddress(path: folder.file("c.sock"), isExplicit: true)
    let below = LinkAddress(path: folder.file("a/c.sock"), isExplicit: true)
    let watch = try await eventually("a watch") { FolderWatch(address) }
    defer { watch.close() }
    let above = try await eventually("a watch") { FolderWatch(below) }
    defer { above.close() }
    func hears(_ watch: FolderWatch) -> Bool { Poll.wait([watch.descriptor], timeout: 0)[0].readable }
    #expect(!hears(watch) && !hears(above))
    #expect(chmod(folder.path, 0o750) == 0)
    #expect(hears(watch) && !hears(above))
    #expect(!watch.drain() && !hears(watch))
  }

  // MARK: Sockets, and orders to replay

  private func room(_ socket: LinkSocket) -> Int {
    var bytes: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, &size)
    return Int(bytes)
  }

  @Test func aSocketTakesMoreWhenTheProcessEnds() throws {
    let (_, socket) = try linked()
    defer { socket.close() }
    let before = room(socket)
    socket.grow(by: 1, limit: before)
    socket.grow(by: 0, limit: before + 4_000)
    #expect(room(socket) == before)
    socket.grow(by: 0.5, limit: before + 4_000)
    #expect(room(socket) == before + 2_000)
    socket.grow(by: 0.5, limit: before + 4_000)
    #expect(room(socket) == before + 3_000)
    socket.grow(by: 1, limit: before + 4_000)
    #expect(room(socket) == before + 4_000)
    socket.grow(by: 1, limit: before)
    #expect(room(socket) == before + 4_000, "it never takes less")
  }

  @Test func aSocketsDescriptorLeavesLowNumbersToTheProgram() throws {
    let (_, socket) = try linked()
    defer { socket.close() }
    let top = min(OwnDescriptor.limit, 1_024)
    #expect(OwnDescriptor.limit < 128 || socket.descriptor >= top / 4)
    #expect(fcntl(socket.descriptor, F_GETFD) == FD_CLOEXEC && fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
    #expect(OwnDescriptor(-1) == nil && LinkSocket.pathLimit == 107)
    #expect(throws: LinkSocket.Failure.absent) {
      try LinkSocket.connect(to: LinkAddress(path: "/nowhere/x.sock", isExplicit: true))
    }
  }

  @Test(
    arguments: [
      ("patchbay.replay.7", 7), ("patchbay.replay.0", 0), ("patchbay.replay.18446744073709551615", .max),
      ("patchbay.replay.", nil), ("patchbay.replay.x", nil),
      ("patchbay.replay.-1", nil), ("my task", nil), (nil, nil),
    ] as [(String?, UInt64?)])
  func aTaskNamesTheOrderThatMadeIt(_ description: String?, _ token: UInt64?) throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: try #require(URL(string: "http://a.example/")))
    task.taskDescription = description
    #expect(Replayer.token(of: task) == token)
  }
}
