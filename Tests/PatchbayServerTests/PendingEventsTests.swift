import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What the subscribers have not been told yet, and the order in which they are told.
@Suite(.bounded) struct PendingEventsTests {
  private func process(_ pid: Int32) -> HarnessProcess { HarnessProcess(name: "p\(pid)", pid: pid) }

  private func info(_ number: UInt64) -> LinkInfo {
    let hello = Hello(
      process: process(Int32(number)), executable: "/bin/x", parent: 1, entry: .attach, instance: number,
      startedAt: Timestamp(microseconds: 0))
    return LinkInfo(id: LinkID(number), hello: hello, at: Timestamp(microseconds: 1), settings: HookSettings())
  }

  /// Each event in a word or two.
  private func words(_ pending: PendingEvents, exchanges: [Exchange] = [], links: [UInt64] = []) -> [String] {
    let events = pending.events(exchanges: exchanges) { id in
      links.contains(id.number) ? info(id.number) : nil
    }
    return events.map { event in
      switch event {
      case .linked(let info): "linked \(info.id)"
      case .linkChanged(let info): "changed \(info.id)"
      case .unlinked(let info): "unlinked \(info.id)"
      case .board(let board, let author): "board \(board.revision) by \(author)"
      case .switches(let unmatched, let holdAll, let author):
        "switches \(unmatched) \(holdAll.map { "\($0)" } ?? "-") by \(author)"
      case .exchanges(let list): "exchanges \(list.map(\.id))"
      case .progress(let process, let list):
        "progress of \(process.pid): " + list.map { "\($0.name)=\($0.hits)" }.joined(separator: " ")
      case .scenarios(let process, let list):
        "scenarios of \(process.pid): " + list.map { "\($0.name)=\($0.state)" }.joined(separator: " ")
      case .notice(let process, let text): "notice of \(process?.pid ?? 0): \(text)"
      }
    }
  }

  @Test func nothingIsNothing() {
    #expect(PendingEvents().isEmpty && words(PendingEvents()).isEmpty)
  }

  /// Whatever the order in which it happened: who is there, the stubs, what became of requests, what was said, who left.
  @Test func kindsComeInTheirOrder() throws {
    var pending = PendingEvents()
    pending.unlinked(info(3))
    pending.notice("one", of: nil)
    pending.scenarios([ScenarioState(name: "s", state: "paid")], of: process(2))
    pending.progress([StubProgress(name: "a", hits: 1)], of: process(2))
    pending.changed(LinkID(1))
    pending.switches(.fail, .request, by: .person)
    pending.board(StubBoard(revision: 2), by: .person)
    pending.linked(info(1))
    let exchange = Exchange(
      id: 7, process: process(1), startedAt: Timestamp(microseconds: 0),
      request: RecordedRequest(method: "GET", url: "a:"))
    #expect(
      words(pending, exchanges: [exchange], links: [1]) == [
        "linked 1", "board 2 by you", "switches fail request by you", "changed 1", "exchanges [7]",
        "progress of 2: a=1",
        "scenarios of 2: s=paid", "notice of 0: one", "unlinked 3",
      ])
  }

  @Test func eachKindAloneIsSomething() {
    let additions: [(inout PendingEvents) -> Void] = [
      { $0.linked(info(1)) }, { $0.changed(LinkID(1)) }, { $0.unlinked(info(1)) },
      { $0.board(StubBoard(revision: 1), by: .console) }, { $0.switches(.pass, nil, by: .console) },
      { $0.progress([StubProgress(name: "a", hits: 1)], of: process(1)) },
      { $0.scenarios([ScenarioState(name: "a", state: "b")], of: process(1)) }, { $0.notice("a", of: process(1)) },
    ]
    for (place, add) in additions.enumerated() {
      var pending = PendingEvents()
      add(&pending)
      #expect(!pending.isEmpty, "\(place)")
      #expect(words(pending, links: [1]).count == 1, "\(place)")
    }
    // Nothing of a process's counters is no news.
    var pending = PendingEvents()
    pending.progress([], of: process(1))
    pending.scenarios([], of: process(1))
    #expect(pending.isEmpty && words(pending).isEmpty)
  }

  @Test func linksThatChangedComeOnceByTheirNumberAsTheyAre() {
    var pending = PendingEvents()
    for number in [5, 2, 9, 2, 5] as [UInt64] { pending.changed(LinkID(number)) }
    #expect(words(pending, links: [2, 5]) == ["changed 2", "changed 5"])
    pending.unlinked(info(2))
    pending.unlinked(info(1))
    #expect(words(pending, links: [2, 5, 9]) == ["changed 5", "changed 9", "unlinked 2", "unlinked 1"])
    var linked = PendingEvents()
    for number in [3, 1] as [UInt64] { linked.linked(info(number)) }
    #expect(words(linked) == ["linked 3", "linked 1"], "in the order of linking")
  }

  @Test func boardsOfOneAuthorInARowAreOne() {
    var pending = PendingEvents()
    pending.board(StubBoard(revision: 1), by: .person)
    pending.board(StubBoard(revision: 2), by: .person)
    #expect(words(pending) == ["board 2 by you"])
    pending.board(StubBoard(revision: 3), by: .controller("c"))
    pending.board(StubBoard(revision: 4), by: .person)
    pending.board(StubBoard(revision: 5), by: .person)
    #expect(words(pending) == ["board 2 by you", "board 3 by c", "board 5 by you"])
    pending.switches(.fail, nil, by: .person)
    pending.switches(.pass, .response, by: .controller("c"))
    #expect(words(pending).last == "switches pass response by c")
    #expect(words(pending).count == 4)
  }

  @Test func countersAreMergedByProcessAndName() {
    var pending = PendingEvents()
    pending.progress([StubProgress(name: "b", hits: 1), StubProgress(name: "a", hits: 2)], of: process(9))
    pending.progress([StubProgress(name: "b", hits: 7)], of: process(9))
    pending.progress([StubProgress(name: "b", hits: 3)], of: process(4))
    pending.scenarios([ScenarioState(name: "z", state: "1"), ScenarioState(name: "y", state: "2")], of: process(9))
    pending.scenarios([ScenarioState(name: "z", state: "3")], of: process(9))
    pending.scenarios([ScenarioState(name: "z", state: "4")], of: process(4))
    #expect(
      words(pending) == [
        "progress of 4: b=3", "progress of 9: a=2 b=7", "scenarios of 4: z=4", "scenarios of 9: y=2 z=3",
      ])
  }

  @Test func noticesComeAllAndInTheirOrder() {
    var pending = PendingEvents()
    for text in ["b", "a", "b"] { pending.notice(text, of: process(1)) }
    pending.notice("c", of: nil)
    #expect(
      words(pending) == ["notice of 1: b", "notice of 1: a", "notice of 1: b", "notice of 0: c"])
  }

  /// What is told once is not told again.
  @Test func aBatchTakesWhatIsPending() {
    var state = ServerState(ServerConfiguration(socket: "/s"))
    #expect(!state.hasPending && state.nextBatch(now: .now).isEmpty)
    state.pending.notice("a", of: nil)
    #expect(state.hasPending)
    #expect(state.nextBatch(now: .now).count == 1)
    #expect(!state.hasPending && state.nextBatch(now: .now).isEmpty)
    state.assembler.link(LinkID(1), process: process(1))
    _ = state.assembler.received(.begin(1), from: LinkID(1))
    #expect(state.hasPending && state.nextBatch(now: .now).count == 1 && !state.hasPending)
  }
}
