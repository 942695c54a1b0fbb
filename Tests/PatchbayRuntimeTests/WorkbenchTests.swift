import Foundation
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

/// A console without its face.
@Suite(.bounded) struct WorkbenchTests {
  private let place: TestFolders

  init() throws { place = try TestFolders() }

  private func started(_ plan: WorkbenchPlan, _ test: (Workbench) async throws -> Void) async throws {
    let bench = try Workbench(plan)
    try await bench.start()
    do { try await test(bench) } catch {
      await bench.stop()
      throw error
    }
    await bench.stop()
    #expect(!FileManager.default.fileExists(atPath: plan.socket))
  }

  private func whole(_ key: UInt64, _ url: String, body: Int = 2) -> HookMessage {
    .exchange(
      ExchangeUpdate(
        key: key, start: .init(at: .now, request: RecordedRequest(method: "GET", url: url), task: .data, revision: 1),
        head: .init(at: 5, status: 200, headers: []), data: Data(repeating: 0x61, count: body),
        end: .init(at: 9, outcome: .responded, bytesReceived: Int64(body), hasBody: true)))
  }

  @Test func whatLinksReportIsRecordedInTheHistorysRun() async throws {
    let file = place.folder.file("h.sqlite")
    let before = try HistoryStore.open(.file(file))
    before.record([.answered(before.reserveIDs(1), "http://a.example/", body: Data("x".utf8))])
    await before.close()
    let plan = try place.plan(.listen) {
      $0.history = file
      $0.bodyLimit = try? BodyLimit(bytes: 5)
      $0.unmatched = .hold
    }
    try await started(plan) { bench in
      #expect(bench.notices == [] && bench.server.unmatched == .hold)
      let configuration = bench.server.configuration
      #expect(configuration.firstExchangeID == 2 && configuration.run == bench.history.session)
      #expect(configuration.limits.body == 5 && configuration.otherUser == nil && !configuration.trustsPeers)
      #expect(configuration.controlSocket == plan.socket + ".control" && bench.server.settings.bodyLimit == 5)
      let hook = try MadeUpHook(plan.socket, name: "shop", pid: 7)
      hook.send(whole(1, "http://a.example/seen", body: 9))
      try await eventually("it is recorded") { bench.history.count == 2 }
      try await bench.history.flush()
      let exchange = try #require(try await bench.history.exchange(2))
      #expect(exchange.request.url == "http://a.example/seen" && exchange.run == bench.history.session)
      #expect(exchange.response?.body?.count == 5 && exchange.response?.truncated == true)
      hook.close()
    }
  }

  @Test func whatIsImportedMeanwhileHasIDsOfItsOwn() async throws {
    try await started(try place.plan(.listen)) { bench in
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      hook.send(whole(1, "http://a.example/first"))
      try await eventually("it is recorded") { bench.history.count == 1 }
      let first = bench.history.reserveIDs(3)
      bench.history.record((0..<3).map { .answered(first + $0, "http://a.example/imported", body: Data("x".utf8)) })
      for key in UInt64(2)...5 { hook.send(whole(key, "http://a.example/live")) }
      try await eventually("all are recorded") { bench.history.count == 8 }
      try await bench.history.flush()
      var urls: [String] = []
      for id in Int64(1)...8 { urls.append(try #require(try await bench.history.exchange(id)?.request.url)) }
      #expect(
        urls.map { $0.split(separator: "/").last }
          == ["first", "imported", "imported", "imported", "live", "live", "live", "live"])
      hook.close()
    }
  }

  @Test(arguments: [false, true]) func secretsAreMaskedWhereTheyAreToBe(_ redacts: Bool) async throws {
    try await started(try place.plan(.listen) { $0.redact = redacts }) { bench in
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      hook.send(whole(1, "http://a.example/?token=s3cret"))
      try await eventually("it is recorded") { bench.history.count == 1 }
      try await bench.history.flush()
      let url = try await bench.history.exchange(1)?.request.url
      #expect(url == "http://a.example/?token=\(redacts ? "***" : "s3cret")")
      hook.close()
    }
  }

  /// Controllers look in one folder.
  @Test func aConsoleWhoseSocketLiesElsewhereIsFound() async throws {
    let run = place.folder.file("run/patchbay")
    func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: run).sorted()) ?? [] }
    let elsewhere = place.folder.file("own.sock")
    try await started(try place.plan(.listen) { $0.socket = elsewhere }) { bench in
      #expect(names() == ["named-\(getpid()).sock.control"])
      #expect(ControlClient.consoles(in: run) == [elsewhere])
    }
    #expect(names() == [])
    try await started(try place.plan(.listen)) { _ in
      #expect(names() == ["default.sock", "default.sock.control", "default.sock.lock"])
    }
    #expect(names() == [])
  }

  @Test func controllersAskTheRecord() async throws {
    let file = place.folder.file("h.sqlite")
    for (history, path) in [(":memory:", JSONValue.null), (file, .string(file))] as [(String, JSONValue)] {
      try await started(try place.plan(.listen) { $0.history = history }) { bench in
        let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
        for key in 1...3 as ClosedRange<UInt64> {
          hook.send(whole(key, "http://\(key == 2 ? "b" : "a").example/\(key)"))
        }
        try await eventually("they are recorded") { bench.history.count == 3 }
        let client = try await ControlClient.connect(socket: bench.plan.socket, as: "a test")
        func asked(_ members: JSONValue.Member...) async throws -> (ids: [Int?], file: JSONValue?) {
          let reply = try await client.request("history", members)
          guard case .array(let exchanges)? = reply["exchanges"] else { return ([], nil) }
          return (exchanges.map { $0["id"]?.integer }, reply["file"])
        }
        let all = try await asked()
        #expect(all.ids == [1, 2, 3] && all.file == path)
        #expect(try await asked(.init("filter", "host:a.example")).ids == [1, 3])
        #expect(try await asked(.init("limit", 2)).ids == [2, 3])
        await #expect(throws: ServerError.self) { try await client.request("history", [.init("filter", "(")]) }
        await #expect(throws: ServerError.self) { try await client.follow(filter: "(") }
        await #expect(throws: ServerError.refused("This console was not attached to a process with the pid 7.")) {
          try await client.request("links.detach", [.init("pid", 7)])
        }
        let log = try await client.follow(filter: "path:/5")
        hook.send(whole(4, "http://a.example/4"), whole(5, "http://a.example/5"))
        for try await case .exchange(let exchange) in log {
          #expect(try await asked(.init("filter", "path:/5")).ids == [5], "what was told of is on record")
          #expect(exchange == (try JSONValue(parsing: JSONLines.line(try #require(try await self.exchange(5, bench))))))
          break
        }
        hook.close()
      }
    }
  }

  private func exchange(_ id: Int64, _ bench: Workbench) async throws -> Exchange? {
    try await bench.history.flush()
    return try await bench.history.exchange(id)
  }

  @Test func aHistoryThatCannotBeReadIsSaidAndKeptInMemory() async throws {
    let file = try place.folder.write(String(repeating: "no history ", count: 500), to: "h.sqlite")
    let bench = try Workbench(try place.plan(.listen) { $0.history = file })
    #expect(bench.notices.count == 1 && bench.notices[0].hasSuffix(" Exchanges are kept in memory only."))
    #expect(bench.history.place == .memory)
    await bench.stop()
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("no history "))
  }

  @Test func aStubFileWithMistakesIsNoStart() throws {
    let file = try place.folder.write("patchbay: 1\nstubs:\n- nam: x\n", to: "s.yaml")
    #expect(throws: FilesError.self) { try Workbench(try place.plan(.listen) { $0.stubs = [file] }) }
  }

  @Test func stubsOfFilesAreInForceFromTheFirstPushOn() async throws {
    let file = try place.folder.write("patchbay: 1\nstubs:\n- name: a\n  then: { fail: offline }\n", to: "s.yaml")
    try await started(try place.plan(.listen) { $0.stubs = [file] }) { bench in
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      func pushes() -> [[String]] {
        hook.messages.compactMap { if case .stubs(let push) = $0 { push.set.stubs.map(\.name) } else { nil } }
      }
      try await eventually("a push") { !pushes().isEmpty }
      #expect(pushes() == [["a"]])
      hook.close()
    }
    // Where the socket is somebody else's, the files are not watched either.
    let plan = try place.plan(.listen) { $0.stubs = [file] }
    let other = ConsoleServer(configuration: ServerConfiguration(socket: plan.socket))
    try await other.start()
    let bench = try Workbench(plan)
    await #expect(throws: ServerError.otherConsole(path: plan.socket)) { try await bench.start() }
    await other.stop()
    await bench.stop()
  }

  @Test func whatIsBrowsedHasNoSocket() async throws {
    let path = try place.folder.write(
      JSONLines.line(.answered(1, "http://a.example/", body: Data("x".utf8))) + "\nnonsense\n", to: "in.jsonl")
    let bench = try Workbench(try place.plan(.open), opened: try await OpenedFile(path))
    try await bench.start()
    #expect(!FileManager.default.fileExists(atPath: bench.plan.socket))
    #expect(
      bench.history.count == 1 && bench.notices.count == 1 && bench.notices[0].contains("1 of 2 could not be read"))
    await bench.stop()
  }
}
