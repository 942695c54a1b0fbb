import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct PushTests {
  private func stub(_ name: String, _ text: String = "x") -> Stub {
    Stub(name: name, then: .respond(CannedResponse(body: .text(text))))
  }

  @Test func quickEditsArriveInOrderAndTheLastOneCounts() async throws {
    try await TestConsole.run { console in
      let hooks = [try await FakeHook.link(console.socket), try await FakeHook.link(console.socket, name: "other")]
      try await eventually { console.server.links.count == 2 }
      var revision: UInt64 = 0
      for step in 1...300 {
        revision = try console.server.edit(
          step == 1 ? .add(stub("s"), at: nil) : .replace(name: "s", with: stub("s", "\(step)")), by: .person)
      }
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      for hook in hooks {
        let revisions = hook.pushes.map(\.set.revision)
        #expect(revisions == revisions.sorted())
        #expect(hook.pushes.last?.set == StubSet(revision: revision, stubs: [stub("s", "300")]))
      }
    }
  }

  @Test func editsFromManyThreadsGetRevisionsOfTheirOwn() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      let revisions = await withTaskGroup(of: UInt64?.self) { group in
        for index in 0..<64 {
          group.addTask { try? console.server.edit(.add(stub("s\(index)"), at: nil), by: .person) }
        }
        return await group.reduce(into: Set<UInt64>()) { if let revision = $1 { $0.insert(revision) } }
      }
      #expect(revisions.count == 64)
      #expect(await console.server.awaitAcknowledged(revisions.max() ?? 0, timeout: Patience.usual).isEmpty)
      #expect(hook.pushes.last?.set.stubs.count == 64)
      #expect(hook.pushes.map(\.set.revision) == hook.pushes.map(\.set.revision).sorted())
    }
  }

  @Test func aStubThatIsAddedAgainCountsFromZeroInEveryProcess() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      let process = try #require(console.server.links.first?.process)
      let first = try console.server.edit(.add(stub("one"), at: nil), by: .person)
      #expect(await console.server.awaitAcknowledged(first, timeout: Patience.usual).isEmpty)
      hook.send(.progress([StubProgress(name: "one", hits: 3)]))
      try await eventually { console.server.stubProgress[process]?["one"]?.hits == 3 }
      let before = hook.messages.count { $0 == .resetCounts(name: "one") }
      let revision = try console.server.edit([.remove(name: "one"), .add(stub("one"), at: nil)], by: .person)
      #expect(console.server.stubProgress[process]?["one"] == nil)
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      #expect(hook.messages.count { $0 == .resetCounts(name: "one") } == before + 1)
      // What stays counts on.
      let later = try console.server.edit(.replace(name: "one", with: stub("one", "y")), by: .person)
      #expect(await console.server.awaitAcknowledged(later, timeout: Patience.usual).isEmpty)
      #expect(hook.messages.count { $0 == .resetCounts(name: "one") } == before + 1)
    }
  }

  @Test func anEditThatCannotBeMadeChangesNothing() async throws {
    try await TestConsole.run { console in
      _ = try console.server.edit(.add(stub("one"), at: nil), by: .person)
      let board = console.server.board
      #expect(throws: StubError.self) { try console.server.edit(.remove(name: "two"), by: .person) }
      #expect(try console.server.edit(.setEnabled(name: "one", true), by: .person) == board.revision)
      #expect(console.server.board == board)
    }
  }

  @Test func whoDoesNotAcknowledgeIsNamedUntilItDoes() async throws {
    try await TestConsole.run { console in
      let mute = try await FakeHook.link(console.socket, name: "mute", acknowledges: false)
      _ = try await FakeHook.link(console.socket, name: "good")
      try await eventually { console.server.links.count == 2 }
      let revision = try console.server.edit(.add(stub("one"), at: nil), by: .person)
      try await eventually { console.link("good")?.revision == revision }
      let late = await console.server.awaitAcknowledged(revision, timeout: .milliseconds(100))
      #expect(late.map(\.process.name) == ["mute"])
      #expect(late.first?.isStalled == true)
      try await eventually { console.log.changed.contains { $0.process.name == "mute" && $0.isStalled } }
      mute.send(.applied(revision: revision))
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      #expect(console.server.links.allSatisfy { !$0.isStalled && $0.revision == revision })
    }
  }

  @Test func aLinkThatGoesIsWaitedForNoLonger() async throws {
    try await TestConsole.run { console in
      let mute = try await FakeHook.link(console.socket, acknowledges: false)
      try await eventually { console.server.links.count == 1 }
      let revision = try console.server.edit(.add(stub("one"), at: nil), by: .person)
      async let late = console.server.awaitAcknowledged(revision, timeout: .seconds(600))
      await mute.close()
      #expect(await late.isEmpty)
    }
  }

  @Test func stoppingAnswersThoseWhoWait() async throws {
    let console = try TestConsole()
    try await console.server.start()
    _ = try await FakeHook.link(console.socket, acknowledges: false)
    try await eventually { console.server.links.count == 1 }
    let revision = try console.server.edit(.add(stub("one"), at: nil), by: .person)
    async let late = console.server.awaitAcknowledged(revision, timeout: .seconds(600))
    await console.server.stop()
    #expect(await late.isEmpty)
  }

  @Test func stubsInCodeAreShownAndSwitchedFromTheConsole() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket, name: "app", pid: 12)
      hook.send(.codeStubs([stub("in code")]))
      try await eventually { console.server.board["in code"]?.origin == .code("app 12") }
      let process = HarnessProcess(name: "app", pid: 12)
      try await eventually { console.log.boards.last?.by == .process(process) }
      let revision = try console.server.edit(.setEnabled(name: "in code", false), by: .person)
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      #expect(hook.pushes.last?.disabledCodeStubs == ["in code"])
      #expect(hook.pushes.last?.set.stubs.isEmpty == true)
      await hook.close()
      try await eventually { console.server.board.entries.isEmpty }
    }
  }

  /// A subscriber hears of a change before it hears of exchanges that the change decided.
  @Test func aBoardComesBeforeWhatItDecided() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      for step in 1...20 {
        let revision = try console.server.edit(.add(stub("s\(step)"), at: nil), by: .controller("c\(step % 2)"))
        #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
        var start = ExchangeUpdate.Start.request("http://x.test/")
        start.revision = revision
        hook.send(.exchange(ExchangeUpdate(key: UInt64(step), start: start)))
      }
      try await eventually { console.log.count == 20 }
      var known: UInt64 = 1
      for event in console.log.events {
        if case .board(let board, _) = event { known = board.revision }
        if case .exchanges(let list) = event { #expect(list.allSatisfy { $0.revision <= known }) }
      }
      #expect(known == console.server.board.revision)
    }
  }

  @Test func theSwitchesArePushed() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      let held = console.server.setHoldAll(.request, by: .person)
      #expect(await console.server.awaitAcknowledged(held, timeout: Patience.usual).isEmpty)
      #expect(hook.pushes.last?.set == StubSet(revision: held, holdAll: .request))
      let failing = console.server.setUnmatched(.fail, by: .person)
      #expect(await console.server.awaitAcknowledged(failing, timeout: Patience.usual).isEmpty)
      #expect(hook.pushes.last?.set == StubSet(revision: failing, unmatched: .fail, holdAll: .request))
      #expect(console.server.setHoldAll(.request, by: .person) == failing)
      let late = try await FakeHook.link(console.socket, name: "late")
      try await eventually { late.pushes.last?.set == hook.pushes.last?.set }
    }
  }

  @Test func theSwitchesAreToldWithWhoTurnedThem() async throws {
    try await TestConsole.run { console in
      console.server.setHoldAll(.request, by: .person)
      console.server.setUnmatched(.fail, by: .controller("c"))
      try await eventually {
        console.log.events.contains { event in
          guard case .switches(let unmatched, let holdAll, let author) = event else { return false }
          return unmatched == .fail && holdAll == .request && author == .controller("c")
        }
      }
    }
  }

  @Test func aLargeStubTravelsInPieces() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      let body = Data(repeating: 7, count: 5 << 20)
      let large = Stub(name: "large", then: .respond(CannedResponse(body: .data(body))))
      let revision = try console.server.edit(.add(large, at: nil), by: .person)
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      #expect(hook.pushes.last?.set.stubs == [large])
    }
  }

  /// A stub's body lies on a slow disk: links are served, and others change stubs, while it is read.
  @Test func aSlowBodyFileKeepsNobodyBack() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("body")
    try Data("slow".utf8).write(to: URL(fileURLWithPath: path))
    let gate = Gate()
    let reads = SeenLock(0)
    let bodies = StubBodies { path in
      reads.withLock { $0 += 1 }
      gate.pass()
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    try await TestConsole(bodies: bodies).run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.first?.revision == 1 }
      gate.shut()
      let slow = Stub(name: "slow", then: .respond(CannedResponse(body: .file(path))))
      let editing = Thread.run { try console.server.edit(.add(slow, at: nil), by: .person) }
      try await eventually { reads.withLock { $0 } == 1 }

      hook.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
      hook.send(.codeStubs([stub("in code")]))
      try await eventually { console.server.board["in code"] != nil }
      let second = try await FakeHook.link(console.socket, name: "second")
      try await eventually { second.pushes.count == 1 }
      let quick = try console.server.edit(.add(stub("quick"), at: nil), by: .controller("c"))
      #expect(await console.server.awaitAcknowledged(quick, timeout: Patience.usual).isEmpty)
      #expect(console.server.board["slow"] == nil)

      gate.open()
      let revision = try await editing.value
      #expect(revision > quick)
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      // Worked out again on the board that the others left, from the bytes that had been read.
      #expect(console.server.board.stubs.map(\.name) == ["in code", "slow", "quick"])
      guard case .respond(let response)? = second.pushes.last?.set.stubs.first?.then else {
        Issue.record("the body was not read")
        return
      }
      #expect(response.body == .data(Data("slow".utf8)))
      #expect(reads.withLock { $0 } == 1)
    }
  }

  /// What keeps the stubs for the next start has them before a hook acts on them.
  @Test func theBoardIsToldBeforeTheLinks() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.first?.revision == 1 }
      let told = SeenLock<[UInt64]>([])
      let pushesThen = SeenLock<[Int]>([])
      console.server.beforeInForce { board in
        told.withLock { $0.append(board.revision) }
        // Long enough for a push that went out too early.
        usleep(20_000)
        pushesThen.withLock { $0.append(hook.pushes.count) }
      }
      let revision = try console.server.edit(.add(stub("one"), at: nil), by: .person)
      #expect(told.withLock { $0 } == [revision])
      #expect(pushesThen.withLock { $0 } == [1])
      // Nothing changes, so there is nothing to keep.
      _ = try console.server.edit(.setEnabled(name: "one", true), by: .person)
      _ = try? console.server.edit(.remove(name: "two"), by: .person)
      #expect(told.withLock { $0.count } == 1)
    }
  }

  @Test func aBodyFileThatWasSavedIsPushedAgain() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("body.txt")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      func pushed() -> Data? {
        guard case .respond(let response)? = hook.pushes.last?.set.stubs.first?.then else { return nil }
        guard case .data(let data) = response.body else { return nil }
        return data
      }
      let respond = Stub(name: "a", then: .respond(CannedResponse(body: .file(path))))
      let before = try console.server.edit(.add(respond, at: nil), by: .person)
      try await eventually { pushed() == Data("old".utf8) }
      try Data("newer".utf8).write(to: URL(fileURLWithPath: path))
      console.server.refreshBodies(by: .file(path))
      try await eventually { pushed() == Data("newer".utf8) }
      #expect(console.server.board.revision == before + 1)
      #expect(console.server.board["a"]?.stub == respond)
      #expect(console.log.notices.isEmpty)
      try FileManager.default.removeItem(atPath: path)
      console.server.refreshBodies(by: .file(path))
      try await eventually { console.log.notices.first?.contains(path) == true }
      try await eventually {
        if case .fail? = hook.pushes.last?.set.stubs.first?.then { true } else { false }
      }
    }
  }

  /// Nobody asked for it to be waited for: it is marked by itself, and no longer when it has acknowledged.
  @Test func aLinkThatDoesNotAcknowledgeIsMarkedAfterAWhile() async throws {
    try await TestConsole.run { console in
      let mute = try await FakeHook.link(console.socket, acknowledges: false)
      try await eventually { console.server.links.count == 1 }
      #expect(console.server.links.first?.isStalled == false)
      _ = try await FakeHook.link(console.socket, name: "good")
      try await eventually { console.link("good")?.revision == 1 }
      try await eventually { console.server.links.first?.isStalled == true }
      // Who has acknowledged what there is waits for nothing.
      try await eventually { console.link("good")?.isStalled == false }
      try await eventually { console.log.changed.contains { $0.id == LinkID(1) && $0.isStalled } }
      let linked = try #require(console.server.links.first?.linkedAt)
      #expect(Timestamp.now.microseconds - linked.microseconds >= 1_900_000)
      mute.send(.applied(revision: 1))
      try await eventually { console.server.links.first?.isStalled == false }
      // Of the next change too.
      try console.server.edit(.add(stub("one"), at: nil), by: .person)
      try await eventually { console.server.links.first?.isStalled == true }
    }
  }
}

extension Thread {
  /// Runs that on a thread of its own, because it may block.
  fileprivate static func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) -> Task<Result, any Error> {
    Task {
      try await withCheckedThrowingContinuation { done in
        detachNewThread { done.resume(with: .init(catching: work)) }
      }
    }
  }
}
