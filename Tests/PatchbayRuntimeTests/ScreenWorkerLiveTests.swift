import Foundation
import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayFiles
@testable import PatchbayRuntime

/// What the screen asks for of processes that are linked, and what it is told without asking.
@MainActor @Suite("The screen's worker, with a process", .bounded) final class ScreenWorkerLiveTests {
  private let place: TestFolders
  private let screen = ScreenDouble()
  private let network: LoopbackServer

  init() throws {
    place = try TestFolders()
    network = try LoopbackServer()
  }

  private func worker(_ bench: Workbench, kept: KeptStubsStore? = nil) -> ScreenWorker {
    let feed = LiveFeed()
    return ScreenWorker(
      bench: bench, feed: feed, themes: ThemeCatalog(folders: place.folders),
      settings: ViewStore(folders: place.folders),
      output: CommandOutput(feed: feed), kept: kept)
  }

  /// A console that runs, with a process that has linked.
  private func linked(_ test: (Workbench, ScreenWorker, MadeUpHook) async throws -> Void) async throws {
    let bench = try Workbench(try place.plan(.listen))
    try await bench.start()
    do {
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      try await until("the link") { bench.server.links.count == 1 }
      try await test(bench, worker(bench), hook)
    } catch {
      await bench.stop()
      throw error
    }
    await bench.stop()
  }

  private func until(_ what: String, _ condition: () throws -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while try !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(screen.taken())")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func doing(_ worker: ScreenWorker, _ effect: ConsoleEffect, _ count: Int = 1) async throws -> [String] {
    worker.perform(effect, for: screen)
    try await until("\(count) events") { screen.events.count >= count }
    return screen.taken()
  }

  private func hold(_ key: UInt64, by hook: MadeUpHook) {
    hook.send(
      .exchange(
        ExchangeUpdate(
          key: key,
          start: .init(
            at: .now, request: RecordedRequest(method: "GET", url: network.url("/\(key)").absoluteString), task: .data,
            revision: 1),
          held: .request)))
  }

  @Test func aRequestIsSentAgainByItsProcessOrByTheConsole() async throws {
    try await linked { bench, worker, hook in
      hold(1, by: hook)
      try await until("it is recorded") { bench.history.count == 1 }
      #expect(try await doing(worker, .replay(1, nil)) == ["good: Sent again from shop 7."])
      let edited = RecordedRequest(method: "PUT", url: network.url("/edited").absoluteString)
      #expect(try await doing(worker, .replay(1, edited)) == ["good: Sent again from shop 7."])
      func replays() -> [RecordedRequest] {
        hook.messages.compactMap { if case .replay(let replay) = $0 { replay.request } else { nil } }
      }
      try await until("both") { replays().count == 2 }
      #expect(replays() == [RecordedRequest(method: "GET", url: network.url("/1").absoluteString), edited])
      hook.close()
      try await until("it has gone") { bench.server.links.isEmpty }
      #expect(
        try await doing(worker, .replay(1, nil)) == [
          "good: Sent again from the console, because its process has gone; stubs do not apply."
        ])
    }
  }

  @Test func whatIsHeldIsDecidedWithTheFilesOfTheAnswer() async throws {
    let body = try place.folder.write("from a file", to: "body.txt")
    let response = CannedResponse(status: 201, headers: [HeaderField("Content-Type", "a/b")], body: .file(body))
    var read = response
    read.body = .data(Data("from a file".utf8))
    let missing = CannedResponse(
      headers: [HeaderField("Content-Type", "a/b")], body: .file(place.folder.file("none.txt")))
    var empty = missing
    empty.body = .data(Data())
    try await linked { bench, worker, hook in
      for key in 1...5 as ClosedRange<UInt64> { hold(key, by: hook) }
      try await until("they are held") { bench.server.held.count == 5 }
      let decisions: [Verdict.Decision] = [
        .respond(response), .fail(Fault(.named("timedOut"), after: .init(response: response))), .respond(missing),
        .drop,
        .continue(request: nil, response: nil),
      ]
      worker.perform(
        .decide(decisions.enumerated().map { HeldDecision(id: Int64($0.offset + 1), decision: $0.element) }),
        for: screen)
      func verdicts() -> [Verdict] {
        hook.messages.compactMap { if case .verdict(let verdict) = $0 { verdict } else { nil } }
      }
      try await until("the verdicts") { verdicts().count == 5 }
      #expect(verdicts().map(\.key) == [1, 2, 3, 4, 5])
      #expect(
        verdicts().map(\.decision) == [
          .respond(read), .fail(Fault(.named("timedOut"), after: .init(response: read))), .respond(empty), .drop,
          .continue(request: nil, response: nil),
        ])
      #expect(screen.taken() == [])
    }
  }

  @Test func theProcessIsToldWhatIsForIt() async throws {
    try await linked { bench, worker, hook in
      let instance = try #require(bench.server.links.first?.instance)
      worker.perform(.setDegree(instance: instance, .observe), for: screen)
      worker.perform(.resetCounts(name: "a"), for: screen)
      worker.perform(.setScenario(ScenarioState(name: "cart", state: "full")), for: screen)
      let expected: [ConsoleMessage] = [
        .settings(HookSettings(degree: .observe)), .resetCounts(name: "a"),
        .setScenario(ScenarioState(name: "cart", state: "full")),
      ]
      try await until("all of it") { expected.allSatisfy { hook.messages.contains($0) } }
      #expect(screen.taken() == [])
    }
  }

  // MARK: Long work

  @Test func workThatIsStoppedLeavesNothing() async throws {
    let bench = try Workbench(try place.plan())
    bench.history.record([.answered(1, "http://a.example/", body: Data("x".utf8))])
    try await bench.history.flush()
    let worker = worker(bench)
    func told() -> [String] { screen.events.isEmpty ? [] : screen.taken().filter { !$0.hasPrefix("work R") } }
    worker.perform(.export(.jsonl, filter: ""), for: screen)
    worker.perform(.cancelWork((1 << 40) + 1), for: screen)
    try await until("its end") { screen.events.count >= 2 }
    #expect(told() == ["info: The export was stopped.", "work ended"])
    #expect(bench.history.count == 1)
    await bench.stop()
  }

  @Test func whatCannotBeAttachedToIsSaid() async throws {
    let bench = try Workbench(try place.plan())
    let worker = worker(bench)
    let said = try await doing(worker, .attach(process: 999_999_999), 2)
    #expect(
      said.count == 2 && said[0].hasPrefix("error: No program has the number 999999999.") && said[1] == "work ended")
    await bench.stop()
  }

  // MARK: What the history says

  private func notices() -> [String] {
    screen.events.compactMap { if case .notice(let notice) = $0 { "\(notice.kind): \(notice.text)" } else { nil } }
  }

  private func retired() -> [[Int64]] {
    screen.events.compactMap { if case .retired(let count, let below) = $0 { [Int64(count), below] } else { nil } }
  }

  private func record(_ ids: ClosedRange<Int64>, in bench: Workbench) async throws {
    bench.history.record(ids.map { .answered($0, "http://a.example/\($0)", body: Data("x".utf8)) })
    try await bench.history.flush()
  }

  /// It goes on with each batch.
  @Test func whatTheHistoryRemovesIsTakenOffTheScreenEachTimeAndSaidOnce() async throws {
    let bench = try Workbench(try place.plan(config: { $0.history.count = 10 }))
    let worker = worker(bench)
    worker.begin(screen)
    try await record(1...15, in: bench)
    try await until("the sentence") { !notices().isEmpty }
    #expect(retired() == [[5, 6]])
    try await record(16...18, in: bench)
    try await until("the next") { retired().count == 2 }
    #expect(retired() == [[5, 6], [3, 9]])
    await bench.stop()
    await worker.ended()
    #expect(notices() == ["warning: The history is full: its oldest 5 exchanges were removed."])
  }

  /// On the screen, and where the shell has it afterwards.
  @Test(.alone) func whatBecomesOfTheHistorysFileIsSaidTwice() async throws {
    let file = try place.folder.write("", to: "h.sqlite")
    chmod(file, 0o644)
    let closed = HistoryEvent.closedToOthers(path: file).description
    let (_, text) = try await written {
      let bench = try Workbench(try place.plan { $0.history = file })
      let worker = worker(bench)
      worker.begin(screen)
      try await until("the first") { notices() == ["warning: " + closed] }
      try await record(1...2, in: bench)
      try FileManager.default.removeItem(atPath: file)
      try await record(3...3, in: bench)
      try await until("the second") { notices().count == 2 }
      #expect(retired() == [[3, 3]])
      await bench.stop()
      await worker.ended()
    }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 3 && lines.filter { $0 == "patchbay: " + closed }.count == 1, "\(lines)")
    #expect(lines.filter { $0.contains(" 2 exchanges are lost with it. Recording goes on in a new file") }.count == 1)
    #expect(lines.filter { $0.contains("2 exchanges were not recorded") }.count == 1)
  }

  // MARK: Runs

  /// -1 is no count.
  private func runs() -> [String] {
    for case .runs(let rows) in screen.events {
      return rows.map { "\($0.number) from \($0.first): \($0.count ?? -1)" }
    }
    return []
  }

  @Test func theRunsBeforeComeWithTheirCountsAndThePresentOneWithout() async throws {
    let file = place.folder.file("h.sqlite")
    let first = try Workbench(try place.plan { $0.history = file })
    try await record(1...2, in: first)
    await first.stop()
    let second = try Workbench(try place.plan { $0.history = file })
    // It has begun already.
    try await record(3...3, in: second)
    let worker = worker(second)
    worker.begin(screen)
    try await until("the runs") { !runs().isEmpty }
    #expect(runs() == ["1 from 1: 2", "2 from 3: -1"])
    await second.stop()
    await worker.ended()
  }

  @Test func ofAHistoryThatIsBrowsedNothingIsChanged() async throws {
    let file = place.folder.file("h.sqlite")
    for ids in [1...2, 3...3] as [ClosedRange<Int64>] {
      let bench = try Workbench(try place.plan { $0.history = file })
      try await record(ids, in: bench)
      await bench.stop()
    }
    let opened = try await OpenedFile(file)
    let bench = try Workbench(try place.plan(.open), opened: opened)
    let worker = worker(bench)
    worker.begin(screen)
    try await until("the runs") { !runs().isEmpty }
    #expect(runs() == ["1 from 1: 2", "2 from 3: 1"])
    _ = screen.taken()
    for effect in [ConsoleEffect.setMarked([1], true), .setDeleted([1], true)] {
      #expect(
        try await doing(worker, effect) == [
          "warning: This history is only read: what you mark, tag or delete is not kept."
        ])
    }
    await bench.stop()
    await worker.ended()
  }

  /// What came from an archive may be marked, as long as the screen lasts.
  @Test func ofManyRunsTheNewestAreCounted() async throws {
    let lines = (1...402 as ClosedRange<Int64>).map { number in
      var exchange = Exchange.answered(number, "http://a.example/", body: Data("x".utf8))
      exchange.run = number
      return JSONLines.line(exchange)
    }
    let opened = try await OpenedFile(
      try place.folder.write(lines.joined(separator: "\n") + "\n", to: "runs.jsonl"))
    let bench = try Workbench(try place.plan(.open), opened: opened)
    let worker = worker(bench)
    worker.begin(screen)
    try await until("the runs") { !runs().isEmpty }
    let counted = runs()
    #expect(counted.count == 402 && counted.last == "402 from 402: 1")
    #expect(Array(counted.prefix(3)) == ["1 from 1: -1", "2 from 2: -1", "3 from 3: 1"])
    _ = screen.taken()
    worker.perform(.setMarked([7], true), for: screen)
    let marked = try Filter(parsing: "marked:yes")
    let limit = ContinuousClock.now + Patience.usual
    while try await HistoryQuery(history: bench.history).ids(marked, limit: nil) != [7], ContinuousClock.now < limit {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try await HistoryQuery(history: bench.history).ids(marked, limit: nil) == [7])
    #expect(screen.taken() == [])
    await bench.stop()
    await worker.ended()
  }

  // MARK: Files and the exchange that is shown

  @Test(arguments: [false, true]) func anArchivesSecretsAreMaskedWhereTheyAreToBe(_ redacts: Bool) async throws {
    let line = JSONLines.line(.answered(1, "http://a.example/?token=s3cret", body: Data("x".utf8)))
    let path = try place.folder.write(line + "\n", to: "in.jsonl")
    let bench = try Workbench(try place.plan { $0.redact = redacts })
    let worker = worker(bench)
    worker.perform(.importFile(path), for: screen)
    try await until("its end") { screen.events.contains { if case .workEnded = $0 { true } else { false } } }
    let url = try await bench.history.exchange(1)?.request.url
    #expect(url == "http://a.example/?token=\(redacts ? "***" : "s3cret")")
    await bench.stop()
  }

  /// Of exchange 1, as often as it came; 0 is none.
  private func statuses() -> [Int] {
    screen.events.compactMap {
      if case .exchange(1, let exchange) = $0 { exchange?.response?.status ?? 0 } else { nil }
    }
  }

  @Test func theExchangeThatIsShownComesWithEachChange() async throws {
    try await linked { bench, _, hook in
      let feed = LiveFeed()
      let output = CommandOutput(feed: feed)
      feed.subscribe(to: bench.server.events)
      feed.connect(screen, output: output)
      let worker = ScreenWorker(
        bench: bench, feed: feed, themes: ThemeCatalog(folders: place.folders),
        settings: ViewStore(folders: place.folders), output: output, kept: nil)
      hold(1, by: hook)
      try await until("it is recorded") { bench.history.count == 1 }
      worker.perform(.watchExchange(1), for: screen)
      try await until("it as it is now") { !statuses().isEmpty }
      hook.send(
        .exchange(
          ExchangeUpdate(
            key: 1, head: .init(at: 5, status: 418, headers: []), end: .init(at: 9, outcome: .responded))))
      try await until("its answer") { statuses().last == 418 }
    }
  }

  // MARK: What is told without being asked

  @Test func whatEarlierConsolesKeptIsOfferedOneAfterTheOther() async throws {
    let bench = try Workbench(try place.plan())
    let state = try place.folders.state()
    func board(_ name: String) -> StubBoard {
      StubBoard(revision: 3, entries: [.init(stub: Stub(name: name, then: .hold(.both)), origin: .console)])
    }
    let store = try KeptStubsStore(folder: state, place: "here")
    let lock = try #require(
      try FileManager.default.contentsOfDirectory(atPath: state + "/stubs").first { $0.hasSuffix(".lock") })
    let head = state + "/stubs/" + lock.prefix { $0 != "-" }
    for (number, saved) in [(1, 10), (2, 20)] as [(Int, Int64)] {
      let kept = KeptStubs(id: "", savedAt: Timestamp(microseconds: saved), board: board("kept \(number)"), draft: nil)
      try KeptStubsFile.text(kept, place: "here").write(
        toFile: "\(head)-\(number).json", atomically: false, encoding: .utf8)
    }
    let worker = worker(bench, kept: store)
    worker.begin(screen)
    func offers() -> [String] {
      screen.events.compactMap { if case .kept(let kept) = $0 { kept.board.stubs[0].name } else { nil } }
    }
    try await until("the newest") { offers() == ["kept 2"] }
    worker.perform(.dropKept(id: "\(head)-2.json"), for: screen)
    try await until("the next") { offers() == ["kept 2", "kept 1"] }
    worker.perform(.dropKept(id: "\(head)-1.json"), for: screen)
    try await until("both have gone") { !FileManager.default.fileExists(atPath: "\(head)-1.json") }
    #expect(offers().count == 2 && !FileManager.default.fileExists(atPath: "\(head)-2.json"))
    // The decision is undone: the next console would offer it.
    let first = try #require(screen.events.lazy.compactMap { if case .kept(let kept) = $0 { kept } else { nil } }.first)
    worker.perform(.keepAgain(first), for: screen)
    try await until("it is kept again") { KeptStubsFile.read("\(head)-2.json", place: "here") == first }
    #expect(store.found() == [first])
    worker.perform(.dropKept(id: first.id), for: screen)
    // A form that is open is kept, and what cannot be kept is said.
    worker.perform(.keepDraft(KeptDraft(base: "a", stub: Stub(name: "draft", then: .hold(.both)))), for: screen)
    let own = "\(state)/stubs/\(lock.dropLast(5))"
    try await until("the draft") {
      KeptStubsFile.read(own, place: "here")?.draft
        == KeptDraft(base: "a", stub: Stub(name: "draft", then: .hold(.both)))
    }
    try FileManager.default.removeItem(atPath: state + "/stubs")
    worker.perform(.keepDraft(KeptDraft(base: nil, stub: Stub(name: "next", then: .hold(.both)))), for: screen)
    try await until("the sentence") {
      screen.taken().contains { $0.hasPrefix("error: What is changed on screen cannot be kept") }
    }
    store.end(forgetting: true)
    await bench.stop()
    await worker.ended()
  }

  @Test func whatBecomesOfStubFilesIsTold() async throws {
    let path = try place.folder.write("patchbay: 1\nstubs:\n- name: a\n  then: { fail: offline }\n", to: "s.yaml")
    let bench = try Workbench(try place.plan(.listen) { $0.stubs = [path] })
    try await bench.start()
    let worker = worker(bench)
    worker.begin(screen)
    #expect(screen.taken().first == "board [\"a\"] -")
    try place.folder.write("patchbay: 1\nstubs:\n- name: b\n  then: { fail: offline }\n", to: "s.yaml")
    try await until("it was read") { screen.taken().contains("info: Read \(path) again: 1 stub.") }
    try place.folder.write("patchbay: 1\nstubs:\n- nam: b\n", to: "s.yaml")
    try await until("the mistake") { screen.taken().contains { $0.hasPrefix("error: \(path):3:") } }
    await bench.stop()
  }

  @Test func whatThePersonChoseIsKept() async throws {
    let bench = try Workbench(try place.plan())
    let worker = worker(bench)
    worker.perform(.saveView(ViewSettings(theme: "mine", listShare: 33)), for: screen)
    let store = ViewStore(folders: place.folders)
    #expect(store.load(options: ConsoleOptions(), config: ConfigFile()) == ViewSettings(theme: "mine", listShare: 33))
    await bench.stop()
  }
}
