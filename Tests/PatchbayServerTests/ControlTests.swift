import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct ControlTests {
  private func stub(_ name: String, status: Int = 503) -> Stub {
    Stub(name: name, when: RequestPattern(path: .glob("/\(name)*")), then: .respond(CannedResponse(status: status)))
  }

  @Test func stubsAreAddedChangedAndRemovedOverTheSocket() async throws {
    try await TestConsole(adjust: { $0.acknowledgement = Patience.usual }).run { console in
      let hook = try await FakeHook.link(console.socket)
      // Who is not linked yet is not waited for.
      try await eventually { console.server.links.count == 1 }
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

  /// corelibs' `deletingLastPathComponent` traps on a name without a slash.
  @Test(arguments: ["x", "~", ".", "", "/", "a\0b", "~root"])
  func aStubFileOfAnyNameIsTakenOrRefused(file: String) async throws {
    try await TestConsole.run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let stub = Stub(name: "one", then: .respond(CannedResponse(body: .file("body.json"))))
      _ = try? await client.request("stubs.add", [.init("file", .string(file)), .init("stubs", .array([stub.json]))])
      _ = try await client.request("status")
    }
  }

  @Test(arguments: [-1, Int.min])
  func aHistoryOfLessThanNothingIsRefused(limit: Int) async throws {
    try await TestConsole.run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      await #expect(throws: (any Error).self) {
        try await client.request("history", [.init("limit", JSONValue(limit))])
      }
      _ = try await client.request("status")
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

  @Test func linesOfBlanksAreNotAnswered() async throws {
    try await TestConsole.run { console in
      let raw = try await RawController.connect(console.control)
      raw.send("\t\n \t\r\n\r\n\n  \n{\"id\":1,\"do\":\"status\"}\n")
      try await eventually { raw.lines.contains { $0.hasPrefix("{\"id\":1,\"ok\":true,") } }
      #expect(raw.lines.count == 1)
    }
  }

  /// More lines than may wait for their answers: the connection pauses and goes on, again and again.
  @Test func hundredsOfLinesAtOnceAreAllAnswered() async throws {
    try await TestConsole.run { console in
      let raw = try await RawController.connect(console.control)
      for round in 0..<3 {
        let numbers = (1...150).map { round * 150 + $0 }
        raw.send(numbers.map { "{\"id\":\($0),\"do\":\"status\"}\n" }.joined())
        try await eventually { raw.lines.count == numbers.last }
      }
      #expect(try raw.lines.map { try JSONValue(parsing: $0)["id"]?.integer } == Array(1...450))
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

  /// Its logs end with it.
  @Test func whoIsCutOffFollowsNothingAnyMore() async throws {
    try await TestConsole(delegate: FakeDelegate(), adjust: { $0.limits.controlLine = 1_000 }).run { console in
      let before = console.server.events.subscriberCount
      let raw = try await RawController.connect(console.control)
      raw.send("{\"id\":1,\"do\":\"log\"}\n")
      try await eventually { raw.lines.count == 1 }
      #expect(console.server.events.subscriberCount == before + 1)
      raw.send(String(repeating: "x", count: 1_001))
      try await eventually { raw.isClosed }
      try await eventually { console.server.events.subscriberCount == before }
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

  @Test func theControlSocketTakesOnlyOurUserUnlessOthersAreTrusted() async throws {
    try await TestConsole(user: geteuid() + 1).run { console in
      let raw = try await RawController.connect(console.control)
      try await eventually { raw.isClosed }
      try await eventually { console.log.notices.first?.contains("another user") == true }
    }
    try await TestConsole(user: geteuid() + 1, adjust: { $0.trustsPeers = true }).run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      #expect(try await client.request("status")["socket"]?.text == console.socket)
    }
  }

  /// Somebody else may have bound the path: what a controller says, such as bodies of stubs, is not for them.
  @Test func aControllerLeavesAConsoleOfAnotherUser() async throws {
    try await TestConsole.run { console in
      await #expect(throws: ServerError.otherUser(path: console.control)) {
        _ = try await ControlClient.connect(socket: console.socket, as: "x", user: geteuid() + 1)
      }
      let client = try await ControlClient.connect(socket: console.socket, as: "x", user: nil)
      #expect(try await client.request("status")["pid"]?.integer == Int(getpid()))
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

  /// The path that is too long is that of the control socket.
  @Test func aSocketWhosePathIsTooLongIsNamed() async {
    let path = "/tmp/" + String(repeating: "x", count: UnixAddress.pathLimit - 5)
    let control = path + ".control"
    await #expect(
      throws: ServerError.pathTooLong(path: control, bytes: control.utf8.count, limit: UnixAddress.pathLimit)
    ) {
      _ = try await ControlClient.connect(socket: path, as: "x")
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

  /// Answers that are being made while the console stops go nowhere, and do no harm.
  @Test func stoppingInTheMiddleOfAnswersIsHarmless() async throws {
    for _ in 0..<5 {
      let console = try TestConsole(delegate: FakeDelegate())
      try await console.server.start()
      let mute = try await FakeHook.link(console.socket, acknowledges: false)
      try await eventually { console.server.links.count == 1 }
      let raw = try await RawController.connect(console.control)
      for index in 0..<200 { raw.send("{\"id\":\(index),\"do\":\"hold.all\",\"point\":\"request\"}\n") }
      try await eventually { console.server.holdAll == .request }
      await console.server.stop()
      try await eventually { raw.isClosed && mute.isClosed }
    }
  }
}
