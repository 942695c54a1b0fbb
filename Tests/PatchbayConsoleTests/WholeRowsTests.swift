import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What stands in the rows of the list, over all states of a request and all widths. With `PATCHBAY_WRITE_SCREENS` set
/// that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeRowsTests {
  private static let now = Timestamp(microseconds: 1_700_000_009_500_000)

  private func described(_ look: OutcomeLook) -> String { "\(look.sign) \(look.text) (\(look.role))" }

  @Test func howARequestEndedAsASignAndWords() throws {
    var out = ""
    for status in [0, 100, 199, 200, 299, 300, 304, 399, 400, 404, 499, 500, 503, 599, 999] as [Int] {
      out += "\(status): \(described(OutcomeLook(status: status)))\n"
    }
    out += "none: \(described(OutcomeLook(status: nil)))\n"
    let errors: [ExchangeSummary.Failure?] = [
      nil, .init(domain: "NSURLErrorDomain", code: -1001, name: "timedOut"),
      .init(domain: "NSURLErrorDomain", code: -1, name: "unknown"), .init(domain: "D", code: -7),
    ]
    for outcome in Exchange.Outcome.allCases + [nil] as [Exchange.Outcome?] {
      for status in [nil, 206] as [Int?] {
        let looks = errors.map { described(OutcomeLook(ended: outcome, status: status, error: $0)) }
        out += "\(outcome.map { "\($0)" } ?? "unknown") \(status ?? 0): \(looks.joined(separator: " | "))\n"
      }
    }
    for phase in Exchange.Phase.allCases {
      for status in [nil, 204] as [Int?] {
        for outcome in [nil, .responded] as [Exchange.Outcome?] {
          var summary = Exchange.make(1).summary
          (summary.phase, summary.status, summary.outcome) = (phase, status, outcome)
          out += "\(phase) \(status ?? 0) \(outcome == nil ? "open" : "ended"): \(described(OutcomeLook(summary)))\n"
        }
      }
    }
    let long = OutcomeLook(ended: .failed, status: nil, error: .init(domain: "N", code: 1, name: "cannotFindHost"))
    for width in 6...17 { out += "\(width) \(long.text(fitting: width)), " }
    let unnamed = OutcomeLook(ended: .failed, status: nil, error: .init(domain: "a.long.domain", code: -12_345))
    out += "\(unnamed.text(fitting: 5))\n"
    try expectRecorded(out, "Walks/outcomes.txt")
  }

  /// One that is plain, and ones that each differ from it in something that is shown.
  private var rows: [(String, ExchangeSummary)] {
    func row(_ change: (inout ExchangeSummary) -> Void) -> ExchangeSummary {
      var row = Exchange.make(12, "GET", "https://api.example.com:8443/v1/%E6%97%A5?q=%2F", took: 999_999).summary
      change(&row)
      return row
    }
    return [
      ("plain", row { _ in }), ("a second", row { $0.duration = 1_000_000 }),
      ("no duration", row { $0.duration = nil }),
      ("waiting", row { ($0.phase, $0.duration, $0.status, $0.size) = (.waiting, nil, nil, 0) }),
      (
        "of the future",
        row {
          ($0.phase, $0.duration) = (.waiting, nil)
          $0.startedAt.microseconds += 60_000_000
        }
      ),
      ("held", row { ($0.phase, $0.duration, $0.status) = (.heldRequest, nil, nil) }),
      ("answer held", row { ($0.phase, $0.duration) = (.heldResponse, nil) }),
      ("receiving", row { ($0.phase, $0.duration, $0.size) = (.receiving, nil, 1_234_567) }),
      ("observed", row { ($0.outcome, $0.duration, $0.status, $0.size) = (nil, nil, nil, 0) }),
      ("no answer, bytes", row { ($0.status, $0.size) = (nil, 3) }), ("empty", row { $0.size = 0 }),
      ("operation", row { $0.operation = "GetUser\u{1B}" }), ("head", row { $0.method = "HEAD" }),
      ("options", row { $0.method = "OPTIONS" }), ("put", row { $0.method = "PUT\u{7}" }),
      ("patched", row { $0.stub = "a%20b" }), ("stub", row { ($0.by, $0.stub) = (.stub, "%E6%97%A5") }),
      ("nameless stub", row { $0.by = .stub }), ("code", row { ($0.by, $0.stub) = (.code, "in code") }),
      ("nameless code", row { $0.by = .code }), ("person", row { $0.by = .person }),
      ("console", row { $0.by = .console }), ("cache", row { $0.by = .cache }),
      ("edited", row { ($0.isRewritten, $0.held) = (true, 1) }),
      ("by a rule", row { ($0.isRewritten, $0.held, $0.stub) = (true, 1, "r") }),
      ("redirected", row { $0.redirects = 2 }), ("again", row { ($0.replayOf, $0.redirects) = (7, 1) }),
      ("json", row { $0.responseType = "application/json" }), ("no type", row { $0.responseType = nil }),
      ("yesterday", row { $0.startedAt.microseconds -= 86_400_000_000 }),
      ("long name", row { $0.process = HarnessProcess(name: "a-program-of-a-long-name", pid: 1_234_567) }),
    ]
  }

  @Test func everyCellOfEveryKindOfRow() throws {
    var out = ""
    var plain: [RequestColumn: [String]] = [:]
    for (name, summary) in rows {
      // Of all but the first, what differs from that.
      out += "== \(name)\n"
      for column in RequestColumn.allCases {
        var seen: [String] = []
        for width in [1, 6, 8, 9, 11, 12, 14, 20, 60] {
          let cell = RequestCell(column, of: summary, width: width, now: Self.now, utcOffset: 3_600)
          let text = "\(cell.text) (\(cell.role))"
          if seen.last != text { seen.append(text) }
        }
        if plain[column] != seen { out += "\(column): \(seen.joined(separator: " | "))\n" }
        plain[column] = plain[column] ?? seen
      }
    }
    for width in 1...18 {
      out += "\(width) \(truncatedInMiddle("api.example.jp:80", toWidth: width)) "
      out += "\(truncatedInMiddle("日本語のホスト名です", toWidth: width))\n"
    }
    for text in ["plain ~", "a\u{7F}", "\u{1F}", "日", "a\nb", ""] { out += "\(text.debugDescription) \(shown(text))\n" }
    try expectRecorded(out, "Walks/request-cells.txt")
  }

  // MARK: The bars of the timeline

  @Test func theTimelineReachesFromTheFirstStartToTheLastEnd() {
    func row(_ id: Int64, at start: Int64, took: Int64?, run: Int64? = nil, observed: Bool = false) -> ExchangeSummary {
      var row = Exchange.make(id).summary
      row.startedAt = Timestamp(microseconds: start)
      row.duration = took
      row.run = run
      if took == nil { (row.phase, row.outcome) = observed ? (.ended, nil) : (.waiting, nil) }
      return row
    }
    func columns(_ scale: TimelineScale, _ moments: [Int64], _ width: Int) -> [Int] {
      moments.map { scale.column($0, width) }
    }
    let now = Timestamp(microseconds: 2_000)
    let two = TimelineScale([row(1, at: 1_100, took: 100), row(2, at: 1_000, took: 50)], now: now)
    #expect(columns(two, [0, 1_000, 1_009, 1_010, 1_100, 1_199, 1_200, 9_999], 20) == [0, 0, 0, 1, 10, 19, 19, 19])
    // One that goes on reaches to now, one that was only looked on no further than its start.
    let open = TimelineScale([row(1, at: 1_000, took: 10), row(2, at: 1_500, took: nil)], now: now)
    #expect(columns(open, [1_500, 1_999], 100) == [50, 99])
    let late = TimelineScale([row(1, at: 1_000, took: 10), row(2, at: 3_000, took: nil)], now: now)
    #expect(columns(late, [2_000, 3_000], 100) == [50, 99])
    let looked = TimelineScale([row(1, at: 1_000, took: 10), row(2, at: 1_100, took: nil, observed: true)], now: now)
    #expect(columns(looked, [1_050], 100) == [50])
    // Of several runs the newest in sight.
    let runs = [
      row(1, at: 0, took: 10, run: 1), row(2, at: 1_000, took: 100, run: 2), row(3, at: 1_100, took: 100, run: 2),
    ]
    #expect(columns(TimelineScale(ofOneRun: runs, now: now), [0, 1_000, 1_100, 1_200], 10) == [0, 0, 5, 9])
    let none = TimelineScale([], now: now)
    #expect(columns(none, [0, 1, 5], 10) == [0, 9, 9] && TimelineScale(ofOneRun: [], now: now).column(1, 4) == 3)
    #expect(columns(TimelineScale([row(1, at: 5, took: 0)], now: now), [5, 6], 8) == [0, 7])
    #expect(two.column(1_200, 1) == 0)
  }

  /// Each row's bar from its start to its end: waiting, then the body; what is held has one colour.
  @Test func barsHaveTheirPlaceAndColour() {
    func row(_ id: Int64, at start: Int64, head: Int64?, took: Int64?, phase: Exchange.Phase = .ended) -> Exchange {
      var row = Exchange.make(id, phase: phase)
      row.startedAt = Timestamp(microseconds: 1_700_000_000_000_000 + start)
      row.timing = Timing(head: head, end: took)
      return row
    }
    var driver = ConsoleDriver(width: 200, height: 14)
    driver.now.microseconds += 1_000_000
    driver.add([
      row(1, at: 0, head: 500_000, took: 1_000_000), row(2, at: 250_000, head: nil, took: 250_000),
      row(3, at: 990_000, head: 0, took: 10_000), row(4, at: 500_000, head: nil, took: nil, phase: .heldRequest),
      row(5, at: 0, head: 0, took: 0),
    ])
    let grid = driver.state.draw().grid
    let theme = driver.state.theme
    let place = driver.columns.places.first { $0.column == .timeline } ?? .init(column: .timeline, x: 0, width: 0)
    #expect(place.width == 60 || place.width >= 20)
    func bar(_ row: Int) -> String {
      (place.x..<place.x + place.width).map { x in
        guard let cell = grid[Point(x: x, y: 3 + row)], cell.scalar == "━" else { return "." }
        switch cell.style.foreground {
        case theme[.barWait].foreground: return "w"
        case theme[.barBody].foreground: return "b"
        case theme[.barHeld].foreground: return "h"
        default: return "?"
        }
      }.joined()
    }
    func expected(_ parts: [(String, Double)]) -> String {
      var text = ""
      for (sign, end) in parts {
        let to = min(place.width, Int(end * Double(place.width)))
        text += String(repeating: sign, count: max(0, to - text.count))
      }
      return text + String(repeating: ".", count: place.width - text.count)
    }
    let last = place.width - 1
    #expect(bar(0).dropLast() == expected([("w", 0.5), ("b", 1)]).dropLast())
    #expect(bar(1) == expected([(".", 0.25), ("w", 0.5)]))
    #expect(bar(2) == String(repeating: ".", count: last) + "b")
    #expect(bar(3).dropLast() == expected([(".", 0.5), ("h", 1)]).dropLast())
    #expect(bar(4) == "b" + String(repeating: ".", count: last))
  }

  // MARK: What is known of what is recorded

  @Test func whatIsHeldStandsInTheOrderInWhichItWasStopped() {
    func row(_ id: Int64, _ phase: Exchange.Phase) -> ExchangeSummary { Exchange.make(id, phase: phase).summary }
    var held = HeldList()
    #expect(held.isEmpty && held.count == 0 && !held.contains(3))
    // Each row, whether it has just been stopped, and what is held then.
    for (id, phase, isNew, ids) in [
      (3, .heldRequest, true, [3]), (3, .heldRequest, false, [3]), (4, .waiting, false, [3]),
      (1, .heldResponse, true, [3, 1]), (3, .heldResponse, false, [3, 1]), (3, .ended, false, [1]),
      (3, .ended, false, [1]), (3, .heldRequest, true, [1, 3]), (1, .ended, false, [3]), (3, .waiting, false, []),
    ] as [(Int64, Exchange.Phase, Bool, [Int64])] {
      let news = held.note(row(id, phase))
      #expect(
        news == isNew && held.ids == ids && held.count == ids.count && held.isEmpty == ids.isEmpty, "\(id) \(phase)")
      #expect((0...5).filter(held.contains) == ids.sorted())
    }
  }

  @Test func whatIsRecordedIsCountedOnceAndOnlyRises() {
    var recorded = RecordedExchanges()
    #expect(recorded.count == 0 && recorded.newest == 0)
    var news = recorded.received(Exchange.make(5).summary)
    #expect(news.isNew && !news.isStopped && news.endedReplayOf == nil)
    #expect(recorded.count == 1 && recorded.newest == 5)
    news = recorded.received(Exchange.make(5, phase: .heldRequest).summary)
    #expect(!news.isNew && news.isStopped && recorded.count == 1 && recorded.held.ids == [5])
    news = recorded.received(Exchange.make(4).summary)
    #expect(!news.isNew && recorded.newest == 5 && recorded.count == 1)
    recorded.known(Exchange.make(9, phase: .heldRequest).summary)
    recorded.known(Exchange.make(3).summary)
    #expect(recorded.newest == 9 && recorded.count == 1 && recorded.held.ids == [5, 9])
    recorded.reach(8)
    #expect(recorded.newest == 9)
    recorded.reach(12)
    #expect(recorded.newest == 12)
    recorded.add(4)
    #expect(recorded.count == 5)
    recorded.add(-2)
    #expect(recorded.count == 3)
    recorded.add(-9)
    #expect(recorded.count == 0)
  }

  @Test func theAnswerOfWhatWasSentAgainIsTakenOnce() {
    func again(_ id: Int64, of original: Int64, _ phase: Exchange.Phase = .ended) -> ExchangeSummary {
      var row = Exchange.make(id, phase: phase).summary
      row.replayOf = original
      return row
    }
    var recorded = RecordedExchanges()
    func ended(_ row: ExchangeSummary) -> Int64? { recorded.received(row).endedReplayOf }
    let nobodys = ended(again(2, of: 1))
    #expect(nobodys == nil && recorded.lastReplay == nil, "nobody here has sent it")
    recorded.awaitReplay(of: 1)
    let rows = [again(3, of: 1, .waiting), again(4, of: 7), again(3, of: 1), again(3, of: 1)]
    #expect(rows.map { ended($0) } == [nil, nil, 1, nil])
    #expect(recorded.lastReplay?.original == 1 && recorded.lastReplay?.replay == 3)
  }

  // MARK: Runs

  @Test func aRunReachesToTheNext() {
    func run(_ number: Int64, _ first: Int64) -> RunRow {
      RunRow(number: number, startedAt: Timestamp(microseconds: 0), process: nil, first: first, count: nil)
    }
    let marks = RunMarks([run(3, 20), run(1, 5), run(2, 11)])
    #expect([0, 4, 5, 10, 11, 19, 20, 99].map { marks.run(of: $0)?.number } == [nil, nil, 1, 1, 2, 2, 3, 3])
    #expect(marks.part(5, 11) && marks.part(19, 20) && !marks.part(5, 10) && !marks.part(20, 99) && marks.part(4, 5))
    #expect(RunMarks().run(of: 7) == nil && !RunMarks().part(1, 2) && !RunMarks([run(1, 5)]).part(1, 7))
  }

  @Test func aRunSaysWhenItBeganAndWhatAskedFirst() {
    let start = Timestamp(microseconds: 1_700_000_000_123_456)
    let next = Timestamp(microseconds: start.microseconds + 86_400_000_000)
    var run = RunRow(
      number: 2, startedAt: start, process: HarnessProcess(name: "a\u{1B}pp", pid: 7), first: 1, count: 4_716)
    #expect(run.title(now: start, utcOffset: 0) == "run 2 · 22:13:20 · a␛pp 7 · 4,716 requests")
    #expect(run.title(now: next, utcOffset: 3_600) == "run 2 · 14 Nov 23:13:20 · a␛pp 7 · 4,716 requests")
    run.count = 1
    run.process = nil
    #expect(run.title(now: start, utcOffset: 0) == "run 2 · 22:13:20 · 1 request")
    run.count = nil
    #expect(run.title(now: start, utcOffset: 0) == "run 2 · 22:13:20")
  }

  // MARK: The signs of faults and holds

  @Test func theSignOfAFaultStandsAtTheRequestsThatMeetIt() {
    let request = Exchange.make(1, "GET", "https://api.example.com/v1/users").summary
    func pattern(_ reach: FaultScope.Reach) -> RequestPattern? { FaultScope(reach: reach).pattern(from: request) }
    func signs(_ stubs: [Stub], hits: StubHits = StubHits()) -> ActiveSigns {
      var snapshot = StubsSnapshot()
      snapshot.board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
      snapshot.hits = hits
      return ActiveSigns(snapshot)
    }
    let fault = Action.fail(Fault(.named("timedOut")))
    for reach in FaultScope.Reach.allCases where reach != .held {
      guard let pattern = pattern(reach) else { continue }
      let failing = Stub(name: "f", when: pattern, then: fault)
      #expect(signs([failing]).sign(for: request)?.sign == "✗" && signs([failing]).sign(for: request)?.role == .failure)
      let holding = Stub(name: "h", when: pattern, then: .hold(.request))
      #expect(signs([holding]).sign(for: request)?.sign == "‖" && signs([holding]).sign(for: request)?.role == .held)
      // The first of them counts; one that is off does not.
      #expect(signs([holding, failing]).sign(for: request)?.sign == "‖")
      var off = holding
      off.enabled = false
      #expect(signs([off, failing]).sign(for: request)?.sign == "✗" && signs([off]).sign(for: request) == nil)
    }
    let other = Stub(name: "o", when: RequestPattern(path: .glob("/elsewhere")), then: fault)
    #expect(signs([]).sign(for: request) == nil && signs([other]).sign(for: request) == nil)
    let answer = Stub(name: "a", when: RequestPattern(), then: .respond(CannedResponse(status: 299)))
    #expect(signs([answer]).sign(for: request) == nil, "what only answers is no fault")
  }
}
