import Foundation
import PatchbayStubs
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite struct ControlTests {
  private func stub(_ name: String, status: Int = 503) -> Stub {
    Stub(name: name, when: RequestPattern(path: .glob("/\(name)*")), then: .respond(CannedResponse(status: status)))
  }

  @Test func stubsAreAddedChangedAndRemovedOverTheSocket() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let added = try await client.request(
        "stubs.add", [.init("stubs", .array([stub("one").json, stub("two").json]))])
      #expect(added.laggards.isEmpty)
      // The answer came after the hook's acknowledgement, so the hook has it.
      #expect(hook.pushes.last?.set.stubs == [stub("one"), stub("two")])
      #expect(hook.pushes.last.map { Int($0.set.revision) } == added.revision)
      try await eventually { console.log.boards.last?.by == .controller("a test") }

      _ = try await client.request("stubs.disable", [.init("name", "one")])
      #expect(hook.pushes.last?.set.stubs.map(\.enabled) == [false, true])
      _ = try await client.request("stubs.enable", [.init("name", "one")])
      _ = try await client.request("stubs.replace", [.init("name", "two"), .init("stub", stub("three").json)])
      _ = try await client.request("stubs.remove", [.init("name", "one")])
      #expect(hook.pushes.last?.set.stubs == [stub("three")])
      _ = try await client.request("stubs.add", [.init("stubs", .array([stub("three", status: 200).json]))])
      #expect(hook.pushes.last?.set.stubs == [stub("three", status: 200)])
      let list = try await client.request("stubs.list")
      guard case .array(let rows)? = list["stubs"] else {
        Issue.record("no list")
        return
      }
      #expect(rows.map { $0["name"]?.text } == ["three"])
      #expect(rows.first?["origin"] == "console")
      #expect(rows.first?["stub"] == stub("three", status: 200).json)
      _ = try await client.request("stubs.reset")
      #expect(hook.messages.contains(.resetCounts(name: nil)))
    }
  }

  @Test func mistakesAreSentencesAndChangeNothing() async throws {
    try await TestConsole.run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      _ = try await client.request("stubs.add", [.init("stubs", .array([stub("maintenance").json]))])
      let board = console.server.board
      func refusal(_ command: String, _ members: [JSONValue.Member] = []) async -> String {
        do {
          _ = try await client.request(command, members)
          return "not refused"
        } catch {
          return "\(error)"
        }
      }
      #expect(await refusal("stubs.disable", [.init("name", "maintenanse")]).contains("`maintenance`"))
      #expect(await refusal("stubs.disable").contains("“name”"))
      #expect(await refusal("stubs.disabel", [.init("name", "x")]).contains("stubs.disable"))
      #expect(await refusal("stubs.add", [.init("stubs", .array([.members(["name": "x"])]))]) != "not refused")
      #expect(await refusal("stubs.add", [.init("stubs", .array([stub("a").json, stub("a").json]))]).contains("`a`"))
      #expect(await refusal("hold.drop", [.init("exchange", 7)]).contains("not held"))
      #expect(await refusal("hold.fail", [.init("exchange", 7), .init("fault", "timedout")]).contains("timedOut"))
      #expect(await refusal("hold.respond", [.init("exchange", 7), .init("status", 9)]).contains("100 to 599"))
      #expect(await refusal("log").contains("log"))
      #expect(console.server.board == board)
      #expect(try await client.request("status")["pid"]?.integer == Int(getpid()))
    }
  }

  @Test func garbageIsAnsweredAndTheConnectionGoesOn() async throws {
    try await TestConsole.run { console in
      let raw = try await RawController.connect(console.control)
      raw.send("nonsense\n\n  \r\n[1]\n{\"id\":\"x\",\"do\":\"status\",\"more\":1}\n")
      try await eventually { raw.lines.count == 3 }
      let answers = try raw.lines.map { try JSONValue(parsing: $0) }
      #expect(answers.map { $0["ok"] } == [false, false, true])
      #expect(answers[2]["id"] == "x")
      // A line in pieces, and two in one.
      raw.send("{\"id\":1,\"do\":")
      raw.send("\"status\"}\n{\"id\":2,\"do\":\"status\"}\n")
      try await eventually { raw.lines.count == 5 }
      #expect(try raw.lines[3...].map { try JSONValue(parsing: $0)["id"]?.integer } == [1, 2])
    }
  }

  @Test func aLineWithoutEndIsCutOff() async throws {
    try await TestConsole(adjust: { $0.limits.controlLine = 10_000 }).run { console in
      let raw = try await RawController.connect(console.control)
      raw.send(String(repeating: "x", count: 20_000))
      try await eventually { raw.isClosed }
      #expect(raw.lines.count == 1)
      #expect(raw.lines.first?.contains("longer than 10000 bytes") == true)
    }
  }

  @Test func theHarnessSocketDoesNotTakeCommands() async throws {
    try await TestConsole.run { console in
      let raw = try await RawController.connect(console.socket)
      raw.send("{\"id\":1,\"do\":\"status\"}\n")
      try await eventually { raw.isClosed }
      #expect(!raw.lines.contains { $0.contains("\"ok\":true") })
      let hook = try await FakeHook.connect(console.control)
      hook.send(.exchange(.whole(1)))
      try await eventually { hook.channel.isActive }
      #expect(console.log.exchanges.isEmpty)
    }
  }

  @Test func theControlSocketTakesOnlyOurUser() async throws {
    try await TestConsole(user: geteuid() + 1, adjust: { $0.socketNamedByHand = true }).run { console in
      let raw = try await RawController.connect(console.control)
      try await eventually { raw.isClosed }
      try await eventually { console.log.notices.first?.contains("another user") == true }
    }
  }

  @Test func aProcessThatDoesNotAnswerIsNamed() async throws {
    try await TestConsole.run { console in
      _ = try await FakeHook.link(console.socket, name: "good")
      let mute = try await FakeHook.link(console.socket, name: "mute", pid: 4_121, acknowledges: false)
      try await eventually { console.server.links.count == 2 }
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let reply = try await client.request("stubs.add", [.init("stubs", .array([stub("one").json]))])
      #expect(reply.laggards == ["mute 4121"])
      #expect(console.server.board["one"] != nil)
      await mute.close()
      try await eventually { console.server.links.count == 1 }
      let next = try await client.request("stubs.disable", [.init("name", "one")])
      #expect(next.laggards.isEmpty)
    }
  }

  @Test func holdsAreDecidedOverTheSocket() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let hook = try await FakeHook.link(console.socket)
      for key in 1...5 as ClosedRange<UInt64> {
        hook.send(.exchange(ExchangeUpdate(key: key, start: .request("http://x.test/\(key)"), held: .request)))
      }
      try await eventually { console.server.held.count == 5 }
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      guard case .array(let held)? = try await client.request("hold.list")["held"] else {
        Issue.record("no list")
        return
      }
      #expect(held.map { $0["url"]?.text } == (1...5).map { "http://x.test/\($0)" })
      #expect(held.first?["exchange"]?["id"] == 1)
      let id: (Int) -> JSONValue.Member = { .init("exchange", JSONValue($0)) }
      _ = try await client.request(
        "hold.continue", [id(1), .init("request", .members(["method": "PUT", "body": "new"]))])
      _ = try await client.request("hold.drop", [id(2)])
      _ = try await client.request(
        "hold.respond",
        [id(3), .init("status", 418), .init("headers", [["A", "b"]]), .init("body", .members(["base64": "AP8="]))])
      _ = try await client.request("hold.fail", [id(4), .init("fault", "timedOut")])
      #expect(try await client.request("hold.release", [.init("filter", "/5")])["released"] == 1)
      try await eventually { hook.verdicts.count == 5 }
      let edited = RecordedRequest(method: "PUT", url: "http://x.test/1", body: Data("new".utf8))
      #expect(
        hook.verdicts.map(\.decision) == [
          .continue(request: edited, response: nil), .drop,
          .respond(CannedResponse(status: 418, headers: [HeaderField("A", "b")], body: .data(Data([0, 255])))),
          .fail(Fault(.named("timedOut"))), .continue(request: nil, response: nil),
        ])
      try await eventually { console.log.notices.contains { $0.contains("a test") } }
    }
  }

  @Test func logsFollowWithTheirOwnFilters() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let hook = try await FakeHook.link(console.socket)
      let first = try await ControlClient.connect(socket: console.socket, as: "one")
      let second = try await ControlClient.connect(socket: console.socket, as: "two")
      let all = try await first.follow()
      let some = try await second.follow(filter: "/b")
      await #expect(throws: ServerError.self) { try await second.follow(filter: "(") }
      hook.send(
        .exchange(.begin(9)), .exchange(.whole(1, url: "http://x.test/a")),
        .exchange(.whole(2, url: "http://x.test/b")))
      var seen: [String?] = []
      for try await line in all {
        guard case .exchange(let exchange) = line else { continue }
        seen.append(exchange["url"]?.text)
        if seen.count == 2 { break }
      }
      #expect(seen == ["http://x.test/a", "http://x.test/b"])
      for try await line in some {
        guard case .exchange(let exchange) = line else { continue }
        #expect(exchange["url"] == "http://x.test/b")
        break
      }
      #expect(
        try await first.request("history", [.init("limit", 2)])["exchanges"]
          == [["id": 1, "filter": ""], ["id": 2, "filter": ""]])
    }
  }

  /// A controller that stops reading its log loses lines, which it is told of, and disturbs nobody.
  @Test func aSlowLogIsShedAndCounted() async throws {
    try await TestConsole(delegate: FakeDelegate(), adjust: { $0.limits.controlBacklog = 100_000 }).run { console in
      let raw = try await RawController.connect(console.control, reads: false)
      raw.send("{\"id\":1,\"do\":\"log\"}\n")
      try await eventually { console.server.core.pump.followers.count == 1 }
      let hook = try await FakeHook.link(console.socket)
      let body = String(repeating: "b", count: 1_000)
      hook.send((1...5_000).map { .exchange(.whole($0, body: body)) })
      try await eventually { console.log.count == 5_000 }
      try await raw.read()
      func seen() -> (shed: Int, exchanges: Int) {
        let shed = raw.lines.compactMap { (try? JSONValue(parsing: $0))?["shed"]?.integer }.reduce(0, +)
        return (shed, raw.lines.filter { $0.contains("\"exchange\":") }.count)
      }
      // Each exchange comes, or is counted.
      try await eventually { seen().shed + seen().exchanges == 5_000 }
      #expect(seen().shed > 0)
      hook.send(.exchange(.whole(9_000)))
      try await eventually { seen().exchanges + seen().shed == 5_001 }
      await raw.close()
      try await eventually { console.server.core.pump.followers.count == 0 }
    }
  }

  @Test func explainSaysWhy() async throws {
    try await TestConsole.run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      _ = try await client.request("stubs.add", [.init("stubs", .array([stub("one").json, stub("two").json]))])
      let reply = try await client.request("stubs.explain", [.init("url", "http://x.test/two/3")])
      #expect(reply["answers"] == "two")
      guard case .array(let rows)? = reply["stubs"] else {
        Issue.record("no list")
        return
      }
      #expect(rows.map { $0["matches"] } == [false, true])
      #expect(rows.first?["reason"]?.text?.contains("/two/3") == true)
    }
  }

  @Test func theOnlyLiveConsoleIsFound() async throws {
    let folder = try TemporaryFolder()
    #expect(throws: ServerError.noConsole(folder: folder.path)) { try ControlClient.onlyConsole(in: folder.path) }
    let stale = try OwnedSocket(path: folder.file("old.sock.control"))
    close(stale.descriptor)
    #expect(throws: ServerError.noConsole(folder: folder.path)) { try ControlClient.onlyConsole(in: folder.path) }
    try await TestConsole(folder: folder).run { console in
      #expect(try ControlClient.onlyConsole(in: folder.path) == console.socket)
      let other = try TestConsole(
        folder: folder,
        adjust: {
          $0.socket = folder.file("t.sock")
          $0.controlSocket = folder.file("t.sock.control")
        })
      try await other.run { other in
        #expect(throws: ServerError.severalConsoles([console.socket, other.socket])) {
          try ControlClient.onlyConsole(in: folder.path)
        }
      }
    }
    let gone = folder.file("s.sock")
    await #expect(throws: ServerError.noControl(path: gone + ".control")) {
      _ = try await ControlClient.connect(socket: gone, as: "x")
    }
  }

  @Test func aConsoleThatEndsEndsItsControllers() async throws {
    let console = try TestConsole(delegate: FakeDelegate())
    try await console.server.start()
    let client = try await ControlClient.connect(socket: console.socket, as: "a test")
    let log = try await client.follow()
    await console.server.stop()
    await #expect(throws: ServerError.controlLost(path: console.control)) { for try await _ in log {} }
    await #expect(throws: ServerError.self) { try await client.request("status") }
  }
}
