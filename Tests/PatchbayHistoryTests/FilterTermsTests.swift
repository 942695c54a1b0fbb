import Foundation
import GRDB
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// Each key of the filter with each of its operators finds in the history what it finds among the same exchanges in memory.
@Suite(.bounded) struct FilterTermsTests {
  private static let now = Timestamp(microseconds: 1_700_000_100_000_000)

  /// One of each sort of value, beside each bound that the terms name.
  private static let exchanges: [Exchange] = {
    var all: [Exchange] = []
    func add(_ change: (inout Exchange) -> Void) {
      var exchange = Exchange.sample(id: Int64(all.count + 1), url: "https://plain.example/p")
      exchange.run = Int64(all.count / 20 + 1)
      change(&exchange)
      all.append(exchange)
    }
    for method in ["GET", "POST", "PUT", "get", "PURGE", ""] { add { $0.request.method = method } }
    for url in [
      "https://api.example.com/v1/users/7?page=2#end", "http://API.example.com:8080/V1/Users", "https://h/?q=%D1%82",
      "http://[::1]:80/a%20b", "", "no url", "https://u:p@h.example/x?token=abc", "https://日本.example/人物",
    ] { add { $0.request.url = url } }
    for status in [0, 99, 100, 199, 200, 201, 299, 300, 399, 400, 403, 404, 405, 499, 500, 599, 600, 999] {
      add { $0.response?.status = status }
    }
    for end: Int64 in [0, 1, 9_999, 10_000, 10_001, 999_999, 1_000_000, 1_000_001, 60_000_000, .max] {
      add { $0.timing.end = end }
    }
    for size: Int64 in [0, 1, 999, 1_000, 1_001, 1_499, 1_500, 999_999, 1_000_000, .max] {
      add { $0.bytesReceived = size }
    }
    for age: Int64 in [0, 1, 59_999_999, 60_000_000, 60_000_001, 100_000_000, 3_600_000_000, -5] {
      add { $0.startedAt = Timestamp(microseconds: now.microseconds - age) }
    }
    for type in ["text/html", "TEXT/HTML; charset=utf-8", "image/png", "", "application/problem+json"] {
      add { $0.response?.headers = [HeaderField("content-type", type)] }
    }
    add { $0.response?.headers = [] }
    for by in Exchange.Answerer.allCases {
      for stub in [nil, "orders", "Orders down", ""] {
        add { ($0.by, $0.stub) = (by, stub) }
      }
    }
    for (name, pid) in [("app", 1), ("App", 12), ("worker", -1), ("12", 7), ("", 123)] as [(String, Int32)] {
      add { $0.process = HarnessProcess(name: name, pid: pid) }
    }
    for (domain, code, name) in [
      ("NSURLErrorDomain", -1_001, "timedOut"), ("NSURLErrorDomain", -1_009, "notConnectedToInternet"),
      ("My.Errors", 7, nil), ("My.Errors", 0, nil), ("", .max, nil), ("x", .min, nil),
    ] as [(String, Int, String?)] {
      add {
        ($0.response, $0.outcome) = (nil, .failed)
        $0.error = RecordedError(domain: domain, code: code, name: name)
      }
    }
    for phase in Exchange.Phase.allCases { add { ($0.phase, $0.outcome, $0.timing.end) = (phase, nil, nil) } }
    for outcome in Exchange.Outcome.allCases { add { $0.outcome = outcome } }
    for (asked, answered) in [("Ann", nil), (nil, "Ann"), ("ann", "ANN"), ("", ""), ("日本語", "x日本x")]
      as [(String?, String?)]
    {
      add {
        $0.request.body = asked.map { Data($0.utf8) }
        $0.response?.body = answered.map { Data($0.utf8) }
      }
    }
    add { $0.request.body = Data([0xFF, 0, 0x41]) }
    add { $0.request.body = Data(#"{"query":"query GetUser { a }"}"#.utf8) }
    add { $0.request.headers = [HeaderField("X-Api-Key", "quoted value"), HeaderField("a", "b: c")] }
    add { $0.request.headers = [] }
    add { $0.request.truncated = true }
    add { $0.response?.truncated = true }
    add { $0.redirects = [RedirectHop(status: 302, url: "https://a.example/")] }
    add { $0.replayOf = 1 }
    for _ in 0..<3 { add { $0.marked = true } }
    for (tags, note) in [(["slow"], nil), (["slow", "Ö"], "a note"), ([], "slow"), (["slower"], "")]
      as [([String], String?)]
    {
      add { ($0.tags, $0.note) = (tags, note) }
    }
    return all
  }()

  static let terms: [String] = {
    let texts = [
      "a", "api", "API", "\"\"", "\"*\"", "7", "*example*", "p*", "*p", "orders", "~^a", "~\\d$", "~[A-Z]", "日本", "Ö",
    ]
    var all: [String] = []
    for key in [
      "", "url:", "host:", "path:", "query:", "method:", "type:", "stub:", "process:", "error:", "body:", "reqbody:",
      "resbody:",
      "header:", "op:", "tag:", "note:",
    ] { all += texts.map { key + $0 } }
    all += [
      "host:api.example.com", "host:api.example.com:8080", "host:h,plain.example", "host:\"[::1]\"", "host:*.com",
    ]
    all += [
      "path:/v1/*", "path:/p", "query:page=2", "process:app,12", "process:1", "process:-1", "header:x-api-key:quoted",
    ]
    all += ["header:\"x-api-key: quoted value\"", "tag:slow", "tag:slow,Ö", "note:slow", "op:GetUser", "op:get*"]
    all += ["method:GET", "method:get,PUT", "type:json", "type:text/html", "type:image/*", "type:html,png"]
    all += ["error:timedOut", "error:-1001", "error:7", "error:My.Errors", "error:0"]
    let numbers: [(String, [String])] = [
      ("status:", ["100", "200", "404", "599"]), ("time:", ["0ms", "10ms", "1s", "1m"]),
      ("size:", ["0", "1kB", "1.5kB", "1MB"]),
      ("id:", ["1", "50", "100"]), ("run:", ["1", "2", "4"]),
    ]
    for (key, values) in numbers {
      for value in values { for sign in ["", ">", ">=", "<", "<="] { all.append(key + sign + value) } }
      for (low, high) in zip(values, values.dropFirst()) { all.append("\(key)\(low)..\(high)") }
      all.append(key + values.joined(separator: ","))
    }
    all += ["status:2xx", "status:4xx,5xx", "status:40x", "status:1xx", "run:last", "run:last,1"]
    for age in ["1m", "60s", "100s", "1h", "2023-11-14", "2023-11-14T22:14:00Z"] {
      all += ["since:" + age, "before:" + age]
    }
    all += ["marked:yes", "marked:no"] + FilterState.allCases.map { "is:\($0.rawValue)" } + ["is:held,failed"]
    all += Exchange.Answerer.allCases.map { "by:\($0.rawValue)" } + ["by:stub,person"]
    return all
  }()

  @Test(arguments: [false, true]) func eachTermFindsTheSame(inSegments: Bool) async throws {
    let store = try HistoryStore.open(.memory)
    store.record(Self.exchanges)
    if inSegments { try await store.buildSegments() }
    try await store.flush()
    var kinds: [Bool: Int] = [:]
    for term in Self.terms {
      let filter: Filter
      // Not every key takes every kind of value.
      do { filter = try Filter(parsing: term) } catch { continue }
      for (text, filter) in [(term, filter), ("-" + term, try Filter(parsing: "-" + term))] {
        var found: [Int64] = []
        for try await batch in store.search(filter, now: Self.now) { found += batch.ids }
        let runs = text.contains("run:last")
        let expected = Self.exchanges.filter { filter.matches($0, now: Self.now) }.map(\.id)
        // In memory nobody knows which run is the last.
        if !runs { #expect(found.reversed() == expected, "\(text)") }
        #expect(try await store.count(filter, now: Self.now) == found.count, "\(text)")
        let sorted = try await store.ids(filter, above: 40, sortedBy: .id, descending: true, now: Self.now)
        #expect(sorted == found.filter { $0 > 40 }, "\(text) above 40")
        kinds[!found.isEmpty && found.count < Self.exchanges.count, default: 0] += 1
      }
    }
    #expect((kinds[true] ?? 0) > 500, "many tell some from others")
    await store.close()
  }

  @Test func theLastRunIsTheNewestRowsWhereNoneGoesOn() async throws {
    let folder = try Folder()
    let first = try HistoryStore.open(.file(folder.file))
    first.record(Self.exchanges)
    await first.close()
    let store = try HistoryStore.open(.file(folder.file), access: .read)
    let last = try #require(Self.exchanges.last?.run)
    let expected = Self.exchanges.filter { $0.run == last }.map(\.id)
    #expect(try await store.ids(try Filter(parsing: "run:last"), sortedBy: .id) == expected && expected.count > 1)
    await store.close()
  }

  /// Up to a thousand shared texts stand in the statement, more are asked for.
  @Test(arguments: [999, 1_000, 1_001]) func howeverManyTextsFit(_ count: Int) async throws {
    let store = try HistoryStore.open(.memory)
    store.record(
      (1...Int64(count + 3)).map { .sample(id: $0, url: $0 <= count ? "https://h\($0).example/" : "https://other/") })
    try await store.flush()
    let filter = try Filter(parsing: "host:h*.example method:GET")
    #expect(try await store.ids(filter, sortedBy: .id) == Array(1...Int64(count)))
    let either = try Filter(parsing: "host:h*.example | host:other")
    #expect(try await store.ids(either, sortedBy: .id).count == count + 3)
    let neither = try Filter(parsing: "-host:h*.example -id:\(count + 3)")
    #expect(try await store.ids(neither, sortedBy: .id) == [Int64(count + 1), Int64(count + 2)])
    await store.close()
  }

  @Test func sharedTextsAreASet() {
    let ids: [Int64] = [0, 63, 64, 127, 128, 1_000]
    let texts = SharedTexts(function: "f", patterns: [], ids: [-5] + ids)
    for id in Int64(-70)...1_100 { #expect(texts.contains(id) == ids.contains(id), "\(id)") }
    #expect(!texts.contains(.max) && !texts.contains(.min))
    for none in [[], [-1]] as [[Int64]] {
      let texts = SharedTexts(function: "f", patterns: [], ids: none)
      #expect(!texts.contains(0) && !texts.contains(-1))
    }
  }

  // MARK: Runs

  /// Runs with gaps between ids and between numbers, against a walk through all rows.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6]) func runsAreThoseOfTheRows(_ seed: UInt64) async throws {
    var dice = Dice(state: seed)
    let store = try HistoryStore.open(.memory)
    var rows: [(id: Int64, run: Int64)] = []
    var (id, run) = (Int64(dice.next() % 3), Int64(1))
    for _ in 0..<Int(1 + dice.next() % 120) {
      id += dice.pick([1, 1, 1, 2, 9])
      if dice.chance(1, of: 6) { run += dice.pick([1, 1, 3]) }
      rows.append((id, run))
    }
    store.record(
      rows.map { row in
        var exchange = Exchange.sample(id: row.id)
        exchange.run = row.run
        exchange.process = HarnessProcess(name: "of \(row.run)", pid: Int32(row.id))
        return exchange
      })
    try await store.flush()
    let (all, newest) = try await store.database.read { (try RunTable($0).all(), try RunTable.newest($0)) }
    let numbers = Set(rows.map(\.run)).sorted()
    #expect(all.map(\.id) == numbers && newest == numbers.last)
    for (place, found) in all.enumerated() {
      let own = rows.filter { $0.run == found.id }
      let next = place + 1 < numbers.count ? rows.first { $0.run == numbers[place + 1] } : nil
      #expect(found.ids == own[0].id...(next.map { $0.id - 1 } ?? .max))
      #expect(found.process == HarnessProcess(name: "of \(found.id)", pid: Int32(own[0].id)))
      #expect(found.startedAt.microseconds <= Exchange.sample(id: own[0].id).startedAt.microseconds)
    }
    for low in 0...(run + 2) {
      for high in [low, low + 1, low + 4, .max] {
        let found = try await store.database.read { try RunTable($0).ids(of: low...high) }
        let own = rows.filter { (low...high).contains($0.run) }.map(\.id)
        let among = rows.map(\.id).filter { found?.contains($0) ?? false }
        #expect(among == own, "runs \(low) to \(high)")
        #expect((found == nil) == own.isEmpty, "runs \(low) to \(high)")
      }
    }
    for run in all {
      #expect(try await store.count(of: run) == rows.count { $0.run == run.id })
    }
    await store.close()
  }

  @Test func aHistoryWithoutRowsHasNoRuns() async throws {
    let store = try HistoryStore.open(.memory)
    #expect(try await store.runs().isEmpty)
    #expect(try await store.database.read { try RunTable($0).ids(of: 1...9) } == nil)
    #expect(try await store.database.read { try RunTable.newest($0) } == 0)
    await store.close()
  }
}
