import Foundation
import NIOCore
import NIOPosix
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// Defaults, sockets and other small parts.
@Suite(.bounded) struct ServerPartsTests {
  @Test func theLimitsAreAsTheMapHasThem() {
    let limits = ServerLimits()
    #expect([limits.body, limits.facts, limits.openBodies, limits.openFacts] == [64, 16, 160, 64].map { $0 << 20 })
    #expect([limits.unfinished, limits.declared, limits.declaredInAll] == [96, 32, 64].map { $0 << 20 })
    #expect([limits.undelivered, limits.undeliveredInAll, limits.outgoing] == [8, 64, 64].map { $0 << 20 })
    #expect(limits.controlLine == 64 << 20 && limits.controlBacklog == 8 << 20)
    #expect(limits.openExchanges == 50_000 && limits.undeliveredMessages == 8_192 && limits.helloTime == .seconds(10))
  }

  @Test func whereNothingIsSaidAServerIsAsUsual() {
    let plain = ServerConfiguration(socket: "/s")
    #expect(plain.socket == "/s" && !plain.trustsPeers && plain.otherUser == nil && plain.controlSocket == nil)
    #expect(plain.settings == HookSettings() && plain.unmatched == .pass && plain.holdAll == nil)
    #expect(plain.firstExchangeID == 1 && plain.run == nil && plain.limits == ServerLimits())
    #expect(plain.gathering == .milliseconds(35) && plain.acknowledgement == .seconds(2))
    #expect(ServerConfiguration.controlSocket(beside: "/s") == "/s.control")
    var limits = ServerLimits()
    limits.body = 3
    let full = ServerConfiguration(
      socket: "/s", trustsPeers: true, controlSocket: "/c", settings: HookSettings(degree: .observe), unmatched: .fail,
      holdAll: .both, firstExchangeID: 7, limits: limits)
    #expect(full.trustsPeers && full.controlSocket == "/c" && full.settings.degree == .observe)
    #expect(full.unmatched == .fail && full.holdAll == .both && full.firstExchangeID == 7 && full.limits.body == 3)
    let server = ConsoleServer(configuration: full)
    #expect(server.unmatched == .fail && server.holdAll == .both && server.settings == HookSettings(degree: .observe))
    #expect(server.board == StubBoard(revision: 1) && server.links.isEmpty && server.held.isEmpty)
  }

  @Test func exchangesBelongToTheRunAndCountFromTheFirst() async throws {
    try await TestConsole(adjust: { ($0.run, $0.firstExchangeID) = (9, 40) }).run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(.whole(1)), .exchange(.whole(2)))
      try await eventually { console.log.count == 2 }
      #expect(console.log.exchanges.map(\.id) == [40, 41] && console.log.exchanges.map(\.run) == [9, 9])
    }
  }

  @Test(arguments: [
    (ServerError.noSuchLink, "That process is no longer linked: choose one that is."),
    (.notRunning, "The console's server is not running: start it first."),
    (
      .noControl(path: "/c"),
      "No console answers on /c: start `patchbay`, or name the socket of one that runs with --socket."
    ),
    (
      .controlLost(path: "/c"),
      "The console on /c went away before it answered: look whether it still runs, and try again."
    ),
    (
      .otherUser(path: "/c"),
      "The console on /c belongs to another user: name one of yours with --socket, or take it with --trust-peer."
    ),
    (.severalConsoles(["/a", "/b"]), "Several consoles are running (/a, /b): name one with --socket."),
    (.noConsole(folder: "/f"), "No console is running in /f: start `patchbay`, or name its socket with --socket."),
    (.refused("As it says."), "As it says."),
  ])
  func whatCannotBeDoneIsASentence(_ error: ServerError, _ sentence: String) {
    #expect(error.description == sentence)
  }

  @Test(
    arguments: [
      (.person, "you"), (.controller("a script"), "a script"), (.file("/f"), "/f"),
      (.process(HarnessProcess(name: "app", pid: 7)), "app 7"), (.console, "patchbay"),
    ] as [(Author, String)])
  func whoDidItHasAName(_ author: Author, _ name: String) {
    #expect(author.description == name)
  }

  // MARK: Sockets

  @Test func aSocketIsListenedOnOrNot() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    #expect(!UnixAddress.isListening(path))
    try folder.write("", to: "file")
    #expect(!UnixAddress.isListening(folder.file("file")))
    let socket = try OwnedSocket(path: path)
    defer { close(socket.descriptor) }
    #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0, "children do not inherit it")
    #expect(!UnixAddress.isListening(path))
    #expect(listen(socket.descriptor, 0) == 0)
    // The queue takes one or two; who finds it full learns that somebody listens.
    for _ in 0..<4 { #expect(UnixAddress.isListening(path)) }
    socket.unlinkIfOurs()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aPathIsFoundWithAllItsBytes() throws {
    let folder = try TemporaryFolder()
    let rest = UnixAddress.pathLimit - folder.path.utf8.count - 1
    let path = folder.file(String(repeating: "p", count: rest))
    let socket = try OwnedSocket(path: path)
    defer { close(socket.descriptor) }
    #expect(FileManager.default.fileExists(atPath: path))
    let size = UnixAddress.with("/あ") { address, size in
      (
        address.pointee.sa_family, address.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { $0.pointee.sun_path },
        size
      )
    }
    #expect(size.0 == sa_family_t(AF_UNIX) && size.2 == socklen_t(MemoryLayout<sockaddr_un>.size))
    let bytes = withUnsafeBytes(of: size.1) { Array($0.prefix(5)) }
    #expect(bytes == Array("/あ".utf8) + [0])
  }

  @Test func aLockIsOneConsolesUntilItIsReleased() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let lock = try SocketLock(socket: path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["s.sock.lock"])
    #expect(throws: ServerError.otherConsole(path: path)) { try SocketLock(socket: path) }
    lock.release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    try SocketLock(socket: path).release()
    // What is no file of ours is not followed, and not locked.
    #expect(symlink(folder.file("elsewhere"), path + ".lock") == 0)
    let error = #expect(throws: ServerError.self) { try SocketLock(socket: path) }
    guard case .socket(path, "locked", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("elsewhere")))
    let file = try folder.write("", to: "file")
    #expect(throws: ServerError.noFolder(path: file + "/s", folder: file)) { try SocketLock(socket: file + "/s") }
  }

  @Test func theUserAtTheOtherEndIsKnown() {
    var pair: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    var pipes: [Int32] = [0, 0]
    #expect(pipe(&pipes) == 0)
    defer { for descriptor in pair + pipes { close(descriptor) } }
    #expect(PeerCheck.user(of: pair[0]) == geteuid())
    #expect(PeerCheck.user(of: pipes[0]) == nil && PeerCheck.user(of: -1) == nil)
  }

  @Test func whatWaitsToBeReadIsCounted() async throws {
    let folder = try TemporaryFolder()
    let accepted = SeenLock<(any Channel)?>(nil)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        accepted.withLock { $0 = channel }
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(unixDomainSocketPath: folder.file("s.sock")).get()
    let client = try await FakeHook.connect(folder.file("s.sock"))
    try await eventually { accepted.withLock { $0 } != nil }
    let channel = try #require(accepted.withLock { $0 })
    func backlog() async throws -> (unread: Int, hasEnded: Bool) {
      try await channel.eventLoop.submit { PeerCheck.backlog(of: channel) }.get()
    }
    let before = try await backlog()
    #expect(before.unread == 0 && !before.hasEnded)
    try await client.channel.writeAndFlush(ByteBuffer(bytes: [1, 2, 3])).get()
    let after = try await backlog()
    #expect(after.unread == 3 && !after.hasEnded)
    await client.close()
    try? await channel.close().get()
    try await listener.close().get()
  }

  // MARK: Bytes for links

  private func messages(_ bytes: ByteBuffer) -> [ConsoleMessage] {
    var decoder = FrameDecoder<ConsoleMessage>()
    decoder.feed(bytes.readableBytesView)
    var messages: [ConsoleMessage] = []
    while case .message(let message) = decoder.next() { messages.append(message) }
    return messages
  }

  /// What is shared is that of its revision; what is a link's own is nobody else's.
  @Test func sharedStubsAreEncodedOnceForEachRevision() {
    func push(_ revision: UInt64, _ name: String) -> StubPush {
      StubPush(set: StubSet(revision: revision, stubs: [Stub(name: name, then: .hold(.both))]))
    }
    let pushes = SharedPushes()
    func told(_ push: StubPush, isShared: Bool) -> [ConsoleMessage] {
      messages(pushes.bytes(of: .stubs(push, isShared: isShared)))
    }
    #expect(told(push(3, "a"), isShared: true) == [.stubs(push(3, "a"))])
    #expect(told(push(3, "own"), isShared: false) == [.stubs(push(3, "own"))])
    #expect(told(push(3, "again"), isShared: true) == [.stubs(push(3, "a"))], "it was encoded already")
    #expect(told(push(4, "b"), isShared: true) == [.stubs(push(4, "b"))])
    #expect(told(push(3, "c"), isShared: true) == [.stubs(push(3, "c"))])
    #expect(messages(pushes.bytes(of: .message(.resetCounts(name: "x")))) == [.resetCounts(name: "x")])
  }
}

/// A controller's side of the control socket.
@Suite(.bounded) struct ControlClientTests {
  @Test func aReplyIsReadByItsMembers() throws {
    let reply = ControlReply(members: ["revision": 8, "laggards": ["a 1", 7, "b 2"], "other": "x"])
    #expect(reply.revision == 8 && reply.laggards == ["a 1", "b 2"] && reply["other"] == "x" && reply["none"] == nil)
    let none = ControlReply(members: ["laggards": "a 1"])
    #expect(none.revision == nil && none.laggards == [])
  }

  @Test func eachRequestGetsItsOwnAnswer() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let client = try await ControlClient.connect(socket: console.control, as: "by its control socket")
      let counts = try await withThrowingTaskGroup(of: (Int, JSONValue?).self) { group in
        for limit in 0...3 {
          group.addTask {
            (limit, try await client.request("history", [.init("limit", .number("\(limit)"))])["exchanges"])
          }
        }
        return try await group.reduce(into: [Int: JSONValue?]()) { $0[$1.0] = $1.1 }
      }
      for limit in 0...3 {
        guard case .array(let rows)?? = counts[limit] else {
          Issue.record("no rows")
          return
        }
        #expect(rows.count == limit)
      }
      await #expect(throws: ServerError.refused("There is no stub named `x`: see `patchbay stubs list`.")) {
        try await client.request("stubs.enable", [.init("name", "x")])
      }
      await client.close()
      await #expect(throws: ServerError.controlLost(path: console.control)) { try await client.request("status") }
      await #expect(throws: ServerError.controlLost(path: console.control)) { _ = try await client.follow() }
    }
  }

  /// What is no answer to one of them ends all that wait.
  @Test func whatTheConsoleSaysOfTheConnectionEndsIt() async throws {
    try await TestConsole(delegate: FakeDelegate(), adjust: { $0.limits.controlLine = 1_000 }).run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let log = try await client.follow()
      let long = JSONValue.string(String(repeating: "x", count: 300_000))
      let sentence = ServerError.refused("The line is longer than 1000 bytes.")
      await #expect(throws: sentence) { try await client.request("status", [.init("long", long)]) }
      await #expect(throws: sentence) { for try await _ in log {} }
      await #expect(throws: ServerError.self) { try await client.request("status") }
    }
  }

  /// A line is taken up to its limit.
  @Test(arguments: [(1_000, true), (1_001, false)]) func aLineMayBeSoLong(_ length: Int, _ isTaken: Bool) async throws {
    try await TestConsole(adjust: { $0.limits.controlLine = 1_000 }).run { console in
      let raw = try await RawController.connect(console.control)
      let line = "{\"id\":1,\"do\":\"status\"}"
      raw.send(line + String(repeating: " ", count: length - line.count))
      if isTaken {
        // It is looked at before the rest comes.
        raw.send("\n")
        try await eventually { raw.lines.count == 1 }
        #expect(raw.lines[0].contains("\"ok\":true"))
      } else {
        try await eventually { raw.isClosed }
        #expect(raw.lines == ["{\"id\":null,\"ok\":false,\"error\":\"The line is longer than 1000 bytes.\"}"])
      }
    }
  }

  @Test func aLogThatIsNotReadHoldsItsConnectionBack() async throws {
    try await TestConsole.run { console in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(unixDomainSocketPath: console.control).get()
      func isRead() async throws -> Bool { try await channel.getOption(.autoRead).get() }
      let buffer = LogBuffer()
      var (pushed, popped) = (0, 0)
      func push(_ count: Int) {
        for _ in 0..<count {
          buffer.push(.shed(pushed), channel: channel)
          pushed += 1
        }
      }
      func pop(_ count: Int) async throws {
        for _ in 0..<count {
          #expect(try await buffer.next() == .shed(popped))
          popped += 1
        }
      }
      for _ in 0..<2 {
        push(1_023 - (pushed - popped))
        #expect(try await isRead())
        push(1)
        #expect(try await !isRead())
        push(10)
        try await pop(778)
        #expect(try await !isRead(), "256 wait")
        try await pop(1)
        #expect(try await isRead())
      }
      try await channel.close().get()
    }
  }

  @Test func whoIsCancelledWhileItWaitsLosesNothing() async throws {
    let buffer = LogBuffer()
    for round in 0..<20 {
      let reader = Task { try await buffer.next() }
      if round.isMultiple(of: 2) { await Task.yield() }
      reader.cancel()
      #expect(try await reader.value == nil)
      buffer.push(.shed(round), channel: nil)
      #expect(try await buffer.next() == .shed(round))
    }
  }
}
