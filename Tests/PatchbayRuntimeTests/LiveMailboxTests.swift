import PatchbayConsole
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime
@testable import PatchbayServer

@Suite("The screen's mailbox keeps the newest word on each thing", .bounded) struct LiveMailboxTests {
  private let process = HarnessProcess(name: "demo", pid: 7)

  private func exchange(_ id: Int64, _ url: String = "http://x.test/", status: Int? = nil) -> Exchange {
    var exchange = Exchange(
      id: id, process: process, startedAt: Timestamp(microseconds: id),
      request: RecordedRequest(method: "GET", url: url))
    exchange.response = status.map { RecordedResponse(status: $0) }
    return exchange
  }

  private func link(_ number: UInt64, revision: UInt64 = 0) -> LinkInfo {
    let hello = Hello(
      process: process, executable: "/bin/demo", parent: 1, entry: .attach, instance: number,
      startedAt: Timestamp(microseconds: 1))
    var info = LinkInfo(id: LinkID(number), hello: hello, at: Timestamp(microseconds: 2), settings: HookSettings())
    info.revision = revision
    return info
  }

  private func changes(_ events: [ConsoleEvent]) -> [(query: Int, changes: [ExchangeChange])] {
    events.compactMap { if case .exchanges(let changes, let query) = $0 { (query, changes) } else { nil } }
  }

  private func links(_ events: [ConsoleEvent]) -> [LinkRow]? {
    events.compactMap { if case .links(let rows) = $0 { rows } else { nil } }.last
  }

  @Test("an exchange that changed often comes once, as it is now, in the order of its first change")
  func newestWord() {
    var mailbox = LiveMailbox()
    mailbox.add(.exchanges([exchange(1), exchange(2)]))
    mailbox.add(.exchanges([exchange(1, status: 200)]))
    mailbox.add(.exchanges([exchange(3), exchange(1, status: 418)]))
    let groups = changes(mailbox.drain())
    #expect(groups.count == 1)
    #expect(groups.first?.changes.map(\.summary.id) == [1, 2, 3])
    #expect(groups.first?.changes.first?.summary.status == 418)
    #expect(changes(mailbox.drain()).isEmpty)
  }

  @Test("what was judged by a filter goes out under that filter's token")
  func groups() throws {
    var mailbox = LiveMailbox()
    mailbox.add(.exchanges([exchange(1, "http://a.test/")]))
    mailbox.judge(by: try Filter(parsing: "host:b"), query: 9)
    mailbox.add(.exchanges([exchange(1, "http://a.test/", status: 200), exchange(2, "http://b.test/")]))
    let groups = changes(mailbox.drain())
    #expect(groups.map(\.query) == [0, 9])
    #expect(groups.first?.changes.map(\.matches) == [true])
    #expect(groups.last?.changes.map(\.matches) == [false, true])
  }

  @Test("the exchange that is watched comes whole, in its last state")
  func watched() {
    var mailbox = LiveMailbox()
    mailbox.watch(2)
    mailbox.add(.exchanges([exchange(1), exchange(2), exchange(2, status: 204)]))
    let whole = mailbox.drain().compactMap { event -> (Int64, Int?)? in
      if case .exchange(let id, let exchange) = event { (id, exchange?.response?.status) } else { nil }
    }
    #expect(whole.map(\.0) == [2])
    #expect(whole.map(\.1) == [204])
    mailbox.watch(nil)
    mailbox.add(.exchanges([exchange(2)]))
    #expect(!mailbox.drain().contains { if case .exchange = $0 { true } else { false } })
  }

  @Test("what is no longer watched does not come whole, though it changed before")
  func unwatched() {
    func whole(_ then: (inout LiveMailbox) -> Void) -> [Int64] {
      var mailbox = LiveMailbox()
      mailbox.watch(2)
      mailbox.add(.exchanges([exchange(1), exchange(2), exchange(3)]))
      then(&mailbox)
      return mailbox.drain().compactMap { if case .exchange(let id, _) = $0 { id } else { nil } }
    }
    #expect(whole { _ in } == [2])
    #expect(whole { $0.watch(nil) } == [])
    #expect(whole { $0.watch(1) } == [])
    #expect(
      whole {
        $0.watch(1)
        $0.add(.exchanges([exchange(2), exchange(1)]))
      } == [1])
    #expect(whole { _ = $0.drain() } == [], "and once only")
  }

  @Test("links come first, as they are now, with how many exchanges each process has made")
  func linksComeFirst() {
    var mailbox = LiveMailbox()
    mailbox.add(.linked(link(1)))
    mailbox.add(.exchanges([exchange(1), exchange(2)]))
    mailbox.add(.linkChanged(link(1, revision: 5)))
    let events = mailbox.drain()
    guard case .links(let rows)? = events.first else {
      Issue.record("the links do not come first")
      return
    }
    #expect(rows.map(\.revision) == [5])
    #expect(rows.map(\.exchanges) == [2])
    // Only when something of them has changed; a later state of a known exchange is no new one.
    mailbox.add(.exchanges([exchange(2, status: 200)]))
    #expect(links(mailbox.drain()) == nil)
    mailbox.add(.exchanges([exchange(3)]))
    #expect(links(mailbox.drain())?.map(\.exchanges) == [3])
  }

  @Test("of processes that have gone the last hundred are kept")
  func gone() {
    var mailbox = LiveMailbox()
    for number in 1...150 as ClosedRange<UInt64> {
      mailbox.add(.linked(link(number)))
      guard number > 1 else { continue }
      var info = link(number)
      info.unlinkedAt = Timestamp(microseconds: 9)
      mailbox.add(.unlinked(info))
    }
    let rows = links(mailbox.drain()) ?? []
    #expect(rows.count == 101)
    #expect(rows.first?.instance == 1)
    #expect(rows.dropFirst().first?.instance == 51)
  }

  @Test("a board names who changed it only where that is somebody else")
  func authors() {
    var mailbox = LiveMailbox()
    for author in [Author.person, .controller("a script"), .file("/s.yaml"), .process(process), .console] {
      mailbox.add(.board(StubBoard(revision: 2), by: author))
    }
    let names = mailbox.drain().compactMap { event -> String? in
      if case .board(_, let name) = event { name ?? "-" } else { nil }
    }
    #expect(names == ["-", "a script", "-", "demo 7", "-"])
  }

  @Test("a link's row says all of it")
  func row() {
    let hello = Hello(
      process: process, executable: "/bin/demo", parent: 3, entry: .preload, instance: 9,
      startedAt: Timestamp(microseconds: 4))
    var info = LinkInfo(
      id: LinkID(1), hello: hello, at: Timestamp(microseconds: 5), settings: HookSettings(degree: .observe))
    (info.revision, info.restarts, info.isThrottled, info.isStalled) = (6, 2, true, false)
    (info.shed, info.cut) = (Shed(exchanges: 1, bodies: 2, bytes: 3), Shed(exchanges: 10, bodies: 20, bytes: 30))
    var mailbox = LiveMailbox()
    mailbox.add(.linked(info))
    var expected = LinkRow(
      instance: 9, process: process, executable: "/bin/demo", entry: .preload, since: Timestamp(microseconds: 4),
      ended: nil, revision: 6, degree: .observe, shed: Shed(exchanges: 11, bodies: 22, bytes: 33), exchanges: 0,
      parent: 3,
      restarts: 2, isThrottled: true, isStalled: false)
    #expect(links(mailbox.drain()) == [expected])
    (info.isThrottled, info.isStalled) = (false, true)
    mailbox.add(.linkChanged(info))
    (expected.isThrottled, expected.isStalled) = (false, true)
    #expect(links(mailbox.drain()) == [expected])
    (info.isStalled, info.unlinkedAt) = (false, Timestamp(microseconds: 8))
    mailbox.add(.unlinked(info))
    (expected.isStalled, expected.ended) = (false, Timestamp(microseconds: 8))
    #expect(links(mailbox.drain()) == [expected])
    // One that was never told of is not shown when it goes.
    var other = link(77)
    other.unlinkedAt = Timestamp(microseconds: 8)
    mailbox.add(.unlinked(other))
    #expect(links(mailbox.drain()) == [expected])
  }

  @Test("of those that have gone the hundredth stays, and its count")
  func hundred() {
    var mailbox = LiveMailbox()
    func come(_ number: UInt64, isGone: Bool) {
      var info = link(number)
      info.process = HarnessProcess(name: "p", pid: Int32(number))
      mailbox.add(.linked(info))
      var made = exchange(Int64(number))
      made.process = info.process
      mailbox.add(.exchanges([made]))
      guard isGone else { return }
      info.unlinkedAt = Timestamp(microseconds: 9)
      mailbox.add(.unlinked(info))
    }
    for number in 1...100 as ClosedRange<UInt64> { come(number, isGone: true) }
    come(101, isGone: false)
    #expect(links(mailbox.drain())?.map(\.instance) == (1...101).map { $0 })
    come(102, isGone: true)
    let rows = links(mailbox.drain()) ?? []
    #expect(rows.map(\.instance) == (2...102).map { $0 } && rows.allSatisfy { $0.exchanges == 1 })
    // Another process of that number counts from the beginning.
    come(1, isGone: false)
    #expect(links(mailbox.drain())?.last?.exchanges == 0, "its exchange is older than what was counted")
  }

  @Test("the rest comes as it came")
  func others() {
    var mailbox = LiveMailbox()
    mailbox.add(.notice(process, "one"))
    mailbox.add(.switches(unmatched: .fail, holdAll: .both, by: .person))
    mailbox.add(.progress(process, [StubProgress(name: "s", hits: 2)]))
    mailbox.add(.scenarios(process, [ScenarioState(name: "cart", state: "full")]))
    mailbox.add(.notice(nil, "two"))
    let expected: [ConsoleEvent] = [
      .notice(Notice(.warning, "demo 7: one")), .switches(unmatched: .fail, holdAll: .both),
      .progress(process, [StubProgress(name: "s", hits: 2)]),
      .scenarios(process, [ScenarioState(name: "cart", state: "full")]), .notice(Notice(.warning, "two")),
    ]
    #expect("\(mailbox.drain())" == "\(expected)")
    #expect(mailbox.drain().isEmpty)
  }
}
