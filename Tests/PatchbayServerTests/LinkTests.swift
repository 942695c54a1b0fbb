import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct LinkTests {
  @Test func aHookIsWelcomedAndGetsTheStubs() async throws {
    try await TestConsole(adjust: { $0.settings.keepStubs = true }).run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { hook.messages.count >= 2 }
      #expect(hook.messages[0] == .welcome(Welcome(settings: console.server.settings)))
      #expect(hook.pushes.map(\.set.revision) == [1])
      try await eventually { console.server.links.first?.revision == 1 }
      let info = try #require(console.server.links.first)
      #expect(info.process == HarnessProcess(name: "demo", pid: getpid()))
      #expect(info.settings.keepStubs)
      try await eventually { console.log.linked.map(\.id) == [info.id] }
      await hook.close()
      try await eventually { console.log.unlinked.map(\.id) == [info.id] }
      #expect(console.server.links.isEmpty)
      #expect(console.log.unlinked.first?.unlinkedAt != nil)
    }
  }

  @Test func exchangesArriveWithRisingIDs() async throws {
    try await TestConsole(adjust: { $0.firstExchangeID = 900 }).run { console in
      let first = try await FakeHook.link(console.socket, name: "one")
      first.send(.exchange(.whole(1)), .exchange(.begin(2)))
      try await eventually { console.log.count == 2 }
      let second = try await FakeHook.link(console.socket, name: "two")
      second.send(.exchange(.whole(1, body: "two")))
      try await eventually { console.log.count == 3 }
      first.send(.exchange(.end(2)))
      try await eventually { console.log.exchanges.allSatisfy { $0.outcome == .responded } }
      #expect(console.log.exchanges.map(\.id) == [900, 901, 902])
      #expect(console.log.exchanges.map(\.process.name) == ["one", "one", "two"])
      #expect(console.log.exchanges[2].response?.body == Data("two".utf8))
    }
  }

  /// Such as an import takes.
  @Test func idsThatOthersTakeMeanwhileAreNotGivenAgain() async throws {
    let next = Mutex<Int64>(7)
    let newID: @Sendable () -> Int64 = {
      next.withLock { id in
        defer { id += 1 }
        return id
      }
    }
    try await TestConsole(adjust: { $0.newExchangeID = newID }).run { console in
      let hook = try await FakeHook.link(console.socket, name: "one")
      hook.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
      next.withLock { $0 += 10 }
      hook.send(.exchange(.whole(2)))
      try await eventually { console.log.count == 2 }
      #expect(console.log.exchanges.map(\.id) == [7, 18])
    }
  }

  @Test func whatAProcessSaidRightBeforeItsEndIsTaken() async throws {
    try await TestConsole.run { console in
      // It has not read its stubs, so its end resets the connection.
      let hook = try await FakeHook.link(console.socket, pid: 999_999_999, acknowledges: false, reads: false)
      try await eventually { console.server.links.first?.pushed == 1 }
      try await hook.sendAndWait((1...200).map { .exchange(.whole($0, body: String(repeating: "x", count: 500))) })
      await hook.close()
      await console.server.settle(within: Patience.usual)
      #expect(console.log.count == 200)
      #expect(console.log.unlinked.count == 1)
    }
  }

  @Test func stopTakesWhatIsThereAndAbandonsTheRest() async throws {
    let console = try TestConsole()
    try await console.server.start()
    let hook = try await FakeHook.link(console.socket)
    hook.send(.exchange(.whole(1)), .exchange(.begin(2)))
    try await eventually { console.log.count == 2 }
    try await hook.sendAndWait([.exchange(.whole(3))])
    await console.server.stop()
    #expect(console.log.exchanges.map(\.outcome) == [.responded, .abandoned, .responded])
    #expect(console.log.unlinked.count == 1)
    try await eventually { hook.isClosed }
    #expect(try FileManager.default.contentsOfDirectory(atPath: console.folder.path).isEmpty)
  }

  /// Hooks gather reports for some milliseconds.
  @Test func whatAHookHasGatheredWhenTheConsoleEndsIsTaken() async throws {
    let console = try TestConsole(adjust: { $0.gathering = .seconds(1) })
    try await console.server.start()
    let hook = try await FakeHook.link(console.socket)
    hook.send(.exchange(.begin(1)))
    try await eventually { console.log.count == 1 }
    async let stopped: Void = console.server.stop()
    // The socket goes when the end has begun.
    try await eventually { !FileManager.default.fileExists(atPath: console.socket) }
    hook.send(.exchange(.end(1)))
    await stopped
    #expect(console.log.exchanges.map(\.outcome) == [.responded])
  }

  @Test func garbageIsClosedWithTheReason() async throws {
    try await TestConsole.run { console in
      let bystander = try await FakeHook.link(console.socket)
      let http = try await FakeHook.connect(console.socket)
      http.send(bytes: Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
      try await eventually { http.isClosed }
      #expect(http.refusals.first?.contains("not a Patchbay hook") == true)
      let huge = try await FakeHook.link(console.socket, name: "huge")
      try await eventually { console.server.links.count == 2 }
      huge.send(bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0, 3])
      try await eventually { huge.isClosed }
      try await eventually { console.log.notices.count == 2 }
      #expect(console.log.notices.allSatisfy { $0.contains("bytes") })
      bystander.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
    }
  }

  @Test func aLinkThatBeginsWithoutHelloIsClosed() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.connect(console.socket)
      hook.send(.exchange(.whole(1)))
      try await eventually { hook.isClosed }
      #expect(hook.refusals.count == 1)
      #expect(console.log.exchanges.isEmpty)
      #expect(console.server.links.isEmpty)
    }
  }

  @Test func anotherMajorVersionIsRefusedWithBothVersions() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.connect(console.socket)
      hook.send(
        .hello(
          Hello(
            version: 9 << 16, process: HarnessProcess(name: "new", pid: 1), executable: "", parent: 1, entry: .preload,
            instance: 1, startedAt: .now)))
      try await eventually { hook.isClosed && !console.log.notices.isEmpty }
      #expect(hook.refusals.first?.contains("9.0") == true)
      #expect(console.log.notices.first?.contains("9.0") == true)
      #expect(console.log.linked.isEmpty)
    }
  }

  @Test func aMinorVersionIsTaken() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.connect(console.socket)
      hook.send(
        .hello(
          Hello(
            version: Wire.version + 7, process: HarnessProcess(name: "new", pid: 1), executable: "", parent: 1,
            entry: .preload, instance: 1, startedAt: .now)))
      try await eventually { console.server.links.count == 1 }
      // A frame of a kind that does not exist yet.
      hook.send(bytes: [0, 0, 0, 3, 0, 200, 1])
      hook.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
    }
  }

  @Test func peersOfAnotherUserAreRefusedUnlessTheyAreTrusted() async throws {
    try await TestConsole(user: geteuid() + 1).run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { hook.isClosed }
      #expect(hook.refusals.first?.contains("another user") == true)
      try await eventually { console.log.notices.first?.contains("another user") == true }
      #expect(console.log.linked.isEmpty)
    }
    try await TestConsole(user: geteuid() + 1, adjust: { $0.trustsPeers = true }).run { console in
      let hook = try await FakeHook.link(console.socket)
      try await eventually { !hook.pushes.isEmpty }
    }
  }

  @Test func reconnectionsAndRestartsAreRecognised() async throws {
    try await TestConsole.run { console in
      let first = try await FakeHook.link(console.socket, instance: 1)
      try await eventually { console.log.linked.count == 1 }
      await first.close()
      try await eventually { console.log.unlinked.count == 1 }
      let again = try await FakeHook.link(console.socket, instance: 1)
      try await eventually { console.log.linked.count == 2 }
      #expect(console.log.linked[1].isReconnection)
      #expect(console.log.linked[1].restarts == 0)
      await again.close()
      try await eventually { console.log.unlinked.count == 2 }
      _ = try await FakeHook.link(console.socket, pid: 5, instance: 2)
      try await eventually { console.log.linked.count == 3 }
      #expect(!console.log.linked[2].isReconnection)
      #expect(console.log.linked[2].restarts == 1)
    }
  }

  @Test func aSecondLinkOfOneProcessReplacesTheFirst() async throws {
    try await TestConsole.run { console in
      let first = try await FakeHook.link(console.socket, instance: 1)
      try await eventually { console.server.links.count == 1 }
      let second = try await FakeHook.link(console.socket, instance: 1)
      try await eventually { first.isClosed }
      try await eventually { console.server.links.map(\.id) == [LinkID(2)] }
      second.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
    }
  }

  /// Of an observed request nothing is heard after its start: it is told once, and not kept as one that still runs.
  @Test func observedRequestsDoNotStayOpen() async throws {
    try await TestConsole(adjust: { $0.settings.degree = .observe }).run { console in
      let hook = try await FakeHook.link(console.socket)
      let start = ExchangeUpdate.Start(
        at: .now, request: RecordedRequest(method: "GET", url: "http://x.test/"), task: .unknown, revision: 1)
      hook.send(.exchange(ExchangeUpdate(key: 1, start: start)))
      try await eventually { console.log.count == 1 }
      #expect(console.log.exchanges[0].phase == .ended)
      #expect(console.log.exchanges[0].outcome == nil)
      await hook.close()
      try await eventually { console.log.unlinked.count == 1 }
      #expect(console.log.exchanges[0].outcome == nil)
    }
  }

  @Test func shedNoticesProgressAndDegreesAreTold() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      let shed = Shed(exchanges: 1, bodies: 2, bytes: 3)
      hook.send(.shed(shed), .notice("A sentence."), .progress([StubProgress(name: "s", hits: 4, nextStep: 1)]))
      try await eventually { console.server.links.first?.shed == shed }
      try await eventually { console.log.notices == ["A sentence."] }
      let process = HarnessProcess(name: "demo", pid: getpid())
      #expect(console.server.stubProgress[process]?["s"]?.hits == 4)
      let link = console.server.links[0].id
      try console.server.setDegree(.bypass, of: link)
      try await eventually { hook.messages.contains(.settings(HookSettings(degree: .bypass))) }
      #expect(console.server.links[0].degree == .bypass)
      #expect(throws: ServerError.noSuchLink) { try console.server.setDegree(.full, of: LinkID(99)) }
      console.server.setSettings { $0.timeoutRunsWhileHeld = true }
      try await eventually {
        hook.messages.contains(.settings(HookSettings(degree: .bypass, timeoutRunsWhileHeld: true)))
      }
      #expect(console.server.settings.timeoutRunsWhileHeld)
    }
  }

  /// Whoever has said hello in time stays, whatever the limit.
  @Test func aConnectionThatSaysNoHelloInTimeIsClosed() async throws {
    try await TestConsole(adjust: { $0.limits.helloTime = .milliseconds(400) }).run { console in
      let linked = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      let silent = try await FakeHook.connect(console.socket)
      // Part of a frame, and whole frames of a kind that does not exist yet.
      let slow = try await FakeHook.connect(console.socket)
      slow.send(bytes: [0, 0, 0])
      let strange = try await FakeHook.connect(console.socket)
      strange.send(bytes: [0, 0, 0, 3, 0, 200, 1])
      // It does not even read why.
      _ = try await FakeHook.connect(console.socket, reads: false)
      let sentence = "The connection said no hello within 0.4 s."
      try await eventually { [silent, slow, strange].allSatisfy { $0.refusals == [sentence] && $0.isClosed } }
      try await eventually { console.server.state.withLock { $0.channels.count } == 1 }
      try await eventually { console.log.notices == [String](repeating: sentence, count: 4) }
      linked.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
      #expect(!linked.isClosed && console.log.linked.count == 1)
    }
    #expect(ServerLimits().helloTime == .seconds(10))
  }

  @Test func whatComesBeforeHelloIsBounded() async throws {
    try await TestConsole.run { console in
      // The first part of a message that goes on: its payload, and what one frame has besides.
      func part(_ count: Int) -> [UInt8] {
        let length = count + 2
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return head + [0, 0] + [UInt8](repeating: 1, count: count)
      }
      let large = try await FakeHook.connect(console.socket)
      large.send(bytes: part(1 << 16))
      let larger = try await FakeHook.connect(console.socket)
      larger.send(bytes: part((1 << 16) + 1))
      try await eventually { larger.isClosed }
      #expect(larger.refusals == ["The connection said no hello: it is not a Patchbay hook."])
      // One that is at the bound is read on.
      large.send(bytes: [1, 2, 3, 4, 5, 6])
      try await eventually { large.isClosed }
      #expect(large.refusals.count == 1)
      #expect(console.log.linked.isEmpty)
    }
  }

  /// What waits for a link that does not read is bounded; the others have theirs.
  @Test func aLinkThatDoesNotReadWhatItIsSentIsClosed() async throws {
    try await TestConsole(adjust: { $0.limits.outgoing = 500_000 }).run { console in
      _ = try await FakeHook.link(console.socket, name: "deaf", pid: 1, acknowledges: false, reads: false)
      let lively = try await FakeHook.link(console.socket, name: "lively", pid: 2)
      try await eventually { console.server.links.count == 2 }
      let request = RecordedRequest(method: "PUT", url: "http://x.test/", body: Data(count: 100_000))
      for count in 1...30 {
        guard console.link("deaf") != nil else { break }
        // Once it has gone, the request would be sent by the console.
        let deaf = console.server.links.first { $0.process.name == "deaf" }
        if let deaf { try? console.server.send(.replay(Replay(token: 1, request: request)), to: deaf.id) }
        _ = try console.server.replay(request, of: nil, in: HarnessProcess(name: "lively", pid: 2))
        try await eventually { lively.replays == count }
      }
      try await eventually { console.log.unlinked.map(\.process.name) == ["deaf"] }
      try await eventually {
        console.log.notices == ["It does not read what the console sends, so its link was closed."]
      }
      #expect(console.link("lively") != nil && !lively.isClosed)
    }
  }

  /// Counters that begin anew wait once a stub, however often the stubs change before the link reads.
  @Test func countersThatBeginAnewWaitOnceAStub() async throws {
    try await TestConsole.run { console in
      _ = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      var entry = try #require(console.server.state.withLock { $0.links.values.first })
      (entry.queue, entry.queuedBytes) = ([], 0)
      let moved = ConsoleMessage.setScenario(ScenarioState(name: "s", state: "t"))
      func waiting() -> [ConsoleMessage] {
        #expect(entry.queuedBytes == entry.queue.count * 256)
        return entry.queue
      }
      func reset(_ name: String?) -> ConsoleMessage { .resetCounts(name: name) }
      entry.countAnew(["b", "a"], known: ["a", "b"])
      #expect(waiting() == [reset("a"), reset("b")])
      func enqueue(_ messages: ConsoleMessage...) {
        for message in messages { _ = entry.enqueue(message, limit: .max) }
      }
      enqueue(moved)
      entry.countAnew(["a"], known: ["a", "b"])
      #expect(waiting() == [reset("b"), moved, reset("a")])
      // What is no longer on the board has no counter to set back.
      entry.countAnew(["c"], known: ["a", "c"])
      #expect(waiting() == [moved, reset("a"), reset("c")])
      enqueue(reset("a"))
      #expect(waiting() == [moved, reset("c"), reset("a")])
      // All: of all stubs and of all scenarios.
      enqueue(reset(nil))
      #expect(waiting() == [moved, reset(nil)])
      entry.countAnew(["d"], known: ["d"])
      #expect(waiting() == [moved, reset(nil), reset("d")])
      enqueue(moved, reset(nil))
      #expect(waiting() == [moved, moved, reset(nil)])
    }
  }

  /// Whoever does not read, and whatever becomes of the stubs meanwhile: what waits for it is bounded by the board.
  @Test func aLinkThatDoesNotReadIsToldOfEachStubOnce() async throws {
    try await TestConsole.run { console in
      _ = try await FakeHook.link(console.socket, name: "deaf", pid: 1, acknowledges: false, reads: false)
      try await eventually { console.server.links.count == 1 }
      // So that nothing more is written: the system takes some of it before.
      let large = RecordedRequest(method: "PUT", url: "http://x.test/", body: Data(count: 4_000_000))
      let deaf = try #require(console.link("deaf"))
      try console.server.send(.replay(Replay(token: 1, request: large)), to: deaf.id)
      try console.server.send(.replay(Replay(token: 2, request: large)), to: deaf.id)
      let stub = Stub(name: "kept", then: .respond(CannedResponse()))
      try console.server.edit(.add(stub, at: nil), by: .person)
      for round in 1...200 {
        var other = stub
        other.name = "round \(round)"
        let passing = other
        try console.server.edit([.remove(name: "kept"), .add(stub, at: nil), .add(passing, at: nil)], by: .person)
        try console.server.edit([.remove(name: passing.name)], by: .person)
      }
      let waiting = console.server.state.withLock { state in
        state.links[deaf.id]?.queue.count { if case .resetCounts = $0 { true } else { false } }
      }
      #expect(try #require(waiting) <= 2)
    }
  }

  /// What waits for a link goes out in its order, and the newest stubs behind it.
  @Test func whatWaitsForALinkIsCountedAndOrdered() async throws {
    try await TestConsole.run { console in
      _ = try await FakeHook.link(console.socket)
      try await eventually { console.server.links.count == 1 }
      var entry = try #require(console.server.state.withLock { $0.links.values.first })
      (entry.queue, entry.queuedBytes, entry.wantsStubs) = ([], 0, false)
      #expect(entry.dequeue() == nil)
      entry.wantsStubs = true
      let messages: [ConsoleMessage] = [
        .resetCounts(name: "a"),
        .replay(Replay(token: 1, request: RecordedRequest(method: "G", url: "12345", body: Data(count: 100)))),
        .resetCounts(name: "b"),
      ]
      #expect(entry.enqueue(messages[0], limit: 256) && entry.queuedBytes == 256)
      #expect(!entry.enqueue(messages[1], limit: 616) && entry.queuedBytes == 617)
      #expect(entry.enqueue(messages[2], limit: 873) && entry.queuedBytes == 873)
      for (message, left) in zip(messages, [617, 256, 0]) {
        guard case .message(message)? = entry.dequeue() else {
          Issue.record("not in their order")
          return
        }
        #expect(entry.queuedBytes == left)
      }
      guard case .stubs? = entry.dequeue() else {
        Issue.record("no stubs")
        return
      }
      #expect(entry.dequeue() == nil && !entry.wantsStubs)
    }
  }

  @Test(
    arguments: [
      (.resetCounts(name: String(repeating: "n", count: 1_000)), 256),
      (.replay(Replay(token: 1, request: RecordedRequest(method: "POST", url: "12345"))), 261),
      (.replay(Replay(token: 1, request: RecordedRequest(method: "POST", url: "12", body: Data(count: 9)))), 267),
      (.verdict(Verdict(key: 1, decision: .drop)), 256),
      (.verdict(Verdict(key: 1, decision: .fail(Fault(.named("timedOut"))))), 256),
      (.verdict(Verdict(key: 1, decision: .continue(request: nil, response: nil))), 256),
      (
        .verdict(
          Verdict(
            key: 1,
            decision: .continue(
              request: RecordedRequest(method: "A", url: "二", body: Data(count: 7)),
              response: RecordedResponse(status: 200, body: Data(count: 20))))), 286
      ),
      (.verdict(Verdict(key: 1, decision: .respond(CannedResponse(status: 200, body: .data(Data(count: 5)))))), 261),
      (.verdict(Verdict(key: 1, decision: .respond(CannedResponse(status: 200, body: .text("二"))))), 259),
      (.verdict(Verdict(key: 1, decision: .respond(CannedResponse(status: 200, body: .none)))), 1_280),
    ] as [(ConsoleMessage, Int)]) func whatAMessageTakes(_ message: ConsoleMessage, _ bytes: Int)
  {
    #expect(message.approximateBytes == bytes)
  }

  /// A process that was forked has the instance of its parent and a number of its own.
  @Test func oneOfAnotherNumberReplacesNobody() async throws {
    try await TestConsole.run { console in
      let first = try await FakeHook.link(console.socket, pid: 100, instance: 1)
      try await eventually { console.server.links.count == 1 }
      let second = try await FakeHook.link(console.socket, pid: 101, instance: 1)
      try await eventually { console.server.links.count == 2 }
      let third = try await FakeHook.link(console.socket, pid: 100, instance: 2)
      try await eventually { console.server.links.count == 3 }
      for hook in [first, second, third] { hook.send(.exchange(.whole(1))) }
      try await eventually { console.log.count == 3 }
      #expect(console.log.linked.map(\.isReconnection) == [false, false, false])
    }
  }

  /// A process may invent names without an end: those on the board are kept, and some besides.
  @Test func countersOfInventedNamesAreBounded() async throws {
    try await TestConsole.run { console in
      let scenario = Stub(
        name: "on the board", then: .respond(.init(body: .text("a"))), scenario: .init("story"))
      try console.server.edit(.add(scenario, at: nil), by: .person)
      let hook = try await FakeHook.link(console.socket)
      let process = HarnessProcess(name: "demo", pid: getpid())
      func counted() -> [String: StubProgress] { console.server.stubProgress[process] ?? [:] }
      func progress(_ names: [String], _ hits: UInt64) -> HookMessage {
        .progress(names.map { StubProgress(name: $0, hits: hits) })
      }
      let long = String(repeating: "n", count: 257)
      hook.send(progress([long], 1), progress([String(long.dropLast())], 1))
      try await eventually { counted().count == 1 }
      #expect(counted()[long] == nil)
      hook.send(progress((1...255).map { "s\($0)" }, 1))
      try await eventually { counted().count == 256 }
      hook.send(
        progress(["new"], 2), progress(["s1"], 2), progress(["other", "on the board", "s2"], 2), .notice("done"))
      try await eventually { console.log.notices.contains("done") }
      #expect(counted().count == 257 && counted()["new"] == nil && counted()["other"] == nil)
      #expect(["s1", "s2", "s3", "on the board"].map { counted()[$0]?.hits } == [2, 2, 1, 2])
      // Their states likewise, and what is said.
      let state = String(repeating: "z", count: 4_096)
      hook.send(
        .scenarios([ScenarioState(name: "none", state: "a"), ScenarioState(name: "story", state: state)]),
        .scenarios([ScenarioState(name: "story", state: state + "z")]), .notice(String(repeating: "w", count: 5_000)))
      try await eventually { console.log.notices.contains(String(repeating: "w", count: 4_096)) }
      #expect(console.server.states(of: "story").map(\.state) == [state])
      #expect(console.server.states(of: "none").map(\.state) == [Stub.Scenario.start])
    }
  }

  /// Who only looks on sends nothing again.
  @Test func aProcessThatIsOnlyLookedAtSendsNothingAgain() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    try await TestConsole.run { console in
      let request = RecordedRequest(method: "GET", url: server.url("/json").absoluteString)
      let first = try await FakeHook.link(console.socket, name: "app", pid: 100)
      let second = try await FakeHook.link(console.socket, name: "app", pid: 101)
      let other = try await FakeHook.link(console.socket, name: "other", pid: 102)
      try await eventually { console.server.links.count == 3 }
      func route(_ pid: Int32) throws -> Int32? {
        let route = try console.server.replay(request, of: nil, in: HarnessProcess(name: "app", pid: pid))
        if case .harness(let info) = route { return info.process.pid }
        return nil
      }
      // Itself, or the newest of its name.
      #expect(try route(100) == 100 && route(101) == 101)
      let newest = console.server.links.last { $0.process.name == "app" }?.process.pid
      #expect(try route(7) == newest)
      for link in console.server.links where link.process.pid == 100 {
        try console.server.setDegree(.observe, of: link.id)
      }
      #expect(try route(100) == 101)
      for link in console.server.links where link.process.pid == 101 {
        try console.server.setDegree(.bypass, of: link.id)
      }
      #expect(try route(100) == nil)
      try await eventually { console.log.notices.contains { $0.contains("app 100 has gone") } }
      #expect(other.replays == 0)
      _ = (first, second)
    }
  }
}
