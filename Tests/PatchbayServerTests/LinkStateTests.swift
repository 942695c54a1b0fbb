import Foundation
import NIOCore
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What the server knows of its links, told to it without a socket in between.
@Suite(.bounded) struct LinkStateTests {
  /// A server with one link, whose connection serves for others that are made up.
  private func linked(
    _ limits: ServerLimits = ServerLimits(), _ test: (TestConsole, any Channel) async throws -> Void
  ) async throws {
    try await TestConsole(adjust: { $0.limits = limits }).run { console in
      let hook = try await FakeHook.link(console.socket, name: "first", pid: 1)
      try await eventually { console.log.linked.count == 1 && console.server.links.first?.revision == 1 }
      let channel = try #require(console.server.state.withLock { $0.links.values.first?.channel })
      try await test(console, channel)
      await hook.close()
    }
  }

  private func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
    var limits = ServerLimits()
    change(&limits)
    return limits
  }

  private func hello(_ name: String, _ pid: Int32, instance: UInt64) -> Hello {
    Hello(
      process: HarnessProcess(name: name, pid: pid), executable: "/bin/\(name)", parent: 1, entry: .attach,
      instance: instance, startedAt: Timestamp(microseconds: 1))
  }

  /// Nothing is delivered while that runs.
  private func undelivered(_ console: TestConsole, _ body: () throws -> Void) async throws {
    await console.server.events.flush()
    let gate = Gate()
    let isWaiting = SeenLock(false)
    gate.shut()
    let subscription = console.server.events.subscribe { _ in
      isWaiting.withLock { $0 = true }
      gate.pass()
    }
    console.server.notice("something to deliver")
    try await eventually { isWaiting.withLock { $0 } }
    defer {
      gate.open()
      console.server.events.cancel(subscription)
    }
    try body()
  }

  // MARK: What waits to be delivered

  @Test func aLinkIsReadUntilSoManyBytesWait() async throws {
    try await linked(limits { ($0.undelivered, $0.undeliveredInAll) = (1_000, 100_000) }) { console, channel in
      let other = console.server.link(hello("other", 2, instance: 2), channel: channel)
      let first = try #require(console.link("first")?.id)
      try await undelivered(console) {
        #expect(console.server.received([], bytes: 600, from: first))
        #expect(console.server.received([], bytes: 400, from: first))
        #expect(!console.server.received([], bytes: 1, from: first))
        #expect(console.link("first")?.isThrottled == true)
        #expect(!console.server.received([], bytes: 0, from: first), "until it was delivered")
        #expect(console.server.received([], bytes: 1_000, from: other))
        #expect(console.link("other")?.isThrottled == false)
      }
      try await eventually { console.link("first")?.isThrottled == false }
      try await eventually { console.log.changed.last { $0.process.name == "first" }?.isThrottled == false }
      #expect(!console.log.changed.contains { $0.process.name == "other" && $0.isThrottled })
      // Delivered is forgotten: there is room as before.
      try await undelivered(console) {
        #expect(console.server.received([], bytes: 1_000, from: first))
        #expect(!console.server.received([], bytes: 1, from: first))
      }
    }
  }

  @Test func aLinkIsReadUntilSoManyMessagesWait() async throws {
    try await linked(limits { $0.undeliveredMessages = 3 }) { console, _ in
      let first = try #require(console.link("first")?.id)
      for _ in 0..<2 {
        try await undelivered(console) {
          #expect(console.server.received([.notice("a"), .notice("b")], bytes: 2, from: first))
          #expect(console.server.received([.notice("c")], bytes: 1, from: first))
          #expect(!console.server.received([.notice("d")], bytes: 1, from: first))
        }
        try await eventually { console.link("first")?.isThrottled == false }
      }
      try await eventually { console.log.notices.count { $0.count == 1 } == 8 }
      #expect(console.log.notices.filter { $0.count == 1 } == ["a", "b", "c", "d", "a", "b", "c", "d"])
    }
  }

  /// All together have a bound, too; who sends beyond it waits.
  @Test func allLinksTogetherAreReadUntilSoMuchWaits() async throws {
    try await linked(limits { ($0.undelivered, $0.undeliveredInAll) = (800, 1_000) }) { console, channel in
      let first = try #require(console.link("first")?.id)
      let other = console.server.link(hello("other", 2, instance: 2), channel: channel)
      for _ in 0..<2 {
        try await undelivered(console) {
          #expect(console.server.received([], bytes: 600, from: first))
          #expect(console.server.received([], bytes: 400, from: other))
          #expect(!console.server.received([], bytes: 1, from: other))
          #expect(console.link("first")?.isThrottled == false && console.link("other")?.isThrottled == true)
        }
        try await eventually { console.link("other")?.isThrottled == false }
      }
    }
  }

  /// What was open came long ago; when it ends with a few bytes it waits to be delivered all the same.
  @Test func whatHasEndedWaitsWithAllThatItTakes() async throws {
    try await linked(limits { ($0.undelivered, $0.undeliveredInAll) = (1_000_000, 20_000) }) { console, _ in
      let first = try #require(console.link("first")?.id)
      func begin(_ key: UInt64) -> HookMessage {
        .exchange(
          ExchangeUpdate(
            key: key, start: .request("http://x.test/"), head: .init(at: 1, status: 200, headers: []),
            data: Data(count: 15_000)))
      }
      try await undelivered(console) {
        #expect(console.server.received([begin(1), begin(2)], bytes: 0, from: first))
        #expect(console.server.received([.exchange(.end(1))], bytes: 0, from: first))
        #expect(!console.server.received([.exchange(.end(2))], bytes: 0, from: first))
      }
      try await eventually { console.link("first")?.isThrottled == false }
      // What a link that goes has left open counts, too.
      try await undelivered(console) {
        #expect(console.server.received([begin(3), begin(4)], bytes: 0, from: first))
        console.server.unlink(first)
        #expect(console.server.state.withLock { $0.undelivered } > 30_000)
      }
    }
  }

  /// It is told before it is delivered what it has sent: afterwards it is read again.
  @Test func aLinkThatIsNotReadOnIsToldToBeSo() async throws {
    try await linked(limits { $0.undelivered = 1_000 }) { console, _ in
      let first = try #require(console.link("first")?.id)
      try await undelivered(console) {
        #expect(!console.server.received([], bytes: 1_001, from: first))
        let events = console.server.state.withLock { $0.nextBatch(now: .now) }
        let told: [Bool] = events.compactMap { if case .linkChanged(let info) = $0 { info.isThrottled } else { nil } }
        #expect(told == [true])
      }
    }
  }

  // MARK: Who comes and goes

  @Test func aLinkIsToldWithAllThatIsKnownOfIt() async throws {
    try await linked { console, channel in
      console.server.setSettings { $0.bodyLimit = 77 }
      let began = Timestamp.now
      let id = console.server.link(hello("other", 2, instance: 2), channel: channel)
      var expected = LinkInfo(
        id: id, hello: hello("other", 2, instance: 2), at: began, settings: HookSettings(bodyLimit: 77))
      try await eventually { console.log.linked.count == 2 }
      var told = try #require(console.log.linked.last)
      #expect(told.linkedAt >= began && told.linkedAt <= .now)
      expected.linkedAt = told.linkedAt
      #expect(told == expected)
      console.server.unlink(id, reason: "a reason")
      try await eventually { console.log.unlinked.count == 1 }
      told = try #require(console.log.unlinked.first)
      #expect(told.unlinkedAt.map { $0 >= expected.linkedAt && $0 <= .now } == true)
      // What waited for it was written meanwhile, or not.
      (expected.unlinkedAt, expected.pushed) = (told.unlinkedAt, told.pushed)
      #expect(told == expected)
      #expect(console.log.notices == ["a reason"])
      console.server.unlink(id, reason: "again")
      #expect(console.server.received([.notice("late")], bytes: 1, from: id))
      console.server.notice("last")
      try await eventually { console.log.notices.last == "last" }
      #expect(console.log.notices == ["a reason", "last"] && console.log.unlinked.count == 1)
    }
  }

  @Test func ofAProcessThatGoesWithWorkUnderWayNeitherIsLeft() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("other", 2, instance: 2), channel: channel)
      _ = console.server.received(
        [
          .codeStubs([Stub(name: "coded", then: .hold(.both))]), .exchange(.begin(1)),
          .exchange(ExchangeUpdate(key: 2, start: .request("a:"), held: .request)),
        ], bytes: 1, from: id)
      try await eventually { console.log.count == 2 && console.server.held.count == 1 }
      let revision = console.server.board.revision
      let process = HarnessProcess(name: "other", pid: 2)
      try await eventually { console.log.boards.last?.board.revision == revision }
      #expect(console.log.boards.last?.by == .process(process))
      console.server.unlink(id)
      #expect(console.server.board.entries.isEmpty && console.server.board.revision == revision + 1)
      #expect(console.server.held.isEmpty)
      try await eventually { console.log.exchanges.allSatisfy { $0.outcome == .abandoned } }
      try await eventually { console.log.boards.last?.board.revision == revision + 1 }
      #expect(console.log.boards.last?.by == .process(process))
      // The others are told of the board without it.
      try await eventually { console.link("first")?.revision == revision + 1 }
    }
  }

  @Test func whoHasGoneIsNeitherLateNorHeldBack() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      console.server.state.withLock { state in
        state.links[id]?.info.isStalled = true
        state.links[id]?.info.isThrottled = true
      }
      console.server.unlink(id)
      try await eventually { console.log.unlinked.count == 1 }
      let told = try #require(console.log.unlinked.first)
      #expect(told.id == id && !told.isStalled && !told.isThrottled)
    }
  }

  /// By their executable those that have gone are counted, each life once, and those of the same life are none.
  @Test func restartsAreCountedByTheExecutable() async throws {
    try await linked { console, channel in
      func live(_ name: String, _ pid: Int32, _ instance: UInt64) -> LinkInfo? {
        let id = console.server.link(hello(name, pid, instance: instance), channel: channel)
        defer { console.server.unlink(id) }
        return console.server.links.first { $0.id == id }
      }
      func told(_ info: LinkInfo?) -> [Int] { [info?.restarts ?? -1, info?.isReconnection == true ? 1 : 0] }
      #expect(told(live("app", 10, 100)) == [0, 0])
      #expect(told(live("app", 10, 100)) == [0, 1])
      #expect(told(live("app", 11, 101)) == [1, 0])
      #expect(told(live("other", 12, 102)) == [0, 0])
      #expect(told(live("app", 13, 103)) == [2, 0])
      #expect(told(live("app", 11, 101)) == [2, 1])
    }
  }

  /// Of who has gone long ago nothing is remembered: neither that they were there, nor their counters and states.
  @Test func ofThoseThatHaveGoneTheLastTwoHundredAreRemembered() async throws {
    try await linked { console, channel in
      let story = Stub(name: "s", then: .hold(.both), scenario: Stub.Scenario("story", in: nil, to: "end"))
      try console.server.edit(.add(story, at: nil), by: .person)
      func live(_ number: Int32) -> LinkInfo? {
        let id = console.server.link(hello("app", number, instance: UInt64(number)), channel: channel)
        _ = console.server.received(
          [.progress([StubProgress(name: "s", hits: 1)]), .scenarios([ScenarioState(name: "story", state: "end")])],
          bytes: 1, from: id)
        defer { console.server.unlink(id) }
        return console.server.links.first { $0.id == id }
      }
      for number in 1_001...1_200 as ClosedRange<Int32> { _ = live(number) }
      let first = HarnessProcess(name: "app", pid: 1_001)
      #expect(console.server.stubProgress[first]?["s"]?.hits == 1 && console.server.stubProgress.count == 200)
      #expect(console.server.state.withLock { $0.scenarioStates[first] } == ["story": "end"])
      #expect(live(1_201)?.restarts == 200)
      #expect(console.server.stubProgress[first] == nil && console.server.stubProgress.count == 200)
      #expect(console.server.state.withLock { $0.scenarioStates[first] == nil && $0.scenarioStates.count == 200 })
      #expect(live(1_002)?.isReconnection == true)
      #expect(live(1_001)?.isReconnection == false)
    }
  }

  /// It counts from zero and its stories begin anew, and that is told.
  @Test func aProcessThatLinksAgainCountsFromZero() async throws {
    try await linked { console, channel in
      let story = Stub(name: "s", then: .hold(.both), scenario: Stub.Scenario("story", in: nil, to: "end"))
      try console.server.edit(.add(story, at: nil), by: .person)
      let process = HarnessProcess(name: "app", pid: 5)
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      _ = console.server.received(
        [.progress([StubProgress(name: "s", hits: 3)]), .scenarios([ScenarioState(name: "story", state: "end")])],
        bytes: 1, from: id)
      try await eventually { console.log.counted.count == 1 && console.log.moves.count == 1 }
      console.server.unlink(id)
      _ = console.server.link(hello("app", 5, instance: 6), channel: channel)
      #expect(console.server.stubProgress[process] == nil)
      #expect(console.server.states(of: "story").map(\.state) == ["Started", "Started"])
      try await eventually { console.log.counted.count == 2 && console.log.moves.count == 2 }
      #expect(console.log.counted.map(\.process) == [process, process])
      #expect(console.log.counted.map { $0.list.map(\.hits) } == [[3], [0]])
      #expect(console.log.moves.map { $0.states.map(\.state) } == [["end"], ["Started"]])
    }
  }

  // MARK: What a link says

  @Test func theNewestRevisionCountsAndEachIsTold() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      func applied(_ revision: UInt64) -> UInt64? {
        _ = console.server.received([.applied(revision: revision)], bytes: 1, from: id)
        return console.link("app")?.revision
      }
      #expect(applied(3) == 3 && applied(2) == 3 && applied(3) == 3 && applied(4) == 4)
      try await eventually { console.log.changed.last { $0.id == id }?.revision == 4 }
    }
  }

  @Test func whatAHookHasShedIsTold() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      let shed = Shed(exchanges: 1, bodies: 2, bytes: 3)
      _ = console.server.received([.shed(shed)], bytes: 1, from: id)
      try await eventually { console.log.changed.last { $0.id == id }?.shed == shed }
    }
  }

  /// The revision is one for all.
  @Test func whatOneDeclaresTheOthersAreToldOf() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      _ = console.server.received([.codeStubs([Stub(name: "coded", then: .hold(.both))])], bytes: 1, from: id)
      #expect(console.server.board.revision == 2)
      try await eventually { console.link("first")?.revision == 2 }
    }
  }

  /// Of a stub that comes with a file there may have been one of that name before; what is there already counts on.
  @Test func aStubThatTheBoardDidNotHaveCountsFromZero() async throws {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      let process = HarnessProcess(name: "app", pid: 5)
      func load(_ names: [String]) throws {
        let stubs = names.map { Stub(name: $0, then: .hold(.both)) }
        try console.server.edit(.fileLoaded(path: "/f.yaml", stubs), by: .file("/f.yaml"))
      }
      try load(["old"])
      _ = console.server.received(
        [.progress([StubProgress(name: "old", hits: 1), StubProgress(name: "new", hits: 2)])], bytes: 1, from: id)
      #expect(console.server.stubProgress[process]?.count == 2)
      try load(["old", "new"])
      #expect(console.server.stubProgress[process]?.mapValues(\.hits) == ["old": 1])
    }
  }

  @Test func whatIsUnexplainedAndWhatWasLeftOutIsCounted() async throws {
    try await linked(limits { $0.openExchanges = 2 }) { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      _ = console.server.received([.exchange(.end(9)), .exchange(.end(9))], bytes: 1, from: id)
      #expect(console.link("app")?.unexplained == 2)
      let sentence =
        "It sends more than the console keeps in memory: what does not fit is left out of the record and counted."
      console.server.leftOut(messageOf: id)
      #expect(console.link("app")?.cut == Shed(exchanges: 1))
      _ = console.server.received((1...4).map { .exchange(.begin($0)) }, bytes: 1, from: id)
      #expect(console.link("app")?.cut == Shed(exchanges: 3))
      try await eventually { console.log.changed.last { $0.id == id }?.cut == Shed(exchanges: 3) }
      await console.server.events.flush()
      #expect(console.log.notices == [sentence], "said once")
    }
  }

  /// Who is observed sends the start of a request and nothing more, whether all of it is or some of its hosts.
  @Test func whatIsOnlyLookedAtHasEndedWhenItBegins() async throws {
    try await linked { console, channel in
      func phase(_ settings: HookSettings, _ task: Exchange.TaskKind, _ pid: Int32) async throws -> Exchange.Phase? {
        let id = console.server.link(hello("app", pid, instance: UInt64(pid)), channel: channel)
        try console.server.setSettings(of: id) { $0 = settings }
        var start = ExchangeUpdate.Start.request("http://x.test/")
        start.task = task
        _ = console.server.received([.exchange(ExchangeUpdate(key: 1, start: start))], bytes: 1, from: id)
        return try await eventually("its exchange") { console.log.exchanges.first { $0.process.pid == pid }?.phase }
      }
      let host = HookSettings.HostDegree(host: "a", degree: .observe)
      let found = [
        try await phase(HookSettings(degree: .observe), .unknown, 10),
        try await phase(HookSettings(degree: .observe), .data, 11),
        try await phase(HookSettings(degree: .full, hosts: [host]), .unknown, 12),
        try await phase(HookSettings(degree: .full), .unknown, 13),
        try await phase(HookSettings(degree: .full, hosts: [.init(host: "a", degree: .bypass)]), .unknown, 14),
      ]
      #expect(found == [.ended, .waiting, .ended, .waiting, .waiting])
    }
  }

  @Test func stubsInCodeAreKeptUpToALimitOfEachAndOfAll() async throws {
    try await linked(limits { ($0.declared, $0.declaredInAll) = (100, 150) }) { console, channel in
      let first = try #require(console.link("first")?.id)
      let other = console.server.link(hello("other", 2, instance: 2), channel: channel)
      #expect(console.server.mayDeclare(bytes: 100, link: first))
      #expect(!console.server.mayDeclare(bytes: 101, link: first))
      #expect(console.server.mayDeclare(bytes: 50, link: other))
      #expect(!console.server.mayDeclare(bytes: 51, link: other))
      // What it declares anew stands in the place of what it had.
      #expect(console.server.mayDeclare(bytes: 60, link: first))
      #expect(console.server.mayDeclare(bytes: 90, link: other))
      #expect(!console.server.mayDeclare(bytes: 61, link: first))
      console.server.unlink(other)
      #expect(console.server.mayDeclare(bytes: 100, link: first))
      #expect(!console.server.mayDeclare(bytes: 1, link: other), "it has gone")
      try await eventually { console.log.notices.count == 3 }
      #expect(
        console.log.notices
          == [String](
            repeating:
              "It declares stubs in code of 0 MiB, more than the console keeps: they are in force and not shown.",
            count: 3))
    }
  }

  @Test(arguments: [Wire.stubLimit - 1, Wire.stubLimit]) func veryManyStubsInCodeAreSaidToBe(_ count: Int) async throws
  {
    try await linked { console, channel in
      let id = console.server.link(hello("app", 5, instance: 5), channel: channel)
      let stubs = (0..<count).map { Stub(name: "s\($0)", then: .hold(.both)) }
      _ = console.server.received([.codeStubs(stubs)], bytes: 1, from: id)
      #expect(console.server.board.entries.count == count)
      console.server.notice("last")
      try await eventually { console.log.notices.last == "last" }
      let sentence = "It declares very many stubs in code: the first \(count) are shown."
      #expect(console.log.notices == (count == Wire.stubLimit ? [sentence, "last"] : ["last"]))
    }
  }

  // MARK: What a link is told

  @Test func settingsAreOfOneLinkOrOfAll() async throws {
    try await TestConsole.run { console in
      let one = try await FakeHook.link(console.socket, name: "one", pid: 1)
      let two = try await FakeHook.link(console.socket, name: "two", pid: 2)
      try await eventually { console.server.links.count == 2 }
      func settings(_ hook: FakeHook) -> [HookSettings] {
        hook.messages.compactMap { if case .settings(let settings) = $0 { settings } else { nil } }
      }
      let first = try #require(console.link("one")?.id)
      try console.server.setSettings(of: first) { $0.keepStubs = true }
      try await eventually { settings(one) == [HookSettings(keepStubs: true)] }
      try await eventually { console.log.changed.last { $0.id == first }?.settings.keepStubs == true }
      #expect(console.server.settings == HookSettings())
      console.server.setSettings { $0.degree = .observe }
      try await eventually { settings(one).last == HookSettings(degree: .observe, keepStubs: true) }
      try await eventually { settings(two) == [HookSettings(degree: .observe)] }
      #expect(console.server.settings == HookSettings(degree: .observe))
      let late = try await FakeHook.link(console.socket, name: "late", pid: 3)
      try await eventually { late.messages.first == .welcome(Welcome(settings: HookSettings(degree: .observe))) }
      #expect(throws: ServerError.noSuchLink) { try console.server.send(.settings(HookSettings()), to: LinkID(77)) }
      console.server.unlink(process: 2, saying: "Away.")
      try await eventually { two.isClosed }
      #expect(two.refusals == ["Away."] && one.refusals.isEmpty && late.refusals.isEmpty)
      try await eventually { console.log.notices == ["Away."] }
      try await eventually { console.server.links.map(\.process.name) == ["one", "late"] }
    }
  }
}
