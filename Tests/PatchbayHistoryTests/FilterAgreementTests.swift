import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Random numbers that are the same each time.
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[Int(next() % UInt64(choices.count))] }
  mutating func chance(_ one: Int, of all: Int) -> Bool { next() % UInt64(all) < UInt64(one) }
}

@Suite(.bounded) struct FilterAgreementTests {
  static let words = [
    "api", "users", "Users", "orders", "ö", "Ö", "ただいま", "日本", "тест", "ТЕСТ", "%20", "a", "ok", "token", "x-id",
    "json", "shop", "", "7", ".", "4121", "-100", "timed", "straße", "ẞ", "k", "é", "\u{0130}", "ς", "ΣΊΣΥΦΟΣ",
  ]
  static let now = Timestamp(microseconds: 1_700_000_100_000_000)

  static func exchange(_ id: Int64, _ dice: inout Dice) -> Exchange {
    let host = dice.pick(["api.example.com", "Shop.example:8443", "xn--bcher-kva.example", "[::1]:80", "localhost", ""])
    let path = dice.pick(["/v1/users", "/V1/Users/17", "/", "", "/%E6%97%A5%E6%9C%AC", "/orders%20ok", "/ö"])
    let query = dice.pick(["", "?page=2", "?q=%D1%82%D0%B5%D1%81%D1%82", "?token=A%", "#f?x"])
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: dice.pick(["demo", "Worker", "тест"]), pid: dice.pick([1, 4121, 99])),
      startedAt: Timestamp(microseconds: now.microseconds - Int64(dice.next() % 200_000_000)),
      request: RecordedRequest(
        method: dice.pick(["GET", "POST", "PUT", "get", "PROPFIND"]), url: "https://" + host + path + query,
        headers: headers(&dice), body: body(&dice), truncated: dice.chance(1, of: 9)))
    if dice.chance(3, of: 4) {
      exchange.response = RecordedResponse(
        status: dice.pick([200, 201, 302, 404, 500, 503, 100, 599]), headers: headers(&dice), body: body(&dice),
        truncated: dice.chance(1, of: 9))
      exchange.bytesReceived = dice.pick([0, 1, 999, 1_000, 1_500, 2_000_000])
      exchange.timing.head = 5
    }
    if dice.chance(4, of: 5) {
      exchange.phase = .ended
      exchange.outcome = dice.pick(Exchange.Outcome.allCases)
      exchange.timing.end = dice.pick([0, 1, 999, 1_000, 499_999, 500_000, 501_000, 90_000_000])
    } else {
      exchange.phase = dice.pick(Exchange.Phase.allCases)
    }
    if exchange.outcome == .failed {
      exchange.error = RecordedError(
        domain: dice.pick(["NSURLErrorDomain", "test.api"]), code: dice.pick([-1001, -1009, 7]),
        name: dice.pick(["timedOut", nil, "notConnectedToInternet"]))
    }
    exchange.by = dice.pick(Exchange.Answerer.allCases)
    exchange.stub = dice.pick([nil, nil, "orders down", "Ö", ""])
    if dice.chance(1, of: 6) { exchange.redirects = [RedirectHop(status: 302, url: "https://a.example/")] }
    exchange.replayOf = dice.chance(1, of: 6) ? 1 : nil
    exchange.marked = dice.chance(1, of: 5)
    if dice.chance(1, of: 5) { exchange.tags = [dice.pick(["slow", "orders"]), dice.pick(["Ö", "flaky"])] }
    exchange.note = dice.pick([nil, nil, nil, "see orders 7", "ただいま"])
    return exchange
  }

  static func headers(_ dice: inout Dice) -> [HeaderField] {
    let all = [
      HeaderField("Content-Type", "application/json; charset=utf-8"), HeaderField("content-type", "text/html"),
      HeaderField("Content-Type", "text/plain; charset=Shift_JIS"), HeaderField("X-Id", "7"), HeaderField("x-id", "77"),
      HeaderField("Token", "a: b"), HeaderField("Ö", "ただいま"), HeaderField("Content-Type", "text/plain;charset=latin1"),
    ]
    return all.filter { _ in dice.chance(1, of: 3) }
  }

  static func body(_ dice: inout Dice) -> Data? {
    switch dice.next() % 9 {
    case 0, 1: return nil
    case 2: return Data()
    case 3: return "設定 ただいま 日本".data(using: .shiftJIS)
    case 4: return Data([0, 255, 254, 65, 0, 0xD0, 0xBF])
    case 5: return Data([0xFF, 0xFE]) + ("日本 ö".data(using: .utf16LittleEndian) ?? Data())
    case 6:
      let texts = [#"{"a":"\u65E5\u672c"}"#, #"{"query":"query Orders { a }"}"#, #"{"query":"{ a }"}"#]
      return Data(dice.pick(texts).utf8)
    default:
      let count = Int(dice.next() % 12)
      return Data((0..<count).map { _ in dice.pick(words) }.joined(separator: " ").utf8)
    }
  }

  static func filter(_ dice: inout Dice, depth: Int = 0) -> String {
    switch dice.next() % (depth > 3 ? 6 : 12) {
    case 6: "-" + filter(&dice, depth: depth + 1)
    case 7, 8: "(" + filter(&dice, depth: depth + 1) + " " + filter(&dice, depth: depth + 1) + ")"
    case 9, 10: "(" + filter(&dice, depth: depth + 1) + " | " + filter(&dice, depth: depth + 1) + ")"
    case 11: "-(" + filter(&dice, depth: depth + 1) + "|" + filter(&dice, depth: depth + 1) + ")"
    default: term(&dice)
    }
  }

  static func term(_ dice: inout Dice) -> String {
    switch dice.next() % 14 {
    case 0: return "method:" + dice.pick(["GET", "get", "POST,PUT", "P*", "*O*"])
    case 1:
      return "status:" + dice.pick(["200", "2xx", "50x", ">=400", "<300", ">200", "<=404", "404,500", "100..302"])
    case 2: return "by:" + dice.pick(["stub", "network,person", "code", "console"])
    case 3: return "time:" + dice.pick([">500ms", ">=500ms", "<1ms", "1ms", "0ms", "<=500ms", "1us..1s", ">1m"])
    case 4: return "size:" + dice.pick(["0", ">1kB", ">=1kB", "1kB", "<1MB", "2MB", "1.5kB"])
    case 5: return dice.pick(["since:", "until:"]) + dice.pick(["1m", "100s", "90000ms", "2023-11-14T22:14:00Z"])
    case 6: return "marked:" + dice.pick(["yes", "no"])
    case 7: return "is:" + dice.pick(FilterState.allCases).rawValue + dice.pick(["", ",held", ",failed"])
    case 8: return "id:" + dice.pick(["1", ">50", "10..90", "<20,>150"])
    default:
      let key = dice.pick([
        "", "url:", "host:", "path:", "query:", "type:", "stub:", "process:", "error:", "body:", "reqbody:", "resbody:",
        "header:", "body:", "header:", "op:", "tag:", "note:",
      ])
      return key + value(&dice)
    }
  }

  static func value(_ dice: inout Dice) -> String {
    let word = dice.pick(words)
    switch dice.next() % 8 {
    case 0: return "\"*\(word)*\""
    case 1: return "\"\(word)*\""
    case 2: return "\"*\(dice.pick(words))*\(word)\""
    case 3: return "~" + dice.pick(["^x-id", "[0-9]+$", "(users|orders)", "O.*k", "\\d", "日.", "^$"])
    case 4: return "\"x-id: 7\""
    default: return "\"\(word)\""
    }
  }

  /// With the exchanges in tables, and in segments: then in two runs with gaps, some of them hidden and marked.
  @Test(arguments: [UInt64(1), 2, 3, 4], [false, true])
  func memoryAndSQLAgree(seed: UInt64, inSegments: Bool) async throws {
    var dice = Dice(state: seed &* 7_919)
    var exchanges = (1...(inSegments ? 260 : 120)).map { Self.exchange(Int64(inSegments ? $0 * 7 : $0), &dice) }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    if inSegments {
      try await store.buildSegments()
      #expect(try await store.segmentCount() == 2)
      _ = try await store.apply(.delete(exchanges[30..<60].map(\.id)))
      exchanges.removeSubrange(30..<60)
      let marked = exchanges[5..<20].filter { !$0.marked }.map(\.id)
      _ = try await store.apply(.mark(marked))
      for index in exchanges.indices where marked.contains(exchanges[index].id) { exchanges[index].marked = true }
    }
    try await store.flush()
    var matched = 0
    for _ in 0..<300 {
      let text = Self.filter(&dice)
      let filter: Filter
      do {
        filter = try Filter(parsing: text)
      } catch {
        Issue.record("\(text): \(error)")
        continue
      }
      let expected = exchanges.filter { filter.matches($0, now: Self.now) }.map(\.id).reversed()
      var found: [Int64] = []
      for try await batch in store.search(filter, now: Self.now) { found += batch.ids }
      #expect(found == Array(expected), "\(text)")
      matched += found.count
      for exchange in exchanges.prefix(20) {
        if let said = filter.matches(exchange.summary, now: Self.now) {
          #expect(said == filter.matches(exchange, now: Self.now), "\(text) on the row of \(exchange.id)")
        }
      }
    }
    #expect(
      matched > 20 * exchanges.count && matched < 280 * exchanges.count,
      "the filters are neither all true nor all false")
    await store.close()
  }

  @Test func searchGoesNewestFirstAndStops() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...20_000).map { .sample(id: $0, url: "https://a.example/\($0 % 10)") })
    try await store.flush()
    var ids: [Int64] = []
    var last: SearchBatch?
    for try await batch in store.search(try Filter(parsing: "path:/7")) {
      ids += batch.ids
      last = batch
    }
    #expect(ids == stride(from: Int64(19_997), to: 0, by: -10).map { $0 })
    #expect(last?.scanned == 20_000 && last?.total == 20_000)
    for try await batch in store.search(.everything) {
      #expect(batch.ids.first == 20_000)
      break
    }
    #expect(try await store.count(Filter(parsing: "path:/7 | path:/8")) == 4_000)
    await store.close()
  }
}
