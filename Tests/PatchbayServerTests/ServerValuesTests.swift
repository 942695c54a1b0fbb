import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// Parts of the server that are values.
@Suite(.bounded) struct ServerValuesTests {
  @Test func messagesWhoseEndHasNotComeHaveASumAndAShareEach() {
    let unfinished = UnfinishedMessages(limit: 100)
    unfinished.opened()
    unfinished.opened()
    #expect(unfinished.changed(from: 0, to: 100))
    // Too much in all: who has more than half gives up, who has less does not.
    #expect(unfinished.changed(from: 0, to: 50))
    #expect(unfinished.changed(from: 50, to: 49))
    #expect(!unfinished.changed(from: 49, to: 52))
    #expect(unfinished.changed(from: 100, to: 10))
    #expect(unfinished.changed(from: 52, to: 90), "exactly as much as there may be")
    #expect(!unfinished.changed(from: 90, to: 91))
    unfinished.closed(bytes: 10)
    #expect(unfinished.changed(from: 91, to: 100))
    #expect(!unfinished.changed(from: 100, to: 101), "alone it may have all of it, and no more")
    unfinished.closed(bytes: 101)
    #expect(unfinished.changed(from: 0, to: 100) && !unfinished.changed(from: 100, to: 101))
  }

  /// When a body that grows is copied once more.
  @Test func aSnapshotIsDueWhenAQuarterMoreHasComeOrAfterAWhile() {
    var entry = OpenExchange(ExchangeBuilder(id: 1, process: HarnessProcess(name: "p", pid: 1), start: .request("a:")))
    let now = Timestamp(microseconds: 1_000_000)
    func add(_ count: Int) { _ = entry.apply(ExchangeUpdate(key: 1, data: Data(count: count)), now: now, room: .max) }
    _ = entry.apply(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), now: now, room: .max)
    #expect(!entry.isSnapshotDue(now: now))
    add(1_000)
    #expect(entry.isSnapshotDue(now: Timestamp(microseconds: 0)), "nothing of it was seen")
    entry.updateSnapshot(now: now)
    #expect(!entry.isSnapshotDue(now: Timestamp(microseconds: .max)), "all of it was seen")
    add(249)
    #expect(!entry.isSnapshotDue(now: now))
    #expect(entry.snapshotDueAt == Timestamp(microseconds: 1_050_000))
    #expect(!entry.isSnapshotDue(now: Timestamp(microseconds: 1_049_999)))
    #expect(entry.isSnapshotDue(now: Timestamp(microseconds: 1_050_000)))
    add(1)
    #expect(entry.isSnapshotDue(now: now))
    #expect(entry.exchange.response?.body?.count == 1_000)
    entry.updateSnapshot(now: now)
    #expect(entry.exchange.response?.body?.count == 1_250)
  }

  @Test(
    arguments: [
      (1_000_000, 50_000), (1_000_020, 50_001), (2_000_000, 100_000), (40_000_000, 2_000_000), (60_000_000, 2_000_000),
    ] as [(Int, Int64)]) func largeBodiesAreCopiedLessOften(_ bytes: Int, _ wait: Int64)
  {
    var entry = OpenExchange(ExchangeBuilder(id: 1, process: HarnessProcess(name: "p", pid: 1), start: .request("a:")))
    let now = Timestamp(microseconds: 7)
    _ = entry.apply(ExchangeUpdate(key: 1, data: Data(count: bytes)), now: now, room: .max)
    entry.updateSnapshot(now: now)
    #expect(entry.snapshotDueAt.microseconds == 7 + wait)
  }

  @Test func aHoldHasItsMomentAndADecisionEndsWithTheNext() {
    var entry = OpenExchange(ExchangeBuilder(id: 1, process: HarnessProcess(name: "p", pid: 1), start: .request("a:")))
    func apply(_ held: ExchangeUpdate.Held?, _ at: Int64, end: Bool = false) -> Bool {
      entry.isDecided = true
      return entry.apply(
        ExchangeUpdate(key: 1, held: held, end: end ? .init(at: 1, outcome: .cancelled) : nil),
        now: Timestamp(microseconds: at), room: .max)
    }
    #expect(!apply(nil, 1) && entry.heldSince == nil && entry.isDecided)
    #expect(!apply(.request, 2) && entry.heldSince == Timestamp(microseconds: 2) && !entry.isDecided)
    #expect(!apply(.released, 3) && entry.heldSince == nil && !entry.isDecided)
    #expect(!apply(.response, 4) && entry.heldSince == Timestamp(microseconds: 4))
    #expect(apply(nil, 5, end: true) && entry.heldSince == nil)
    #expect(!apply(.request, 6) && entry.heldSince == Timestamp(microseconds: 6))
    entry.abandon(now: Timestamp(microseconds: 7))
    #expect(entry.heldSince == nil && entry.exchange.outcome == .abandoned)
  }

  @Test func repeatedRequestsAreRememberedUpToALimit() {
    var assembler = ExchangeAssembler()
    let link = LinkID(1)
    assembler.link(link, process: HarnessProcess(name: "p", pid: 1))
    var key: UInt64 = 0
    func original(_ token: UInt64) -> Int64? {
      key += 1
      assembler.received(ExchangeUpdate(key: key, start: .request("a:", replay: token)), from: link)
      return assembler.drainChanged().last?.replayOf
    }
    for token in 1...10_000 as ClosedRange<UInt64> { assembler.expectReplay(token: token, of: Int64(token) * 2) }
    #expect(original(1) == 2 && original(1) == nil, "once")
    assembler.expectReplay(token: 20_000, of: 7)
    #expect(original(10_000) == 20_000 && original(20_000) == 7)
    for token in 20_001...20_003 as ClosedRange<UInt64> { assembler.expectReplay(token: token, of: 9) }
    // With one more than ten thousand the old ones are forgotten.
    #expect(original(2) == nil && original(20_003) == 9)
  }

  @Test func socketPathsAreCheckedByTheirBytes() throws {
    let limit = UnixAddress.pathLimit
    for path in ["a", String(repeating: "a", count: limit), "/あ/s"] { try UnixAddress.check(path) }
    for path in [String(repeating: "a", count: limit + 1), String(repeating: "あ", count: limit / 3 + 1)] {
      let error = ServerError.pathTooLong(path: path, bytes: path.utf8.count, limit: limit)
      #expect(throws: error) { try UnixAddress.check(path) }
    }
    for path in ["", "a\0b"] {
      #expect(throws: ServerError.socket(path: path, action: "made", reason: "it is no file name")) {
        try UnixAddress.check(path)
      }
    }
  }

  @Test func linksAreNamedWithinLimits() {
    let hello = Hello(
      process: HarnessProcess(name: String(repeating: "n", count: 256), pid: 3),
      executable: String(repeating: "e", count: 4_097), parent: 2, entry: .preload, instance: 8,
      startedAt: Timestamp(microseconds: 5))
    var info = LinkInfo(
      id: LinkID(4), hello: hello, at: Timestamp(microseconds: 6), settings: HookSettings(degree: .observe))
    #expect(info.process == HarnessProcess(name: String(repeating: "n", count: 255), pid: 3))
    #expect(info.executable.count == 4_096 && info.parent == 2 && info.entry == .preload && info.instance == 8)
    #expect(info.startedAt.microseconds == 5 && info.linkedAt.microseconds == 6 && info.unlinkedAt == nil)
    #expect(info.revision == 0 && info.pushed == 0 && info.unexplained == 0 && info.restarts == 0)
    #expect(!info.isReconnection && !info.isThrottled && !info.isStalled && info.degree == .observe)
    info.shed = Shed(exchanges: 1, bodies: 2, bytes: 3)
    info.cut = Shed(exchanges: 10, bodies: 20, bytes: 30)
    #expect(info.missing == Shed(exchanges: 11, bodies: 22, bytes: 33))
  }
}

/// One line of a controller.
@Suite(.bounded) struct ControlRequestTests {
  private func request(_ text: String) throws -> ControlRequest { try ControlRequest(line: Array(text.utf8)) }

  private func refusal(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func aRequestIsAnObjectWithACommand() throws {
    let plain = try request("{\"do\":\"status\"}")
    #expect(plain.command == "status" && plain.id == .null && plain.by == "a controller")
    #expect(plain.author == .controller("a controller"))
    let full = try request("{\"id\":[1],\"do\":\"log\",\"by\":\"me\"}")
    #expect(full.command == "log" && full.id == [1] && full.author == .controller("me"))
    #expect(refusal { _ = try request("no") }?.contains("is not JSON") == true)
    for text in ["1", "[]", "null", "{}", "{\"do\":1}", "{\"do\":null}", "\"do\""] {
      #expect(refusal { _ = try request(text) }?.contains("has no “do”") == true, "\(text)")
    }
  }

  @Test func membersAreOfTheirKind() throws {
    let one = try request(
      "{\"do\":\"x\",\"t\":\"text\",\"e\":\"\",\"n\":7,\"z\":-1,\"f\":1.5,\"b\":true,\"l\":[],\"u\":null}")
    #expect(try one.text("t") == "text" && one.text("e") == "" && one.integer("n") == 7 && one.integer("z") == -1)
    #expect(try one.optionalText("t") == "text" && one.optionalText("u") == nil && one.optionalText("none") == nil)
    #expect(try one.optionalInteger("n") == 7 && one.optionalInteger("u") == nil && one.optionalInteger("none") == nil)
    for name in ["n", "b", "l", "u", "none"] {
      #expect(refusal { _ = try one.text(name) } == "x needs “\(name)”, which must be text.")
    }
    for name in ["t", "f", "b", "l", "u", "none"] {
      #expect(refusal { _ = try one.integer(name) } == "x needs “\(name)”, which must be a whole number.")
    }
    for name in ["n", "b", "l"] { #expect(refusal { _ = try one.optionalText(name) } != nil) }
    for name in ["t", "f", "b", "l"] { #expect(refusal { _ = try one.optionalInteger(name) } != nil) }
  }

  @Test func headersArePairs() throws {
    #expect(try ControlRequest.headers(nil) == nil && ControlRequest.headers(.null) == nil)
    #expect(try ControlRequest.headers([]) == [])
    let fields = [HeaderField("A", "b"), HeaderField("A", ""), HeaderField("", "c")]
    #expect(try ControlRequest.headers([["A", "b"], ["A", ""], ["", "c"]]) == fields)
    #expect(JSONValue(headers: fields) == [["A", "b"], ["A", ""], ["", "c"]])
    for wrong in ["A", [["A"]], [["A", "b", "c"]], [["A", 1]], [[1, "b"]], ["A"], [["A", "b"], []]] as [JSONValue] {
      #expect(refusal { _ = try ControlRequest.headers(wrong) }?.contains("list of pairs") == true, "\(wrong)")
    }
  }

  @Test func bodiesAreTextOrBase64() throws {
    #expect(try ControlRequest.body(nil) == nil && ControlRequest.body(.null) == nil)
    #expect(try ControlRequest.body("") == Data() && ControlRequest.body("二") == Data("二".utf8))
    #expect(try ControlRequest.body(.members(["base64": "AP8="])) == Data([0, 255]))
    for wrong in [1, [], .members([:]), .members(["base64": "?"]), .members(["base64": 1]), true] as [JSONValue] {
      #expect(refusal { _ = try ControlRequest.body(wrong) }?.contains("A body must be") == true)
    }
    for body in [nil, Data(), Data("二".utf8), Data([0, 255]), Data([0])] as [Data?] {
      #expect(try ControlRequest.body(JSONValue(body: body)) == body)
    }
    #expect(JSONValue(body: Data([0, 255])) == .members(["base64": "AP8="]) && JSONValue(body: Data("a".utf8)) == "a")
    #expect(JSONValue(UInt64.max).compact == "18446744073709551615" && JSONValue(Int.min).compact == "\(Int.min)")
    #expect(JSONValue(time: Timestamp(microseconds: 1_700_000_000_123_999)) == "2023-11-14T22:13:20.123Z")
  }
}

/// Lines between the connection and the task that reads a log.
@Suite(.bounded) struct LogBufferTests {
  @Test func linesComeInTheirOrderAndThenTheError() async throws {
    let buffer = LogBuffer()
    for count in 0..<3_000 { buffer.push(.shed(count), channel: nil) }
    for count in 0..<1_500 { #expect(try await buffer.next() == .shed(count)) }
    for count in 3_000..<3_010 { buffer.push(.shed(count), channel: nil) }
    buffer.fail(ServerError.noSuchLink)
    for count in 1_500..<3_010 { #expect(try await buffer.next() == .shed(count)) }
    for _ in 0..<2 { await #expect(throws: ServerError.noSuchLink) { try await buffer.next() } }
  }

  @Test func whoWaitsGetsWhatComesNext() async throws {
    for round in 0..<50 {
      let buffer = LogBuffer()
      async let first = buffer.next()
      if round.isMultiple(of: 2) { await Task.yield() }
      buffer.push(.shed(1), channel: nil)
      buffer.push(.shed(2), channel: nil)
      #expect(try await first == .shed(1))
      #expect(try await buffer.next() == .shed(2))
      let last = Task { try await buffer.next() }
      if round.isMultiple(of: 2) { await Task.yield() }
      buffer.fail(ServerError.notRunning)
      await #expect(throws: ServerError.notRunning) { try await last.value }
    }
  }
}
